package csv

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
)

// longReader turns rows of (time, counter, value) into columns.
type longReader struct {
	f *delimited.File
	t *delimited.Table
	l *layout
	o *options

	labels  []int // label columns that tell samples apart
	samples []longSample
	order   []int32 // of each sample: its place on the axis
	rowAt   []int32 // of each row: its sample
	series  []longSeries
	rowIn   []int32 // of each row: its series
}

type longSample struct {
	start, end int64
	row        int // the first
}

type longSeries struct {
	name, instance string
	row            int // the first
}

// readLong makes one counter of each name (and instance) in the file. Rows of one time and the same labels are one sample.
func readLong(ctx context.Context, f *delimited.File, l *layout, o *options, cfg *capture.Config) error {
	t, err := f.Read(ctx, l.specs())
	if err != nil {
		return err
	}
	cfg.Warnings = append(append(cfg.Warnings, l.warn...), t.Warnings...)
	r := &longReader{f: f, t: t, l: l, o: o}
	if err := r.findSeries(); err != nil {
		return err
	}
	r.findLabels(cfg)
	if err := r.findSamples(); err != nil {
		return err
	}
	if err := r.axis(cfg); err != nil {
		return err
	}
	if err := r.counters(ctx, cfg); err != nil {
		return err
	}
	r.fillLabels(cfg)
	return nil
}

func (r *longReader) column(want role) *delimited.Column {
	for i, have := range r.l.roles {
		if have == want {
			return &r.t.Cols[i]
		}
	}
	return nil
}

// textOf is the text of a row in a column that may not exist.
func textOf(c *delimited.Column, row int) string {
	if c == nil || c.Codes[row] < 0 {
		return ""
	}
	return c.Dict[c.Codes[row]]
}

// findSeries finds the counters and instances, in the order of the file.
func (r *longReader) findSeries() error {
	names, instances := r.column(roleName), r.column(roleInstance)
	type key struct{ name, instance int32 }
	index := map[key]int32{}
	r.rowIn = make([]int32, r.t.Rows)
	for row := range r.t.Rows {
		k := key{names.Codes[row], -1}
		if k.name < 0 {
			return &delimited.Error{File: r.f.Name, Line: r.t.Line(row), Msg: "the name of the counter is empty"}
		}
		if instances != nil {
			k.instance = instances.Codes[row]
		}
		s, ok := index[k]
		if !ok {
			s = int32(len(r.series))
			index[k] = s
			r.series = append(r.series, longSeries{names.Dict[k.name], textOf(instances, row), row})
		}
		r.rowIn[row] = s
	}
	return nil
}

// findLabels picks the label columns. A column that only depends on the counter describes the counter, not the sample.
func (r *longReader) findLabels(cfg *capture.Config) {
	for i, have := range r.l.roles {
		if have != roleLabel {
			continue
		}
		c := &r.t.Cols[i]
		ofSeries := make([]int32, len(r.series))
		for k := range ofSeries {
			ofSeries[k] = -2
		}
		describes := len(c.Dict) > 1
		for row, code := range c.Codes {
			was := &ofSeries[r.rowIn[row]]
			if *was == -2 {
				*was = code
			}
			if *was != code {
				describes = false
				break
			}
		}
		if describes {
			cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("%s: column %q says the same in all rows of a counter: it is left out", r.f.Name, r.f.Header[i]))
			continue
		}
		r.labels = append(r.labels, i)
	}
}

