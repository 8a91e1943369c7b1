package builtins

import (
	"fmt"
	"strings"
	"sync"

	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// Capture is a set of counters over one time axis.
type Capture struct {
	env *Env
	c   *capture.Capture

	mu       sync.Mutex
	known    map[string]*capture.Counter // names already resolved
	accounts map[accountKey]*Account     // of account, by table
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
func NewCapture(env *Env, c *capture.Capture) *Capture {
	for _, w := range c.Warnings {
		env.warn("%s", named(c.Name, w))
	}
	return &Capture{env: env, c: c}
}

// named puts the name of what a warning is about before it, unless it begins with it: a recording is called like its sources, with
// plus signs between them, and a source names itself.
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

// Capture returns the capture behind the value.
func (c *Capture) Capture() *capture.Capture { return c.c }

func (c *Capture) Type() string         { return "Capture" }
func (c *Capture) Freeze()              {}
func (c *Capture) Truth() starlark.Bool { return starlark.Bool(c.c.Len() > 0) }
func (c *Capture) Hash() (uint32, error) {
	return 0, fmt.Errorf("unhashable: Capture; use its name as the key")
}
func (c *Capture) AttrNames() []string { return captureTable.attrNames() }

func (c *Capture) Attr(name string) (starlark.Value, error) {
	v, err := captureTable.member(c.env, c, name)
	if v == nil && err == nil {
		if _, absent := c.resolve(name); absent == nil {
			return nil, fmt.Errorf("Capture has no .%s: a counter is taken by its name, cap[%q]", name, name)
		}
		err = captureTable.absent("Capture", name, captureTable.attrNames())
	}
	return v, err
}

// labelNames lists the labels of the samples.
func (c *Capture) labelNames() string {
	names := make([]string, len(c.c.Labels))
	for i, l := range c.c.Labels {
		names[i] = l.Name
	}
	return strings.Join(names, ", ")
}

func (c *Capture) Len() int { return c.c.Len() }

// Index returns a sample.
func (c *Capture) Index(i int) starlark.Value { return &Sample{c, i} }

// Slice returns the capture of samples [start, end), of every step-th of them.
func (c *Capture) Slice(start, end, step int) starlark.Value {
	if step < 0 {
		c.env.stop("a Capture cannot be reversed: time runs forward")
	}
	out, err := c.c.Where(capture.NewMask(c.c.Axis, func(i int) bool { return i >= start && i < end && (i-start)%step == 0 }))
	if err != nil {
		c.env.stop("%v", err)
	}
	return &Capture{env: c.env, c: out}
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
		return &Counter{env: c.env, c: out, cap: c.c}, true, nil
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
		return out, nil
	}
	out, err := metrics.ResolveWith(c.c, c.env.defined(c.c.GPU), name)
	if err != nil {
		return nil, &unresolved{err}
	}
	if c.known == nil {
		c.known = map[string]*capture.Counter{}
	}
	c.known[name] = out
	return out, nil
}

// unresolved is the error of a name that a capture does not have. What it says is put together when it is asked: scripts try names.
type unresolved struct{ err error }

func (e *unresolved) Unwrap() error { return e.err }

func (e *unresolved) Error() string {
	text := e.err.Error()
	if strings.ContainsAny(text, ";(") {
		return text
	}
	return text + "; list(cap.counters) are the names of what was measured, list(cap.metrics) those of what the catalogue adds"
}

// refresh forgets what was resolved before the script defined more metrics.
func (c *Capture) refresh() {
	if n := c.env.generation(); n != c.seen {
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
		c.all, c.err = metrics.Metrics(c.c)
		if c.err == nil {
			var own []string
			defs := c.env.defined(c.c.GPU)
			for _, d := range defs {
				own = append(own, d.Name)
			}
			var more []*capture.Counter
			more, c.err = metrics.ResolveAllWith(c.c, defs, own)
			c.all = append(c.all, more...)
		}
	}
	return c.all, c.err
}

func (c *Capture) counterMap() *counterMap {
	return &counterMap{env: c.env, cap: c, what: "counter", all: func() ([]*capture.Counter, error) { return c.c.Counters, nil }}
}

func (c *Capture) metricMap() *counterMap {
	return &counterMap{env: c.env, cap: c, what: "metric", all: c.catalogued}
}

// derive wraps a capture made from c. It keeps quiet about warnings that c had.
func (c *Capture) derive(out *capture.Capture) *Capture {
	had := map[string]bool{}
	for _, w := range c.c.Warnings {
		had[w] = true
	}
	for _, w := range out.Warnings {
		if !had[w] {
			c.env.warn("%s", named(out.Name, w))
		}
	}
	return &Capture{env: c.env, c: out}
}

// String is a summary of a few lines.
func (c *Capture) String() string {
	var b strings.Builder
	name := c.c.Name
	if name == "" {
		name = "(unnamed)"
	}
	fmt.Fprintf(&b, "Capture %s", VisibleLine(name))
	if c.c.Format != "" {
		fmt.Fprintf(&b, " (%s)", c.c.Format)
	}
	n := c.Len()
	fmt.Fprintf(&b, "\n  %d %s over %s, %d %s", n, plural(n, "sample"), formatNS(float64(c.c.Duration())), len(c.c.Counters), plural(len(c.c.Counters), "counter"))
	if k := len(c.c.Passes); k > 1 {
		fmt.Fprintf(&b, " in %d passes", k)
	}
	gpu := c.c.GPU
	if gpu == "" {
		gpu = "not known"
	}
	fmt.Fprintf(&b, "\n  gpu %s", VisibleLine(gpu))
	if c.c.Device.Name != "" {
		fmt.Fprintf(&b, ", device %s", VisibleLine(c.c.Device.Name))
	}
	if len(c.c.Counters) > 0 {
		b.WriteString("\n  counters " + someNames(c.c.Counters, 5))
	}
	var labels []string
	for _, l := range c.c.Labels {
		labels = append(labels, VisibleLine(l.Name))
	}
	if len(labels) > 0 {
		b.WriteString("\n  labels " + strings.Join(labels, ", "))
	}
	lasting := func(gaps []capture.Gap, how string) string {
		return ", " + formatNS(float64(capture.Length(gaps))) + how
	}
	for _, x := range []struct {
		n          int
		word, more string
	}{
		{len(c.c.Regions), "region", ""},
		{len(c.c.Gaps), "gap", lasting(c.c.Gaps, " without data")},
		{len(c.c.Late), "late span", lasting(c.c.Late, " in longer samples")},
		{len(c.c.Warnings), "warning", ""},
	} {
		if x.n > 0 {
			fmt.Fprintf(&b, "\n  %d %s%s", x.n, plural(x.n, x.word), x.more)
		}
	}
	return b.String()
}

// someNames lists the first k names and how many more there are.
func someNames(list []*capture.Counter, k int) string {
	var out []string
	for _, c := range list[:min(k, len(list))] {
		out = append(out, VisibleLine(c.Name))
	}
	s := strings.Join(out, ", ")
	if more := len(list) - k; more > 0 {
		s += fmt.Sprintf(", … %d more", more)
	}
	return s
}

func (c *Capture) device() starlark.Value {
	d := c.c.Device
	fields := starlark.StringDict{"name": text(d.Name), "vendor": text(d.Vendor), "driver": text(d.Driver), "id": text(d.ID)}
	for k, v := range d.Extra {
		if _, taken := fields[k]; !taken {
			fields[k] = starlark.String(v)
		}
	}
	return starlarkstruct.FromStringDict(starlark.String("device"), fields)
}

func (c *Capture) deviceNames() []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, ctr := range c.c.Counters {
		if !seen[ctr.Device] {
			seen[ctr.Device] = true
			out = append(out, ctr.Device)
		}
	}
	if len(out) == 0 && c.c.Device.Name != "" {
		out = []string{c.c.Device.Name}
	}
	return out
}

