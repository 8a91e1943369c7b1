package modules

import (
	"fmt"
	"math"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/capture/metrics"
)

// fromColumns makes a capture of lists.
func fromColumns(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	opt, err := captureOptions(c)
	if err != nil {
		return nil, err
	}
	for name := range opt.Extra {
		known := append(c.Sig.Keywords(), "denom", "duration", "zero")
		return nil, fmt.Errorf("no parameter is called %s%s", name, binding.DidYouMean(name, known))
	}
	opt.GPU = c.Str("gpu", "")
	cfg := capture.Config{Name: c.Str("name", "columns"), Format: "columns"}
	opt.Apply(&cfg)
	b := columnBuilder{env: e, rows: -1}
	if opt.GPU != "" {
		if b.catalogue, err = metrics.Get(opt.GPU); err != nil {
			return nil, err
		}
	}
	if b.units, err = textMap(c.Value("units")); err != nil {
		return nil, fmt.Errorf("parameter units: %w", err)
	}
	if b.kinds, err = textMap(c.Value("kinds")); err != nil {
		return nil, fmt.Errorf("parameter kinds: %w", err)
	}
	columns := c.Arg("columns").(starlark.IterableMapping).Items()
	for _, kv := range columns {
		name, ok := starlark.AsString(kv[0])
		if !ok {
			return nil, fmt.Errorf("parameter columns: the key %s is %s, want str", kv[0], kv[0].Type())
		}
		if err := b.column(name, kv[1]); err != nil {
			return nil, fmt.Errorf("column %q: %w", name, err)
		}
	}
	if b.rows < 0 && c.Has("times") {
		times, err := values.AsFloats(c.Arg("times"))
		if err != nil {
			return nil, fmt.Errorf("parameter times: %w", err)
		}
		b.rows = len(times)
	}
	n := max(b.rows, 0)
	if cfg.Axis, err = columnAxis(c, n); err != nil {
		return nil, err
	}
	cfg.Counters = b.finish(cfg.Axis)
	if cfg.Labels, err = columnLabels(c.Value("labels"), n); err != nil {
		return nil, fmt.Errorf("parameter labels: %w", err)
	}
	if cfg.Properties, err = readProperties(c.Value("properties")); err != nil {
		return nil, fmt.Errorf("parameter properties: %w", err)
	}
	for _, p := range []map[string]string{b.units, b.kinds} {
		for name := range p {
			if !b.has(name) {
				return nil, fmt.Errorf("units or kinds name %q, which is no column", name)
			}
		}
	}
	out, err := capture.New(cfg)
	if err == nil {
		out, err = metrics.Describe(out)
	}
	if err != nil {
		return nil, err
	}
	return values.NewCapture(e, out), nil
}

func textMap(v starlark.Value) (map[string]string, error) {
	out := map[string]string{}
	m, ok := v.(starlark.IterableMapping)
	if !ok {
		return out, nil
	}
	for _, kv := range m.Items() {
		k, ok1 := starlark.AsString(kv[0])
		s, ok2 := starlark.AsString(kv[1])
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("want a dict of str to str, got %s: %s", kv[0], kv[1])
		}
		out[k] = s
	}
	return out, nil
}

// columnAxis makes the time axis of n samples from times or period.
func columnAxis(c *binding.Call, n int) (*capture.Axis, error) {
	if !c.Has("times") {
		period, err := c.Duration("period", 1e9)
		if err != nil {
			return nil, err
		}
		if period <= 0 || (n > 0 && period > math.MaxInt64/int64(n)) {
			return nil, fmt.Errorf("parameter period: %v does not fit %s", c.Value("period"), number(n, "sample"))
		}
		return capture.NewUniformAxis(n, period), nil
	}
	times, err := values.AsFloats(c.Arg("times"))
	if err != nil {
		return nil, fmt.Errorf("parameter times: %w", err)
	}
	if len(times) != n && len(times) != n+1 {
		return nil, fmt.Errorf(
			"parameter times: got %d for %d samples; give the start of each, and if you like the end of the last",
			len(times), n)
	}
	period, err := c.Duration("period", 0)
	if err != nil {
		return nil, err
	}
	ns := make([]int64, len(times))
	for i, t := range times {
		if t != t || math.Abs(t) >= 9e9 {
			return nil, fmt.Errorf("parameter times: element %d is %v, want a time in seconds", i, t)
		}
		ns[i] = int64(math.Round(t * 1e9))
		if i > 0 && ns[i] < ns[i-1] {
			return nil, fmt.Errorf("parameter times: element %d is before the one in front of it", i)
		}
	}
	a := &capture.Axis{Start: ns[:n:n], End: make([]int64, n)}
	for i := range a.End {
		switch {
		case period > 0:
			a.End[i] = ns[i] + period
			if i+1 < len(ns) {
				a.End[i] = min(a.End[i], ns[i+1])
			}
		case i+1 < len(ns):
			a.End[i] = ns[i+1]
		case n > 1: // the last is taken to be as long as samples are
			a.End[i] = ns[i] + medianStep(ns)
		default:
			a.End[i] = ns[i] + 1e9
		}
	}
	return a, nil
}

