package i915

import (
	"math"
	"slices"
)

// Counters of the unit: A0 to A35, B0 to B7, C0 to C7.
const (
	counterB  = 36
	counterC  = 44
	nCounters = 52
)

// rateUnit is the denominator of counting rates per clock. It holds thirds and sixths exactly, which TestOa needs.
const rateUnit = 3 << 23

type rates [nCounters]uint64

// programming is what the unit has been configured to count.
type programming struct {
	flex [7]uint32
	guid string // of the set whose network it is
	// network says what B and C count: the self-test, the render set's signals, values of their own for another set, or
	// nothing where a known set was uploaded with other registers than its own.
	network string
}

func newProgramming(c *config) programming {
	p := programming{guid: c.uuid, network: "other", flex: c.flexValues()}
	if c.wired != nil {
		p.guid = c.wired.guid // flexible registers do not change what B and C count
	}
	switch {
	case c.wired != nil && (c.wired.name == "TestOa" || c.wired.name == "RenderBasic"):
		p.network = c.wired.name
	case c.wired == nil && c.set != nil:
		p.network = "nothing"
	}
	return p
}

// flexValues are what the configuration leaves in EU_PERF_CNTL0 to 6. The driver writes the list to the registers in
// its order, so that the last write of one stays, but looks for the first one when it fills the contexts of programs:
// two writes of one register are a mistake that shows by program. What is in no list becomes 0, which counts the clocks
// of FPU0.
func (c *config) flexValues() (values [7]uint32) {
	for _, r := range c.flex {
		values[slices.Index(flexRegisters[:], r.addr)] = r.value
	}
	return values
}

func unit(perClock float64) uint64 { return uint64(math.Round(perClock * rateUnit)) }

// ratesOf says how fast every counter counts while the GPU does what sig says.
func (p *programming) ratesOf(sig *signals, part *Part) *rates {
	var r rates
	eus := float64(part.TotalEUs)
	r[0] = unit(sig.busy)
	for i, v := range sig.threads {
		r[1+i] = unit(v)
	}
	for n, reg := range p.flex {
		r[7+2*n] = unit(eus * flexShare(reg&0xfff, sig))
		r[8+2*n] = unit(eus * flexShare(reg>>12&0xfff, sig))
	}
	q := sig.raster
	r[21], r[22], r[23], r[24], r[25] = unit(q), unit(q*0.12), unit(q*0.1), unit(q*0.02), unit(q*0.01)
	r[26], r[27] = unit(q*0.75), unit(q*0.3)
	r[28], r[29] = unit(sig.texels), unit(sig.texels*0.15)
	r[30], r[31] = unit(sig.slm), unit(sig.slm*0.4)
	r[32], r[33], r[34], r[35] = unit(sig.memory), unit(sig.memory*0.3), unit(sig.atomics), unit(sig.slm*0.05)
	p.networkRates(&r, sig)
	return &r
}

func (p *programming) networkRates(r *rates, sig *signals) {
	b, c := r[counterB:counterC], r[counterC:]
	switch p.network {
	case "TestOa": // counts clocks, whatever runs
		copy(b, []uint64{0, rateUnit, rateUnit, rateUnit / 2, rateUnit / 3, rateUnit / 3, rateUnit / 6,
			rateUnit / 3 * 2})
		c[7] = rateUnit
	case "RenderBasic":
		for i, v := range []float64{sig.sampler, sig.sampler * 0.9, sig.sampler * 0.2, sig.sampler * 0.15,
			sig.texels * 0.05, 0,
			sig.threads[0] * 2, sig.threads[0]} {
			b[i] = unit(v)
		}
		for i, v := range []float64{sig.raster * 0.05, sig.raster * 0.05, sig.raster * 0.06, sig.raster * 0.06,
			sig.read * 0.6, sig.memory * 0.2,
			sig.read, sig.write} {
			c[i] = unit(v)
		}
	case "other":
		// Something that the set decides, never more than a third of the clocks, so that sums of three stay below their
		// maximum.
		h := sum()
		for i := range p.guid {
			h = (h ^ uint64(p.guid[i])) * 0x100000001b3
		}
		for i := range 16 {
			h ^= h >> 29
			h *= 0xbf58476d1ce4e5b9
			r[counterB+i] = unit(sig.loaded * float64(h>>40) / (1 << 24) / 3)
		}
	}
}

// flexShare is the share of an EU's clocks that a field of a flexible counter's register counts: bits 3:0 say which
// event, 7:4 the coarse filter, 11:8 the fine one. A combination that hardware does not define counts nothing.
func flexShare(field uint32, sig *signals) float64 {
	event, coarse, fine := field&15, field>>4&15, field>>8&15
	var x float64
	switch event {
	case 0:
		x = sig.fpu0
	case 1:
		x = sig.fpu1
	case 2:
		x = sig.send
	case 3:
		x = sig.fpuBoth
	case 4:
		x = sig.active
	case 5:
		x = sig.loaded - sig.active
	case 8:
		x = sig.occupancy / 8
	default:
		return 0
	}
	pipe := event <= 2
	switch {
	case coarse == 0:
	case coarse <= 6 && pipe:
		x *= sig.stage[coarse]
	case coarse == 7, coarse == 8: // a row of EUs
		x /= 2
	default:
		return 0
	}
	switch {
	case fine == 0:
	case fine <= 4 && event <= 1: // hybrid, ternary, binary, mov
		x *= [4]float64{0.05, 0.35, 0.45, 0.15}[fine-1]
	case (fine == 5 || fine == 6) && (pipe || event == 4):
		x *= 0.25
	case fine >= 7 && fine <= 10: // one EU of a row of four
		x /= 4
	default:
		return 0
	}
	return x
}

// counters are true values, 64 bits wide, at a time.
type counters struct {
	t      uint64 // ticks since the device appeared
	clocks uint64
	c      [nCounters]uint64
}

// ratio is a fraction.
type ratio struct{ up, down uint64 }

// segment is a span, or a part of one, with what the counters were at its start and how fast they count.
type segment struct {
	span
	rates      *rates
	base       counters
	clocks     ratio  // clocks in a tick of the timestamp, at a clock ratio of 1
	clocksRest uint64 // of base.clocks, in parts of clocks.down
	rest       rates  // of base.c, in units of rateUnit
	toldWrong  bool   // the spurious report was given
	configs    int    // changes of configuration before it
}

// clocksIn is how many GPU clocks pass in the segment's first dt ticks, with the parts of a clock left over: a ratio is
// 50/3 MHz.
func (s *segment) clocksIn(dt uint64) (whole, rest uint64) {
	if s.gated {
		return 0, s.clocksRest
	}
	n := s.clocksRest + dt*s.slice*s.clocks.up
	return n / s.clocks.down, n % s.clocks.down
}

// at fills in the counters at a time within the segment.
func (s *segment) at(t uint64, out *counters) {
	clocks, _ := s.clocksIn(t - s.t0)
	out.t = t
	out.clocks = s.base.clocks + clocks
	for i := range out.c {
		out.c[i] = s.base.c[i] + (s.rest[i]+clocks*s.rates[i])/rateUnit
	}
}

// follow makes the segment that starts at t, where this one ends.
func (s *segment) follow(t uint64, sp span, r *rates) *segment {
	n := &segment{span: sp, rates: r, clocks: s.clocks}
	n.t0 = t
	s.at(t, &n.base)
	clocks, rest := s.clocksIn(t - s.t0)
	n.clocksRest = rest
	for i := range n.rest {
		n.rest[i] = (s.rest[i] + clocks*s.rates[i]) % rateUnit
	}
	return n
}
