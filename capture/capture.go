package capture

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Property is one named constant of a capture, such as a shader core count. Exactly one form is set.
type Property struct {
	Name   string
	Number float64
	Text   string
	IsText bool
}

// HeldBack is the property of a recording whose samples waited before they were written, for counters that are read less
// often than those are handed on: its text is for how long at most. A recorder that is killed loses that time.
const HeldBack = "recording_held_back"

// ElapsedUnknown is the property of a capture whose samples have no known length, only a time to draw: its text says why.
// Then nothing is known per second, nor how much of the time anybody worked.
const ElapsedUnknown = "elapsed_unknown"

// Counted is the property that says of whom counters of processors are, where they have no instances that tell: its text
// is WholeCPUs where CPUs were counted whatever ran on them, and CPUsCounted, if known, how many; Threads where instances
// are the threads of a program.
const (
	Counted     = "counted"
	WholeCPUs   = "CPUs"
	Threads     = "threads"
	CPUsCounted = "cpus_counted"
)

// Label is a column of text values, dictionary coded: sample i has Dict[Codes[i]], or no value where the code is -1.
//
// The empty text is no value. Recorders and files write it where they have nothing to say, such as for the samples
// before the first frame, so New takes it out of the labels of every capture, and no reader, writer or script meets it.
type Label struct {
	Name  string
	Codes []int32
	Dict  []string
	// Unique says that each value names one sample, which was put together of others, such as those of a kernel.
	Unique bool

	clean bool // Dict holds no empty text
}

// with is the label with other codes of the same dictionary.
func (l *Label) with(codes []int32) *Label {
	return &Label{Name: l.Name, Codes: codes, Dict: l.Dict, Unique: l.Unique, clean: l.clean}
}

// withoutEmpty is the label without the empty text in its dictionary.
func (l *Label) withoutEmpty() *Label {
	if l.clean {
		return l
	}
	out := *l
	out.clean = true
	if !slices.Contains(l.Dict, "") {
		return &out
	}
	codes := make([]int32, len(l.Dict)) // by the code of before
	out.Dict = nil
	for i, text := range l.Dict {
		codes[i] = -1
		if text != "" {
			codes[i] = int32(len(out.Dict))
			out.Dict = append(out.Dict, text)
		}
	}
	out.Codes = make([]int32, len(l.Codes))
	for i, code := range l.Codes {
		if out.Codes[i] = -1; code >= 0 {
			out.Codes[i] = codes[code]
		}
	}
	return &out
}

// Value is the label of sample i, never the empty text.
func (l *Label) Value(i int) (string, bool) {
	if l.Codes[i] < 0 {
		return "", false
	}
	return l.Dict[l.Codes[i]], true
}

// Region is a named stretch of time, such as a frame or a kernel launch, in ns since the start of the capture.
type Region struct {
	Name       string
	Start, End int64
	Depth      int    // of nesting within its track
	Track      string // what it happened on, such as a thread or a queue, where a capture has regions of several
}

// Device describes what was measured. Unknown fields are empty.
type Device struct {
	Name   string
	Vendor string
	Driver string
	ID     string            // PCI id, chip id or the like
	Extra  map[string]string // anything else worth showing
}

// Options are the choices that decide how catalogue formulas read a capture.
type Options struct {
	Denom    string // "per_kernel" (default), "per_wave", "per_cycle", "per_second"
	Duration string // "pass" (default), "median", "first"
	Zero     string // "" (the catalogue's rule), "missing", "vendor"
}

// Config is everything a Capture is made of.
type Config struct {
	Name   string // short name, such as the file's
	Path   string
	Format string
	GPU    string // catalogue id, "" if unknown
	// what the content says it is of, where the caller chose a GPU of another family by force; else ""
	Stated     string
	Device     Device
	Properties []Property
	StartTime  time.Time // wall clock at time 0; zero if unknown
	Options    Options
	Axis       *Axis
	Counters   []*Counter // whole counters, in the order of the source; instances hang below them
	Labels     []*Label
	Regions    []Region
	Gaps       []Gap // without data
	Late       []Gap // covered by samples that are longer than they should be
	Passes     []*Pass
	Warnings   []string

	origin *origin // nil where the samples were not put together of others
}

