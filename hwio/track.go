package hwio

import (
	"fmt"
	"math"
	"math/bits"

	"astrolabe/capture"
)

// track is what one stream counted in ticks of its own, on its way into rows that another stream makes. What a tick
// counted is spread evenly over its time. A row's share is a difference of one running total, so that integers stay
// integers and no count is lost or counted twice.
type track struct {
	source string
	specs  []capture.ColumnSpec
	kinds  []trackKind // per column: what of its spec every row asks for
	labels int         // number of the stream's

	pending []*tick // not yet covered by rows, in order
	unused  []*tick
	base    []total // per column: what was counted before the first pending tick
	given   []total // per column: what the rows so far hold of it
	end     int64   // of the last tick; 0 before the first
}

type trackKind struct{ integer, delta bool }

// total is a running total: one of both is used.
type total struct {
	u uint64
	f float64
}

// tick is what a stream measured at once.
type tick struct {
	start, end int64
	values     []total
	missing    []bool
	why        []capture.Reason
	labels     []string
}

// maxPending bounds the ticks that wait for a row. Beyond it neighbours are merged: only resolution is lost.
const maxPending = 2048

func newTrack(source string, specs []capture.ColumnSpec, labels int) *track {
	t := &track{source: source, specs: specs, labels: labels, base: make([]total, len(specs)),
		given: make([]total, len(specs))}
	for i := range specs {
		t.kinds = append(t.kinds, trackKind{specs[i].Integer, specs[i].Meta.Kind == capture.Delta})
	}
	return t
}

// take moves what the stream has read out of v: a tick for each row that it stamped itself, else one of the time from
// start to end.
func (t *track) take(v *capture.Batch, stamps bool, start, end int64) error {
	rows := 1
	if stamps {
		rows = len(v.Start)
	} else if len(v.Start) > 0 {
		return fmt.Errorf("source %s stamps its samples without saying so: a defect of that reader", t.source)
	}
	for k := range v.Cols {
		if n := v.Cols[k].Len(); n != rows {
			return fmt.Errorf("source %s delivered %d values of %s for %d samples: a defect of that reader", t.source,
				n, t.specs[k].Meta.Name, rows)
		}
	}
	for i := range rows {
		if stamps {
			start, end = v.Start[i], v.End[i]
		}
		t.add(v, i, start, end)
	}
	gaps, late, regions, warnings := v.Gaps, v.Late, v.Regions, v.Warnings
	v.Reset()
	// These go into the recording with the next rows, as they are.
	v.Gaps, v.Late, v.Regions, v.Warnings = gaps, late, regions, warnings
	return nil
}

// add appends row i of v as a tick.
func (t *track) add(v *capture.Batch, i int, start, end int64) {
	var x *tick
	if n := len(t.unused); n > 0 {
		x, t.unused = t.unused[n-1], t.unused[:n-1]
	} else {
		n := len(t.specs)
		x = &tick{values: make([]total, n), missing: make([]bool, n), why: make([]capture.Reason, n),
			labels: make([]string, t.labels)}
	}
	x.start, x.end = start, end
	for k := range v.Cols {
		d := &v.Cols[k]
		x.values[k], x.missing[k], x.why[k] = total{}, d.Missing(i), capture.Reason{}
		switch {
		case x.missing[k]:
			x.why[k] = reasonAt(v.Reasons, k, i)
		case d.U != nil:
			x.values[k].u = d.U[i]
		default:
			x.values[k].f = d.F[i]
		}
	}
	for k := range v.Labels {
		x.labels[k] = v.Labels[k][i]
	}
	t.pending, t.end = append(t.pending, x), end
	if len(t.pending) > maxPending {
		t.merge()
	}
}

// merge halves the pending ticks.
func (t *track) merge() {
	half := t.pending[:0]
	for i := 0; i+1 < len(t.pending); i += 2 {
		a, b := t.pending[i], t.pending[i+1]
		for c := range t.specs {
			a.values[c] = t.combined(c, a, b)
			if level := t.specs[c].Meta.Kind != capture.Delta; level {
				a.missing[c] = a.missing[c] && b.missing[c]
			} else if b.missing[c] && !a.missing[c] {
				a.missing[c], a.why[c] = true, b.why[c]
			}
		}
		a.end = b.end
		half = append(half, a)
		t.unused = append(t.unused, b)
	}
	if len(t.pending)%2 == 1 {
		half = append(half, t.pending[len(t.pending)-1])
	}
	t.pending = half
}

func (t *track) combined(c int, a, b *tick) total {
	if t.specs[c].Meta.Kind == capture.Delta {
		return total{u: a.values[c].u + b.values[c].u, f: a.values[c].f + b.values[c].f}
	}
	return t.level(c, []*tick{a, b}, a.start, b.end)
}

// begin drops what was counted before the first row.
func (t *track) begin(start int64) {
	for c := range t.specs {
		t.given[c], _, _ = t.until(c, start)
	}
}

