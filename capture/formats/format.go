package formats

import (
	"context"
	"io"
	"slices"

	"astrolabe/capture"
)

// Options are what a caller may say about a capture that its content does not.
type Options struct {
	Format   string // name of a format; "" finds it from the content
	GPU      string // catalogue id; "" takes it from the content
	Force    bool   // GPU holds also where the content says another vendor or architecture
	Denom    string // capture.Options.Denom
	Duration string // capture.Options.Duration
	Zero     string // capture.Options.Zero
	// Properties are constants of the capture that its content does not state, or states wrongly, such as the
	// generation of the GPU.
	Properties []capture.Property
	// Kinds decides of what kind counters are, against what the content and the catalogues say.
	Kinds Kinds
	// Extra holds options that only one format understands.
	Extra map[string]any
	// Beside is asked about files and folders that are read though another file was named, beside which they lie; nil
	// allows all.
	Beside func(path string) error
	// Warn is called with warnings as they arise, if it is not nil. They are in the capture's Warnings too.
	Warn func(string)
}

// Apply puts the options that concern every format into c. An option that is not set leaves c's own.
func (o Options) Apply(c *capture.Config) {
	set := func(dst *string, v string) {
		if v != "" {
			*dst = v
		}
	}
	if o.GPU != "" && c.GPU != o.GPU {
		for _, says := range []string{c.GPU, c.Device.Name, c.Device.ID, c.Device.Vendor} {
			set(&c.Stated, says)
			if c.Stated != "" {
				break
			}
		}
		c.GPU = o.GPU
	}
	set(&c.Options.Denom, o.Denom)
	set(&c.Options.Duration, o.Duration)
	set(&c.Options.Zero, o.Zero)
	for _, p := range o.Properties {
		i := slices.IndexFunc(c.Properties, func(have capture.Property) bool { return have.Name == p.Name })
		if i < 0 {
			c.Properties = append(c.Properties, p)
			continue
		}
		c.Properties = slices.Clone(c.Properties)
		c.Properties[i] = p
	}
}

// Format reads one file format.
type Format interface {
	// Name is what a user writes in format=.
	Name() string
	// Doc says in one line what the format is and what its content looks like.
	Doc() string
	// Sniff says how sure it is that the content is of this format: 0 is no, 100 is certain. It goes by
	// content (in.Head, in.Files), and may use the name only to decide between equals.
	Sniff(in *Input) int
	// Open reads the capture. The Capture may keep using the file lazily. It sets Config.Path and Config.Format.
	Open(ctx context.Context, in *Input, opt Options) (*capture.Capture, error)
}

// Explainer is a Format that can say what it missed in content that it does not recognise.
type Explainer interface {
	// WhyNot completes "this is not my format: ..." for an input whose Sniff was 0, such as "no pmc_perf.csv in the
	// folder".
	WhyNot(in *Input) string
}

// Ending is a Format whose files have names with endings of their own, or that others share.
type Ending interface {
	// Extensions are the endings, such as ".csv", the usual one first. Those of a Writer select it where a capture is
	// saved; completion offers files with any.
	Extensions() []string
}

// Writer is a Format that can also save captures.
type Writer interface {
	Format
	Ending
	// Encode writes c as the content of a file. It tells the meter of ctx how far it is.
	Encode(ctx context.Context, w io.Writer, c *capture.Capture) error
}

// Variable is a Writer that writes files of another name in another form.
type Variable interface{ Named(path string) Writer }

// Summary is a Writer of totals: a metric is of the whole capture, or of what a label names, and never of a sample.
type Summary interface {
	Writer
	Sums()
}

// Doubter is a Writer whose format other programs read too, some of them with limits.
type Doubter interface {
	// Doubts says what other programs will not read, or not read well, in the file that Encode would make of c.
	Doubts(c *capture.Capture) []string
}
