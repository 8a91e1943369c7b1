package hwio

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/capture"
)

// joiner puts streams that measure at different times into one recording. One of them leads: its samples are the rows,
// and every other stream's track gives each row its share. Where the leader has no sample for at least a tick, rows of
// their own keep what the others counted.
type joiner struct {
	members []member
	lead    int
	stamps  []bool          // per member: its device stamps its samples
	views   []capture.Batch // what the members read into
	tracks  []*track        // per member; nil of the leader
	last    int64           // end of the last row; 0 before the first
}

// newJoiner returns nil where all streams are read together on every tick, or one is alone.
func newJoiner(members []member, schema *capture.Schema) (*joiner, error) {
	lead, err := leader(members)
	if err != nil || lead < 0 {
		return nil, err
	}
	j := &joiner{members: members, lead: lead}
	for i, m := range members {
		own := capture.Schema{Columns: schema.Columns[m.colLo:m.colHi], Labels: schema.Labels[m.labelLo:m.labelHi]}
		j.views = append(j.views, *capture.NewBatch(&own, 1))
		_, stamps := m.stream.(Stamper)
		j.stamps = append(j.stamps, stamps)
		var t *track
		if i != lead {
			t = newTrack(m.source, own.Columns, len(own.Labels))
		}
		j.tracks = append(j.tracks, t)
	}
	return j, nil
}

// leader finds the stream whose samples are the rows: one that stamps its own, else one that is read on every tick. It
// is -1 where all are read together.
func leader(members []member) (int, error) {
	lead, every := -1, false
	for i, m := range members {
		if _, ok := m.stream.(Stamper); !ok {
			every = every || m.every > 1
			continue
		}
		if lead < 0 || yields(members[lead]) {
			lead = i
		} else if !yields(m) {
			return 0, fmt.Errorf("%s and %s both stamp their own samples and cannot share one recording: record them one by one", members[lead].source, m.source)
		}
	}
	switch {
	case len(members) == 1:
		return -1, nil
	case lead < 0 && every:
		return slices.IndexFunc(members, func(m member) bool { return m.every == 1 }), nil
	}
	return lead, nil
}

func yields(m member) bool {
	_, ok := m.stream.(Yielder)
	return ok
}

// take hands over what member i has just read. The times are those between two reads, for one whose device does not
// stamp its samples.
func (j *joiner) take(i int, start, end int64) error {
	v := &j.views[i]
	if i != j.lead {
		return j.tracks[i].take(v, j.stamps[i], start, end)
	}
	for n := len(v.Start); !j.stamps[i] && len(v.Cols) > 0 && v.Cols[0].Len() > n; n++ {
		v.Start, v.End = append(v.Start, start), append(v.End, end)
	}
	return nil
}

// covered is until when every track has ticks.
func (j *joiner) covered() int64 {
	at := int64(math.MaxInt64)
	for _, t := range j.tracks {
		if t != nil {
			at = min(at, t.end)
		}
	}
	return at
}

// waiting is the start of the first row that waits for the other streams, 0 where none does.
func (j *joiner) waiting() int64 {
	if v := &j.views[j.lead]; len(v.Start) > 0 {
		return v.Start[0]
	}
	return 0
}