// findSamples groups the rows by time and labels, and orders the groups by time.
func (r *longReader) findSamples() error {
	start, end, at := r.l.at(roleStart), r.l.at(roleEnd), r.l.at(roleTime)
	if start < 0 && end < 0 && at < 0 {
		return &delimited.Error{File: r.f.Name, Line: r.f.Line, Msg: "the long form (one value in each row) needs a time column: name it time"}
	}
	first := at
	for _, i := range []int{start, end} {
		if first < 0 {
			first = i
		}
	}
	type key struct {
		start, end int64
		labels     int32
	}
	index := map[key]int32{}
	combos := newCombos()
	r.rowAt = make([]int32, r.t.Rows)
	last, lastSample := key{}, int32(-1)
	for row := range r.t.Rows {
		k := key{start: r.t.Cols[first].Times[row]}
		if start >= 0 && end >= 0 {
			k.end = r.t.Cols[end].Times[row]
			if k.end < k.start {
				return &delimited.Error{File: r.f.Name, Line: r.t.Line(row), Msg: fmt.Sprintf("the sample ends at %s, before its start at %s", nanos(k.end), nanos(k.start))}
			}
		}
		for _, i := range r.labels {
			k.labels = combos.add(k.labels, r.t.Cols[i].Codes[row])
		}
		if k == last && lastSample >= 0 {
			r.rowAt[row] = lastSample
			continue
		}
		s, ok := index[k]
		if !ok {
			s = int32(len(r.samples))
			index[k] = s
			r.samples = append(r.samples, longSample{k.start, k.end, row})
		}
		r.rowAt[row], last, lastSample = s, k, s
	}
	bySample := make([]int32, len(r.samples))
	for i := range bySample {
		bySample[i] = int32(i)
	}
	sort.SliceStable(bySample, func(a, b int) bool { return r.samples[bySample[a]].start < r.samples[bySample[b]].start })
	r.order = make([]int32, len(bySample))
	for place, s := range bySample {
		r.order[s] = int32(place)
	}
	return nil
}

// combos numbers tuples of codes, one element after the other.
type combos struct{ index map[[2]int32]int32 }

func newCombos() *combos { return &combos{map[[2]int32]int32{}} }

func (c *combos) add(prefix, code int32) int32 {
	k := [2]int32{prefix, code}
	id, ok := c.index[k]
	if !ok {
		id = int32(len(c.index)) + 1
		c.index[k] = id
	}
	return id
}

func (r *longReader) axis(cfg *capture.Config) error {
	n := len(r.samples)
	a := &capture.Axis{Start: make([]int64, n), End: make([]int64, n)}
	for s, place := range r.order {
		a.Start[place], a.End[place] = r.samples[s].start, r.samples[s].end
	}
	cfg.Axis = a
	if r.l.at(roleStart) < 0 || r.l.at(roleEnd) < 0 {
		ends := r.o.ends || r.l.at(roleTime) < 0 && r.l.at(roleStart) < 0
		warn := r.oneTime(a, ends)
		if warn != "" {
			cfg.Warnings = append(cfg.Warnings, r.f.Name+": "+warn)
		}
	}
	return rebase(r.f, cfg, r.l.isDate(r.t))
}

// oneTime makes intervals of one column of times, in which samples that differ by their labels may share a time.
func (r *longReader) oneTime(a *capture.Axis, ends bool) string {
	var times []int64
	for i, t := range a.Start {
		if i == 0 || t != a.Start[i-1] {
			times = append(times, t)
		}
	}
	one, warn := oneColumn(times, ends, r.o.period)
	k := -1
	prev := int64(math.MinInt64)
	for i, t := range a.Start {
		if k < 0 || t != prev {
			k, prev = k+1, t
		}
		a.Start[i], a.End[i] = one.Start[k], one.End[k]
	}
	return warn
}

// maxSparse is how many cells a column may have for each row of the file. Far more means that the columns are mistaken.
const maxSparse, alwaysCells = 64, 1 << 22

