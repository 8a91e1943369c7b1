package rocprofcompute

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
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

// axis orders the dispatches by their start in the first pass and returns the place of each on the axis.
func (w *workload) axis(cfg *capture.Config) (place []int) {
	n := len(w.dispatches)
	start, end := w.placeTimes()
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return start[order[a]] < start[order[b]] })
	a := &capture.Axis{Clock: "gpu", Start: make([]int64, n), End: make([]int64, n)}
	place = make([]int, n)
	for k, d := range order {
		a.Start[k], a.End[k], place[d] = start[d], end[d], k
	}
	cfg.Axis = a
	return place
}

// placeTimes gives each dispatch its start and end relative to the first dispatch of the main pass. A dispatch which that pass lacks takes the time it
// has in another pass, moved by what lies between the two passes at the nearest dispatch that both have.
func (w *workload) placeTimes() (start, end []int64) {
	n := len(w.dispatches)
	start, end = make([]int64, n), make([]int64, n)
	if w.mainPass == nil {
		return start, end
	}
	origin, last := int64(math.MaxInt64), int64(0)
	for _, s := range w.mainPass.start {
		if s != noTime {
			origin = min(origin, s)
		}
	}
	known := make([]bool, n)
	for d := range n {
		if dur := w.mainPass.duration(d); dur >= 0 {
			start[d] = w.mainPass.start[d] - origin
			end[d] = start[d] + dur
			known[d] = true
			last = max(last, end[d])
		}
	}
	for d := range n {
		if known[d] {
			continue
		}
		if s, dur, ok := w.elsewhere(d, origin, known); ok {
			start[d], end[d] = s, s+dur
		} else {
			// Nothing is known of it: an empty sample at the end.
			start[d], end[d] = last, last
		}
	}
	return start, end
}

func (w *workload) elsewhere(d int, origin int64, known []bool) (start, dur int64, ok bool) {
	for _, p := range w.passes {
		if dur = p.duration(d); dur < 0 || p == w.mainPass {
			continue
		}
		nearest, best := -1, int64(math.MaxInt64)
		for r := range p.start {
			if gap := absDiff(p.start[r], p.start[d]); known[r] && p.start[r] != noTime && gap < best {
				nearest, best = r, gap
			}
		}
		if nearest >= 0 {
			return max(0, p.start[d]-p.start[nearest]+w.mainPass.start[nearest]-origin), dur, true
		}
	}
	return 0, 0, false
}

func absDiff(a, b int64) int64 {
	if a < b {
		return b - a
	}
	return a - b
}

// labels describes each dispatch.
func (w *workload) labels(cfg *capture.Config, place []int) {
	n := len(w.dispatches)
	column := func(f func(d int) string) []string {
		out := make([]string, n)
		for d, k := range place {
			out[k] = f(d)
		}
		return out
	}
	add := func(name string, texts []string) {
		if slices.ContainsFunc(texts, func(s string) bool { return s != "" }) {
			cfg.Labels = append(cfg.Labels, labelOf(name, texts))
		}
	}
	s := w.sheet
	add("kernel", column(func(d int) string { return s.text(colKernel, w.dispatches[d].row) }))
	ids := column(func(d int) string { return w.dispatches[d].id })
	numbers := make([]string, n)
	for k := range numbers {
		numbers[k] = strconv.Itoa(k)
	}
	add("dispatch", numbers)
	if !slices.Equal(ids, numbers) {
		add("dispatch_id", ids)
	}
	gpus := column(func(d int) string { return s.text(colGPU, w.dispatches[d].row) })
	ranks := ranksOf(gpus)
	add("gpu", ranks)
	if !slices.Equal(gpus, ranks) {
		add("gpu_id", gpus)
	}
	for _, name := range s.f.Header {
		if label := labelColumns[name]; label != "" && name != colKernel {
			add(label, column(func(d int) string { return s.text(name, w.dispatches[d].row) }))
		}
	}
}

// ranksOf numbers the distinct texts from 0, in numerical order where they are numbers.
func ranksOf(texts []string) []string {
	distinct := slices.Compact(slices.Sorted(slices.Values(texts)))
	distinct = slices.DeleteFunc(distinct, func(s string) bool { return s == "" })
	sort.SliceStable(distinct, func(a, b int) bool {
		x, errX := strconv.ParseFloat(distinct[a], 64)
		y, errY := strconv.ParseFloat(distinct[b], 64)
		return errX == nil && errY == nil && x < y
	})
	rank := map[string]string{"": ""}
	for i, s := range distinct {
		rank[s] = strconv.Itoa(i)
	}
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = rank[s]
	}
	return out
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