func (c *Capture) properties() starlark.Value {
	d := starlark.NewDict(len(c.c.Properties))
	for _, p := range c.c.Properties {
		v := integral(p.Number)
		if p.IsText {
			v = starlark.String(p.Text)
		}
		d.SetKey(starlark.String(p.Name), v)
	}
	d.Freeze()
	return d
}

func (c *Capture) startTime() starlark.Value {
	if c.c.StartTime.IsZero() {
		return starlark.None
	}
	return startime.Time(c.c.StartTime)
}

func (c *Capture) regions() starlark.Value {
	out := make([]starlark.Value, len(c.c.Regions))
	for i, r := range c.c.Regions {
		out[i] = &Span{env: c.env, s: capture.Span{Start: r.Start, End: r.End}, name: r.Name, track: r.Track, depth: r.Depth}
	}
	return frozenList(out)
}

// gapSpans are the gaps, or the late spans, as values.
func (c *Capture) gapSpans(gaps []capture.Gap, late bool) starlark.Value {
	out := make([]starlark.Value, len(gaps))
	for i, g := range gaps {
		out[i] = &Span{env: c.env, s: capture.Span{Start: g.Start, End: g.End}, reason: &g.Reason, lost: g.Lost, late: late}
	}
	return frozenList(out)
}