func (r *longReader) counters(ctx context.Context, cfg *capture.Config) error {
	n := len(r.samples)
	if cells := len(r.series) * n; cells > alwaysCells && cells > maxSparse*r.t.Rows {
		return fmt.Errorf("%s: %d counters at %d different times from only %d rows: is %q the column of counter names?",
			r.f.Name, len(r.series), n, r.t.Rows, r.f.Header[r.index(roleName)])
	}
	values := r.column(roleValue)
	rowsOf := r.rowsBySeries()
	b := newBuilder(r.f, cfg)
	units, blocks := r.column(roleUnit), r.column(roleBlock)
	for s, rows := range rowsOf {
		if err := ctx.Err(); err != nil {
			return err
		}
		col, err := r.valuesOf(values, rows, n)
		if err != nil {
			return err
		}
		se := r.series[s]
		h := parseHeader(se.name)
		if unit := textOf(units, se.row); unit != "" {
			h = header{Full: se.name, Name: se.name, Base: se.name, Unit: unit}
		}
		if se.instance != "" {
			h.Base, h.Instance = h.Name, se.instance
			h.Name = fmt.Sprintf("%s[%s]", h.Base, h.Instance)
		}
		if err := b.add(&h, r.o.kindFor(&h), col); err != nil {
			return err
		}
		if block := textOf(blocks, se.row); block != "" {
			b.setBlock(&h, block)
		}
	}
	return b.finish(r.o)
}

// setBlock notes the hardware block of a counter that has just been added.
func (b *builder) setBlock(h *header, block string) {
	whole := b.index[h.Base]
	whole.Block = block
	if h.Instance != "" {
		whole.Instances[len(whole.Instances)-1].Block = block
	}
}

func (r *longReader) index(want role) int {
	for i, have := range r.l.roles {
		if have == want {
			return i
		}
	}
	return -1
}

// rowsBySeries lists the rows of each series.
func (r *longReader) rowsBySeries() [][]int32 {
	count := make([]int32, len(r.series))
	for _, s := range r.rowIn {
		count[s]++
	}
	all := make([]int32, r.t.Rows)
	out := make([][]int32, len(r.series))
	from := 0
	for s, c := range count {
		out[s] = all[from : from : from+int(c)]
		from += int(c)
	}
	for row, s := range r.rowIn {
		out[s] = append(out[s], int32(row))
	}
	return out
}

// valuesOf puts the values of one series where they belong on the axis.
func (r *longReader) valuesOf(values *delimited.Column, rows []int32, n int) (column, error) {
	seen := make([]int32, n) // row + 1
	absent, empty := n, 0
	d := capture.Data{}
	if values.Num.U != nil {
		d.U = make([]uint64, n)
	} else {
		d = capture.MissingData(n)
	}
	for _, row := range rows {
		place := r.order[r.rowAt[row]]
		if was := seen[place]; was != 0 {
			return column{}, &delimited.Error{File: r.f.Name, Line: r.t.Line(int(row)), Msg: fmt.Sprintf(
				"counter %q has two values at one time: the other one is in line %d", r.series[r.rowIn[row]].name, r.t.Line(int(was-1)))}
		}
		seen[place] = row + 1
		absent--
		switch {
		case values.Num.Missing(int(row)):
			empty++
		case d.U != nil:
			d.U[place] = values.Num.U[row]
		default:
			d.F[place] = values.Num.F[row]
		}
	}
	col := column{missing: absent + empty}
	var why []string
	if absent > 0 {
		why = append(why, "no row for this counter")
	}
	if empty > 0 {
		why = append(why, values.MissingText())
	}
	col.why = strings.Join(why, " or ")
	switch {
	case d.U == nil:
		d, col.whole = delimited.Narrow(d.F)
	case col.missing == n && n > 0:
		d = capture.MissingData(n)
	case col.missing > 0:
		d.Valid = capture.NewBitmap(n)
		for place, row := range seen {
			if row == 0 || values.Num.Missing(int(row-1)) {
				d.Valid.Clear(place)
			}
		}
	}
	col.data = d
	return col, nil
}

// fillLabels gives each sample the labels of its rows.
func (r *longReader) fillLabels(cfg *capture.Config) {
	for _, i := range r.labels {
		c := &r.t.Cols[i]
		l := &capture.Label{Name: r.l.cols[i].Name, Codes: make([]int32, len(r.samples)), Dict: c.Dict}
		for s, place := range r.order {
			l.Codes[place] = c.Codes[r.samples[s].row]
		}
		cfg.Labels = append(cfg.Labels, l)
	}
}
