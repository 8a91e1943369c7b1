package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// weights are how much each station holds a class up at its present rate, as parts of the sum under the root of rate:
// what the wave does on its own is the rest to 1.
func (c *class) weights(resident float64, taken *[stations]float64) (w [stations]float64) {
	free := resident / c.alone
	sum := 1.0
	for k := range c.need {
		if c.need[k] > 0 {
			w[k] = power(free*c.need[k]/(1-taken[k]), c.sharp)
			sum += w[k]
		}
	}
	for k := range w {
		w[k] /= sum
	}
	return w
}

// items are how many things pass a fixed stage's pipes, each of which takes them one after the other.
func (f *flow) items(i int) float64 {
	g := f.d.geometry()
	switch f.stages[i].kind {
	case stInput:
		return f.d.verts / f.m.engines
	case stAssembly:
		return f.d.prims / f.m.pipes
	case stRaster:
		return g.quads / f.m.arrays
	}
	return g.quads / f.m.backends
}

// inFlight is how many clocks something is in a fixed stage's pipe: while things come more often, the pipe is never
// empty, however little it does.
var inFlight = [stageKinds]float64{stInput: 40, stAssembly: 60, stRaster: 40, stTest: 25, stColor: 40}

// writeShare is the share of a draw's bytes to memory that are written.
func (f *flow) writeShare() float64 {
	n := f.m.countsOf(f.d, simulate.NewRandom(0, ""))
	return n.written / (n.fetched + n.written + 1)
}

// account adds what happened in a step to the outcome.
func (f *flow) account(dt float64, can, could, top, slow *[stageKinds]float64) {
	o := &f.out
	var total [stations]float64
	fill, held := 0.0, 0.0
	for i := len(f.stages) - 1; i >= 0; i-- {
		s := &f.stages[i]
		moved := can[i] - s.at
		u := math.Max(0, math.Min(1, moved*f.dt/dt/top[i]))
		blocked := math.Min(1-u, math.Max(0, could[i]-can[i])/top[i])
		o.used[s.kind] += u * dt
		o.full[s.kind] += dt * blocked / (blocked + 0.02)
		if s.wave == nil {
			come := moved * f.items(i) / dt * inFlight[s.kind] * 1e9 / f.m.clock
			o.thin[s.kind] += (1 - u - blocked) * dt * (1 - 1/((1+come)*(1+come)))
			for k, ns := range s.memory {
				f.use[i][k] = (f.use[i][k] + moved*ns/dt) / 2
				total[k] += f.use[i][k]
			}
		}
		if s.wave != nil {
			c, n := s.wave, classIndex(s.kind)
			before := 2.0
			if i > 0 {
				before = f.stages[i-1].at + can[i-1]
			}
			resident := math.Min(c.slots, math.Max(0, before-s.at-can[i])/2*c.waves)
			if resident > 0.01 || moved > 0 {
				o.span[n] += dt
			}
			o.resident[n] += resident * dt
			for k, ns := range c.need {
				x := moved * c.waves * ns / dt
				f.use[i][k] = (f.use[i][k] + x) / 2
				total[k] += f.use[i][k]
			}
			if slow[i] > 1 {
				taken := f.taken(i)
				w := c.weights(resident, &taken)
				sum := 1e-9
				for _, x := range w {
					sum += x
				}
				extra := resident * (1 - 1/slow[i]) * dt
				o.byLocal[n] += extra * w[stLocal] / sum
				memory := (w[stL1] + w[stL2] + w[stFabric] + w[stDRAM] + w[stSlots]) / sum
				fill += extra / dt * memory * c.misses / c.rounds / f.m.units / missSlots
			}
			held = 1 - (1-held)*(1-math.Min(1, f.use[i][stMemory])*c.tagShare)
			if i > 0 {
				prior := math.Max(0, could[i-1]-can[i-1]) / top[i-1]
				o.held[n] += dt * prior / (prior + 0.02)
			}
		}
	}
	fill += total[stSlots] * 0.8
	back := fill * fill / (1 + fill*fill)
	works := math.Min(1, total[stMemory])
	stall := 1 - (1-back)*(1-held)*(1-0.06*works)
	o.stalled += stall * dt
	o.pipe += dt * (1 - math.Pow(1-works, 1.25)*(1-stall))
	memory := math.Min(1, math.Max(total[stFabric], total[stDRAM]))
	o.refused += dt * power(memory, 3) * math.Sqrt(f.writes)
}
