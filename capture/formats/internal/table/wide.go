package table

import (
	"context"
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/memory"
	"astrolabe/capture/metrics"
)

// Fill makes axis, counters and labels of the values, and adds them to the configuration.
func (l *Layout) Fill(ctx context.Context, v Values, cfg *capture.Config) error {
	b := &builder{l: l, v: v, cfg: cfg, index: map[string]*capture.Counter{}, instances: map[instanceOf]bool{}}
	for _, w := range l.Warnings {
		b.warn("%s", w)
	}
	fill := b.wide
	if l.long {
		fill = b.long
	}
	if err := fill(ctx); err != nil || cfg.GPU != "" {
		return err
	}
	b.state()
	return nil
}

// state takes the GPU from the names of the counters, where these say it.
func (b *builder) state() {
	var names []string
	for _, c := range b.cfg.Counters {
		names = append(names, c.Name)
	}
	if b.cfg.GPU = metrics.StatedBy(names); b.cfg.GPU == "" {
		return
	}
	for _, c := range b.cfg.Counters {
		for _, one := range append([]*capture.Counter{c}, c.Instances...) {
			if one.GPU == "" {
				one.GPU = b.cfg.GPU
			}
		}
	}
}

// wide makes one counter of each column.
func (b *builder) wide(ctx context.Context) error {
	if err := b.wideAxis(); err != nil {
		return err
	}
	for i, r := range b.l.roles {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := &b.l.heads[i]
		switch {
		case r == roleLabel:
			codes, dict, err := b.v.Texts(i)
			if err != nil {
				return err
			}
			b.cfg.Labels = append(b.cfg.Labels, &capture.Label{Name: h.Name, Codes: codes, Dict: dict})
		case r == roleCounter && b.l.cols[i].Type == Number:
			col, err := b.v.Numbers(i)
			if err != nil {
				return err
			}
			if err := b.add(h, orNone(b.l.cols[i].Meta), col); err != nil {
				return err
			}
		case r == roleCounter:
			b.warn("column %q is left out: it holds points in time or nothing", h.Full)
		}
	}
	return nil
}

// orNone is what is said of a column, or nothing.
func orNone(m *capture.Meta) capture.Meta {
	if m == nil {
		return capture.Meta{}
	}
	return *m
}

// builder collects counters and hangs instances below them.
type builder struct {
	l         *Layout
	v         Values
	cfg       *capture.Config
	index     map[string]*capture.Counter
	instances map[instanceOf]bool
	date      bool // the times are those of a calendar
	tally     memory.Tally
}

func (b *builder) warn(format string, args ...any) {
	b.cfg.Warnings = append(b.cfg.Warnings, fmt.Sprintf("%s: %s", b.v.Name(), fmt.Sprintf(format, args...)))
}

// instanceOf is an instance of a counter.
type instanceOf struct {
	whole    *capture.Counter
	instance string
}

// add adds a counter, or an instance of one. meta is what the file's metadata says of it.
func (b *builder) add(h *Header, meta capture.Meta, col Numbers) error {
	meta.Name, meta.Unit, meta.Instance, meta.Integral, meta.Kind, meta.Guessed = h.Name, h.Unit, h.Instance, col.Whole,
		capture.Delta, true
	if h.Kind != nil {
		meta.Kind, meta.Guessed = *h.Kind, false
	}
	if meta.Source == "" {
		meta.Source = b.v.Format()
	}
	if meta.GPU == "" {
		meta.GPU = b.cfg.GPU
		if metrics.OfCPUs(meta.GPU, h.Base, h.Unit) || metrics.OfCPUs(meta.GPU, h.Name, h.Unit) {
			meta.GPU = metrics.CPU
		}
	}
	if err := b.tally.Add(counterRoom); err != nil {
		return err
	}
	c := &capture.Counter{Meta: meta, Axis: b.cfg.Axis, Col: col.Col}
	if col.Missing != "" {
		c.Reasons = []capture.ReasonRun{{From: 0, To: b.cfg.Axis.Len(), Reason: capture.Reason{
			Code: capture.Unknown, Text: fmt.Sprintf("the file %s has %s here", b.cfg.Name, col.Missing),
		}}}
	}
	if h.Instance == "" {
		if whole, ok := b.index[h.Name]; ok {
			// Its instances came first.
			if whole.Col != nil {
				return b.v.Errorf(-1, "two columns give counter %q", h.Name)
			}
			combine := whole.Combine
			whole.Meta, whole.Col, whole.Reasons = c.Meta, c.Col, c.Reasons
			whole.Combine = combine
			return nil
		}
		b.index[h.Name] = c
		b.cfg.Counters = append(b.cfg.Counters, c)
		return nil
	}
	whole, ok := b.index[h.Base]
	if !ok {
		whole = &capture.Counter{Meta: c.Meta, Axis: c.Axis}
		whole.Name, whole.Meta.Instance, whole.Integral = h.Base, "", false
		b.index[h.Base] = whole
		b.cfg.Counters = append(b.cfg.Counters, whole)
	}
	switch {
	case h.Combine != nil:
		whole.Combine = *h.Combine
	case c.Kind == capture.Gauge && !ok:
		whole.Combine = capture.CombineMean
	}
	if in := (instanceOf{whole, h.Instance}); b.instances[in] {
		return b.v.Errorf(-1, "two columns give instance %s of counter %q", h.Instance, h.Base)
	}
	b.instances[instanceOf{whole, h.Instance}] = true
	whole.Instances = append(whole.Instances, c)
	return nil
}
