package table

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/memory"
)

// longReader turns rows of (time, counter, value) into columns.
type longReader struct {
	*builder
	names, instances, units, blocks, kinds texts
	value                                  Numbers
	labels                                 []texts // that tell samples apart
	labelNames                             []string

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

// texts is a column of text, which may not exist.
type texts struct {
	codes []int32
	dict  []string
}

// at is the text of a row, "" where there is none.
func (t texts) at(row int) string {
	if t.codes == nil || t.codes[row] < 0 {
		return ""
	}
	return t.dict[t.codes[row]]
}

// What a row, a series or sample, and a cell of a series take, in bytes.
const rowRoom, seriesRoom, cellRoom = 20, 96, 12

// trim takes blanks off the texts, also those that quotes hold: the names of columns have none either.
func (t *texts) trim() {
	if !slices.ContainsFunc(t.dict, func(text string) bool { return text != strings.TrimSpace(text) }) {
		return
	}
	dict, codes := make([]string, 0, len(t.dict)), make([]int32, len(t.dict))
	index := map[string]int32{"": -1}
	for i, text := range t.dict {
		text = strings.TrimSpace(text)
		code, ok := index[text]
		if !ok {
			code = int32(len(dict))
			index[text], dict = code, append(dict, text)
		}
		codes[i] = code
	}
	t.dict, t.codes = dict, slices.Clone(t.codes) // which may be those of a column
	for i, code := range t.codes {
		if code >= 0 {
			t.codes[i] = codes[code]
		}
	}
}

// long makes one counter of each name (and instance) in the table. Rows of one time and the same labels are one sample.
func (b *builder) long(ctx context.Context) error {
	r := &longReader{builder: b}
	for role, dst := range map[role]*texts{roleName: &r.names, roleInstance: &r.instances, roleUnit: &r.units,
		roleBlock: &r.blocks, roleKind: &r.kinds} {
		if i := b.l.index(role); i >= 0 {
			var err error
			if dst.codes, dst.dict, err = b.v.Texts(i); err != nil {
				return err
			}
		}
	}
	for _, t := range []*texts{&r.names, &r.units, &r.blocks, &r.kinds} {
		t.trim()
	}
	if err := memory.Room(uint64(b.v.Rows()) * rowRoom); err != nil {
		return err
	}
	var err error
	if r.value, err = b.v.Numbers(b.l.index(roleValue)); err != nil {
		return err
	}
	if err := r.value.Col.Err(); err != nil {
		return err
	}
	if err := r.findSeries(); err != nil {
		return err
	}
	if err := r.findLabels(); err != nil {
		return err
	}
	if err := r.findSamples(); err != nil {
		return err
	}
	if err := r.axis(); err != nil {
		return err
	}
	if err := r.counters(ctx); err != nil {
		return err
	}
	r.fillLabels()
	return nil
}

// index is the first column of a role, -1 if there is none.
func (l *Layout) index(want role) int {
	for i, have := range l.roles {
		if have == want {
			return i
		}
	}
	return -1
}

// findSeries finds the counters and instances, in the order of the file.
func (r *longReader) findSeries() error {
	type key struct{ name, instance int32 }
	index := map[key]int32{}
	r.rowIn = make([]int32, r.v.Rows())
	for row := range r.rowIn {
		k := key{r.names.codes[row], -1}
		if k.name < 0 {
			return r.v.Errorf(row, "the name of the counter is empty")
		}
		if r.instances.codes != nil {
			k.instance = r.instances.codes[row]
		}
		s, ok := index[k]
		if !ok {
			if err := r.tally.Add(seriesRoom); err != nil {
				return err
			}
			s = int32(len(r.series))
			index[k] = s
			r.series = append(r.series, longSeries{r.names.dict[k.name], InstanceText(r.instances.at(row)), row})
		}
		r.rowIn[row] = s
	}
	return nil
}

// findLabels picks the label columns. A column that only depends on the counter describes the counter, not the sample.
func (r *longReader) findLabels() error {
	for i, have := range r.l.roles {
		if have != roleLabel {
			continue
		}
		codes, dict, err := r.v.Texts(i)
		if err != nil {
			return err
		}
		if len(dict) > 1 && r.describesCounters(codes) {
			r.warn("column %q says the same in all rows of a counter: it is left out", r.l.cols[i].Name)
			continue
		}
		r.labels, r.labelNames = append(r.labels, texts{codes, dict}), append(r.labelNames, r.l.heads[i].Name)
	}
	return nil
}

func (r *longReader) describesCounters(codes []int32) bool {
	ofSeries := make([]int32, len(r.series))
	for k := range ofSeries {
		ofSeries[k] = -2
	}
	for row, code := range codes {
		was := &ofSeries[r.rowIn[row]]
		if *was == -2 {
			*was = code
		}
		if *was != code {
			return false
		}
	}
	return true
}

// findSamples groups the rows by time and labels, and orders the groups by time.
func (r *longReader) findSamples() error {
	start, end, err := r.startsAndEnds()
	if err != nil {
		return err
	}
	type key struct {
		start, end int64
		labels     int32
	}
	index := map[key]int32{}
	combos := newCombos()
	r.rowAt = make([]int32, r.v.Rows())
	last, lastSample := key{}, int32(-1)
	for row := range r.rowAt {
		k := key{start: start[row]}
		if end != nil {
			k.end = end[row]
			if k.end < k.start {
				return r.v.Errorf(row, "the sample ends at %s, before its start at %s", nanos(k.end), nanos(k.start))
			}
		}
		for _, l := range r.labels {
			k.labels = combos.add(k.labels, l.codes[row])
		}
		if k == last && lastSample >= 0 {
			r.rowAt[row] = lastSample
			continue
		}
		s, ok := index[k]
		if !ok {
			if err := r.tally.Add(seriesRoom); err != nil {
				return err
			}
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
	sort.SliceStable(bySample, func(a, b int) bool {
		return r.samples[bySample[a]].start < r.samples[bySample[b]].start
	})
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

// startsAndEnds reads the time columns; ends is nil where there is one column only.
func (r *longReader) startsAndEnds() (starts, ends []int64, err error) {
	start, end, at := r.l.at(roleStart), r.l.at(roleEnd), r.l.at(roleTime)
	first := max(start, at)
	if first < 0 {
		first = end
	}
	if first < 0 {
		return nil, nil, r.v.Errorf(-1, "the long form (one value in each row) needs a time column: name it time")
	}
	if starts, err = r.times(first); err != nil || start < 0 || end < 0 {
		return starts, nil, err
	}
	ends, err = r.times(end)
	return starts, ends, err
}

func (r *longReader) axis() error {
	n := len(r.samples)
	a := &capture.Axis{Start: make([]int64, n), End: make([]int64, n)}
	for s, place := range r.order {
		a.Start[place], a.End[place] = r.samples[s].start, r.samples[s].end
	}
	if !r.l.Pairs() {
		var warn string
		if a, warn = Intervals(a.Start, r.l.EndsOnly(), r.l.opt.Period); warn != "" {
			r.warn("%s", warn)
		}
	}
	r.cfg.Axis = a
	return r.rebase()
}

// maxSparse is how many cells a column may have for each row of the file. Far more means that the columns are mistaken.
const maxSparse, alwaysCells = 64, 1 << 22

func (r *longReader) counters(ctx context.Context) error {
	n, rows := len(r.samples), len(r.rowIn)
	if cells := len(r.series) * n; cells > alwaysCells && cells > maxSparse*rows {
		return r.v.Errorf(-1, "%d counters at %d different times from only %d rows: is %q the column of counter names?",
			len(r.series), n, rows, r.l.cols[r.l.index(roleName)].Name)
	}
	for s, rows := range r.rowsBySeries() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.tally.Add(uint64(n) * cellRoom); err != nil {
			return err
		}
		col, err := r.valuesOf(rows, n)
		if err != nil {
			return err
		}
		se := r.series[s]
		h := ParseHeader(se.name)
		if unit := r.units.at(se.row); unit != "" {
			h = Header{Full: se.name, Name: se.name, Base: se.name, Unit: unit, Kind: h.Kind}
		}
		if text := r.kinds.at(se.row); text != "" {
			if k, ok := capture.ParseKind(text); ok && k != capture.Derived {
				h.Kind = &k
			}
		}
		if se.instance != "" {
			h.Base, h.Instance = h.Name, se.instance
			h.Name = fmt.Sprintf("%s[%s]", h.Base, h.Instance)
		}
		if err := r.add(&h, capture.Meta{Block: r.blocks.at(se.row)}, col); err != nil {
			return err
		}
	}
	return nil
}

// rowsBySeries lists the rows of each series.
func (r *longReader) rowsBySeries() [][]int32 {
	count := make([]int32, len(r.series))
	for _, s := range r.rowIn {
		count[s]++
	}
	all := make([]int32, len(r.rowIn))
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
func (r *longReader) valuesOf(rows []int32, n int) (Numbers, error) {
	values := r.value.Col.Data()
	seen := make([]int32, n) // row + 1
	absent, empty := n, 0
	var d capture.Data
	if values.U != nil {
		d.U = make([]uint64, n)
	} else {
		d = capture.MissingData(n)
	}
	for _, row := range rows {
		place := r.order[r.rowAt[row]]
		if was := seen[place]; was != 0 {
			return Numbers{}, r.v.Errorf(int(row), "counter %q has two values at one time: the other one is %s",
				r.series[r.rowIn[row]].name, r.v.Where(int(was-1)))
		}
		seen[place] = row + 1
		absent--
		switch {
		case values.Missing(int(row)):
			empty++
		case d.U != nil:
			d.U[place] = values.U[row]
		default:
			d.F[place] = values.F[row]
		}
	}
	out := Numbers{}
	var why []string
	if absent > 0 {
		why = append(why, "no row for this counter")
	}
	if empty > 0 {
		why = append(why, r.value.Missing)
	}
	out.Missing = strings.Join(why, " or ")
	switch {
	case d.U == nil:
		d, out.Whole = delimited.Narrow(d.F)
	case absent+empty == n && n > 0:
		d = capture.MissingData(n)
	case absent+empty > 0:
		d.Valid = capture.NewBitmap(n)
		for place, row := range seen {
			if row == 0 || values.Missing(int(row-1)) {
				d.Valid.Clear(place)
			}
		}
	}
	out.Col = capture.NewColumn(d)
	return out, nil
}

// fillLabels gives each sample the labels of its rows.
func (r *longReader) fillLabels() {
	for i, from := range r.labels {
		l := &capture.Label{Name: r.labelNames[i], Codes: make([]int32, len(r.samples)), Dict: from.dict}
		for s, place := range r.order {
			l.Codes[place] = from.codes[r.samples[s].row]
		}
		r.cfg.Labels = append(r.cfg.Labels, l)
	}
}
