package capture

import "slices"

// Collector gathers batches in memory: the way from what a stream or a decoder gives to a capture that lies in no file.
type Collector struct {
	schema   *Schema
	axis     Axis
	cols     []Data
	reasons  [][]ReasonRun // of each column
	labels   []*labelBuilder
	gaps     []Gap
	late     []Gap
	regions  []Region
	warnings []string
}

// NewCollector returns a collector without samples.
func NewCollector(s *Schema) *Collector {
	empty := NewBatch(s, 0)
	c := &Collector{schema: s, axis: Axis{Start: empty.Start, End: empty.End}, cols: empty.Cols,
		reasons: make([][]ReasonRun, len(s.Columns))}
	for _, name := range s.Labels {
		c.labels = append(c.labels, newLabelBuilder(name, 0))
	}
	return c
}

// Add appends what a batch holds, and keeps nothing of it.
func (c *Collector) Add(b *Batch) {
	row := len(c.axis.Start)
	c.axis.Start, c.axis.End = append(c.axis.Start, b.Start...), append(c.axis.End, b.End...)
	for i := range c.cols {
		col, src := &c.cols[i], &b.Cols[i]
		col.F, col.U = append(col.F, src.F...), append(col.U, src.U...)
		appendValid(col, src, row)
	}
	c.note(b, row)
}

// Take is Add of a batch that nobody uses afterwards, to a collector without samples: large columns are not copied.
func (c *Collector) Take(b *Batch) {
	c.axis.Start, c.axis.End, c.cols = b.Start, b.End, b.Cols
	c.note(b, 0)
}

// note keeps what a batch says of its samples, the first of which is that row.
func (c *Collector) note(b *Batch, row int) {
	for _, r := range b.Reasons {
		list := &c.reasons[r.Col]
		from, to := r.From+row, r.To+row
		if k := len(*list) - 1; k >= 0 && (*list)[k].To == from && (*list)[k].Reason == r.Reason {
			(*list)[k].To = to
			continue
		}
		*list = append(*list, ReasonRun{From: from, To: to, Reason: r.Reason})
	}
	for i, l := range c.labels {
		l.l.Codes = slices.Grow(l.l.Codes, len(b.Labels[i]))
		for _, text := range b.Labels[i] {
			l.add(text, true)
		}
	}
	c.gaps, c.late = append(c.gaps, b.Gaps...), append(c.late, b.Late...)
	c.regions, c.warnings = append(c.regions, b.Regions...), append(c.warnings, b.Warnings...)
}

// appendValid extends the validity of dst, which had n values, by that of src.
func appendValid(dst, src *Data, n int) {
	if dst.U == nil || (dst.Valid.Bits == nil && src.Valid.Bits == nil) {
		return
	}
	for len(dst.Valid.Bits)*8 < len(dst.U) {
		dst.Valid.Bits = append(dst.Valid.Bits, 0xff)
	}
	for i := n; i < len(dst.U); i++ {
		if !src.Valid.Get(i - n) {
			dst.Valid.Clear(i)
		}
	}
}

// Config is the content of a capture of what was gathered, with times on the named clock. Columns of instances stand
// below their counter. It may be called once.
func (c *Collector) Config(clock string) Config {
	cfg := c.schema.Config
	c.axis.Clock = clock
	cfg.Axis = &c.axis
	cfg.Gaps, cfg.Late = append(cfg.Gaps[:len(cfg.Gaps):len(cfg.Gaps)], c.gaps...),
		append(cfg.Late[:len(cfg.Late):len(cfg.Late)], c.late...)
	cfg.Regions = append(cfg.Regions[:len(cfg.Regions):len(cfg.Regions)], c.regions...)
	cfg.Warnings = append(cfg.Warnings[:len(cfg.Warnings):len(cfg.Warnings)], c.warnings...)
	for _, l := range c.labels {
		cfg.Labels = append(cfg.Labels, l.l)
	}
	cfg.Counters = nil
	whole := map[string]*Counter{}
	for i, spec := range c.schema.Columns {
		counter := &Counter{Meta: spec.Meta, Axis: cfg.Axis, Col: NewColumn(c.cols[i]), Reasons: c.reasons[i]}
		if spec.Meta.Instance == "" {
			cfg.Counters = append(cfg.Counters, counter)
			continue
		}
		w, ok := whole[spec.Meta.Name]
		if !ok {
			w = &Counter{Meta: spec.Meta, Axis: cfg.Axis}
			w.Meta.Instance = ""
			whole[spec.Meta.Name] = w
			cfg.Counters = append(cfg.Counters, w)
		}
		w.AddInstance(counter)
	}
	return cfg
}
