package gfx1151

import (
	"math"

	"astrolabe/capture/capturetest"
)

// The machine, as the real profile describes it: a Radeon 8050S.
const (
	wgps        = 16
	simds       = 4 * wgps
	sqcs        = wgps // an instruction and a scalar cache for each work-group processor
	lanesLDS    = 2 * wgps
	gl1Caches   = 16
	gl2Channels = 8
	memChannels = 8
	slots       = 16 * simds // for waves
	engines     = 2          // each launches a wave in a cycle
	maxHz       = 2.799e9
	memHz       = 1e9 // of the fabric; each channel moves 32 bytes per cycle
	line        = 128.0
	half        = 64.0 // bytes of a request
)

// kernel is what a wave of a kernel does, and what it costs. Numbers are means over the waves.
type kernel struct {
	waves    float64 // in a dispatch
	perSIMD  float64 // waves in flight on a SIMD
	valu     float64 // vector instructions at full rate
	trans    float64 // transcendental ones: four cycles
	dp       float64 // in double precision: sixteen cycles
	salu     float64
	smem     float64
	internal float64 // waits, branches
	lds      float64 // LDS accesses
	conflict float64 // further cycles of one
	loads    float64 // vector memory instructions
	stores   float64
	spread   float64 // requests of 64 bytes that one of them makes
	hit0     float64 // of reads, in the vector L1
	wide     float64 // share of the reads of GL1 that ask for 128 bytes
	hit1     float64
	hit2     float64
	cost1    float64 // cycles of a GL1 for a request
	cost2    float64 // cycles of a GL2 channel for a request
	ret      float64 // cycles that returned data of a request take
	scalar   float64 // cycles of the scalar cache for a load
	fetch    float64 // cycles of the instruction cache for a fetch
	code     float64 // hit rate of the instruction cache
	chain    float64 // cycles that a wave waits for memory at least: what depends on what
	barrier  float64 // cycles that it waits at barriers
	foreign  float64 // share of the memory's bandwidth that the CPU uses
	launch   float64 // cycles of a dispatch before and after the shaders run
}

// balanced is a kernel that uses everything and exhausts nothing; its proportions differ from seed to seed.
func balanced(r *capturetest.Random) kernel {
	about := func(v float64) float64 { return v * (0.92 + 0.16*r.Float64()) }
	return kernel{
		waves: 65536, perSIMD: about(9),
		valu: about(115), trans: about(4), salu: about(28), smem: about(8), internal: about(18), lds: about(30),
		conflict: about(0.04),
		loads:    about(8), stores: about(3), spread: about(3.2), hit0: about(0.65), wide: about(0.8), hit1: about(0.4),
		hit2:  about(0.84),
		cost1: 1, cost2: 1, ret: 1, scalar: about(3), fetch: about(0.75), code: 0.99, chain: about(1900),
		launch: about(12000),
	}
}

// light is the kernel with little arithmetic: one that mostly moves data.
func (k kernel) light() kernel {
	k.valu, k.trans, k.salu, k.lds, k.internal = 0.3*k.valu, 0.3*k.trans, 0.3*k.salu, 0.3*k.lds, 0.6*k.internal
	k.fetch *= 2 // fewer instructions in a fetch
	return k
}

// vary is the kernel of one dispatch: other data hit the caches a little more or less often.
func (k kernel) vary(r *capturetest.Random) kernel {
	for _, rate := range []*float64{&k.hit0, &k.wide, &k.hit1, &k.hit2, &k.code} {
		*rate = max(0, min(0.999, 1-(1-*rate)*r.Small()))
	}
	for _, cost := range []*float64{&k.conflict, &k.chain, &k.barrier, &k.launch, &k.foreign} {
		*cost *= r.Small()
	}
	k.foreign = min(0.95, k.foreign)
	return k
}

// The units that waves compete for. Latency is not a unit: it is what a wave takes when it need not queue.
const (
	vector = iota
	issue
	control // branches and other internal instructions
	localShare
	request // vector L1: requests
	returns // vector L1: data
	level1
	level2
	memory
	constants
	instructions
	spawn // of waves
	latency
	units
)

// dispatch is a kernel that ran.
type dispatch struct {
	kernel
	hz      float64
	cycles  float64        // with waves
	total   float64        // with work, launching included
	seconds float64        // of the whole dispatch
	load    [units]float64 // share of the cycles that each unit worked
	share   [units]float64 // of what made the dispatch longer than its slowest unit alone would, by unit; the parts add up to 1
}

