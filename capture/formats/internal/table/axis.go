package table

import (
	"fmt"
	"math"
	"slices"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// keepBelow is the time up to which a file's own zero is kept, in ns: 1e6 seconds, which a double still holds to the
// nanosecond.
const keepBelow = 1e15

func nanos(ns int64) string { return fmt.Sprintf("%d ns", ns) }

// times reads a column of times.
func (b *builder) times(col int) ([]int64, error) {
	t, err := b.v.Times(col, b.l.units[b.l.roles[col]-roleTime])
	if err != nil {
		return nil, err
	}
	if len(t) > 0 && isDate(t[0]) {
		b.date = true
	}
	return t, nil
}

// isDate reports whether a time is one in nanoseconds of the Unix epoch, to judge by its size (2001 to 2100).
func isDate(ns int64) bool { return ns >= 1e18 && ns < 4_102_444_800e9 }

// axisRoom is what the times of a sample take, in bytes: as they are read, its start, its end, and the times that
// differ.
const axisRoom = 32

// wideAxis makes the axis of the wide form, one sample for each row.
func (b *builder) wideAxis() error {
	n := b.v.Rows()
	if err := memory.Room(uint64(n) * axisRoom); err != nil {
		return fmt.Errorf("%d samples: %w", n, err)
	}
	var times [3][]int64
	for k, col := range b.l.times {
		if col < 0 {
			continue
		}
		t, err := b.times(col)
		if err != nil {
			return err
		}
		times[k] = t
		if b.l.lengths {
			return b.follow(col, t)
		}
		if role(k)+roleTime == roleEnd && b.l.at(roleStart) >= 0 || b.l.length >= 0 {
			continue
		}
		for r := 1; r < n; r++ {
			if t[r] < t[r-1] {
				return b.v.Errorf(r, "column %q: time goes back from %s to %s: sort the rows by time",
					b.l.cols[col].Name, nanos(t[r-1]), nanos(t[r]))
			}
		}
	}
	at, start, end := times[0], times[roleStart-roleTime], times[roleEnd-roleTime]
	if b.l.length >= 0 {
		var err error
		if end, err = b.endsOf(start, b.l.length); err != nil {
			return err
		}
	}
	if at != nil && b.l.frames >= 0 {
		if b.cfg.Axis = b.framed(at); b.cfg.Axis != nil {
			return b.rebase()
		}
	}
	switch {
	case at == nil && start == nil && end == nil:
		return b.countRows()
	case start != nil && end != nil:
		b.cfg.Axis = &capture.Axis{Start: start, End: end}
		for r := range n {
			if end[r] < start[r] {
				return b.v.Errorf(r, "the sample ends at %s, before its start at %s", nanos(end[r]), nanos(start[r]))
			}
		}
		return b.rebase()
	}
	ends := b.l.opt.Ends
	if at == nil {
		at, ends = start, false
		if start == nil {
			at, ends = end, true
		}
	}
	var warn string
	if b.cfg.Axis, warn = Intervals(at, ends, b.l.opt.Period); warn != "" {
		b.warn("%s", warn)
	}
	return b.rebase()
}

// framesMet is by how much a frame may seem longer or shorter than the time to the next one, in parts of it and in ns: programs print three digits of milliseconds.
const framesMet, framesRound = 0.001, 1500

// framed is the axis of rows with a time and the length of a frame each, where all but the last, which has no next one, are as long as the time to the next: then that has its own length as
// well, and not that of the row before. It is nil where the lengths are of something else, such as of the frame before, or times are ends.
func (b *builder) framed(at []int64) *capture.Axis {
	if b.l.opt.Ends || b.l.opt.Period > 0 || len(at) < 2 {
		return nil
	}
	ends, err := b.endsOf(at, b.l.frames)
	if err != nil {
		return nil
	}
	last := len(at) - 1
	for r, next := range at[1:] {
		if off := math.Abs(float64(ends[r] - next)); !(off <= framesRound+framesMet*float64(next-at[r])) {
			return nil
		}
	}
	if ends[last] <= at[last] {
		return nil
	}
	return &capture.Axis{Start: at, End: append(slices.Clone(at[1:]), ends[last])}
}

// endsOf are the ends of rows that have a start, and a length in a column.
func (b *builder) endsOf(start []int64, length int) ([]int64, error) {
	lengths, err := b.v.Numbers(length)
	if err != nil {
		return nil, err
	}
	d := lengths.Col.Data()
	if err := lengths.Col.Err(); err != nil {
		return nil, err
	}
	u := b.l.heads[length].TimeUnit
	scale := math.Pow10(u.Exp) * float64(max(1, u.Mul))
	end := make([]int64, len(start))
	for r, s := range start {
		ns := d.Float(r) * scale
		if ns < 0 || ns > math.MaxInt64/4 || s > math.MaxInt64/4 {
			return nil, b.v.Errorf(r, "column %q: %g is no length of a row", b.l.cols[length].Name, d.Float(r))
		}
		if end[r] = s; ns > 0 { // of a row that does not say, NaN, it is its start
			end[r] += int64(math.Round(ns))
		}
	}
	return end, nil
}

// follow is the axis of rows that say how long they took and not when.
func (b *builder) follow(col int, lengths []int64) error {
	a := &capture.Axis{Start: make([]int64, len(lengths)), End: make([]int64, len(lengths))}
	var now int64
	for r, length := range lengths {
		if length < 0 || length > math.MaxInt64/2-now {
			return b.v.Errorf(r,
				"column %q: %s is no length of a row, or all rows are more than 146 years (option time_unit= gives its unit)",
				b.l.cols[col].Name, nanos(length))
		}
		a.Start[r], a.End[r] = now, now+length
		now += length
	}
	b.cfg.Axis = a
	return nil
}

// countRows is the axis of a table that says nothing about time.
func (b *builder) countRows() error {
	n, period := b.v.Rows(), b.l.opt.Period
	if period == 0 {
		period = int64(time.Second)
		b.warn(
			"there is no time column (named time, timestamp or start): each row counts as one second, so times and rates mean nothing (option period= gives the time of a row)")
	}
	if n > 0 && period > math.MaxInt64/int64(n) {
		return b.v.Errorf(-1, "%d rows of %s each are more than 292 years", n, nanos(period))
	}
	b.cfg.Axis = capture.NewUniformAxis(n, period)
	return nil
}

// Intervals makes intervals of one column of times, starts or ends, that never decrease. Samples that differ by their
// labels may share a time; each of them lasts until the next other time. period is the length of the sample that has
// none, 0 if it is not known.
func Intervals(times []int64, ends bool, period int64) (a *capture.Axis, warn string) {
	n := len(times)
	a = &capture.Axis{Start: make([]int64, n), End: make([]int64, n)}
	differ := 0
	for i, t := range times {
		if i == 0 || t != times[i-1] {
			differ++
		}
	}
	distinct := make([]int64, 0, differ)
	for i, t := range times {
		if i == 0 || t != times[i-1] {
			distinct = append(distinct, t)
		}
	}
	d := len(distinct)
	if d == 0 {
		return a, ""
	}
	if period == 0 && d > 1 {
		period = distinct[d-1] - distinct[d-2]
		if ends {
			period = distinct[1] - distinct[0]
		}
	} else if period == 0 {
		warn = "one time only, so the length of its sample is unknown and taken as 0: option period= gives it"
	}
	k := -1
	for i, t := range times {
		if i == 0 || t != times[i-1] {
			k++
		}
		switch {
		case ends && k == 0:
			a.Start[i], a.End[i] = t-period, t
		case ends:
			a.Start[i], a.End[i] = distinct[k-1], t
		case k == d-1:
			a.Start[i], a.End[i] = t, t+period
		default:
			a.Start[i], a.End[i] = t, distinct[k+1]
		}
	}
	return a, warn
}

// rebase moves times that are values of some clock so that the first sample starts at 0, and keeps the origin as a
// property.
func (b *builder) rebase() error {
	a := b.cfg.Axis
	if a.Len() == 0 {
		return nil
	}
	const most = math.MaxInt64 / 2
	if lo, hi := a.Extent(); lo < -most || hi > most {
		return b.v.Errorf(-1,
			"times from %s to %s do not fit 64 bits of nanoseconds: is the unit of time right (option time_unit=)?",
			nanos(lo), nanos(hi))
	}
	origin := a.Start[0]
	if b.date && b.cfg.StartTime.IsZero() {
		b.cfg.StartTime = time.Unix(0, origin).UTC()
	}
	if origin >= -keepBelow && origin <= keepBelow {
		return nil
	}
	for i := range a.Start {
		a.Start[i] -= origin
		a.End[i] -= origin
	}
	// Another axis: this one knows its extent, and would keep it.
	b.cfg.Axis = &capture.Axis{Clock: a.Clock, Start: a.Start, End: a.End}
	b.cfg.Properties = append(b.cfg.Properties,
		capture.Property{Name: "time_origin", Text: nanos(origin), IsText: true})
	return nil
}
