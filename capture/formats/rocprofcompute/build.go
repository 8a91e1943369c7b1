package rocprofcompute

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
)

// build makes the axis, labels, passes and counters.
func (w *workload) build(cfg *capture.Config) {
	place := w.axis(cfg)
	w.labels(cfg, place)
	b := &builder{w: w, cfg: cfg, place: place, passes: map[*pass]*capture.Pass{}, index: map[string]*capture.Counter{}}
	b.shared = b.sharedDuration()
	for _, p := range w.passes {
		cfg.Passes = append(cfg.Passes, b.pass(p))
	}
	for _, se := range w.series {
		b.add(se)
	}
	b.instancePasses()
	b.warnOnce()
	w.warnUnknownDurations(cfg)
	warnGated(cfg)
	warnStale(cfg)
}

// builder makes counters of series.
type builder struct {
	w      *workload
	cfg    *capture.Config
	place  []int
	shared *capture.Column // the duration of every pass, nil where each has its own
	passes map[*pass]*capture.Pass
	index  map[string]*capture.Counter
	doubts []doubt
}

// doubt is a warning that several counters share: the capture has one line for all of them.
type doubt struct {
	text  string
	names []string
}

// sharedDuration is the duration that the rules "median" and "first" give every counter.
func (b *builder) sharedDuration() *capture.Column {
	if b.w.rule != "median" && b.w.rule != "first" {
		return nil
	}
	f := make([]float64, len(b.place))
	for d, k := range b.place {
		switch rows := b.w.dispatches[d].durations; {
		case len(rows) == 0:
			f[k] = math.NaN()
		case b.w.rule == "first":
			f[k] = float64(rows[0])
		default:
			f[k] = median(rows)
		}
	}
	return columnOf(f)
}

// pass is the capture's pass for p.
func (b *builder) pass(p *pass) *capture.Pass {
	if out, ok := b.passes[p]; ok {
		return out
	}
	out := &capture.Pass{ID: p.id, Duration: b.shared, Start: b.times(func(d int) (int64, bool) { return p.start[d], p.start[d] != noTime })}
	if out.Duration == nil {
		out.Duration = b.times(func(d int) (int64, bool) { v := p.duration(d); return v, v >= 0 })
	}
	b.passes[p] = out
	return out
}

// mixedPass stands for the passes of a counter whose values come from several.
func (b *builder) mixedPass(passes []*pass) *capture.Pass {
	var ids []string
	for _, p := range passes {
		if p != nil && !slices.Contains(ids, p.id) {
			ids = append(ids, p.id)
		}
	}
	out := &capture.Pass{ID: strings.Join(ids, "+"), Duration: b.shared}
	out.Start = b.times(func(d int) (int64, bool) { return timeIn(passes[d], d) })
	if out.Duration == nil {
		out.Duration = b.times(func(d int) (int64, bool) {
			if passes[d] == nil {
				return 0, false
			}
			v := passes[d].duration(d)
			return v, v >= 0
		})
	}
	return out
}

func timeIn(p *pass, d int) (int64, bool) {
	if p == nil {
		return 0, false
	}
	return p.start[d], p.start[d] != noTime
}

// times makes a column of one time for each dispatch.
func (b *builder) times(f func(d int) (int64, bool)) *capture.Column {
	data := capture.Data{U: make([]uint64, len(b.place))}
	for d, k := range b.place {
		v, ok := f(d)
		if ok {
			data.U[k] = uint64(v)
			continue
		}
		if data.Valid.Bits == nil {
			data.Valid = capture.NewBitmap(len(b.place))
		}
		data.Valid.Clear(k)
	}
	return capture.NewColumn(data)
}

// add makes a counter, or an instance of one, of a series.
func (b *builder) add(se *series) {
	base, id := splitInstance(se.name)
	c := &capture.Counter{
		Meta: capture.Meta{Name: se.name, Kind: capture.Delta, GPU: b.cfg.GPU, Block: blockOf(base), Instance: id, Source: Format{}.Name()},
		Axis: b.cfg.Axis,
	}
	b.values(c, se)
	if id == "" {
		if whole := b.index[base]; whole != nil {
			whole.Col, whole.Pass, whole.Integral, whole.Reasons = c.Col, c.Pass, c.Integral, c.Reasons
			return
		}
		b.index[base] = c
		b.cfg.Counters = append(b.cfg.Counters, c)
		return
	}
	whole := b.index[base]
	if whole == nil {
		whole = &capture.Counter{Meta: c.Meta, Axis: c.Axis}
		whole.Name, whole.Meta.Instance, whole.Integral = base, "", false
		b.index[base] = whole
		b.cfg.Counters = append(b.cfg.Counters, whole)
	}
	whole.Instances = append(whole.Instances, c)
}

