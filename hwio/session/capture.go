package session

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
)

// Capture is what a session measured: one sample for each of the session's, with the hardware counters of all passes as
// columns. Every column knows its pass, which has durations of its own. A hardware counter that several passes measured
// has the values of the first, with a warning; Context.Result uses for each counter the copies of its own passes. The
// time axis is that of the first pass.
func (c *Context) Capture(ctx context.Context, session uint32) (out *capture.Capture, err error) {
	defer c.log.done("Capture", &err)
	b, err := c.builder(ctx, session)
	if err != nil {
		return nil, err
	}
	repeated := map[string][]string{}
	columns := map[string]bool{}
	for k, list := range b.run.plan.passes {
		pass := b.pass(k)
		b.cfg.Passes = append(b.cfg.Passes, pass)
		for i, h := range list {
			// The copy of a later pass has its own time, and a column has one pass: a name cannot have both.
			if columns[h.Name] {
				repeated[h.Name] = append(repeated[h.Name], strconv.Itoa(k+1))
				continue
			}
			columns[h.Name] = true
			meta := capture.Meta{Name: h.Name, Block: h.Block, Source: "session"}
			if d, ok := c.backend.(metaOf); ok {
				meta = d.Meta(&h)
			}
			b.column(meta, pass, func(s int) (capture.Value, capture.Reason) { return b.measured(k, i, s) })
		}
	}
	for _, column := range b.cfg.Counters {
		if also := repeated[column.Name]; also != nil {
			column.Warnings = append(column.Warnings,
				fmt.Sprintf("%s was measured in pass %s and again in pass %v: the values are those of the first",
					column.Name, column.Pass.ID, also))
		}
	}
	if n := len(repeated); n > 0 {
		b.cfg.Warnings = append(b.cfg.Warnings, fmt.Sprintf("%d hardware counters were measured in several passes, because counters that read them are in different ones: their columns hold the first", n))
	}
	return capture.New(b.cfg)
}

