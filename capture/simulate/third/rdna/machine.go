package rdna

import "math"

// The GPU of the public capture: a Radeon 8050S.
const (
	processors    = 16 // work-group processors
	simds         = 4  // of a processor
	lanes         = 32
	wavesPerSIMD  = 16
	registers     = 1536 // of a SIMD, vectors
	registerStep  = 24
	ldsOfUnit     = 128 << 10
	maxClock      = 2.799 // cycles per ns
	lineBytes     = 128
	gl0Bytes      = 64 // each cycle, of either compute unit
	filtered      = 4  // texels each cycle
	ldsBytes      = 128
	ldsLatency    = 40
	linesUnderWay = 112
	gl2Channels   = 8
	fabricRate    = 1030 // bytes per ns, of the Infinity Cache
	dramRate      = 256  // the same of DRAM at its peak
	mallBytes     = 32 << 20
)

// machine is the GPU as a dispatch finds it. The factors are 1, or what relief makes of them.
type machine struct {
	clock float64 // cycles per ns
	warm  float64 // share of what could hit in the Infinity Cache that is there

	startNs, endNs            float64 // of a kernel, before the first wave and after the last
	launchCycles, groupCycles float64
	l0Cycles, l2Cycles        float64
	scalarCycles, wakeCycles  float64
	mallNs, dramNs            float64

	arithmetic, loadStore, lds, cache, bandwidth, latency float64
}

// newMachine is the GPU at a clock. Slow is how much longer translation and first touches make everything start.
func newMachine(clock, warm, slowNs float64) machine {
	return machine{clock: clock, warm: warm, startNs: 900 + slowNs, endNs: 600, launchCycles: 1, groupCycles: 2,
		l0Cycles: 95, l2Cycles: 135, scalarCycles: 200, wakeCycles: 120, mallNs: 105, dramNs: 95,
		arithmetic: 1, loadStore: 1, lds: 1, cache: 1, bandwidth: 1, latency: 1}
}

// relieve makes one thing better: a rate by half, a time by a third.
func (m machine) relieve(c cause) machine {
	const less = 1 / 1.5
	switch c {
	case byOverhead:
		m.startNs *= less
		m.endNs *= less
	case byLaunch:
		m.launchCycles *= less
		m.wakeCycles *= less
	case byArithmetic:
		m.arithmetic *= less
	case byLoadStore:
		m.loadStore *= less
	case byLDS:
		m.lds *= less
	case byCache:
		m.cache *= less
	case byBandwidth:
		m.bandwidth *= less
	case byLatency:
		m.latency *= less
	}
	return m
}

// kernel is a program with the size of its grid.
type kernel struct {
	name       string
	groupSize  int // work-items
	groups     int
	vgprs      int
	lds        int     // bytes of a work-group
	scratch    int     // bytes of a work-item
	launchCost float64 // of a wave, as a multiple of the least: registers to set up, scratch to give out
	spread     float64 // share of the channels of GL2 that its addresses keep busy
	dram       float64 // efficiency of its pattern of addresses
	code       float64 // bytes
	clock      float64 // share of the highest clock that its power leaves
	footprint  float64 // bytes
	iters      int
	before     []op
	body       []op
	after      []op
}

// phase is what a wave does in an iteration: 0 is before the loop, iters+1 after it.
func (k *kernel) phase(iter int) []op {
	switch {
	case iter == 0:
		return k.before
	case iter <= k.iters:
		return k.body
	}
	return k.after
}

func (k *kernel) wavesPerGroup() int { return (k.groupSize + lanes - 1) / lanes }

// slots is how many work-groups a processor holds.
func (k *kernel) slots() int {
	step := (k.vgprs + registerStep - 1) / registerStep * registerStep
	waves := simds * min(wavesPerSIMD, registers/max(step, registerStep))
	n := waves / k.wavesPerGroup()
	if k.lds > 0 {
		n = min(n, ldsOfUnit/k.lds)
	}
	return max(1, min(n, 32))
}

// waves is the number of waves of the grid.
func (k *kernel) waves() float64 { return float64(k.groups * k.wavesPerGroup()) }

// loads is how many loads an iteration has.
func (k *kernel) loads() (n int) {
	for i := range k.body {
		if k.body[i].kind == opLoad {
			n++
		}
	}
	return n
}

// rounds is how often all slots are filled before a steady state is believed.
func (k *kernel) rounds(slots int) int {
	const most = 14000 // operations, unless even few rounds have more
	ops := (len(k.before) + len(k.body)*k.iters + len(k.after)) * k.wavesPerGroup() * slots
	return max(4, min(12, most/ops))
}

// each calls f for every operation of a wave, with how often it is done.
func (k *kernel) each(f func(o *op, times float64)) {
	for i := range k.before {
		f(&k.before[i], 1)
	}
	for i := range k.body {
		f(&k.body[i], float64(k.iters))
	}
	for i := range k.after {
		f(&k.after[i], 1)
	}
}

// fits is the share of a footprint that stays in a cache of that size, between one use and the next.
func fits(footprint, size float64) float64 {
	return math.Min(1, math.Pow(size/math.Max(footprint, 1), 1.5))
}
