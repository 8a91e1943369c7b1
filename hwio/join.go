package hwio

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"astrolabe/capture"
)

// joiner puts streams that are read on every tick beside one whose device stamps its own samples. The device's samples are the rows;
// what a tick counted is spread evenly over its time and every row gets its share. Shares are differences of one running total, so
// that integers stay integers and no count is lost or counted twice. Where the device has no sample for at least a tick, rows of
// their own keep what the others counted.
type joiner struct {
	members []member
	specs   []capture.ColumnSpec
	timed   int
	labels  int             // number of labels in the recording
	views   []capture.Batch // what the members read into

	pending []*tick // not yet covered by rows, in order
	unused  []*tick
	base    []total // per column: what was counted before the first pending tick
	given   []total // per column: what the rows so far hold of it
	last    int64   // end of the last row; 0 before the first
}

// total is a running total: one of both is used.
type total struct {
	u uint64
	f float64
}

// tick is what the ticked streams read at once.
type tick struct {
	start, end int64
	values     []total
	missing    []bool
	why        []capture.Reason
	labels     []string
}

// maxPending bounds the ticks that wait for a sample of the device. Beyond it neighbours are merged: only resolution is lost.
const maxPending = 2048

// newJoiner returns nil where no stream stamps its own samples, or it is alone.
func newJoiner(members []member, schema *capture.Schema) (*joiner, error) {
	timed := -1
	for i, m := range members {
		if _, ok := m.stream.(Stamper); !ok {
			continue
		}
		if timed >= 0 {
			return nil, fmt.Errorf("%s and %s both stamp their own samples and cannot share one recording: record them one by one", members[timed].source, m.source)
		}
		timed = i
	}
	if timed < 0 || len(members) == 1 {
		return nil, nil
	}
	j := &joiner{members: members, specs: schema.Columns, timed: timed, labels: len(schema.Labels),
		base: make([]total, len(schema.Columns)), given: make([]total, len(schema.Columns))}
	for _, m := range members {
		own := capture.Schema{Columns: schema.Columns[m.colLo:m.colHi], Labels: schema.Labels[m.labelLo:m.labelHi]}
		j.views = append(j.views, *capture.NewBatch(&own, 1))
	}
	return j, nil
}

// tick takes over what the ticked members have just read.
func (j *joiner) tick(start, end int64) error {
	var t *tick
	if n := len(j.unused); n > 0 {
		t, j.unused = j.unused[n-1], j.unused[:n-1]
	} else {
		t = &tick{values: make([]total, len(j.specs)), missing: make([]bool, len(j.specs)), why: make([]capture.Reason, len(j.specs)), labels: make([]string, j.labels)}
	}
	t.start, t.end = start, end
	for i, m := range j.members {
		if i == j.timed {
			continue
		}
		v := &j.views[i]
		if len(v.Start) > 0 {
			return fmt.Errorf("source %s stamps its samples without saying so: a defect of that reader", m.source)
		}
		for k := range v.Cols {
			d, c := &v.Cols[k], m.colLo+k
			if d.Len() != 1 {
				return fmt.Errorf("source %s delivered %d values of %s for 1 sample: a defect of that reader", m.source, d.Len(), j.specs[c].Meta.Name)
			}
			t.values[c], t.missing[c], t.why[c] = total{}, d.Missing(0), capture.Reason{}
			switch {
			case t.missing[c]:
			case d.U != nil:
				t.values[c].u = d.U[0]
			default:
				t.values[c].f = d.F[0]
			}
		}
		for _, r := range v.Reasons {
			t.why[m.colLo+r.Col] = r.Reason
		}
		for k := range v.Labels {
			t.labels[m.labelLo+k] = v.Labels[k][0]
		}
		gaps, late, regions, warnings := v.Gaps, v.Late, v.Regions, v.Warnings
		v.Reset()
		// These go into the recording with the next rows, as they are.
		v.Gaps, v.Late, v.Regions, v.Warnings = gaps, late, regions, warnings
	}
	j.pending = append(j.pending, t)
	if len(j.pending) > maxPending {
		j.merge()
	}
	return nil
}

// merge halves the pending ticks.
func (j *joiner) merge() {
	half := j.pending[:0]
	for i := 0; i+1 < len(j.pending); i += 2 {
		a, b := j.pending[i], j.pending[i+1]
		for c := range j.specs {
			if j.isTimed(c) {
				continue
			}
			a.values[c] = j.combined(c, a, b)
			if level := j.specs[c].Meta.Kind != capture.Delta; level {
				a.missing[c] = a.missing[c] && b.missing[c]
			} else if b.missing[c] && !a.missing[c] {
				a.missing[c], a.why[c] = true, b.why[c]
			}
		}
		a.end = b.end
		half = append(half, a)
		j.unused = append(j.unused, b)
	}
	if len(j.pending)%2 == 1 {
		half = append(half, j.pending[len(j.pending)-1])
	}
	j.pending = half
}

