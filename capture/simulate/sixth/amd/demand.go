package amd

import "math"

// Stations are what the waves of a compute unit share, with the caches and the memory behind it.
const (
	stVector = iota // vector units
	stMemory        // addresses, tags and filters: the vector memory pipe, which counters call TA and TCP
	stLocal
	stL1
	stL2
	stFabric
	stDRAM
	stSlots // lines that a compute unit may wait for
	stations
)

// class is the waves of one shader with what each asks of the stations.
type class struct {
	waves float64 // of the whole draw
	slots float64 // that may be resident
	alone float64 // ns that a wave takes when nothing else does
	need  [stations]float64
	sharp int // how well its units work beside each other: see power

	misses   float64 // lines of a wave that the first cache does not have
	rounds   float64 // of waiting, at least 1
	tagShare float64 // share of the vector memory pipe's clocks in which its tags hold up addresses
}

const (
	byWaves = iota
	byRegisters
	byLocal
)

// traffic is what a wave sends to each level.
type traffic struct {
	l0, miss0, l1, miss1, l2, miss2 float64 // lines; miss1 and miss2 are of reads
	written                         float64 // bytes that reach memory
}

func (p *program) sampleLines() float64 { return p.lanes / 4 * (0.35 + 0.3*math.Min(p.filter, 3)) }

// traffic follows a wave's accesses through the caches. Writes pass the first two.
func (p *program) traffic() (t traffic) {
	reads := p.samples*p.sampleLines() + p.loads*p.loadLines
	writes := p.stores*p.storeLines + p.atomics*4
	t.l0 = reads + writes
	t.miss0 = reads * (1 - p.hit0)
	scalar := 0.06 * p.smem // what the scalar cache does not have
	t.l1 = t.miss0 + writes + scalar
	t.miss1 = (t.miss0 + scalar) * (1 - p.hit1)
	t.l2 = t.miss1 + writes
	t.miss2 = t.miss1 * (1 - p.hit2)
	t.written = p.stores * p.lanes * p.active * p.storeBytes * (1 - p.cached)
	return t
}

// loadClocks are the clocks of the vector memory pipe for one load: sixteen addresses or one line at a time.
func (p *program) loadClocks() float64 {
	return math.Max(p.lanes/16, p.loadLines) * (1 + p.conflict)
}

func (p *program) storeClocks() float64 { return math.Max(p.lanes/16, 2*p.storeLines) }

// occupancy is how many waves a vector unit holds, and what bounds that.
func (p *program) occupancy() (waves float64, by int) {
	by = byWaves
	waves = mostWaves
	if w := math.Floor(registers / (float64((p.vgprs+7)/8*8) * p.lanes / simdLanes)); w < waves {
		waves, by = math.Max(1, w), byRegisters
	}
	if p.lds > 0 && p.group > 0 {
		if w := math.Max(1, math.Floor(ldsBytes/p.lds)) * p.group / 2; w < waves {
			waves, by = w, byLocal
		}
	}
	return waves, by
}

