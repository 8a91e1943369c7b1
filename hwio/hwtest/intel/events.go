package intel

// events is what a unit counts whose counters pick events by registers of their own: those of Lunar Lake and later, and
// the media units. A counter without an event stands still.
type events struct {
	events [Slots]uint32
	chosen [Slots]bool
	flex   uint64 // a hash of the flexible registers
	// test, of Meteor Lake's media unit: its B count as those of the main unit's self-test, but for B7, which counts
	// what A0 does, and C1, which counts what A1 does.
	test bool
}

// Registers that select the events of a main unit's counters: two words each. The second half of the counters has three
// copies of its registers, of which the first is taken here.
const (
	firstSelect  = 0x13000 // counters 0 to 31
	secondSelect = 0x13300 // counters 32 to 63
)

// Events whose meaning the model knows; what all others count follows from their number.
const (
	eventBusy      = 0x5a00 // clocks in which the GPU is not idle
	eventTestCores = 0x3e00 // every clock, once for each Xe-core
	eventTestSlice = 0x7e00 // every clock, once for each slice
	testOneCore    = 1 << 16
)

func newEvents(c *Config, u *Unit) *events {
	p := &events{flex: offset64, test: u.Media && c.wired != nil && c.wired.Name == "TestOam"}
	if c.Builtin {
		// Its registers are another program's, and not known here: each counter has an event of its own.
		for n := range p.events {
			p.events[n], p.chosen[n] = uint32(0x100000+n), true
		}
	}
	for _, r := range c.All() {
		n := -1
		switch a := r.Address; {
		case u.Media && u.Select <= a && a < u.Select+8*8:
			n = int(a-u.Select) / 8
		case !u.Media && firstSelect <= a && a < firstSelect+8*32:
			n = int(a-firstSelect) / 8
		case !u.Media && secondSelect <= a && a < secondSelect+8*32:
			n = 32 + int(a-secondSelect)/8
		case a>>12 == 0xe:
			p.flex = mix(mix(p.flex, r.Address), r.Value)
		}
		if n >= 0 && r.Address%8 == 0 {
			p.events[n], p.chosen[n] = r.Value, true
		}
	}
	return p
}

func (p *events) ratesOf(s *Span, part *Part) *rates {
	var r rates
	busy, work := 0.0, 0.0
	if s.Phase != Nothing {
		busy, work = 1, 0.6+0.4*float64(s.Chance>>11)/(1<<53)
	}
	for n, e := range p.events {
		switch {
		case !p.chosen[n]:
		case e == eventBusy:
			r[n] = perClock(busy)
		case e == eventTestCores:
			r[n] = rateUnit * uint64(part.TotalCores)
		case e&0xffff == eventTestCores && e&testOneCore != 0:
			r[n] = rateUnit * (part.CoreMask() >> (e >> 20) & 1)
		case e == eventTestSlice:
			r[n] = rateUnit * uint64(part.TotalSlices)
		default:
			// Something that the event decides, never more than a third of the clocks, so that sums of three stay below
			// their maximum.
			h := mix(mix(offset64, e), uint32(s.Phase))
			if e>>8 == 6 {
				h = mix(h^p.flex, uint32(n))
			}
			h ^= h >> 29
			h *= 0xbf58476d1ce4e5b9
			r[n] = perClock(work * float64(h>>40) / (1 << 24) / 3)
		}
	}
	if p.test {
		copy(r[SlotB:], selfTest[:7])
		r[SlotB+7], r[SlotC+1] = r[0], r[1]
	}
	return &r
}
