package oa

import (
	"math"
	"math/bits"
)

// Survey is what a stream of records holds, found in a first pass so that the second can map every report's time to the
// CPU's between the correlations on both of its sides. A live reader needs none.
type Survey struct {
	Format *Format // of the reports; nil is one with a header of 32 bits
	Shift  int     // see Info.Shift

	Reports int            // records of type RecordSample
	Sizes   map[int]bool   // of their reports in bytes
	Types   map[uint32]int // records of types that this package does not know

	syncs []syncPoint
	begun bool // a recording has begun: its headers, or any record

	// Of the reports before the first correlation.
	anchored    bool
	first, last uint32
	moved       int64
	any         bool

	size int // of the last report

	tail bool // the last correlation came after the last report

	timer     uint32 // timestamp of the last report by the timer
	timed     bool
	shortest  uint32 // between two reports by the timer
	begin     int64  // full timestamp of the first report
	beginning bool   // begin is known
}

type syncPoint struct {
	Correlation
	anew bool // the first of another recording
}

// Add takes note of a record.
func (s *Survey) Add(r Record) {
	switch r.Type {
	case RecordSample:
		s.Reports++
		s.tail = false
		if n := len(r.Data); n != s.size || s.Sizes == nil {
			if s.Sizes == nil {
				s.Sizes = map[int]bool{}
			}
			s.size, s.Sizes[n] = n, true
		}
		f := s.Format
		if f == nil {
			f = A32u40A4u32B8C8
		}
		if len(r.Data) >= f.wordBits()/8*headerWords {
			s.report(f, Report(r.Data))
		}
	case RecordCorrelation:
		c, err := ParseCorrelation(r.Data)
		if err != nil {
			return
		}
		c.GPU <<= s.Shift
		if !s.anchored && s.any {
			p := point{full: int64(c.GPU)}
			s.begin, s.beginning = p.anchor(s.last)-s.moved, true
		}
		s.anchored, s.tail = true, true
		s.syncs = append(s.syncs, syncPoint{Correlation: c})
	case RecordVersion:
		s.anew()
	case RecordReportLost, RecordBufferLost, RecordInfo, RecordTopology:
	default:
		if s.Types == nil {
			s.Types = map[uint32]int{}
		}
		s.Types[r.Type]++
	}
}

// anew notes that another recording begins.
func (s *Survey) anew() {
	if s.begun && len(s.syncs) > 0 {
		s.syncs = append(s.syncs, syncPoint{anew: true})
	}
	s.begun, s.timed = true, false
}

func (s *Survey) report(f *Format, r Report) {
	ts, id := uint32(f.Timestamp(r)), uint32(f.ID(r))
	if id == 0 && f.Timestamp(r) == 0 {
		return
	}
	if !s.anchored {
		if !s.any {
			s.any, s.first, s.last = true, ts, ts
		}
		if d := ts - s.last; d <= math.MaxInt32 {
			s.moved += int64(d)
			s.last = ts
		}
	}
	if id>>19&uint32(Timer) == 0 {
		return
	}
	if d := ts - s.timer; s.timed && d > 0 && (s.shortest == 0 || d < s.shortest) {
		s.shortest = d
	}
	s.timer, s.timed = ts, true
}

// Tail is the clock correlation behind the last report, which no row holds; ok is false where there is none, and where
// several recordings follow each other.
func (s *Survey) Tail() (c Correlation, ok bool) {
	n := len(s.syncs)
	if !s.tail || n == 0 || n != s.Correlations() {
		return c, false
	}
	return s.syncs[n-1].Correlation, s.Reports > 0
}

// Correlations is the number of clock correlations.
func (s *Survey) Correlations() int {
	n := 0
	for _, c := range s.syncs {
		if !c.anew {
			n++
		}
	}
	return n
}

// PeriodTicks is the sampling period that the timer's reports show, a power of two in ticks; 0 where they show none.
func (s *Survey) PeriodTicks() uint64 {
	if s.shortest == 0 {
		return 0
	}
	down := uint64(1) << (bits.Len32(s.shortest) - 1)
	for _, p := range []uint64{down, 2 * down} {
		if math.Abs(float64(s.shortest)-float64(p)) <= 0.02*float64(p) {
			return p
		}
	}
	return 0
}

// Pace compares how fast the clock of the correlations runs with the frequency of the reports' timestamps: 1 is half as
// fast, -1 twice, 0 as fast or unknown. Both ends of the correlations must be far enough apart.
func (s *Survey) Pace(frequency uint64) int {
	if len(s.syncs) < 2 || frequency == 0 || s.Correlations() != len(s.syncs) {
		return 0
	}
	first, last := s.syncs[0], s.syncs[len(s.syncs)-1]
	ns := float64(last.CPU) - float64(first.CPU)
	if ns < 1e6 || last.GPU <= first.GPU {
		return 0
	}
	switch ratio := float64(last.GPU-first.GPU) / ns * 1e9 / float64(frequency); {
	case math.Abs(ratio-0.5) < 0.01:
		return 1
	case math.Abs(ratio-2) < 0.04:
		return -1
	}
	return 0
}
