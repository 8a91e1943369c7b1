package hwio

import (
	"context"
	"time"

	"astrolabe/capture"
)

// ownCost is a stream of what the recording itself takes, beside what it measures.
type ownCost struct {
	of     *sampler
	schema capture.Schema
	was    [ownColumns]uint64
	began  bool
}

// ownSource is what the stream is called where others have the name of their source.
const ownSource = "recorder"

const ownColumns = 3

func newOwnCost(of *sampler) *ownCost {
	s := &ownCost{of: of}
	for _, c := range [ownColumns][4]string{
		{"recorder_cpu", "Processor time of the recorder", "ns",
			"Processor time that astrolabe itself took, in user space and in the kernel. Timers that interrupt what is measured are not in it."},
		{"recorder_wakeups", "Wake-ups of the recorder", "wakeups",
			"Times that a thread of astrolabe had waited and was woken."},
		{"recorder_lost", "Samples lost", "samples",
			"Samples that were not taken in time, or found no room: others are longer and have their counts."},
	} {
		s.schema.Columns = append(s.schema.Columns, capture.ColumnSpec{Integer: true,
			Meta: capture.Meta{Name: c[0], Title: c[1], Unit: c[2], Doc: c[3], Block: ownSource, Source: ownSource,
				Kind: capture.Delta}})
	}
	return s
}

var _ Paced = (*ownCost)(nil)

func (s *ownCost) Schema() *capture.Schema { return &s.schema }
func (s *ownCost) Close() error            { return nil }

// Every is once per flush: that is when most of the cost arises.
func (s *ownCost) Every(period, flush time.Duration) time.Duration { return max(period, flush) }

func (s *ownCost) Read(_ context.Context, b *capture.Batch) error {
	cpu, wakeups := ownUse()
	now := [ownColumns]uint64{uint64(cpu), uint64(wakeups), s.of.lost()}
	for i := range now {
		if s.began {
			b.AppendInt(i, max(now[i], s.was[i])-s.was[i])
		}
	}
	s.was, s.began = now, true
	return nil
}

// lost is how many samples the recording has lost so far.
func (r *sampler) lost() uint64 {
	n := r.missed.Load() + r.dropped.Load()
	for i := range r.members {
		if l, ok := r.members[i].stream.(Loser); ok {
			n += l.Lost()
		}
	}
	return n
}