// share appends to every column what belongs to a row. The stream's columns and labels stand in s from those of m on.
func (t *track) share(s *slot, m member, start, end int64) {
	lo, hi := 0, 0 // the ticks that overlap the row
	for lo < len(t.pending) && t.pending[lo].end <= start {
		lo++
	}
	for hi = lo; hi < len(t.pending) && t.pending[hi].start < end; hi++ {
	}
	over := t.pending[lo:hi]
	if lo == 0 && len(over) == 1 {
		t.part(s, m.colLo, over[0], start, end)
	} else {
		for c := range t.specs {
			t.value(s, m.colLo+c, c, over, start, end)
		}
	}
	for l := range t.labels {
		text, most := "", int64(0)
		for _, x := range over {
			if d := min(end, x.end) - max(start, x.start); d > most {
				text, most = x.labels[l], d
			}
		}
		s.batch.Labels[m.labelLo+l] = append(s.batch.Labels[m.labelLo+l], text)
	}
	// Ticks that lie before the row's end are used up.
	used := 0
	for used < len(t.pending) && t.pending[used].end <= end {
		x := t.pending[used]
		for c := range t.specs {
			t.base[c].u += x.values[c].u
			t.base[c].f += x.values[c].f
		}
		t.unused = append(t.unused, x)
		used++
	}
	t.pending = append(t.pending[:0], t.pending[used:]...)
}

// part is value for all columns, for a row that the first pending tick covers alone: as a rule many rows do.
func (t *track) part(s *slot, to int, x *tick, start, end int64) {
	part, whole := uint64(max(min(end, x.end)-x.start, 0)), uint64(x.end-x.start)
	for c, k := range t.kinds {
		if x.missing[c] {
			t.value(s, to+c, c, t.pending[:1], start, end)
			continue
		}
		v := x.values[c]
		if k.delta {
			now := t.base[c]
			switch {
			case part == whole:
				now.u, now.f = now.u+v.u, now.f+v.f
			case v.u != 0:
				hi, lo := bits.Mul64(v.u, part)
				share, _ := bits.Div64(hi, lo, whole)
				now.u += share
			case v.f != 0:
				now.f += v.f * (float64(part) / float64(whole))
			}
			v = total{now.u - t.given[c].u, now.f - t.given[c].f}
			t.given[c] = now
		}
		if k.integer {
			s.batch.AppendInt(to+c, v.u)
		} else {
			s.batch.AppendFloat(to+c, v.f)
		}
	}
}

// value appends the share of column c, which is column to of the recording.
func (t *track) value(s *slot, to, c int, over []*tick, start, end int64) {
	integer := t.specs[c].Integer
	if len(over) == 0 {
		s.missing(to, capture.Reason{Code: capture.LostReports, Text: "nothing was read from this source here"})
		return
	}
	if t.specs[c].Meta.Kind != capture.Delta {
		v, ok := t.anyLevel(c, over, start, end)
		switch {
		case !ok:
			s.missing(to, over[0].why[c])
		case integer:
			s.batch.AppendInt(to, v.u)
		default:
			s.batch.AppendFloat(to, v.f)
		}
		return
	}
	now, gone, why := t.until(c, end)
	before := t.given[c]
	t.given[c] = now
	for _, x := range over {
		if x.missing[c] && !gone {
			gone, why = true, x.why[c]
		}
	}
	switch {
	case gone:
		s.missing(to, why)
	case integer:
		s.batch.AppendInt(to, now.u-before.u)
	default:
		s.batch.AppendFloat(to, now.f-before.f)
	}
}

// until is the running total of column c at a time. gone says that the tick there is missing.
func (t *track) until(c int, at int64) (sum total, gone bool, why capture.Reason) {
	sum = t.base[c]
	for _, x := range t.pending {
		if x.start >= at {
			break
		}
		if x.end <= at {
			sum.u += x.values[c].u
			sum.f += x.values[c].f
			continue
		}
		part, whole := at-x.start, x.end-x.start
		hi, lo := bits.Mul64(x.values[c].u, uint64(part))
		share, _ := bits.Div64(hi, lo, uint64(whole)) // part < whole, so that the quotient fits
		sum.u += share
		sum.f += x.values[c].f * (float64(part) / float64(whole))
		return sum, x.missing[c], x.why[c]
	}
	return sum, false, capture.Reason{}
}

// anyLevel is level where a tick has the gauge.
func (t *track) anyLevel(c int, over []*tick, start, end int64) (total, bool) {
	for _, x := range over {
		if !x.missing[c] {
			return t.level(c, over, start, end), true
		}
	}
	return total{}, false
}

// level is the mean of a gauge over a row, weighted by time, over the ticks that have it. Whole numbers that do not
// change stay exact.
func (t *track) level(c int, over []*tick, start, end int64) total {
	var sum, weight float64
	same, first := true, -1
	for i, x := range over {
		if x.missing[c] {
			continue
		}
		w := float64(min(end, x.end) - max(start, x.start))
		v := x.values[c].f
		if t.specs[c].Integer {
			v = float64(x.values[c].u)
		}
		sum, weight = sum+w*v, weight+w
		if first < 0 {
			first = i
		} else if x.values[c] != over[first].values[c] {
			same = false
		}
	}
	if first < 0 {
		return total{f: math.NaN()}
	}
	if same || weight <= 0 || t.specs[c].Meta.Kind == capture.Constant {
		return over[first].values[c]
	}
	if t.specs[c].Integer {
		return total{u: uint64(math.Round(sum / weight))}
	}
	return total{f: sum / weight}
}