// Capture is an immutable set of counters over one time axis.
type Capture struct {
	Config
	names nameIndex
	memo  sync.Map // of Memo
}

// Memo returns what build makes of the capture, which it is asked for once per key: what others know about a capture,
// and would have to work out again for every question. Two that ask at the same time may both build; one result stays.
func (c *Capture) Memo(key any, build func() any) any {
	if v, ok := c.memo.Load(key); ok {
		return v
	}
	v, _ := c.memo.LoadOrStore(key, build())
	return v
}

// New checks that everything in c fits together and makes a Capture of it.
func New(c Config) (*Capture, error) {
	if c.Axis == nil {
		c.Axis = &Axis{}
	}
	if c.origin != nil && c.origin.bins.Axis != c.Axis { // these are other samples
		c.origin = nil
	}
	n := c.Axis.Len()
	if len(c.Axis.End) != n {
		return nil, fmt.Errorf("time axis has %d starts and %d ends", n, len(c.Axis.End))
	}
	cap := &Capture{Config: c, names: newNameIndex(len(c.Counters))}
	for i, ctr := range c.Counters {
		if ctr.Name == "" {
			return nil, fmt.Errorf("counter %d has no name", i)
		}
		if j := cap.names.add(c.Counters, i); j >= 0 {
			return nil, fmt.Errorf("counter %q stands at positions %d and %d", ctr.Name, j, i)
		}
		if ctr.Der != nil {
			return nil, fmt.Errorf(
				"counter %q is derived: a capture holds what was measured, its catalogue makes the metrics", ctr.Name)
		}
		if ctr.Axis != c.Axis {
			return nil, fmt.Errorf("counter %q has another time axis", ctr.Name)
		}
		if ctr.Col != nil && ctr.Col.Len() != n {
			return nil, fmt.Errorf("counter %q has %d values, the time axis has %d", ctr.Name, ctr.Col.Len(), n)
		}
	}
	cap.Labels = make([]*Label, len(c.Labels))
	for i, l := range c.Labels {
		if len(l.Codes) != n {
			return nil, fmt.Errorf("label %q has %d values, the time axis has %d", l.Name, len(l.Codes), n)
		}
		cap.Labels[i] = l.withoutEmpty()
	}
	cap.linkTurns()
	return cap, nil
}

// Len is the number of samples.
func (c *Capture) Len() int { return c.Axis.Len() }

// Counter returns the whole counter of that exact name, nil if there is none.
func (c *Capture) Counter(name string) *Counter {
	if i := c.names.find(c.Counters, name); i >= 0 {
		return c.Counters[i]
	}
	return nil
}

// Devices lists the devices that counters and their instances name, in order; none where they name none.
func (c *Capture) Devices() []string {
	var out []string
	add := func(device string) {
		if device != "" && !slices.Contains(out, device) {
			out = append(out, device)
		}
	}
	for _, ctr := range c.Counters {
		add(ctr.Device)
		for _, in := range ctr.Instances {
			add(in.Device)
		}
	}
	return out
}

// Property returns the constant of that name.
func (c *Capture) Property(name string) (Property, bool) {
	for _, p := range c.Properties {
		if p.Name == name {
			return p, true
		}
	}
	return Property{}, false
}

// Label returns the label column of that name, nil if there is none.
func (c *Capture) Label(name string) *Label {
	for _, l := range c.Labels {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// FindLabel is the label of that name, or an error that says which there are.
func (c *Capture) FindLabel(name string) (*Label, error) {
	if l := c.Label(name); l != nil {
		return l, nil
	}
	if len(c.Labels) == 0 {
		return nil, fmt.Errorf("no label %q: this capture has no labels", name)
	}
	names := make([]string, len(c.Labels))
	for i, l := range c.Labels {
		names[i] = l.Name
	}
	return nil, fmt.Errorf("no label %q: this capture has %s", name, strings.Join(names, ", "))
}