func (j *joiner) combined(c int, a, b *tick) total {
	if j.specs[c].Meta.Kind == capture.Delta {
		return total{u: a.values[c].u + b.values[c].u, f: a.values[c].f + b.values[c].f}
	}
	return j.level(c, []*tick{a, b}, a.start, b.end)
}

func (j *joiner) isTimed(c int) bool {
	m := j.members[j.timed]
	return c >= m.colLo && c < m.colHi
}

// rows takes over the rows that the timed stream has appended and gives each the other streams' share.
func (j *joiner) rows(s *slot, epoch int64) {
	v := &j.views[j.timed]
	m := j.members[j.timed]
	done := 0
	for i := range v.Start {
		start, end := v.Start[i], v.End[i]
		switch {
		case j.last == 0:
			j.begin(start)
		case len(j.pending) > 0 && start-j.last >= max(1, j.pending[0].end-j.pending[0].start):
			j.copyRows(s, m, v, done, i)
			done = i
			j.hole(s, m, start, epoch)
		}
		j.share(s, start, end)
		s.batch.Start, s.batch.End = append(s.batch.Start, start-epoch), append(s.batch.End, end-epoch)
		j.last = end
	}
	j.copyRows(s, m, v, done, len(v.Start))
	for i := range j.views {
		from, to := &j.views[i], &s.views[i]
		to.Gaps, to.Late = append(to.Gaps, from.Gaps...), append(to.Late, from.Late...)
		to.Regions, to.Warnings = append(to.Regions, from.Regions...), append(to.Warnings, from.Warnings...)
		from.Gaps, from.Late, from.Regions, from.Warnings = from.Gaps[:0], from.Late[:0], from.Regions[:0], from.Warnings[:0]
	}
	v.Reset()
}

// copyRows appends rows [lo, hi) of the timed stream's own columns and labels.
func (j *joiner) copyRows(s *slot, m member, v *capture.Batch, lo, hi int) {
	if lo == hi {
		return
	}
	for k := range v.Cols {
		from, c := &v.Cols[k], m.colLo+k
		to := &s.batch.Cols[c]
		switch {
		case from.U == nil && len(v.Reasons) == 0:
			to.F = append(to.F, from.F[lo:hi]...)
		case from.U != nil && from.Valid.Bits == nil && to.Valid.Bits == nil:
			to.U = append(to.U, from.U[lo:hi]...)
		default:
			for i := lo; i < hi; i++ {
				switch {
				case from.Missing(i):
					s.missing(c, reasonAt(v.Reasons, k, i))
				case from.U != nil:
					s.batch.AppendInt(c, from.U[i])
				default:
					s.batch.AppendFloat(c, from.F[i])
				}
			}
		}
	}
	for k := range v.Labels {
		s.batch.Labels[m.labelLo+k] = append(s.batch.Labels[m.labelLo+k], v.Labels[k][lo:hi]...)
	}
}

func reasonAt(reasons []capture.ColumnReason, col, row int) capture.Reason {
	for _, r := range reasons {
		if r.Col == col && r.From <= row && row < r.To {
			return r.Reason
		}
	}
	return capture.Reason{}
}

// missing appends a missing value to a column of the recording.
func (s *slot) missing(c int, why capture.Reason) {
	if why == (capture.Reason{}) {
		s.batch.AppendMissing(c)
		return
	}
	s.batch.AppendMissingFor(c, why)
}

// begin drops what was counted before the first row.
func (j *joiner) begin(start int64) {
	for c := range j.specs {
		j.given[c], _, _ = j.until(c, start)
	}
}

// hole makes rows for a stretch in which the timed stream has none, one for each tick.
func (j *joiner) hole(s *slot, m member, end, epoch int64) {
	for j.last < end {
		next := end
		// Less than half a tick is no row of its own: it belongs to the next one, at the end to the one before.
		if i := slices.IndexFunc(j.pending, func(t *tick) bool { return t.end-j.last > (t.end-t.start)/2 }); i >= 0 {
			if t := j.pending[i]; end-t.end > (t.end-t.start)/2 {
				next = t.end
			}
		}
		j.holeRow(s, m, next, epoch)
	}
}

// end makes rows of what was counted after the last sample of the timed stream, at least a tick of it.
func (j *joiner) end(s *slot, epoch int64) (rows int) {
	n := len(j.pending)
	if n == 0 {
		return 0
	}
	last := j.pending[n-1]
	if j.last == 0 {
		j.last = j.pending[0].start
		j.begin(j.last)
	}
	if last.end-j.last < max(1, last.end-last.start) {
		return 0
	}
	before := s.batch.Len()
	j.hole(s, j.members[j.timed], last.end, epoch)
	return s.batch.Len() - before
}

