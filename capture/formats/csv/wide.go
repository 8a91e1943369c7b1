package csv

import (
	"context"
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
)

// readWide makes one counter of each column.
func readWide(ctx context.Context, f *delimited.File, l *layout, o *options, cfg *capture.Config) error {
	t, err := f.Read(ctx, l.specs())
	if err != nil {
		return err
	}
	cfg.Warnings = append(append(cfg.Warnings, l.warn...), t.Warnings...)
	if err := wideAxis(f, t, l, o, cfg); err != nil {
		return err
	}
	b := newBuilder(f, cfg)
	for i, r := range l.roles {
		h := &l.cols[i]
		switch r {
		case roleLabel:
			c := &t.Cols[i]
			cfg.Labels = append(cfg.Labels, &capture.Label{Name: h.Name, Codes: c.Codes, Dict: c.Dict})
		case roleCounter:
			c := &t.Cols[i]
			if err := b.add(h, o.kindFor(h), column{c.Num, c.Whole, c.Missing, c.MissingText()}); err != nil {
				return err
			}
		}
	}
	return b.finish(o)
}

// column is the values of one counter or instance.
type column struct {
	data    capture.Data
	whole   bool // doubles that are all whole
	missing int
	why     string // how missing values are spelled in the file
}

// builder collects counters and hangs instances below them.
type builder struct {
	f     *delimited.File
	cfg   *capture.Config
	index map[string]*capture.Counter
	known map[string]bool // names that kinds= may use
}

func newBuilder(f *delimited.File, cfg *capture.Config) *builder {
	return &builder{f: f, cfg: cfg, index: map[string]*capture.Counter{}, known: map[string]bool{}}
}

func (b *builder) add(h *header, kind capture.Kind, col column) error {
	b.known[h.Full], b.known[h.Name], b.known[h.Base] = true, true, true
	c := &capture.Counter{
		Meta: capture.Meta{
			Name: h.Name, Unit: h.Unit, Kind: kind, GPU: b.cfg.GPU, Instance: h.Instance,
			Source: Format{}.Name(), Integral: col.whole,
		},
		Axis: b.cfg.Axis,
		Col:  capture.NewColumn(col.data),
	}
	if col.missing > 0 {
		c.Reasons = []capture.ReasonRun{{From: 0, To: b.cfg.Axis.Len(), Reason: capture.Reason{
			Code: capture.Unknown, Text: fmt.Sprintf("the file %s has %s here", b.cfg.Name, col.why),
		}}}
	}
	if h.Instance == "" {
		if whole, ok := b.index[h.Name]; ok {
			// Its instances came first.
			if whole.Col != nil {
				return &delimited.Error{File: b.f.Name, Line: b.f.Line, Msg: fmt.Sprintf("two columns give counter %q", h.Name)}
			}
			whole.Col, whole.Unit, whole.Kind, whole.Integral, whole.Reasons = c.Col, c.Unit, c.Kind, c.Integral, c.Reasons
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
	if kind == capture.Gauge {
		whole.Combine = capture.CombineMean
	}
	whole.Instances = append(whole.Instances, c)
	return nil
}

// finish checks that every name in option kinds exists.
func (b *builder) finish(o *options) error {
	for name := range o.kinds {
		if !b.known[name] {
			return fmt.Errorf("option kinds: %s has no counter %q", b.f.Name, name)
		}
	}
	return nil
}
