package values

import (
	"fmt"
	"strings"
	"sync"

	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// Capture is a set of counters over one time axis.
type Capture struct {
	env     *binding.Env
	Capture *capture.Capture

	mu       sync.Mutex
	known    map[string]resolved         // names that were asked for
	accounts map[accountKey]knownAccount // of account, by table
	all      []*capture.Counter          // catalogue metrics, once asked for
	err      error
	asked    bool
	seen     int // definitions of the script when the above was resolved
}

var (
	_ starlark.HasAttrs  = (*Capture)(nil)
	_ starlark.Mapping   = (*Capture)(nil)
	_ starlark.Sequence  = (*Capture)(nil)
	_ starlark.Sliceable = (*Capture)(nil)
)

// NewCapture makes a capture visible to scripts and shows its warnings.
func NewCapture(env *binding.Env, c *capture.Capture) *Capture {
	for _, w := range c.Warnings {
		env.Warnf("%s", named(c.Name, w))
	}
	return &Capture{env: env, Capture: c}
}

// Told keeps a run quiet about the warnings of a capture that the command has shown already.
func Told(env *binding.Env, c *capture.Capture) {
	for _, w := range c.Warnings {
		env.Told(named(c.Name, w))
	}
}

// named puts the name of what a warning is about before it, unless it begins with it: a recording is called like its
// sources, with plus signs between them, and a source names itself.
func named(name, warning string) string {
	for part := range strings.SplitSeq(name, "+") {
		if strings.HasPrefix(warning, part+": ") {
			return warning
		}
	}
	if name == "" {
		return warning
	}
	return name + ": " + warning
}

func (c *Capture) Type() string         { return "Capture" }
func (c *Capture) Freeze()              {}
func (c *Capture) Truth() starlark.Bool { return starlark.Bool(c.Capture.Len() > 0) }
func (c *Capture) Hash() (uint32, error) {
	return 0, fmt.Errorf("unhashable: Capture; use its name as the key")
}
func (c *Capture) AttrNames() []string { return captureTable.AttrNames() }

func (c *Capture) Attr(name string) (starlark.Value, error) {
	v, err := captureTable.Member(c.env, c, name)
	if v == nil && err == nil {
		if _, absent := c.resolve(name); absent == nil {
			return nil, fmt.Errorf("Capture has no .%s: a counter is taken by its name, cap[%q]", name, name)
		}
		err = captureTable.Absent("Capture", name, captureTable.AttrNames())
	}
	return v, err
}

// Counter makes a counter of the capture visible to scripts.
func (c *Capture) Counter(of *capture.Counter) *Counter {
	return &Counter{env: c.env, Counter: of, From: c.Capture}
}

// labelNames lists the labels of the samples.
func (c *Capture) labelNames() string {
	names := make([]string, len(c.Capture.Labels))
	for i, l := range c.Capture.Labels {
		names[i] = l.Name
	}
	return strings.Join(names, ", ")
}

func (c *Capture) Len() int { return c.Capture.Len() }

// Index returns a sample.
func (c *Capture) Index(i int) starlark.Value { return &Sample{c, i} }

// Slice returns the capture of samples [start, end), of every step-th of them.
func (c *Capture) Slice(start, end, step int) starlark.Value {
	if step < 0 {
		c.env.Stop("a Capture cannot be reversed: time runs forward")
	}
	out, err := c.Capture.Where(capture.NewMask(c.Capture.Axis, func(i int) bool {
		return i >= start && i < end && (i-start)%step == 0
	}))
	if err != nil {
		c.env.Stop("%v", err)
	}
	return &Capture{env: c.env, Capture: out}
}

func (c *Capture) Iterate() starlark.Iterator { return &sampleIterator{c: c} }

type sampleIterator struct {
	c *Capture
	i int
}

func (it *sampleIterator) Next(p *starlark.Value) bool {
	if it.i >= it.c.Len() {
		return false
	}
	*p = &Sample{it.c, it.i}
	it.i++
	return true
}

func (it *sampleIterator) Done() {}

// Get returns a counter or metric by name, or a sample by index.
func (c *Capture) Get(k starlark.Value) (starlark.Value, bool, error) {
	switch k := k.(type) {
	case starlark.String:
		out, err := c.resolve(string(k))
		if err != nil {
			return nil, false, err
		}
		return c.Counter(out), true, nil
	case starlark.Int:
		i, err := starlark.AsInt32(k)
		if err == nil && i < 0 {
			i += c.Len()
		}
		if err != nil || i < 0 || i >= c.Len() {
			return nil, false, fmt.Errorf("sample %s is out of range: the capture has %d", k, c.Len())
		}
		return &Sample{c, i}, true, nil
	case starlark.Bool:
		return nil, false, fmt.Errorf("Capture index: %s", isBool)
	case *Mask:
		return nil, false, fmt.Errorf("Capture index: got Mask; cap.where(mask) keeps the selected samples")
	}
	return nil, false, fmt.Errorf("Capture index: got %s, want the name of a counter or metric", k.Type())
}

// resolve finds a counter or metric by any of its names.
func (c *Capture) resolve(name string) (*capture.Counter, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	if out, ok := c.known[name]; ok {
		return out.counter, out.err
	}
	out, err := metrics.ResolveWith(c.Capture, c.env.Defined(c.Capture.GPU), name)
	if err != nil {
		out, err = nil, &unresolved{err}
	}
	if c.known == nil {
		c.known = map[string]resolved{}
	}
	c.known[name] = resolved{out, err}
	return out, err
}

// resolved is what a name stands for, or why it stands for nothing.
type resolved struct {
	counter *capture.Counter
	err     error
}

// unresolved is the error of a name that a capture does not have. What it says is put together when it is asked:
// scripts try names.
type unresolved struct{ err error }

func (e *unresolved) Unwrap() error { return e.err }

func (e *unresolved) Error() string {
	text := e.err.Error()
	if strings.ContainsAny(text, ";(") {
		return text
	}
	return text +
		"; list(cap.counters) are the names of what was measured, list(cap.metrics) those of what the catalogue adds"
}

// refresh forgets what was resolved before the script defined more metrics.
func (c *Capture) refresh() {
	if n := c.env.Generation(); n != c.seen {
		c.seen, c.known, c.asked = n, nil, false
	}
}

// catalogued returns every metric of the capture's catalogues. They are bound together once, so that they share work.
func (c *Capture) catalogued() ([]*capture.Counter, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	if !c.asked {
		c.asked = true
		c.all, c.err = metrics.Metrics(c.Capture)
		if c.err == nil {
			var own []string
			defs := c.env.Defined(c.Capture.GPU)
			for _, d := range defs {
				own = append(own, d.Name)
			}
			var more []*capture.Counter
			more, c.err = metrics.ResolveAllWith(c.Capture, defs, own)
			c.all = append(c.all, more...)
		}
	}
	return c.all, c.err
}

func (c *Capture) counterMap() *counterMap {
	return &counterMap{env: c.env, cap: c, what: "counter", all: func() ([]*capture.Counter, error) {
		return c.Capture.Counters, nil
	}}
}

func (c *Capture) metricMap() *counterMap {
	return &counterMap{env: c.env, cap: c, what: "metric", all: c.catalogued}
}

// Derive wraps a capture made from c. It keeps quiet about warnings that c had.
func (c *Capture) Derive(out *capture.Capture) *Capture {
	had := map[string]bool{}
	for _, w := range c.Capture.Warnings {
		had[w] = true
	}
	for _, w := range out.Warnings {
		if !had[w] {
			c.env.Warnf("%s", named(out.Name, w))
		}
	}
	return &Capture{env: c.env, Capture: out}
}

// String is a summary of a few lines.
func (c *Capture) String() string {
	var b strings.Builder
	name := c.Capture.Name
	if name == "" {
		name = "(unnamed)"
	}
	fmt.Fprintf(&b, "Capture %s", notation.VisibleLine(name))
	if c.Capture.Format != "" {
		fmt.Fprintf(&b, " (%s)", c.Capture.Format)
	}
	n := c.Len()
	fmt.Fprintf(&b, "\n  %d %s over %s, %d %s", n, notation.Plural(n, "sample"),
		notation.FormatNS(float64(c.Capture.Duration())), len(c.Capture.Counters),
		notation.Plural(len(c.Capture.Counters), "counter"))
	if k := len(c.Capture.Passes); k > 1 {
		fmt.Fprintf(&b, " in %d passes", k)
	}
	gpu := c.Capture.GPU
	if gpu == "" {
		gpu = "not known"
	}
	fmt.Fprintf(&b, "\n  gpu %s", notation.VisibleLine(gpu))
	if c.Capture.Device.Name != "" {
		fmt.Fprintf(&b, ", device %s", notation.VisibleLine(c.Capture.Device.Name))
	}
	if len(c.Capture.Counters) > 0 {
		b.WriteString("\n  counters " + someNames(c.Capture.Counters, 5))
	}
	var labels []string
	for _, l := range c.Capture.Labels {
		labels = append(labels, notation.VisibleLine(l.Name))
	}
	if len(labels) > 0 {
		b.WriteString("\n  labels " + strings.Join(labels, ", "))
	}
	lasting := func(gaps []capture.Gap, how string) string {
		return ", " + notation.FormatNS(float64(capture.Length(gaps))) + how
	}
	for _, x := range []struct {
		n          int
		word, more string
	}{
		{len(c.Capture.Regions), "region", ""},
		{len(c.Capture.Gaps), "gap", lasting(c.Capture.Gaps, " without data")},
		{len(c.Capture.Late), "late span", lasting(c.Capture.Late, " in longer samples")},
		{len(c.Capture.Warnings), "warning", ""},
	} {
		if x.n > 0 {
			fmt.Fprintf(&b, "\n  %d %s%s", x.n, notation.Plural(x.n, x.word), x.more)
		}
	}
	return b.String()
}

// someNames lists the first k names and how many more there are.
func someNames(list []*capture.Counter, k int) string {
	var out []string
	for _, c := range list[:min(k, len(list))] {
		out = append(out, notation.VisibleLine(c.Name))
	}
	s := strings.Join(out, ", ")
	if more := len(list) - k; more > 0 {
		s += fmt.Sprintf(", … %d more", more)
	}
	return s
}

func (c *Capture) device() starlark.Value {
	d := c.Capture.Device
	fields := starlark.StringDict{"name": binding.Text(d.Name), "vendor": binding.Text(d.Vendor),
		"driver": binding.Text(d.Driver), "id": binding.Text(d.ID)}
	for k, v := range d.Extra {
		if _, taken := fields[k]; !taken {
			fields[k] = starlark.String(v)
		}
	}
	return starlarkstruct.FromStringDict(starlark.String("device"), fields)
}

func (c *Capture) deviceNames() []string {
	out := c.Capture.Devices()
	if len(out) == 0 && c.Capture.Device.Name != "" {
		out = []string{c.Capture.Device.Name}
	}
	return out
}

func (c *Capture) properties() starlark.Value {
	d := starlark.NewDict(len(c.Capture.Properties))
	for _, p := range c.Capture.Properties {
		v := binding.Integral(p.Number)
		if p.IsText {
			v = starlark.String(p.Text)
		}
		d.SetKey(starlark.String(p.Name), v)
	}
	d.Freeze()
	return d
}

func (c *Capture) startTime() starlark.Value {
	if c.Capture.StartTime.IsZero() {
		return starlark.None
	}
	return startime.Time(c.Capture.StartTime)
}

func (c *Capture) regions() starlark.Value {
	out := make([]starlark.Value, len(c.Capture.Regions))
	for i, r := range c.Capture.Regions {
		out[i] = &Span{env: c.env, Span: capture.Span{Start: r.Start, End: r.End}, name: r.Name,
			track: r.Track, depth: r.Depth}
	}
	return binding.FrozenList(out)
}

// gapSpans are the gaps, or the late spans, as values.
func (c *Capture) gapSpans(gaps []capture.Gap, late bool) starlark.Value {
	out := make([]starlark.Value, len(gaps))
	for i, g := range gaps {
		out[i] = &Span{env: c.env, Span: capture.Span{Start: g.Start, End: g.End}, reason: &g.Reason,
			lost: g.Lost, late: late}
	}
	return binding.FrozenList(out)
}

// isBool explains a bool that stands where something else belongs.
const isBool = "got bool; comparisons of counters are methods and give a Mask: use c.gt(5), c.eq(5) and cap.where(mask)"