// values sets a counter's column, pass, reasons and warnings.
func (b *builder) values(c *capture.Counter, se *series) {
	n := len(b.place)
	var data capture.Data
	missing := 0
	if se.u != nil {
		data.U = make([]uint64, n)
		for d, k := range b.place {
			data.U[k] = se.u[d]
			if !se.have[d] {
				if data.Valid.Bits == nil {
					data.Valid = capture.NewBitmap(n)
				}
				data.Valid.Clear(k)
				missing++
			}
		}
	} else {
		f := make([]float64, n)
		for d, k := range b.place {
			if f[k] = se.f[d]; f[k] != f[k] {
				missing++
			}
		}
		data, c.Integral = delimited.Narrow(f)
	}
	c.Col = capture.NewColumn(data)
	var first *pass
	mixed, absent := false, 0
	for _, p := range se.passOf {
		switch {
		case p == nil:
			absent++
		case first == nil:
			first = p
		case p != first:
			mixed = true
		}
	}
	switch {
	case mixed:
		c.Pass = b.mixedPass(se.passOf)
	case first != nil:
		c.Pass = b.pass(first)
	}
	if len(se.repeats) > 0 {
		b.warn(c, fmt.Sprintf(": measured more than once: the values of pass %s replace those of pass %s", c.Pass.ID, strings.Join(se.repeats, ", ")))
	} else if mixed {
		b.warn(c, ": measured in different passes for different dispatches: "+c.Pass.ID)
	}
	if missing > 0 {
		c.Reasons = []capture.ReasonRun{{From: 0, To: n, Reason: b.reason(se, c.Pass, absent, missing)}}
		if absent > 0 {
			b.warn(c, fmt.Sprintf(": not measured in %d of %d dispatches", absent, n))
		}
	}
}

// warn notes a doubt about a counter; text goes after its name.
func (b *builder) warn(c *capture.Counter, text string) {
	c.Warnings = append(c.Warnings, c.Name+text)
	for i := range b.doubts {
		if d := &b.doubts[i]; d.text == text {
			d.names = append(d.names, c.Name)
			return
		}
	}
	b.doubts = append(b.doubts, doubt{text, []string{c.Name}})
}

// warnOnce puts the doubts into the capture's warnings.
func (b *builder) warnOnce() {
	for _, d := range b.doubts {
		b.cfg.Warnings = append(b.cfg.Warnings, strings.Join(d.names, ", ")+d.text)
	}
}

// reason says why values of a series are missing.
func (b *builder) reason(se *series, p *capture.Pass, absent, missing int) capture.Reason {
	where := ""
	if p != nil && p.ID != "" {
		where = "pass " + p.ID + " of "
	}
	switch {
	case absent == missing:
		return capture.Reason{Code: capture.NotCollected, Text: fmt.Sprintf("%sthe capture did not measure %s in this dispatch", where, se.name)}
	case absent == 0:
		return capture.Reason{Code: capture.Unknown, Text: fmt.Sprintf("the file has %s for %s here", se.why, se.name)}
	}
	return capture.Reason{Code: capture.NotCollected, Text: fmt.Sprintf("the capture has no row, or %s, for %s here", se.why, se.name)}
}

// instancePasses gives whole counters the pass of their instances, where that is one.
func (b *builder) instancePasses() {
	for _, c := range b.cfg.Counters {
		if c.Col != nil || len(c.Instances) == 0 {
			continue
		}
		c.Pass = c.Instances[0].Pass
		for _, in := range c.Instances {
			if in.Pass != c.Pass {
				b.warn(c, ": its instances were measured in different passes: its durations are those of pass "+c.PassID())
				break
			}
		}
	}
}

// warnUnknownDurations says where rates cannot be had.
func (w *workload) warnUnknownDurations(cfg *capture.Config) {
	for _, p := range w.passes {
		unknown := 0
		for d := range w.dispatches {
			if p.start[d] != noTime && p.duration(d) < 0 {
				unknown++
			}
		}
		if unknown > 0 {
			cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("pass %s ends before it starts, or has no end, in %d dispatches: their durations are missing", p.id, unknown))
		}
	}
}
