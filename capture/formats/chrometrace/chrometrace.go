package chrometrace

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/progress"
)

// Format is the Chrome trace format. Its zero value is ready for use.
type Format struct{}

var (
	_ formats.Writer    = Format{}
	_ formats.Explainer = Format{}
	_ formats.Doubter   = Format{}
)

// Name is "chrometrace".
func (Format) Name() string { return "chrometrace" }

// Doc says what the format is.
func (Format) Doc() string {
	return "a Chrome trace in JSON, also packed by gzip, as many programs write it: counters, slices and marks " +
		"(an object with traceEvents, or a list of events with ph)"
}

// Extensions are those of JSON.
func (Format) Extensions() []string { return []string{".json", ".json.gz"} }

// packed are the first bytes of gzip.
var packed = []byte{0x1f, 0x8b, 8}

// Sniff looks for an object with traceEvents, or a list whose first object has a phase.
func (Format) Sniff(in *formats.Input) int {
	head := in.Head
	if in.IsDir {
		return 0
	}
	if bytes.HasPrefix(head, packed) {
		z, err := gzip.NewReader(bytes.NewReader(head))
		if err != nil {
			return 0
		}
		// What the first bytes hold of it, which ends within.
		head, _ = io.ReadAll(io.LimitReader(z, formats.HeadSize))
	}
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	switch {
	case bytes.HasPrefix(head, []byte("{")) && namesEvents.Match(head):
		return 88
	case listOfEvents.Match(head):
		return 80
	}
	return 0
}

var (
	namesEvents  = regexp.MustCompile(`"traceEvents"\s*:\s*\[`)
	listOfEvents = regexp.MustCompile(`^\[[\s,]*\{[^{}]*"ph"\s*:\s*"[a-zA-Z]"`)
)

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "it is a folder"
	}
	return "it is no JSON object with \"traceEvents\" and no list of events with \"ph\""
}

// Open reads the counters, slices and marks of a trace.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	if len(opt.Extra) > 0 {
		return nil, formats.OptionErrorf("format chrometrace has no option %s",
			strings.Join(slices.Sorted(maps.Keys(opt.Extra)), ", "))
	}
	if in.IsDir {
		return nil, fmt.Errorf("%s: a folder, and a trace is one file", in.Path)
	}
	f, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	progress.From(ctx).Begin(in.Size, progress.Bytes)
	r := progress.Reader(ctx, f)
	if bytes.HasPrefix(in.Head, packed) {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, fmt.Errorf("%s: not packed by gzip, or damaged: %w", in.Path, err)
		}
	}
	cfg, err := decode(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	if cfg.Name == "" {
		name := strings.TrimSuffix(filepath.Base(in.Path), ".gz")
		cfg.Name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	cfg.Path, cfg.Format = in.Path, Format{}.Name()
	opt.Apply(cfg)
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(*cfg)
}

// Doubts says which values viewers do not show as they are.
func (Format) Doubts(c *capture.Capture) []string {
	var out []string
	for _, whole := range c.Counters {
		for _, ctr := range append([]*capture.Counter{whole}, whole.Instances...) {
			if ctr.Col == nil {
				continue
			}
			d := ctr.Col.Data()
			big, infinite := false, false
			for _, u := range d.U {
				big = big || u > 1<<53
			}
			for _, f := range d.F {
				infinite = infinite || math.IsInf(f, 0)
			}
			if big {
				out = append(out, fmt.Sprintf("counter %s has values beyond 2^53, which viewers of Chrome traces round",
					ctr.Name))
			}
			if infinite {
				out = append(out,
					fmt.Sprintf("counter %s has infinite values, which JSON cannot hold: they are left out", ctr.Name))
			}
		}
	}
	return out
}