func medianStep(ns []int64) int64 {
	return analysis.Median(len(ns)-1, func(i int) int64 { return ns[i+1] - ns[i] })
}

// columnBuilder collects columns and the instances below them.
type columnBuilder struct {
	env       *binding.Env
	catalogue *metrics.Catalogue
	units     map[string]string
	kinds     map[string]string
	rows      int
	counters  []*capture.Counter
}

func (b *columnBuilder) has(name string) bool {
	for _, c := range b.counters {
		if c.Name == name {
			return true
		}
	}
	return false
}

// column adds a column; NAME[ID] becomes an instance of NAME.
func (b *columnBuilder) column(name string, v starlark.Value) error {
	col, integral, err := readColumn(v)
	if err != nil {
		return err
	}
	if b.rows >= 0 && col.Len() != b.rows {
		return fmt.Errorf("it has %s, the columns before it %d", number(col.Len(), "value"), b.rows)
	}
	b.rows = col.Len()
	base, id, isInstance := splitInstance(name)
	if !isInstance {
		meta, err := b.meta(name, v)
		if err != nil {
			return err
		}
		meta.Integral = integral
		b.counters = append(b.counters, &capture.Counter{Meta: meta, Col: col, Reasons: noneIn(col)})
		return nil
	}
	var whole *capture.Counter
	for _, c := range b.counters {
		if c.Name == base {
			whole = c
		}
	}
	if whole == nil {
		meta, err := b.meta(base, v)
		if err != nil {
			return err
		}
		whole = &capture.Counter{Meta: meta}
		if meta.Kind == capture.Gauge {
			whole.Combine = capture.CombineMean
		}
		b.counters = append(b.counters, whole)
	}
	if whole.Col != nil {
		return fmt.Errorf("%q is a column too: give the counter or its instances", base)
	}
	in := &capture.Counter{Meta: whole.Meta, Col: col, Reasons: noneIn(col)}
	in.Name, in.Meta.Instance, in.Integral = name, id, integral
	whole.Instances = append(whole.Instances, in)
	return nil
}

// noneIn is the reason for what is missing in a column.
func noneIn(col *capture.Column) []capture.ReasonRun {
	if col.Len() == 0 {
		return nil
	}
	return []capture.ReasonRun{{From: 0, To: col.Len(),
		Reason: capture.Reason{Code: capture.Unknown, Text: "the column that the script gave has None here"}}}
}

func splitInstance(name string) (base, id string, ok bool) {
	if !strings.HasSuffix(name, "]") {
		return name, "", false
	}
	i := strings.LastIndexByte(name, '[')
	if i <= 0 || i+2 > len(name)-1 {
		return name, "", false
	}
	return name[:i], name[i+1 : len(name)-1], true
}

// meta describes a column: by the catalogue if it knows the name, else by units and kinds, else as a count of events.
func (b *columnBuilder) meta(name string, v starlark.Value) (capture.Meta, error) {
	meta := capture.Meta{Name: name, Source: "columns", GPU: "", Guessed: true}
	if b.catalogue != nil {
		if e, err := b.catalogue.Find(name); err == nil && !e.IsMetric() {
			meta.Title, meta.Unit, meta.Doc, meta.Kind, meta.GPU, meta.Block, meta.Guessed = e.Title, e.Unit, e.Doc,
				e.Kind, e.GPU, e.Block, false
			meta.Refs, meta.Aliases = e.Refs, e.Aliases
		}
	}
	if c, ok := v.(*values.Counter); ok {
		meta.Unit, meta.Kind, meta.Title, meta.Doc, meta.Guessed = c.Counter.Unit, c.Counter.Kind, c.Counter.Title,
			c.Counter.Doc, false
		if meta.Kind == capture.Derived {
			meta.Kind = capture.Gauge // the values are kept, not the formula
		}
	}
	if u, ok := b.units[name]; ok {
		meta.Unit = u
	}
	if k, ok := b.kinds[name]; ok {
		kind, ok := capture.ParseKind(k)
		if !ok || kind == capture.Derived {
			return meta, fmt.Errorf("kind %q is none of \"delta\", \"gauge\", \"constant\"", k)
		}
		meta.Kind, meta.Guessed = kind, false
	}
	return meta, nil
}

