package intel

import "math/bits"

// Slots of a unit's counters. Units up to Meteor Lake have A0 to A37, B0 to B7 and C0 to C7, of which a media unit uses
// the first eight A; those of Lunar Lake have 64 programmable event counters (PEC) in place of them.
const (
	SlotB = 38
	SlotC = SlotB + 8
	Slots = 64
)

// rateUnit is the denominator of counting rates per clock. It holds thirds and sixths exactly, which TestOa needs.
const rateUnit = 3 << 23

type rates [Slots]uint64

// programming is what a unit has been configured to count.
type programming interface {
	// ratesOf says how fast every counter counts in a span.
	ratesOf(s *Span, p *Part) *rates
}

// Counters are true values, 64 bits wide, at a time.
type Counters struct {
	T      uint64 // ticks since the device appeared
	Clocks uint64
	C      [Slots]uint64
}

// Segment is a span, or a part of one, with what the counters were at its start and how fast they count.
type Segment struct {
	Span
	rates      *rates
	base       Counters
	clocks     ratio  // clocks in a tick of the timestamp, at a clock ratio of 1
	clocksRest uint64 // of base.Clocks, in parts of clocks.down
	rest       rates  // of base.C, in units of rateUnit
	toldWrong  bool   // the spurious report was given
	configs    int    // changes of configuration before it
}

// clocksIn is how many GPU clocks pass in the segment's first dt ticks, with the parts of a clock left over.
func (s *Segment) clocksIn(dt uint64) (whole, rest uint64) {
	if s.Gated {
		return 0, s.clocksRest
	}
	n := s.clocksRest + dt*s.Slice*s.clocks.up
	return n / s.clocks.down, n % s.clocks.down
}

// at fills in the counters at a time within the segment.
func (s *Segment) at(t uint64, out *Counters) {
	clocks, _ := s.clocksIn(t - s.T0)
	out.T = t
	out.Clocks = s.base.Clocks + clocks
	for i := range out.C {
		whole, _ := s.counted(i, clocks)
		out.C[i] = s.base.C[i] + whole
	}
}

// counted is what a counter counts in so many clocks, and the part of a count that is left. The product may be wider
// than 64 bits.
func (s *Segment) counted(i int, clocks uint64) (whole, rest uint64) {
	hi, lo := bits.Mul64(clocks, s.rates[i])
	lo, carry := bits.Add64(lo, s.rest[i], 0)
	return bits.Div64(hi+carry, lo, rateUnit)
}

// follow makes the segment that starts at t, where this one ends.
func (s *Segment) follow(t uint64, sp Span, r *rates) *Segment {
	n := &Segment{Span: sp, rates: r, clocks: s.clocks}
	n.T0 = t
	s.at(t, &n.base)
	clocks, rest := s.clocksIn(t - s.T0)
	n.clocksRest = rest
	for i := range n.rest {
		_, n.rest[i] = s.counted(i, clocks)
	}
	return n
}
