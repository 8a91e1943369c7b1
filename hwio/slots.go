package hwio

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"astrolabe/capture"
)

// slot is a batch with a window per stream: the windows share the batch's columns.
type slot struct {
	batch *capture.Batch
	views []capture.Batch
}

func newSlot(schema *capture.Schema, members []member, rows int) *slot {
	s := &slot{batch: capture.NewBatch(schema, rows)}
	for _, m := range members {
		s.views = append(s.views, capture.Batch{
			Cols:   s.batch.Cols[m.colLo:m.colHi:m.colHi],
			Labels: s.batch.Labels[m.labelLo:m.labelHi:m.labelHi],
		})
	}
	return s
}

func (s *slot) reset() {
	s.batch.Reset()
	for i := range s.views {
		v := &s.views[i]
		v.Start, v.End = v.Start[:0], v.End[:0]
		v.Gaps, v.Late, v.Regions = v.Gaps[:0], v.Late[:0], v.Regions[:0]
		v.Warnings, v.Reasons = v.Warnings[:0], v.Reasons[:0]
	}
}

// gather moves what the streams said besides values into the batch; epoch is the time of the recording's 0. A warning
// that was told before is only counted.
func (s *slot) gather(members []member, epoch int64, told *tally) {
	for i := range s.views {
		v := &s.views[i]
		s.batch.Gaps = appendMoved(s.batch.Gaps, v.Gaps, -epoch)
		s.batch.Late = appendMoved(s.batch.Late, v.Late, -epoch)
		for _, r := range v.Regions {
			r.Start, r.End = r.Start-epoch, r.End-epoch
			s.batch.Regions = append(s.batch.Regions, r)
		}
		for _, r := range v.Reasons {
			r.Col += members[i].colLo
			s.batch.Reasons = append(s.batch.Reasons, r)
		}
		for _, w := range v.Warnings {
			if told.add(w, w) {
				s.batch.Warnings = append(s.batch.Warnings, w)
			}
		}
		v.Gaps, v.Late, v.Regions = v.Gaps[:0], v.Late[:0], v.Regions[:0]
		v.Reasons, v.Warnings = v.Reasons[:0], v.Warnings[:0]
	}
}

// appendMoved appends gaps or late spans at other times.
func appendMoved(to, gaps []capture.Gap, by int64) []capture.Gap {
	for _, g := range gaps {
		g.Start, g.End = g.Start+by, g.End+by
		to = append(to, g)
	}
	return to
}

// check finds a stream that broke its contract, before its columns reach a file out of step.
func (s *slot) check(schema *capture.Schema, members []member) error {
	n := s.batch.Len()
	for i := range s.batch.Cols {
		if got := s.batch.Cols[i].Len(); got != n {
			m := members[slices.IndexFunc(members, func(m member) bool { return i < m.colHi })]
			return fmt.Errorf("source %s delivered %d values of %s for %d samples: a defect of that reader", m.source,
				got, schema.Columns[i].Meta.Name, n)
		}
	}
	return nil
}

// truncate takes back the values of a row that was not finished.
func (s *slot) truncate(n int) {
	for i := range s.batch.Cols {
		c := &s.batch.Cols[i]
		if len(c.U) > n {
			c.U = c.U[:n]
		}
		if len(c.F) > n {
			c.F = c.F[:n]
		}
	}
	for i := range s.batch.Labels {
		if len(s.batch.Labels[i]) > n {
			s.batch.Labels[i] = s.batch.Labels[i][:n]
		}
	}
	for i := range s.views {
		v := &s.views[i]
		kept := v.Reasons[:0]
		for _, x := range v.Reasons {
			if x.To = min(x.To, n); x.From < x.To {
				kept = append(kept, x)
			}
		}
		v.Reasons = kept
		v.Start, v.End = v.Start[:0], v.End[:0]
	}
}

// slotBytes bounds the memory of all slots together.
const slotBytes = 64 << 20

// slots are a bounded set that goes round between the sampling loop, which fills them, and a goroutine that hands them
// to the sink. The sink may be slow, and the loop must never wait for it.
type slots struct {
	rows, most int // size of a slot, and how many there may be
	made       int
	full, free chan *slot
	writer     sync.WaitGroup
	failed     atomic.Pointer[error] // of the sink
}

// begin starts the sink's goroutine; wake tells the loop of a failure. After one it keeps emptying the slots, so that
// the loop can end.
func (q *slots) begin(sink Sink, wake func()) {
	q.full, q.free = make(chan *slot, q.most),
		make(chan *slot, q.most) // room for every slot there is, so that put never waits
	q.writer.Go(func() {
		for s := range q.full {
			if q.failed.Load() == nil {
				if err := sink.Write(s.batch); err != nil {
					q.failed.Store(&err)
					wake()
				}
			}
			s.reset()
			q.free <- s
		}
	})
}

// take gets an empty slot, or nil where all are with the sink; only who waits gets one then.
func (q *slots) take(wait bool, fresh func() *slot) *slot {
	select {
	case s := <-q.free:
		return s
	default:
	}
	switch {
	case q.made < q.most:
		q.made++
		return fresh()
	case wait:
		return <-q.free
	}
	return nil
}

// end waits until the sink has everything, and returns what became of it.
func (q *slots) end() error {
	close(q.full)
	q.writer.Wait()
	if failed := q.failed.Load(); failed != nil {
		return fmt.Errorf("write the recording: %w", *failed)
	}
	return nil
}
