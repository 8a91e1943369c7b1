package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// firmware is the board's controller of clocks as a case begins: what it may use, how warm it is, what somebody set.
type firmware struct {
	ppt, full float64 // W that it allows; at the highest clock with everything busy
	ceiling   float64 // share of the highest clock that a performance level allows
	sink, die float64 // °C of the heat sink, which hardly moves within a capture; °C/W from there to the hottest spot
	lowest    float64 // share of the highest clock
	easy      float64 // share of busy time below which the clock is lowered
	cpu       float64 // W that the cores of an APU take of the package when they work
}

const (
	tick    = 1_000_000 // ns between two looks
	perTick = 1e-3      // s
)

// What holds the clock below its highest.
const (
	byNothing = iota
	byPower
	byHeat
	byGovernor
)

// control is the controller's state.
type control struct {
	fw                  *firmware
	card                *card
	top                 bool    // relieved: the highest clock always
	f                   float64 // the clock's share of its highest
	governor, ppt, heat float64 // what each of them allows
	load, power, hot    float64 // averages: busy share, W; °C
	joules              float64
	cause               int
	held                [4]int64
	hostBusy            float64
	history             []float32 // f, tick by tick
}

func (c *control) reset(card *card, fw *firmware, top bool, hostBusy float64) {
	*c = control{history: c.history[:0], fw: fw, card: card, top: top, ppt: 1, heat: 1, governor: fw.ceiling, load: 0.9,
		hostBusy: hostBusy, power: fw.ppt * 0.95, hot: fw.sink + fw.die*fw.ppt*0.95}
	if c.hot > card.limit-4 { // it has been so for long
		c.hot, c.heat = card.limit-2, 0.85
	}
	if fw.full > fw.ppt {
		c.ppt = 0.92
	}
	c.set()
}

// look is what the controller does after a tick in which the graphics core was busy for a share of the time, with some
// activity, and the memory for another. Power goes with the clock and the square of the voltage, which rises with it.
func (c *control) look(busy, activity, memory float64) {
	c.history = append(c.history, float32(c.f))
	if c.f < 0.985 {
		c.held[c.cause] += tick
	}
	fw, more := c.fw, c.fw.full-c.card.idle
	volts := 0.62 + 0.38*c.f
	watts := c.card.idle + more*(0.12*busy+0.18*busy*c.f+0.15*memory+0.55*activity*c.f*volts*volts) + fw.cpu*c.hostBusy
	c.joules += watts * perTick
	c.power += (watts - c.power) * perTick / 0.02
	c.hot += (fw.sink + fw.die*watts - c.hot) * perTick / 0.35
	c.load += (busy - c.load) * perTick / 0.03
	c.ppt = step(c.ppt, 0.06*(c.power/fw.ppt-1), fw.lowest)
	c.heat = step(c.heat, 0.0012*(c.hot-c.card.limit+1), fw.lowest)
	switch {
	case c.load > 0.85:
		c.governor += 0.02
	case c.load < fw.easy:
		c.governor -= 0.004
	}
	c.governor = min(fw.ceiling, max(fw.lowest, c.governor))
	c.set()
}

// step takes a ceiling down by an error, at most 1 percent, or up.
func step(x, by, least float64) float64 {
	return min(1, max(least, x*(1-min(0.01, max(-0.006, by)))))
}

func (c *control) set() {
	f := min(c.governor, c.ppt, c.heat)
	switch {
	case f >= 0.985:
		c.cause = byNothing
	case f == c.governor:
		c.cause = byGovernor
	case f == c.ppt:
		c.cause = byPower
	default:
		c.cause = byHeat
	}
	if c.f = math.Round(f*256) / 256; c.top {
		c.f = 1
	}
}

// slow is what held the clock for longest; ok is false where nothing did for a noticeable time.
func (c *control) slow(total int64) (what simulate.Candidate, ok bool) {
	at := byPower
	for i := range c.held {
		if c.held[i] > c.held[at] {
			at = i
		}
	}
	return [...]simulate.Candidate{{}, simulate.ClockPower, simulate.ClockThermal, simulate.ClockGovernor}[at],
		c.held[at]*50 > total
}

// mean is the clock's mean share of its highest in a time.
func (c *control) mean(start, end int64) float64 {
	sum, n := 0.0, 0.0
	for i := start / tick; i <= end/tick && int(i) < len(c.history); i++ {
		sum += float64(c.history[i])
		n++
	}
	if n == 0 {
		return c.f
	}
	return sum / n
}
