package arrow

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/table"
)

// decodePieces makes a capture of the bytes of an Arrow file or stream, or of the parts of a recording. It refers to
// them.
func decodePieces(ctx context.Context, pieces []piece, path string, o *table.Options) (*capture.Capture, error) {
	d, err := decodeConfig(ctx, pieces, path, o)
	if err != nil {
		return nil, err
	}
	d.cfg.Path, d.cfg.Format = path, Format{}.Name()
	if d.cfg.Name == "" {
		base := filepath.Base(path)
		d.cfg.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	return capture.New(d.cfg)
}

// decoded is a capture in the making, and where the columns of its counters lie.
type decoded struct {
	*content
	cfg    capture.Config
	doc    *captureDoc
	passes []*capture.Pass
	source map[*capture.Counter]*column
	// warnings about this very file, which come after those that it holds.
	warnings []string
}

func decodeConfig(ctx context.Context, pieces []piece, path string, o *table.Options) (d *decoded, err error) {
	defer func() {
		// The lengths are checked, so this is for what nobody thought of.
		if r := recover(); r != nil {
			if d, err = nil, caught(r); err == nil {
				err = fmt.Errorf("damaged: %v", r)
			}
		}
	}()
	d = &decoded{source: map[*capture.Counter]*column{}, doc: &captureDoc{}}
	absent, err := d.read(ctx, pieces)
	if err != nil {
		return nil, err
	}
	d.cfg.Axis = &capture.Axis{}
	md := d.schema.Metadata()
	if version, ok := md.GetValue(keyLayout); ok {
		text, _ := md.GetValue(keyCapture)
		if d.doc, err = readDoc(version, text); err != nil {
			return nil, err
		}
	}
	if err := d.doc.apply(&d.cfg); err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	if err := d.build(ctx, path, o); err != nil {
		return nil, err
	}
	d.addNotes()
	d.cfg.Warnings = countAlike(d.cfg.Warnings)
	for _, a := range absent {
		d.missingParts(a.from, a.to, a.row)
	}
	d.cfg.Warnings = slices.Concat(d.cfg.Warnings, d.warnings)
	return d, nil
}

func (d *decoded) warn(format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

// build turns columns into the axis, passes, counters and labels.
func (d *decoded) build(ctx context.Context, path string, o *table.Options) error {
	d.newPasses()
	rest, ours, err := d.axis()
	if err != nil {
		return err
	}
	if !ours {
		return d.foreign(ctx, path, o)
	}
	var whole, instances []placed
	for _, col := range rest {
		keys := keysOf(col.field.Metadata)
		switch role := keys[keyRole]; {
		case role == rolePassStart || role == rolePassDuration:
			d.passColumn(col, role, keys)
		case isNumber(col.field.Type):
			p, err := d.counter(col, keys)
			if err != nil {
				return err
			}
			if role == roleInstance {
				instances = append(instances, p)
			} else {
				whole = append(whole, p)
			}
		case col.isText():
			l, err := col.label()
			if err != nil {
				return err
			}
			d.cfg.Labels = append(d.cfg.Labels, l)
		default:
			d.warn("column %q is left out: %s is no type of counters or labels", col.field.Name, col.field.Type)
		}
	}
	d.finish(whole, instances)
	if len(d.cfg.Counters) == 0 && d.doc.Columnless == nil && len(rest) > 0 {
		return table.ErrNoCounter
	}
	return nil
}

// newPasses makes the passes that the document lists, without their times.
func (d *decoded) newPasses() {
	for _, p := range d.doc.Passes {
		pass := &capture.Pass{ID: p.ID}
		d.passes = append(d.passes, pass)
		if !p.Unlisted {
			d.cfg.Passes = append(d.cfg.Passes, pass)
		}
	}
}

// finish adds the counters that have no column and puts all in order.
func (d *decoded) finish(whole, instances []placed) {
	for _, e := range d.doc.Columnless {
		c, warnings := counterFrom(e.Keys)
		d.warnings = append(d.warnings, warnings...)
		whole = append(whole, d.place(c, e.Keys, e.Index))
	}
	d.cfg.Counters = d.tree(whole, instances)
}

// passColumn gives a pass its own times.
func (d *decoded) passColumn(col *column, role string, keys map[string]string) {
	if !isNumber(col.field.Type) {
		d.passTimes(col.field.Name, role, nil, nil)
		return
	}
	d.passTimes(col.field.Name, role, keys, d.lazy(col))
}

func (d *decoded) passTimes(name, role string, keys map[string]string, values *capture.Column) {
	i := position(keys, keyPass, len(d.passes))
	switch {
	case i < 0 || values == nil:
		d.warn("column %q is left out: it belongs to no known pass", name)
	case role == rolePassStart:
		d.passes[i].Start = values
	default:
		d.passes[i].Duration = values
	}
}

// lazy returns the column's values, to be read on first use.
func (d *decoded) lazy(col *column) *capture.Column {
	n := d.rows()
	safely := func(read func(lo, hi int) (capture.Data, error), lo, hi int) (data capture.Data, err error) {
		defer func() {
			if r := recover(); r != nil {
				if err = caught(r); err == nil {
					err = fmt.Errorf("column %q is damaged: %v", col.field.Name, r)
				}
			}
		}()
		return read(lo, hi)
	}
	out := capture.LazyColumn(n, func() (capture.Data, error) { return safely(col.read, 0, n) }).Again()
	if d.from == nil {
		out.Near()
	}
	if col.inParts() {
		out.InParts(func(lo, hi int, _ []uint64) (capture.Data, error) { return safely(col.part, lo, hi) })
	}
	return out
}

// addNotes adds what was written beside the samples of a recording.
func (d *decoded) addNotes() {
	byField := map[int]*capture.Counter{}
	if len(d.notes) > 0 {
		at := map[*column]int{}
		for i := range d.cols {
			at[&d.cols[i]] = i
		}
		for c, col := range d.source {
			byField[at[col]] = c
		}
	}
	for _, n := range d.notes {
		addGaps(&d.cfg, n.Gaps, n.Late)
		d.cfg.Regions = append(d.cfg.Regions, regionsFromDoc(n.Regions)...)
		d.cfg.Warnings = append(d.cfg.Warnings, n.Warnings...)
		for _, r := range n.Reasons {
			if c := byField[r.Field]; c != nil {
				addReason(c, capture.ReasonRun{From: n.base + r.From, To: n.base + r.To, Reason: r.Why.reason()})
			}
		}
	}
}

// countAlike tells every warning once, and how often it stands there: recorders used to say a thing as often as it
// happened.
func countAlike(warnings []string) []string {
	n := map[string]int{}
	for _, w := range warnings {
		n[w]++
	}
	if len(n) == len(warnings) {
		return warnings
	}
	out := make([]string, 0, len(n))
	for _, w := range warnings {
		switch k := n[w]; {
		case k == 1:
			out = append(out, w)
		case k > 1:
			out = append(out, fmt.Sprintf("%s (%d times)", w, k))
		}
		n[w] = 0
	}
	return out
}

// addReason lengthens the last run where r continues it, so that a counter that is never there has one reason and not
// one per batch.
func addReason(c *capture.Counter, r capture.ReasonRun) {
	if n := len(c.Reasons); n > 0 && c.Reasons[n-1].To == r.From && c.Reasons[n-1].Reason == r.Reason {
		c.Reasons[n-1].To = r.To
		return
	}
	c.Reasons = append(c.Reasons, r)
}