// rows moves the rows that the leader has made into s, and gives each the other streams' share. Rows wait until every
// stream has read what belongs to them, but not those that end before overdue.
func (j *joiner) rows(s *slot, epoch, overdue int64) {
	v := &j.views[j.lead]
	m := j.members[j.lead]
	ready := max(j.covered(), overdue)
	done, i := 0, 0
	for ; i < len(v.Start) && v.End[i] <= ready; i++ {
		start, end := v.Start[i], v.End[i]
		if j.last == 0 {
			j.begin(start)
		} else if t := j.finest(); t != nil && start-j.last >= max(1, t.pending[0].end-t.pending[0].start) {
			j.copyRows(s, m, v, done, i)
			done = i
			j.hole(s, m, t, start, epoch)
		}
		j.share(s, start, end)
		s.batch.Start, s.batch.End = append(s.batch.Start, start-epoch), append(s.batch.End, end-epoch)
		j.last = end
	}
	j.copyRows(s, m, v, done, i)
	for k := range j.views {
		from, to := &j.views[k], &s.views[k]
		to.Gaps, to.Late = append(to.Gaps, from.Gaps...), append(to.Late, from.Late...)
		to.Regions, to.Warnings = append(to.Regions, from.Regions...), append(to.Warnings, from.Warnings...)
		from.Gaps, from.Late, from.Regions, from.Warnings = from.Gaps[:0], from.Late[:0], from.Regions[:0],
			from.Warnings[:0]
	}
	dropRows(v, i)
}

// finest is the track with the shortest tick that waits, nil where none does.
func (j *joiner) finest() (best *track) {
	for _, t := range j.tracks {
		if t == nil || len(t.pending) == 0 {
			continue
		}
		if x := t.pending[0]; best == nil || x.end-x.start < best.pending[0].end-best.pending[0].start {
			best = t
		}
	}
	return best
}

// dropRows takes the first n rows out of a batch.
func dropRows(b *capture.Batch, n int) {
	if n == 0 {
		return
	}
	if n == len(b.Start) {
		b.Reset()
		return
	}
	b.Start, b.End = slices.Delete(b.Start, 0, n), slices.Delete(b.End, 0, n)
	for k := range b.Cols {
		c := &b.Cols[k]
		if c.Valid.Bits != nil {
			all := capture.NewBitmap(len(c.U) - n)
			for i := n; i < len(c.U); i++ {
				if c.Missing(i) {
					all.Clear(i - n)
				}
			}
			c.Valid = all
		}
		if c.U != nil {
			c.U = slices.Delete(c.U, 0, n)
		} else {
			c.F = slices.Delete(c.F, 0, n)
		}
	}
	for k := range b.Labels {
		b.Labels[k] = slices.Delete(b.Labels[k], 0, n)
	}
	kept := b.Reasons[:0]
	for _, r := range b.Reasons {
		if r.From, r.To = max(r.From-n, 0), r.To-n; r.From < r.To {
			kept = append(kept, r)
		}
	}
	b.Reasons = kept
}

// copyRows appends rows [lo, hi) of the leader's own columns and labels.
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
	for _, t := range j.tracks {
		if t != nil {
			t.begin(start)
		}
	}
}

// hole makes rows for a stretch in which the leader has none, one for each tick of a track.
func (j *joiner) hole(s *slot, m member, t *track, end, epoch int64) {
	for j.last < end {
		next := end
		// Less than half a tick is no row of its own: it belongs to the next one, at the end to the one before.
		if i := slices.IndexFunc(t.pending, func(x *tick) bool { return x.end-j.last > (x.end-x.start)/2 }); i >= 0 {
			if x := t.pending[i]; end-x.end > (x.end-x.start)/2 {
				next = x.end
			}
		}
		j.holeRow(s, m, next, epoch)
	}
}

// end moves the rows that still wait, and makes rows of what was counted after the leader's last sample, at least a
// tick of it.
func (j *joiner) end(s *slot, epoch int64) (rows int) {
	before := s.batch.Len()
	j.rows(s, epoch, math.MaxInt64)
	if t := j.finest(); t != nil {
		last := t.pending[len(t.pending)-1]
		if j.last == 0 {
			j.last = t.pending[0].start
			j.begin(j.last)
		}
		if last.end-j.last >= max(1, last.end-last.start) {
			j.hole(s, j.members[j.lead], t, last.end, epoch)
		}
	}
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

// share appends to the columns of every track what belongs to a row.
func (j *joiner) share(s *slot, start, end int64) {
	for i, t := range j.tracks {
		if t != nil {
			t.share(s, j.members[i], start, end)
		}
	}
}
