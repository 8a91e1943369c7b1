package rdna

import (
	"math"
	"math/rand/v2"
)

// reading is one dispatch in one run of the program: what its counters are worked out from.
type reading struct {
	m     *machine
	k     *kernel
	o     *outcome
	n     counts
	waves float64 // as the sequencers tell them: an estimate from some of them
	gui   float64 // cycles in which the GPU was busy, from the start of the counters to their end
	busy  float64 // cycles with waves
	slow  float64 // how much longer it took in this run than it would
	first bool    // of its kernel in the capture
	setup *setup
	r     *rand.Rand
}

// setup is how the machine was set while the program was measured.
type setup struct {
	gated     bool    // the clock of GL0's counters is off, as it is but at the power level for profiles
	stale     bool    // two GRBM counters keep what they had
	cpBusy    float64 // what they keep
	spiBusy   float64
	idleClock bool // short kernels meet a clock that has not come up yet
	// stalls is the part of the time with requests that wait for memory in which the arbiter counts as stalled. In the
	// one public capture, whose requests the cache beside the memory answers, it is stalled for as long as it is busy
	// at most; nothing says what it counts where memory itself is full.
	stalls float64
}

func drawSetup(r *rand.Rand) *setup {
	s := &setup{gated: r.IntN(2) == 0, stale: r.IntN(2) == 0}
	s.idleClock = s.gated && r.IntN(2) == 0
	s.cpBusy, s.spiBusy = math.Round(between(r, 6e4, 3e5)), math.Round(between(r, 4e4, 2e5))
	s.stalls = between(r, 0.1, 1)
	return s
}

// near is x with noise of a share of it.
func (d *reading) near(x, spread float64) float64 {
	return x * math.Max(0, 1+spread*d.r.NormFloat64())
}

// perWave is a count of the sequencers, exact for each wave.
func (d *reading) perWave(n float64) float64 { return n * d.waves }

// waveCycles are cycles of waves, which grow with the time that a run takes.
func (d *reading) waveCycles(x float64) float64 { return d.near(x*d.slow, 0.01) }

// scalars are reads of constants and arguments that reach GL1 and GL2 beside those of the kernel.
func (d *reading) scalars() float64 { return float64(d.m.wgps()) }

// occupied is the share of time in which something is under way, of what is on average in so many places.
func occupied(underway, places float64) float64 {
	if places <= 0 {
		return 0
	}
	return 1 - math.Exp(-2*underway/places)
}

// gl1Room is how many requests the four GL1s have under way at most, as the real capture's latencies tell. What is more
// waits before them.
const gl1Room = 950

// wanted are requests on their way between GL0 and memory, on average, and underway those of them below GL1.
func (d *reading) wanted() float64 {
	if d.o.shader == 0 {
		return 0
	}
	return (d.o.readLatency + d.o.writeLatency) / d.o.shader
}

func (d *reading) underway() float64 { return math.Min(gl1Room, d.wanted()) }

// below is the share of the time of requests that they spend below GL1.
func (d *reading) below() float64 { return math.Min(1, gl1Room/math.Max(1, d.wanted())) }

// gl0Busy is the share of time in which an L0 has anything to do.
func (d *reading) gl0Busy() float64 {
	if d.o.shader == 0 {
		return 0
	}
	return occupied(d.underway()+d.o.gl0*d.m.latency.l0/d.o.shader, 2*d.o.active) * d.o.active / float64(d.m.wgps())
}

// memLoad is the load of the way to memory, and of memory.
func (d *reading) memLoad() float64 {
	return math.Min(1, math.Max(d.o.dramLoad, math.Max(d.o.readLoad, d.o.writeLoad)))
}

func (d *reading) gl1Cycles() float64 { return 16 * d.gui } // four banks in four GL1s
func (d *reading) gl1Writes() float64 { return d.o.gl1Writes }
func (d *reading) gl1Reads() float64  { return d.o.gl1Reads + d.scalars() }
func (d *reading) gl2Reads() float64  { return d.o.gl2Reads + 4 }
func (d *reading) memReads() float64  { return d.o.gl2ReadMisses + d.o.atomicMisses }
func (d *reading) requests() float64  { return d.memReads() + d.o.memWrites }

// arbiterCycles are of eight arbiters, whose counters run a little longer.
func (d *reading) arbiterCycles() float64 { return gl2Channels * (d.gui + 13500) }

// gl0 is a count of GL0, 0 where its clock is gated.
func (d *reading) gl0(x float64) float64 {
	if d.setup.gated {
		return 0
	}
	return x
}

// gl1Stalls are cycles in which GL1 could not send to GL2: rare before GL2 or what is below it is nearly full.
func (d *reading) gl1Stalls() float64 {
	load := math.Min(1, math.Max(d.o.gl2Load, 0.95*d.memLoad()))
	return d.near(16*d.busy*occupied(d.underway(), 16)*0.5*math.Pow(load, 24), 0.1)
}

// arbiterStalls grow with the load of what takes the requests, and are of the time in which none is sent.
func (d *reading) arbiterStalls() float64 {
	return 0.95 * d.setup.stalls * math.Pow(d.memLoad(), 1.25) * math.Max(0, gl2Channels*d.busy-d.requests())
}

// gl0Clocked are the cycles in which GL0 is clocked, and stalled of them those in which it is held up. The counter of
// clocked cycles is of one GL0 in each work-group processor, and so are those of its stalls.
func (d *reading) gl0Clocked() float64 { return float64(d.m.wgps()) * d.busy * 0.9 * d.gl0Busy() }

func (d *reading) stalled(x float64) float64 { return d.gl0(math.Min(x, 0.9*d.gl0Clocked())) }

// waitFetch is how long waves wait for instructions. They do not live longer for it here, so that it is some of the time
// in which they wait for nothing else.
func (d *reading) waitFetch() float64 {
	x := (0.004 + 0.0001*float64(d.k.code)) * d.o.waveCycles
	if d.first {
		x = 0.02*d.o.waveCycles + 300*d.waves
	}
	return math.Min(x, 0.9*math.Max(0, d.o.waveCycles-d.o.waitAny))
}

func (d *reading) gl1Starve() float64 {
	return math.Max(0, d.near(d.gl1Cycles()-d.gl1Reads()-d.gl1Writes()-d.gl1Stalls(), 0.01))
}

// full is how often GL1's list of outstanding misses has no room.
func (d *reading) full() float64 {
	return d.near(8*d.busy*math.Max(0, 1-3*gl1Room/math.Max(1, d.wanted())), 0.05)
}