// classOf is a program's waves on a machine.
func (m *machine) classOf(p *program, waves, imbalance float64, e *eases) class {
	each, _ := p.occupancy()
	c := class{waves: waves, sharp: p.sharpness(each)}
	// Groups go to compute units one by one, so that few of them leave some without.
	working := math.Min(m.units, math.Max(1, waves/math.Max(1, p.group)))
	c.slots = math.Max(1, 2*working*each)
	ns := 1e9 / m.clock
	t := p.traffic()
	issue := p.lanes / simdLanes
	vector := (p.valu + 4*p.trans) * issue / e[arithmetic]
	c.need[stVector] = vector * ns / (2 * working * reachVector)

	sample := p.samples * p.lanes / 4 * p.filter / e[texture]
	access := (p.loads*p.loadClocks() + p.stores*p.storeClocks() + p.atomics*p.lanes/4) / e[loadStore]
	c.need[stMemory] = (sample + access) * ns / (working * reachTexture)
	if both := sample + access; both > 0 {
		held := p.loads * math.Max(0, p.loadClocks()-p.lanes/16) / e[loadStore]
		c.tagShare = held / both
	}
	local := p.local * p.lanes / simdLanes * p.bank / e[localMemory]
	c.need[stLocal] = local * ns / (working * reachLocal)
	arrays := math.Min(m.arrays, working)
	c.need[stL1] = t.l1 * ns / (arrays * arrayLines * reachL1 * e[cache])
	c.need[stL2] = (t.l2 + 3*p.atomics*4) * ns / (m.slices * sliceLines * reachL2 * e[cache])
	bytes := t.miss2*line + t.written
	c.need[stFabric] = bytes / (m.fabric * reachFabric * e[bandwidth]) * 1e9
	c.need[stDRAM] = bytes * (1 - m.infinityShare(p.infinity)) / (m.dram * reachDRAM * e[bandwidth]) * 1e9

	// A round takes as long as the slowest of the lines that it waits for.
	deep := func(hit float64) float64 { return 1 - math.Pow(hit, p.spread) }
	beyond0, beyond1, beyond2 := deep(p.hit0), deep(p.hit1), deep(p.hit2)
	far := m.far
	if m.infinity > 0 {
		far = nsCache + (1-p.infinity)*m.far
	}
	round := (clocksL0 + beyond0*((clocksL1-clocksL0)+beyond1*(clocksL2-clocksL1))) * ns
	round += beyond0 * beyond1 * beyond2 * far
	round /= e[latency]
	mean := (clocksL1*ns + (1-p.hit1)*((clocksL2-clocksL1)*ns+(1-p.hit2)*far)) / e[latency]
	c.misses, c.rounds = t.miss0, math.Max(1, p.rounds)
	c.need[stSlots] = t.miss0 * mean / (working * missSlots)

	wait := p.rounds * round
	run := vector*p.chain + 1.2*p.salu + 0.6*sample + 0.6*access + 0.8*local/e[localMemory] + 60*p.barriers + 120
	if p.local > 0 {
		run += 14 * math.Sqrt(p.local) / e[localMemory]
	}
	c.alone = run*ns + wait
	for k := range c.need {
		c.need[k] *= imbalance
	}
	return c
}

// infinityShare is the share of traffic that the Infinity Cache serves.
func (m *machine) infinityShare(hit float64) float64 {
	if m.infinity == 0 {
		return 0
	}
	return hit
}

// sharpness says how well units work beside each other. With few waves in a vector unit all of them often wait for the
// same thing while others are idle; with many, and all the more if they all do the same, somebody has work for each.
func (p *program) sharpness(each float64) int {
	switch {
	case each < 11 && !p.regular:
		return 1
	case each >= 8 && p.regular:
		return 3
	}
	return 2
}

// power raises to the power 2, 4 or 8.
func power(x float64, sharp int) float64 {
	for range sharp {
		x *= x
	}
	return x
}

func root(x float64, sharp int) float64 {
	for range sharp {
		x = math.Sqrt(x)
	}
	return x
}

// ofFixed is the sharpness of fixed stages, which have buffers between their parts.
const ofFixed = 2

// rate is how many waves a ns leave when so many are resident and others use the shares taken of the stations. With
// few waves each takes the time that it takes alone; with many the busiest station decides. Between the two, waves
// queue at several stations at once, so that less is done than either bound allows: the bounds are blended by the
// root of a sum of powers.
func (c *class) rate(resident float64, taken *[stations]float64) (perNs, slow float64) {
	free := resident / c.alone
	sum := 1.0
	for k := range c.need {
		if c.need[k] > 0 {
			sum += power(free*c.need[k]/(1-taken[k]), c.sharp)
		}
	}
	slow = root(sum, c.sharp)
	return free / slow, slow
}