// Results is a capture of the results of the enabled counters, in the order of enabling.
func (c *Context) Results(ctx context.Context, session uint32) (out *capture.Capture, err error) {
	defer c.log.done("Results", &err)
	b, err := c.builder(ctx, session)
	if err != nil {
		return nil, err
	}
	for _, i := range b.run.enabled {
		of := &c.counters[i]
		meta := capture.Meta{Name: of.Name, Title: of.Name, Unit: of.Unit, Doc: of.Doc, Kind: of.Combine,
			Source: "session"}
		meta.Integral = of.Type != typeFloat32 && of.Type != typeFloat64
		b.column(meta, nil, func(s int) (capture.Value, capture.Reason) {
			v, err := c.result(ctx, "", session, b.samples[s], i)
			if err != nil {
				return capture.Value{}, capture.Reason{Code: capture.NotCollected, Text: err.Error()}
			}
			return v, capture.Reason{}
		})
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return capture.New(b.cfg)
}

// builder makes a capture of a session.
type builder struct {
	run     *run
	ctx     context.Context
	samples []uint32
	got     [][]*Measurement // of each pass, of each sample; nil where there is none
	cfg     capture.Config
}

func (c *Context) builder(ctx context.Context, session uint32) (*builder, error) {
	r, err := c.kept(session)
	if err != nil {
		return nil, err
	}
	if c.underWay(r) {
		return nil, fail(SamplingNotEnded, "session %d is under way: end it first", session)
	}
	b := &builder{run: r, ctx: ctx}
	for k, p := range r.passes {
		for _, id := range p.order {
			// Samples are in the order of the first pass; those that only a later one has come behind.
			if k == 0 || !slices.Contains(b.samples, id) {
				b.samples = append(b.samples, id)
			}
		}
	}
	seen := map[string]bool{}
	for k := range r.plan.passes {
		row := make([]*Measurement, len(b.samples))
		for i, id := range b.samples {
			if !r.has(k, id) {
				continue
			}
			// What could not be had is missing in the capture, with this reason.
			m, err := r.passes[k].samples[id].wait(ctx)
			if err != nil {
				m = &Measurement{Warnings: []string{fmt.Sprintf("pass %d: %v", k+1, err)}}
			}
			row[i] = m
			for _, w := range m.Warnings {
				if !seen[w] {
					seen[w] = true
					b.cfg.Warnings = append(b.cfg.Warnings, w)
				}
			}
		}
		b.got = append(b.got, row)
	}
	b.cfg.Name, b.cfg.Format, b.cfg.Device = "session "+strconv.FormatUint(uint64(session), 10), "session",
		c.backend.Device()
	b.axis()
	b.labels(session)
	if d, ok := c.backend.(describer); ok {
		d.Describe(&b.cfg, b.samples)
	}
	return b, nil
}

// axis takes the times of the first pass that measured each sample. Where nobody knows a time, samples last 1 ns each.
func (b *builder) axis() {
	a := &capture.Axis{Clock: "session", Start: make([]int64, len(b.samples)), End: make([]int64, len(b.samples))}
	b.cfg.Axis = a
	var end int64
	timed := false
	var origin int64
	for i := range b.samples {
		a.Start[i], a.End[i] = end, end+1
		for k := range b.got {
			m := b.got[k][i]
			if m == nil || m.Start == 0 && m.End == 0 {
				continue
			}
			if !timed {
				timed, origin = true, m.Start
			}
			// Samples of a later pass follow those of the first.
			a.Start[i] = max(end, m.Start-origin)
			a.End[i] = a.Start[i] + max(1, m.End-m.Start)
			break
		}
		end = a.End[i]
	}
	if !timed && len(b.samples) > 0 {
		b.cfg.Warnings = append(b.cfg.Warnings, "nothing is known of the times of the samples: each is given 1 ns, so rates mean nothing")
	}
}

func (b *builder) labels(session uint32) {
	sessions, samples := make([]string, len(b.samples)), make([]string, len(b.samples))
	for i, id := range b.samples {
		sessions[i], samples[i] = strconv.FormatUint(uint64(session), 10), strconv.FormatUint(uint64(id), 10)
	}
	b.cfg.Labels = append(b.cfg.Labels, capture.NewLabel("session", sessions, nil),
		capture.NewLabel("sample", samples, nil))
}

// pass is the provenance of the columns of one pass.
func (b *builder) pass(k int) *capture.Pass {
	n := len(b.samples)
	starts, lengths := capture.Data{U: make([]uint64, n), Valid: capture.NewBitmap(n)},
		capture.Data{U: make([]uint64, n), Valid: capture.NewBitmap(n)}
	known := false
	for i, m := range b.got[k] {
		if m == nil || m.Start == 0 && m.End == 0 {
			starts.Valid.Clear(i)
			lengths.Valid.Clear(i)
			continue
		}
		known = true
		starts.U[i], lengths.U[i] = uint64(max(0, m.Start)), uint64(max(0, m.End-m.Start))
	}
	p := &capture.Pass{ID: strconv.Itoa(k + 1)}
	if known {
		p.Start, p.Duration = capture.NewColumn(starts), capture.NewColumn(lengths)
	}
	return p
}

// measured is the value at an offset of a pass in a sample.
func (b *builder) measured(pass, offset, sample int) (capture.Value, capture.Reason) {
	m := b.got[pass][sample]
	switch {
	case m == nil:
		return capture.Value{}, capture.Reason{Code: capture.NotCollected, Text: fmt.Sprintf("pass %d has no sample %d",
			pass+1, b.samples[sample])}
	case offset >= len(m.Values):
		return capture.Value{}, capture.Reason{Code: capture.NotCollected,
			Text: fmt.Sprintf("pass %d gave no result for sample %d", pass+1, b.samples[sample])}
	}
	v := m.Values[offset]
	if v.Missing() && m.Why != nil {
		return v, m.Why[offset]
	}
	return v, capture.Reason{Code: capture.Unknown}
}

// column adds a counter of integers where all its values are, else of doubles.
func (b *builder) column(meta capture.Meta, pass *capture.Pass,
	value func(sample int) (capture.Value, capture.Reason)) {
	n := len(b.samples)
	c := &capture.Counter{Meta: meta, Axis: b.cfg.Axis, Pass: pass}
	ints := capture.Data{U: make([]uint64, n), Valid: capture.NewBitmap(n)}
	floats := make([]float64, n)
	whole := true
	for i := range n {
		v, why := value(i)
		floats[i] = v.Float()
		u, ok := v.Uint64()
		switch {
		case v.Missing():
			ints.Valid.Clear(i)
			c.Reasons = append(c.Reasons, capture.ReasonRun{From: i, To: i + 1, Reason: why})
			floats[i] = math.NaN()
		case v.IsInt() && ok:
			ints.U[i] = u
		default:
			whole = false
		}
	}
	if whole && len(c.Reasons) < n {
		if len(c.Reasons) == 0 {
			ints.Valid = capture.Bitmap{}
		}
		c.Col = capture.NewColumn(ints)
	} else {
		c.Col = capture.NewColumn(capture.Data{F: floats})
	}
	b.cfg.Counters = append(b.cfg.Counters, c)
}
