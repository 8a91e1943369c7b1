package intel

import (
	"math"
	"slices"
)

// network is what a unit for render and compute of GPUs up to Meteor Lake counts: A by itself and by the flexible
// registers, B and C by the network of signals.
type network struct {
	flex [7]uint32
	guid string // of the set whose network it is
	// kind says what B and C count: the self-test, the render set's signals, values of their own for another set, or
	// nothing where a known set was uploaded with other registers than its own.
	kind string
}

// flexRegisters are EU_PERF_CNTL0 to 6: number n programs A(7+2n) and A(8+2n).
var flexRegisters = [7]uint32{0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c}

// FlexRegister says whether a register is one of the flexible EU counters'.
func FlexRegister(a uint32) bool { return slices.Contains(flexRegisters[:], a) }

func newNetwork(c *Config) *network {
	p := &network{guid: c.UUID, kind: "other", flex: c.flexValues()}
	if c.wired != nil {
		p.guid = c.wired.GUID // flexible registers do not change what B and C count
	}
	switch {
	case c.wired != nil && (c.wired.Name == "TestOa" || c.wired.Name == "RenderBasic"):
		p.kind = c.wired.Name
	case c.wired == nil && c.set != nil:
		p.kind = "nothing"
	}
	return p
}

// flexValues are what the configuration leaves in EU_PERF_CNTL0 to 6. The driver writes the list to the registers in
// its order, so that the last write of one stays, but looks for the first one when it fills the contexts of programs:
// two writes of one register are a mistake that shows by program. What is in no list becomes 0, which counts the clocks
// of FPU0.
func (c *Config) flexValues() (values [7]uint32) {
	for _, r := range c.Flex {
		values[slices.Index(flexRegisters[:], r.Address)] = r.Value
	}
	return values
}

func perClock(x float64) uint64 { return uint64(math.Round(x * rateUnit)) }

func (p *network) ratesOf(span *Span, part *Part) *rates { return p.ratesFor(span.signals(), part) }

func (p *network) ratesFor(sig *signals, part *Part) *rates {
	var r rates
	eus := float64(part.TotalEUs)
	r[0] = perClock(sig.busy)
	for i, v := range sig.threads {
		r[1+i] = perClock(v)
	}
	for n, reg := range p.flex {
		r[7+2*n] = perClock(eus * flexShare(reg&0xfff, sig))
		r[8+2*n] = perClock(eus * flexShare(reg>>12&0xfff, sig))
	}
	q := sig.raster
	for i, v := range []float64{q, q * 0.12, q * 0.1, q * 0.02, q * 0.01, q * 0.75, q * 0.3, sig.texels, sig.texels * 0.15,
		sig.slm, sig.slm * 0.4, sig.memory, sig.memory * 0.3, sig.atomics, sig.slm * 0.05} {
		r[21+i] = perClock(v)
	}
	if part.Version >= 1255 {
		r[36], r[37] = perClock(sig.read*0.5), perClock(sig.write*0.5)
	}
	p.networkRates(&r, sig)
	return &r
}

func (p *network) networkRates(r *rates, sig *signals) {
	b, c := r[SlotB:SlotC], r[SlotC:SlotC+8]
	switch p.kind {
	case "TestOa": // counts clocks, whatever runs
		copy(b, selfTest[:])
		c[7] = rateUnit
	case "RenderBasic":
		for i, v := range []float64{sig.sampler, sig.sampler * 0.9, sig.sampler * 0.2, sig.sampler * 0.15,
			sig.texels * 0.05, 0, sig.threads[0] * 2, sig.threads[0]} {
			b[i] = perClock(v)
		}
		for i, v := range []float64{sig.raster * 0.05, sig.raster * 0.05, sig.raster * 0.06, sig.raster * 0.06,
			sig.read * 0.6, sig.memory * 0.2, sig.read, sig.write} {
			c[i] = perClock(v)
		}
	case "other":
		// Something that the set decides, never more than a third of the clocks, so that sums of three stay below their
		// maximum.
		h := uint64(offset64)
		for i := range p.guid {
			h = (h ^ uint64(p.guid[i])) * prime64
		}
		for i := range 16 {
			h ^= h >> 29
			h *= 0xbf58476d1ce4e5b9
			r[SlotB+i] = perClock(sig.loaded * float64(h>>40) / (1 << 24) / 3)
		}
	}
}

// selfTest is what B0 to B7 count per clock in the sets for testing.
var selfTest = [8]uint64{0, rateUnit, rateUnit, rateUnit / 2, rateUnit / 3, rateUnit / 3, rateUnit / 6,
	rateUnit / 3 * 2}

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
