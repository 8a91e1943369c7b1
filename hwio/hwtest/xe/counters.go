package xe

import (
	"math"
	"math/bits"
)

// nCounters is the most that a unit has: 64 programmable event counters (PEC), or 8 of the media unit (A) with B and C.
const nCounters = 64

// rateUnit is the denominator of counting rates per clock.
const rateUnit = 1 << 24

type rates [nCounters]uint64

// Registers that select the events of counters: two words each. The second half of the counters of the main unit has
// three copies of its registers, of which the first is taken here.
const (
	firstSelect  = 0x13000 // counters 0 to 31
	secondSelect = 0x13300 // counters 32 to 63
	mediaSelect  = 0x394200
)

// Events whose meaning the model knows; what all others count follows from their number.
const (
	eventBusy      = 0x5a00 // clocks in which the GPU is not idle
	eventTestCores = 0x3e00 // every clock, once for each Xe-core
	eventTestSlice = 0x7e00 // every clock, once for each slice
	testOneCore    = 1 << 16
)

// flexRegisters program the vector engines' own events, which the counters of group 6 pick.
var flexRegisters = []uint32{0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c}

// programming is what a unit has been configured to count.
type programming struct {
	events [nCounters]uint32
	chosen [nCounters]bool
	flex   uint64 // a hash of the flexible registers
}

func newProgramming(c *config, media bool) programming {
	p := programming{flex: offset64}
	if c.builtin {
		// Its registers are another program's, and not known here: each counter has an event of its own.
		for n := range p.events {
			p.events[n], p.chosen[n] = uint32(0x100000+n), true
		}
	}
	for _, r := range c.registers {
		n := -1
		switch a := r.addr; {
		case media && mediaSelect <= a && a < mediaSelect+8*8:
			n = int(a-mediaSelect) / 8
		case !media && firstSelect <= a && a < firstSelect+8*32:
			n = int(a-firstSelect) / 8
		case !media && secondSelect <= a && a < secondSelect+8*32:
			n = 32 + int(a-secondSelect)/8
		case r.addr>>12 == 0xe:
			p.flex = mix(mix(p.flex, r.addr), r.value)
		}
		if n >= 0 && r.addr%8 == 0 {
			p.events[n], p.chosen[n] = r.value, true
		}
	}
	return p
}

func perClock(x float64) uint64 { return uint64(math.Round(x * rateUnit)) }

// ratesOf says how fast every counter counts in a span.
func (p *programming) ratesOf(s *span, part *Part) *rates {
	var r rates
	for n, e := range p.events {
		switch {
		case !p.chosen[n]:
		case e == eventBusy:
			r[n] = perClock(s.busy)
		case e == eventTestCores:
			r[n] = rateUnit * uint64(part.TotalCores)
		case e&0xffff == eventTestCores && e&testOneCore != 0:
			r[n] = rateUnit * (part.Cores >> (e >> 20) & 1)
		case e == eventTestSlice:
			r[n] = rateUnit * uint64(part.TotalSlices)
		default:
			// Something that the event decides, never more than a third of the clocks, so that sums of three stay below
			// their maximum.
			h := mix(mix(offset64, e), s.phase)
			if e>>8 == 6 {
				h = mix(h^p.flex, uint32(n))
			}
			h ^= h >> 29
			h *= 0xbf58476d1ce4e5b9
			r[n] = perClock(s.work * float64(h>>40) / (1 << 24) / 3)
		}
	}
	return &r
}

// counters are true values, 64 bits wide, at a time.
type counters struct {
	t      uint64 // ticks since the device appeared
	clocks uint64
	c      [nCounters]uint64
}

// segment is a span, or a part of one, with what the counters were at its start and how fast they count.
type segment struct {
	span
	rates      *rates
	base       counters
	clocksRest uint64 // of base.clocks, in 144ths
	rest       rates  // of base.c, in units of rateUnit
	configs    int    // changes of configuration before it
}

// clocksIn is how many GPU clocks pass in the segment's first dt ticks, with the 144ths left over: a tick is 1/19.2 µs,
// a ratio 50/3 MHz.
func (s *segment) clocksIn(dt uint64) (whole, rest uint64) {
	n := s.clocksRest + dt*s.slice*125
	return n / 144, n % 144
}

// at fills in the counters at a time within the segment.
func (s *segment) at(t uint64, out *counters) {
	clocks, _ := s.clocksIn(t - s.t0)
	out.t = t
	out.clocks = s.base.clocks + clocks
	for i := range out.c {
		whole, _ := s.counted(i, clocks)
		out.c[i] = s.base.c[i] + whole
	}
}

// counted is what a counter counts in so many clocks, and the part of a count that is left. The product may be wider
// than 64 bits.
func (s *segment) counted(i int, clocks uint64) (whole, rest uint64) {
	hi, lo := bits.Mul64(clocks, s.rates[i])
	lo, carry := bits.Add64(lo, s.rest[i], 0)
	return bits.Div64(hi+carry, lo, rateUnit)
}

// follow makes the segment that starts at t, where this one ends.
func (s *segment) follow(t uint64, sp span, r *rates) *segment {
	n := &segment{span: sp, rates: r}
	n.t0 = t
	s.at(t, &n.base)
	clocks, rest := s.clocksIn(t - s.t0)
	n.clocksRest = rest
	for i := range n.rest {
		_, n.rest[i] = s.counted(i, clocks)
	}
	return n
}