// sharp says how little units disturb each other before one of them is exhausted.
const sharp = 8

// run computes how long a dispatch takes: as long as its slowest unit works, and a little longer for the others.
func (k kernel) run(hz, amount float64) *dispatch {
	d := &dispatch{kernel: k, hz: hz}
	d.waves = math.Round(k.waves * amount)
	n := d.waves
	t := [units]float64{
		vector:       n * (k.valu + 4*k.trans + 16*k.dp) / simds,
		issue:        n * d.perWave() / (1.25 * simds),
		control:      n * k.internal * 4 / simds,
		localShare:   n * k.lds * (1 + k.conflict) / lanesLDS,
		request:      (d.reads() + d.writes()) / wgps,
		returns:      d.reads() * k.ret / wgps,
		level1:       (d.reads1() + d.writes()) * k.cost1 / gl1Caches,
		level2:       (d.lines2() + d.writes()) * k.cost2 / gl2Channels,
		memory:       (d.readBytes() + d.writeBytes()) / (memChannels * 32 * memHz * (1 - k.foreign)) * hz,
		constants:    n * k.smem * k.scalar / sqcs,
		instructions: n * d.perWave() / 8 * k.fetch / sqcs,
		spawn:        n / engines,
		latency:      n * (k.chain + k.barrier + d.perWave()) / (k.perSIMD * simds),
	}
	sum := 0.0
	for _, v := range t {
		sum += math.Pow(v, sharp)
	}
	d.cycles = math.Pow(sum, 1.0/sharp)
	for u, v := range t {
		d.load[u] = v / d.cycles
		d.share[u] = math.Pow(v, sharp) / sum
	}
	d.total = d.cycles + k.launch
	d.seconds = d.total / hz
	return d
}

// perWave is the number of instructions of a wave.
func (k kernel) perWave() float64 {
	return k.valu + k.trans + k.dp + k.salu + k.smem + k.internal + k.lds + k.loads + k.stores
}

// Traffic of the dispatch, from the shader to memory. Writes go through the first two levels.
func (d *dispatch) reads() float64      { return d.waves * d.loads * d.spread }     // requests of 64 bytes
func (d *dispatch) writes() float64     { return d.waves * d.stores * d.spread }    // requests of 64 bytes
func (d *dispatch) reads1() float64     { return d.reads() * (1 - d.hit0) }         // requests of 64 bytes
func (d *dispatch) lines2() float64     { return d.reads1() / 2 * (1 - d.hit1) }    // lines of 128 bytes
func (d *dispatch) readBytes() float64  { return d.lines2() * (1 - d.hit2) * line } // from memory
func (d *dispatch) writeBytes() float64 { return d.writes() * half * (1 - d.hit2) } // to memory; the rest is overwritten in GL2

// blocked is the share of cycles in which a unit takes nothing more from the unit before it: bursts block it now and
// then, and it rises steeply as its queue fills.
func (d *dispatch) blocked(u int) float64 {
	over := max(0, (d.load[u]-0.65)/0.35)
	return 0.03*d.load[u] + 0.7*over*over
}

// push2, push1 and pushed are how much the levels push back: what is full below a level fills it as well.
func (d *dispatch) push2() float64 { return min(0.9, d.blocked(level2)+d.blocked(memory)/2) }
func (d *dispatch) push1() float64 { return min(0.9, d.blocked(level1)+d.push2()/2) }
func (d *dispatch) pushed() float64 {
	return min(0.9, d.blocked(request)+(d.push1()+d.blocked(returns))/2)
}

// waits divides the time that waves are in flight: instructions, waits for what they depend on, and waits although an
// instruction is ready.
type waits struct {
	all, any, inst, lds, fetch, barrier, data float64 // wave cycles
}

func (d *dispatch) waits() waits {
	all := d.perSIMD * simds * d.cycles
	w := waits{all: all, barrier: d.waves * d.barrier}
	active := d.waves * d.perWave()
	chain := d.waves * d.chain
	queue := max(0, all-active-chain-w.barrier) // what waves wait because others were before them
	busy := 1 - d.share[latency]
	part := func(u int) float64 {
		if busy <= 0 {
			return 0
		}
		return queue * d.share[u] / busy
	}
	w.lds = part(localShare)
	w.inst = part(vector) + part(issue) + part(control) + w.lds
	w.fetch = part(instructions) + 0.01*chain
	w.any = all - active - w.inst
	w.data = w.any - w.fetch - w.barrier
	return w
}
