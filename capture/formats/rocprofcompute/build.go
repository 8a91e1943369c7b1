package rocprofcompute

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/formats/internal/derived"
	"astrolabe/capture/memory"
)

// counterRoom is what a counter takes without its values, and cellRoom what a value does, in bytes.
const counterRoom, cellRoom = 1024, 16

// build makes the axis, labels, passes and counters.
func (w *workload) build(cfg *capture.Config) {
	place := w.axis(cfg)
	w.labels(cfg, place)
	b := &builder{w: w, cfg: cfg, place: place, passes: map[*timing]*capture.Pass{},
		index: map[string]*capture.Counter{}}
	b.shared = b.sharedDuration()
	for _, p := range w.timings {
		cfg.Passes = append(cfg.Passes, b.pass(p))
	}
	for _, se := range w.series {
		b.tally.Must(counterRoom + uint64(len(place))*cellRoom)
		b.add(se)
	}
	b.instancePasses()
	b.someChannels()
	b.warnOnce()
	w.warnSeveralRuns(cfg)
	w.warnUnknownDurations(cfg)
	w.warnSharedTimes(cfg)
	warnGated(cfg)
	warnStale(cfg)
	warnRounded(cfg)
}

// builder makes counters of series.
type builder struct {
	w      *workload
	cfg    *capture.Config
	place  []int
	shared *capture.Column // the duration of every pass, nil where each has its own
	passes map[*timing]*capture.Pass
	index  map[string]*capture.Counter
	doubts []doubt
	tally  memory.Tally
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
			f[k] = rows[0]
		default:
			f[k] = median(rows)
		}
	}
	return narrow(f)
}

// pass is the capture's pass for a run.
func (b *builder) pass(p *timing) *capture.Pass {
	if out, ok := b.passes[p]; ok {
		return out
	}
	out := b.makePass(p.id, func(int) *timing { return p })
	b.passes[p] = out
	return out
}

// mixedPass stands for the runs of a counter whose values come from several.
func (b *builder) mixedPass(from []*timing) *capture.Pass {
	var ids []string
	for _, p := range from {
		if p != nil && !slices.Contains(ids, p.id) {
			ids = append(ids, p.id)
		}
	}
	return b.makePass(strings.Join(ids, "+"), func(d int) *timing { return from[d] })
}

// makePass makes a pass of the run of each dispatch, nil where there is none.
func (b *builder) makePass(id string, of func(d int) *timing) *capture.Pass {
	starts, lengths := make([]float64, len(b.place)), make([]float64, len(b.place))
	exact := make([]uint64, len(b.place))
	whole := true
	for d, k := range b.place {
		starts[k], lengths[k] = math.NaN(), math.NaN()
		p := of(d)
		if p == nil {
			whole = false
			continue
		}
		lengths[k] = p.duration(d)
		if p.start[d] == noTime {
			whole = false
			continue
		}
		starts[k], exact[k] = float64(p.start[d]), uint64(p.start[d])
	}
	out := &capture.Pass{ID: id, Duration: b.shared, Start: narrow(starts)}
	if whole {
		out.Start = capture.NewColumn(capture.Data{U: exact})
	}
	if out.Duration == nil {
		out.Duration = narrow(lengths)
	}
	return out
}

// narrow is a column of doubles, as exact integers where they are whole.
func narrow(f []float64) *capture.Column {
	d, _ := delimited.Narrow(f)
	return capture.NewColumn(d)
}

// median is NaN where there are no values.
func median(f []float64) float64 {
	if len(f) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(f))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// add makes a counter, or an instance of one, of a series.
func (b *builder) add(se *series) {
	base, id := splitInstance(se.name)
	c := &capture.Counter{
		Meta: capture.Meta{Name: se.name, Kind: capture.Delta, GPU: b.cfg.GPU, Block: blockOf(base), Instance: id,
			Source: Format{}.Name()},
		Axis: b.cfg.Axis,
	}
	if derived.IsShare(base) {
		c.Kind, c.Combine, c.Unit = capture.Gauge, capture.CombineMean, "percent"
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
	var first *timing
	mixed, absent := false, 0
	for _, p := range se.from {
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
		c.Pass = b.mixedPass(se.from)
	case first != nil:
		c.Pass = b.pass(first)
	}
	if mixed {
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
		return capture.Reason{Code: capture.NotCollected,
			Text: fmt.Sprintf("%sthe capture did not measure %s in this dispatch", where, se.name)}
	case absent == 0:
		return capture.Reason{Code: capture.Unknown, Text: fmt.Sprintf("the file has %s for %s here", se.why, se.name)}
	}
	return capture.Reason{Code: capture.NotCollected, Text: fmt.Sprintf("the capture has no row, or %s, for %s here",
		se.why, se.name)}
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