// finish puts every counter on the axis.
func (b *columnBuilder) finish(a *capture.Axis) []*capture.Counter {
	for _, c := range b.counters {
		c.Axis = a
		for _, in := range c.Instances {
			in.Axis = a
		}
	}
	return b.counters
}

// readColumn makes a column of a list: of unsigned integers where all of them are, else of doubles. integral says that
// doubles are whole numbers by nature.
func readColumn(v starlark.Value) (col *capture.Column, integral bool, err error) {
	if c, ok := v.(*values.Counter); ok {
		if c.Counter.Col != nil {
			return c.Counter.Col, c.Counter.Integral, nil
		}
		f, err := values.AsFloats(c)
		return capture.NewColumn(capture.Data{F: f}), c.Counter.Integral, err
	}
	it, ok := v.(starlark.Iterable)
	if _, str := v.(starlark.String); str || !ok {
		return nil, false, fmt.Errorf("got %s, want a list of numbers", v.Type())
	}
	if err := binding.RoomFor(it); err != nil {
		return nil, false, err
	}
	n := max(starlark.Len(it), 0)
	ints := make([]uint64, 0, n)
	floats := make([]float64, 0, n)
	exact, whole := true, true
	var missing []int
	iter := it.Iterate()
	defer iter.Done()
	var x starlark.Value
	for i := 0; iter.Next(&x); i++ {
		switch x := x.(type) {
		case starlark.NoneType:
			missing = append(missing, i)
			ints = append(ints, 0)
			floats = append(floats, math.NaN())
		case starlark.Int:
			u, ok := x.Uint64()
			exact = exact && ok
			ints = append(ints, u)
			floats = append(floats, float64(x.Float()))
		case starlark.Float:
			if f := float64(x); f == f {
				exact, whole = false, false
			} else {
				missing = append(missing, i)
			}
			ints = append(ints, 0)
			floats = append(floats, float64(x))
		default:
			return nil, false, fmt.Errorf("element %d is %s, want a number or None", i, x.Type())
		}
	}
	if !exact || len(missing) == len(floats) {
		return capture.NewColumn(capture.Data{F: floats}), whole && len(missing) < len(floats), nil
	}
	d := capture.Data{U: ints}
	if len(missing) > 0 {
		d.Valid = capture.NewBitmap(len(ints))
		for _, i := range missing {
			d.Valid.Clear(i)
		}
	}
	return capture.NewColumn(d), false, nil
}

func columnLabels(v starlark.Value, n int) ([]*capture.Label, error) {
	m, ok := v.(starlark.IterableMapping)
	if !ok {
		return nil, nil
	}
	var out []*capture.Label
	for _, kv := range m.Items() {
		name, ok := starlark.AsString(kv[0])
		if !ok {
			return nil, fmt.Errorf("the key %s is %s, want str", kv[0], kv[0].Type())
		}
		var values []string
		var given []bool
		err := binding.Each(kv[1], func(x starlark.Value) error {
			s, ok := starlark.AsString(x)
			if !ok && x != starlark.None {
				s, ok = x.String(), true
			}
			values, given = append(values, s), append(given, ok)
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(values) != n {
			return nil, fmt.Errorf("%q has %s for %s", name, number(len(values), "value"), number(n, "sample"))
		}
		out = append(out, capture.NewLabel(name, values, func(i int) bool { return given[i] }))
	}
	return out, nil
}

func readProperties(v starlark.Value) ([]capture.Property, error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	m, ok := v.(starlark.IterableMapping)
	if !ok {
		return nil, fmt.Errorf("properties are %s, want dict", v.Type())
	}
	var out []capture.Property
	for _, kv := range m.Items() {
		name, ok := starlark.AsString(kv[0])
		if !ok {
			return nil, fmt.Errorf("the key %s is %s, want str", kv[0], kv[0].Type())
		}
		p := capture.Property{Name: name}
		if s, ok := starlark.AsString(kv[1]); ok {
			p.Text, p.IsText = s, true
		} else if f, ok := starlark.AsFloat(kv[1]); ok {
			p.Number = f
		} else {
			return nil, fmt.Errorf("%q is %s, want a number or str", name, kv[1].Type())
		}
		out = append(out, p)
	}
	return out, nil
}

// number is how many there are of something, such as "1 sample".
func number(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
