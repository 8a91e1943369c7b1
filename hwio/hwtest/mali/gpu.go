package mali

import (
	"math"
	"slices"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// Block states of a sample (bits of block_state).
const (
	stateOn = 1 << iota
	stateOff
	stateAvailable
	stateUnavailable
	stateNormal
	stateProtected
)

// headerValues are the values at the start of each block that are no counters.
const headerValues = 4

// unknownBlock is a type of block that no reader knows.
const unknownBlock = 42

// instance is one block of the hardware.
type instance struct {
	typ      uint8
	physical int // number of the core, slice or group in the hardware
	block    string
	share    float64 // of the fragment work (cores) or of the traffic (slices)
	rules    []rule
	work     [partCount]float64 // since power-on, in clock cycles
	last     [partCount]float64
	regs     []uint64 // the hardware's counters at the last dump, with the bits above the 32 that it has, and the hidden amounts
	delta    []uint64 // increments found by the last dump
	state    uint32   // states since the last dump
	latest   uint32   // states of the last piece of time
}

// accumulator is what the driver sums up for one client since that client's previous sample.
type accumulator struct {
	vals   [][]uint64 // per instance
	states []uint32
	clk    [2]uint64
	from   int64 // when it began
}

// gpu is the hardware with the part of the driver that all clients share.
type gpu struct {
	spec      spec
	epoch     int64 // when it was switched on
	now       int64 // time up to which work is done
	started   int64 // when counting first started; 0 before
	phase     float64
	speed     float64
	instances []*instance
	clk       [2]float64
	clkSeen   [2]uint64
	dumped    int64 // time of the last dump
	dumper    *accumulator
	plant     *plant // nil for the game
	accs      []*accumulator

	idle, off, dvfs, protected, coreOff, set, level bool
}

func newGPU(s spec, set *hwtest.Settings, now int64) *gpu {
	g := &gpu{
		spec: s, epoch: now, now: now, dumped: now, speed: 1,
		phase: set.Rand("workload").Float64(),
		idle:  set.Has("idle"), off: set.Has("powered-off"), dvfs: set.Has("dvfs"), protected: set.Has("protected"),
		coreOff: set.Has("core-off"), set: set.Has("secondary-set"), plant: plantOf(set),
		level: set.Has("level"),
	}
	if set.Has("wrap") && s.kind == driverCSF {
		g.speed = wrapSpeed
	}
	first := uint64(0)
	if set.Has("wrap") {
		first = math.MaxUint32 - 1000
	}
	add := func(typ string, physical int, block string, share float64) {
		if g.plant != nil && block == "core" {
			share = 1 // as much work for each
		}
		b := &instance{typ: uint8(uapi.Const("PRFCNT_BLOCK_TYPE_" + typ)), physical: physical, block: block,
			share: share}
		g.instances = append(g.instances, b)
	}
	for i := range s.firmware {
		add("FW", i, "firmware", 1)
	}
	for i := range s.csgs {
		add("CSG", i, "csg", 1-0.3*float64(i))
	}
	add("FE", 0, "fe", 1)
	add("TILER", 0, "tiler", 1)
	for i := range s.slices {
		add("MEMORY", i, "memory", (1-0.04*float64(i))/float64(s.slices))
	}
	for bit, i := 0, 0; bit < 64; bit++ {
		if s.cores>>bit&1 != 0 {
			add("SHADER_CORE", bit, "core", 1-0.02*float64(i))
			i++
		}
	}
	for i := range s.neural {
		add("NE", i, "neural", 1)
	}
	if set.Has("unknown-blocks") {
		g.instances = append(g.instances, &instance{typ: unknownBlock, block: "unknown", share: 1})
	}
	for _, b := range g.instances {
		b.rules = rulesFor(s.layout, s.family(), b.block, s.values)
		if b.block == "memory" && b.physical == 0 {
			b.rules = append(rulesFor(s.layout, s.family(), "mmu", s.values), b.rules...)
		}
		if g.plant != nil {
			g.plant.change(b.rules, &s, b.block)
		}
		for i := range b.rules {
			// The secondary set counts other things, hence other numbers.
			if r := &b.rules[i]; g.set && r.index > 5 && r.terms == nil {
				b.rules[i].ratio *= 0.5
			}
		}
		b.regs, b.delta = make([]uint64, maxIndex), make([]uint64, maxIndex)
		for i := range b.regs {
			b.regs[i] = first
		}
	}
	return g
}

// step does the work of [from, to), in which no rate changes.
func (g *gpu) step(from, to int64) {
	f := g.frameAt(from)
	a, b := float64(from-f.from), float64(to-f.from)
	secret, coreOff := g.protectedAt(from), g.coreOffAt(from)
	if !g.off {
		g.clk[0] += (b - a) * f.rate
		g.clk[1] += (b - a) * f.rate * shaderClock
	}
	for _, x := range g.instances {
		off := g.off || coreOff && x.block == "core" && x.physical == highest(g.spec.cores)
		x.latest = stateAvailable | stateNormal | stateOn
		if secret {
			x.latest ^= stateNormal | stateProtected
		}
		if off {
			x.latest ^= stateOn | stateOff
		}
		x.state |= x.latest
		if secret || off {
			continue
		}
		x.count(&f, a, b)
	}
}

// shaderClock is the shader cores' clock as a part of the top-level clock.
const shaderClock = 0.875

// count adds the work between two offsets of a frame.
func (x *instance) count(f *frame, from, to float64) {
	rate, share := f.rate, 1.0
	switch x.block {
	case "core":
		rate, share = rate*shaderClock, x.share
	case "memory", "csg":
		rate *= x.share
	}
	for i, ns := range f.parts(from, to, share) {
		x.work[i] += ns * rate
	}
}

// bases are the amounts of work since power-on that counters are shares of, in whole cycles.
func (x *instance) bases() (out [baseCount]uint64) {
	var n [partCount]uint64
	for i, w := range x.work {
		n[i] = uint64(w)
	}
	out[baseBin], out[baseFrag], out[baseComp] = n[partBinOnly]+n[partBoth], n[partFragOnly]+n[partBoth], n[partComp]
	out[baseAny] = n[partBinOnly] + out[baseFrag] + n[partComp]
	out[baseOther] = out[baseBin] + out[baseComp]
	out[baseGPU], out[baseCycles] = out[baseAny], out[baseAny]+n[partIdle]
	if x.block == "core" {
		out[baseComp] += out[baseBin] // vertices are shaded as compute work is
	}
	return out
}

// advance does the work up to a time.
func (g *gpu) advance(to int64) {
	for g.now < to {
		next := g.edgeAfter(g.now, to)
		g.step(g.now, next)
		g.now = next
	}
}

// dump reads the hardware's counters and hands the increments to every client's accumulator. A driver dumps often
// enough that no counter of 32 bits wraps twice in between; the model keeps the bits above them instead, because a busy
// machine may not run it often enough.
func (g *gpu) dump(t int64) {
	g.advance(t)
	g.collect()
	g.dumped = max(g.dumped, t)
}

func (g *gpu) collect() {
	for i, x := range g.instances {
		for _, a := range g.accs {
			a.states[i] |= x.state
		}
		x.state = 0
		if x.work == x.last {
			continue
		}
		x.last = x.work
		x.read()
		for _, a := range g.accs {
			vals := a.vals[i]
			for k := range vals {
				vals[k] += x.delta[k]
			}
		}
	}
	for k := range g.clk {
		seen := uint64(g.clk[k])
		for _, a := range g.accs {
			a.clk[k] += seen - g.clkSeen[k]
		}
		g.clkSeen[k] = seen
	}
}

// read finds the increments of the block's counters since the last dump.
func (x *instance) read() {
	whole := x.bases()
	first := x.first()
	for i := range x.rules {
		r := &x.rules[i]
		var value uint64
		switch {
		case r.terms == nil:
			// Of whole cycles: so no counter can grow by more than the cycles that it is a part of.
			value = uint64(float64(whole[r.base]) * r.ratio)
		case r.whole:
			value = x.sum(r.terms, first)
		default:
			// Of whole counts, for the same reason.
			value = uint64(float64(x.sum(r.terms, first)) * r.ratio)
		}
		value += first
		d := value - x.regs[r.index]
		x.regs[r.index] = value
		x.delta[r.index] = d
	}
}

// sum is what counters of the block have counted since power-on.
func (x *instance) sum(terms []term, first uint64) uint64 {
	n := uint64(0)
	for _, t := range terms {
		n += uint64(t.times) * (x.regs[t.index] - first) // modulo 2^64, as what is taken away is never more
	}
	return n
}

// first is the value with which the counters of the block started. Index 3 of a block counts nothing and so still has
// it.
func (x *instance) first() uint64 { return x.regs[headerValues-1] }

// attach adds a client: from now on its increments are summed up.
func (g *gpu) attach(now int64) *accumulator {
	g.dump(now)
	if g.started == 0 {
		g.started = now
	}
	a := &accumulator{from: now, states: make([]uint32, len(g.instances))}
	for range g.instances {
		a.vals = append(a.vals, make([]uint64, g.spec.values))
	}
	g.accs = append(g.accs, a)
	return a
}

// detach ends a client's summing up.
func (g *gpu) detach(a *accumulator) {
	g.accs = slices.DeleteFunc(g.accs, func(x *accumulator) bool { return x == a })
}

// rateLimit is the time in which a second client's dump is served from the accumulator, in ns.
const rateLimit = 200_000

// take brings an accumulator up to date and returns the time until which it now counts.
func (g *gpu) take(a *accumulator, now int64) int64 {
	if len(g.accs) > 1 && g.dumper != nil && g.dumper != a && now-g.dumped < rateLimit && g.dumped >= a.from {
		return g.dumped
	}
	g.dump(now)
	g.dumper = a
	return now
}

// reset empties an accumulator, which now begins at a time.
func (a *accumulator) reset(from int64) {
	for i := range a.vals {
		clear(a.vals[i])
	}
	clear(a.states)
	a.clk, a.from = [2]uint64{}, from
}

// header fills the first values of a block's dump. mask has a bit per group of four counters.
func (g *gpu) header(dst []uint64, t int64, mask uint32) {
	if g.off {
		return
	}
	stamp := uint64(t) / 1000 * 26 // a system counter of 26 MHz
	dst[0], dst[1], dst[2] = stamp&math.MaxUint32, stamp>>32, uint64(mask)
}