func (j *joiner) holeRow(s *slot, m member, end, epoch int64) {
	start := j.last
	why := capture.Reason{Code: capture.LostReports, Text: m.source + " has no sample here"}
	for c := m.colLo; c < m.colHi; c++ {
		s.batch.AppendMissingFor(c, why)
	}
	for l := m.labelLo; l < m.labelHi; l++ {
		s.batch.Labels[l] = append(s.batch.Labels[l], "")
	}
	j.share(s, start, end)
	s.batch.Start, s.batch.End = append(s.batch.Start, start-epoch), append(s.batch.End, end-epoch)
	j.last = end
}

// share appends to every ticked column what belongs to a row.
func (j *joiner) share(s *slot, start, end int64) {
	lo, hi := 0, 0 // the ticks that overlap the row
	for lo < len(j.pending) && j.pending[lo].end <= start {
		lo++
	}
	for hi = lo; hi < len(j.pending) && j.pending[hi].start < end; hi++ {
	}
	over := j.pending[lo:hi]
	for i, m := range j.members {
		if i == j.timed {
			continue
		}
		for c := m.colLo; c < m.colHi; c++ {
			j.value(s, c, over, start, end)
		}
		for l := m.labelLo; l < m.labelHi; l++ {
			text, most := "", int64(0)
			for _, t := range over {
				if d := min(end, t.end) - max(start, t.start); d > most {
					text, most = t.labels[l], d
				}
			}
			s.batch.Labels[l] = append(s.batch.Labels[l], text)
		}
	}
	// Ticks that lie before the row's end are used up.
	used := 0
	for used < len(j.pending) && j.pending[used].end <= end {
		t := j.pending[used]
		for c := range j.specs {
			j.base[c].u += t.values[c].u
			j.base[c].f += t.values[c].f
		}
		j.unused = append(j.unused, t)
		used++
	}
	j.pending = append(j.pending[:0], j.pending[used:]...)
}

// value appends the share of column c.
func (j *joiner) value(s *slot, c int, over []*tick, start, end int64) {
	integer := j.specs[c].Integer
	if len(over) == 0 {
		s.missing(c, capture.Reason{Code: capture.LostReports, Text: "nothing was read from this source here"})
		return
	}
	if j.specs[c].Meta.Kind != capture.Delta {
		if !slices.ContainsFunc(over, func(t *tick) bool { return !t.missing[c] }) {
			s.missing(c, over[0].why[c])
			return
		}
		v := j.level(c, over, start, end)
		if integer {
			s.batch.AppendInt(c, v.u)
		} else {
			s.batch.AppendFloat(c, v.f)
		}
		return
	}
	now, gone, why := j.until(c, end)
	before := j.given[c]
	j.given[c] = now
	for _, t := range over {
		if t.missing[c] && !gone {
			gone, why = true, t.why[c]
		}
	}
	switch {
	case gone:
		s.missing(c, why)
	case integer:
		s.batch.AppendInt(c, now.u-before.u)
	default:
		s.batch.AppendFloat(c, now.f-before.f)
	}
}

// until is the running total of column c at a time. gone says that the tick there is missing.
func (j *joiner) until(c int, at int64) (sum total, gone bool, why capture.Reason) {
	sum = j.base[c]
	for _, t := range j.pending {
		if t.start >= at {
			break
		}
		if t.end <= at {
			sum.u += t.values[c].u
			sum.f += t.values[c].f
			continue
		}
		part, whole := at-t.start, t.end-t.start
		hi, lo := bits.Mul64(t.values[c].u, uint64(part))
		share, _ := bits.Div64(hi, lo, uint64(whole)) // part < whole, so that the quotient fits
		sum.u += share
		sum.f += t.values[c].f * (float64(part) / float64(whole))
		return sum, t.missing[c], t.why[c]
	}
	return sum, false, capture.Reason{}
}

// level is the mean of a gauge over a row, weighted by time, over the ticks that have it. Whole numbers that do not change stay exact.
func (j *joiner) level(c int, over []*tick, start, end int64) total {
	var sum, weight float64
	same, first := true, -1
	for i, t := range over {
		if t.missing[c] {
			continue
		}
		w := float64(min(end, t.end) - max(start, t.start))
		v := t.values[c].f
		if j.specs[c].Integer {
			v = float64(t.values[c].u)
		}
		sum, weight = sum+w*v, weight+w
		if first < 0 {
			first = i
		} else if t.values[c] != over[first].values[c] {
			same = false
		}
	}
	if first < 0 {
		return total{f: math.NaN()}
	}
	if same || weight <= 0 || j.specs[c].Meta.Kind == capture.Constant {
		return over[first].values[c]
	}
	if j.specs[c].Integer {
		return total{u: uint64(math.Round(sum / weight))}
	}
	return total{f: sum / weight}
}
