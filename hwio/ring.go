package hwio

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// Ring keeps the last samples of a recording. Its memory depends on what it keeps and not on how long it is used. It is
// used by one goroutine at a time.
type Ring struct {
	schema  *capture.Schema
	last    time.Duration
	period  time.Duration // of the samples, as far as that is known
	most    uint64        // bytes
	batches []*capture.Batch
	sizes   []uint64
	bytes   uint64
	said    []string // warnings of batches that are gone
	short   bool     // there was no room for all of last
}

// NewRing returns a ring without samples. It refuses what would not fit into memory.
func NewRing(s *capture.Schema, last, period time.Duration) (*Ring, error) {
	if last <= 0 || period <= 0 {
		return nil, errors.New("record: a time to keep and a period are needed")
	}
	rows := int64(last/period) + 1
	need := s.Bytes(rows)
	if err := memory.Room(2 * need); err != nil {
		return nil, fmt.Errorf("record: the last %v every %v are %d samples of %d columns: %w", last, period, rows,
			len(s.Columns), err)
	}
	return &Ring{schema: s, last: last, period: period, most: max(2*need, 64<<20)}, nil
}

// Keep adds a batch, which nobody fills again, and drops those that are older than what is kept.
func (r *Ring) Keep(b *capture.Batch) {
	size := r.schema.Bytes(int64(b.Len()))
	r.batches, r.sizes, r.bytes = append(r.batches, b), append(r.sizes, size), r.bytes+size
	end := r.End()
	n := 0
	for n < len(r.batches)-1 {
		first := r.batches[n]
		old := first.Len() == 0 || first.End[first.Len()-1] <= end-r.last.Nanoseconds()
		if !old && r.bytes <= r.most {
			break
		}
		r.short = r.short || !old
		for _, w := range first.Warnings {
			if len(r.said) < manyWarnings && !slices.Contains(r.said, w) {
				r.said = append(r.said, w)
			}
		}
		r.bytes -= r.sizes[n]
		n++
	}
	r.batches, r.sizes = slices.Delete(r.batches, 0, n), slices.Delete(r.sizes, 0, n)
}

// End is the end of the last sample, 0 where there is none.
func (r *Ring) End() int64 {
	for _, b := range slices.Backward(r.batches) {
		if n := b.Len(); n > 0 {
			return b.End[n-1]
		}
	}
	return 0
}

// Saved is what the ring holds of the last samples, at most as long as it keeps them: the batches as they are, but for
// the first, of which a part may be too old.
func (r *Ring) Saved(last time.Duration) *Saved {
	s := &Saved{Schema: r.schema, Batches: slices.Clone(r.batches)}
	from := r.End() - min(last, r.last).Nanoseconds()
	for len(s.Batches) > 0 {
		b := s.Batches[0]
		lo, _ := slices.BinarySearchFunc(b.End, from, func(end, from int64) int {
			if end <= from {
				return -1
			}
			return 1
		})
		if lo < b.Len() || b.Len() == 0 && len(s.Batches) == 1 {
			if s.Batches[0] = b.Slice(lo, b.Len()); lo > 0 {
				s.Batches[0].Warnings = b.Warnings
			}
			break
		}
		s.Batches = s.Batches[1:]
	}
	if len(s.Batches) > 0 {
		first := *s.Batches[0]
		first.Warnings = append(slices.Clone(r.said), first.Warnings...)
		if r.short {
			first.Warnings = append(first.Warnings, fmt.Sprintf(
				"there was no room to keep the last %v: samples come faster than every %v", r.last, r.period))
		}
		s.Batches[0] = &first
	}
	return s
}

// Saved is the end of a recording, up to a moment.
type Saved struct {
	Why     string
	Schema  *capture.Schema
	Batches []*capture.Batch
}

// Capture is what was kept, in memory.
func (s *Saved) Capture() (*capture.Capture, error) {
	all := capture.NewCollector(s.Schema)
	for _, b := range s.Batches {
		all.Add(b)
	}
	clock := ""
	if a := s.Schema.Config.Axis; a != nil {
		clock = a.Clock
	}
	return capture.New(all.Config(clock))
}
