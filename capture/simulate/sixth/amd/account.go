package amd

import "math"

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

// owners of the stations that only one candidate has.
var owners = [stations]int{stVector: arithmetic, stLocal: localMemory, stL1: cache, stL2: cache, stFabric: bandwidth,
	stDRAM: bandwidth, stSlots: latency}

// blame gives a stage's time to what its rate is made of.
func (f *flow) blame(i int, ns float64, resident float64) {
	s := &f.stages[i]
	taken := f.taken(i)
	give := func(candidate int, ns float64) {
		if candidate == noCandidate {
			candidate = launch
		}
		f.out.cause[candidate] += ns
	}
	if s.wave == nil {
		sum := 1e-12
		for _, p := range s.parts {
			sum += power(p.ns, ofFixed)
		}
		for k, x := range s.memory {
			sum += power(x/(1-taken[k]), ofFixed)
		}
		for _, p := range s.parts {
			give(p.candidate, ns*power(p.ns, ofFixed)/sum)
		}
		for k, x := range s.memory {
			give(owners[k], ns*power(x/(1-taken[k]), ofFixed)/sum)
		}
		return
	}
	w := s.wave.weights(resident, &taken)
	rest := 1.0
	for k, x := range w {
		rest -= x
		if s.wave.whose[k] == nil {
			give(owners[k], ns*x)
			continue
		}
		for _, o := range s.wave.whose[k] {
			give(o.candidate, ns*x*o.part)
		}
	}
	give(latency, ns*rest*s.wave.memoryWait)
	give(arithmetic, ns*rest*(1-s.wave.memoryWait))
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
	read, written := f.bytes()
	return written / (read + written + 1)
}

// bytes is what a draw reads from and writes to memory.
func (f *flow) bytes() (read, written float64) {
	d, m := f.d, f.m
	add := func(p *program, waves float64) {
		t := p.traffic()
		read += waves * t.miss2 * line
		written += waves * t.written
	}
	if waves := d.mainWaves(); waves > 0 {
		add(&d.main, waves)
	}
	if d.compute {
		return read, written
	}
	add(&d.vertex, d.vertexWaves())
	read += d.prims * 3 * d.indices
	cw, cr := d.color()
	dw, dr := d.depthBytes()
	written += cw*(1-m.colorStays(d, cw)) + dw*(1-m.stays(dw+dr))
	read += cr*(1-m.colorStays(d, cw)) + dr*(1-m.stays(dw+dr))
	return read, written
}

// account adds what happened in a step to the outcome.
func (f *flow) account(dt float64, can, could, top, slow *[stageKinds]float64) {
	o := &f.out
	left := dt // time that no stage after this one accounts for
	var total [stations]float64
	fill, held := 0.0, 0.0
	for i := len(f.stages) - 1; i >= 0; i-- {
		s := &f.stages[i]
		moved := can[i] - s.at
		u := math.Min(1, moved*f.dt/dt/top[i])
		u = math.Max(0, math.Min(u, 1))
		blocked := math.Min(1-u, math.Max(0, could[i]-can[i])/top[i])
		thin := 1 - u - blocked
		o.used[s.kind] += u * dt
		full := blocked / (blocked + 0.02)
		o.full[s.kind] += full * dt
		if s.wave == nil {
			come := moved * f.items(i) / dt * inFlight[s.kind] * 1e9 / f.m.clock
			o.thin[s.kind] += thin * dt * (1 - 1/((1+come)*(1+come)))
			for k, ns := range s.memory {
				f.use[i][k] = (f.use[i][k] + moved*ns/dt) / 2
				total[k] += f.use[i][k]
			}
		}
		resident := 0.0
		if s.wave != nil {
			c, n := s.wave, classIndex(s.kind)
			before := 2.0
			if i > 0 {
				before = f.stages[i-1].at + can[i-1]
			}
			resident = math.Min(c.slots, math.Max(0, before-s.at-can[i])/2*c.waves)
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
				o.queued[n] += extra
				o.byLocal[n] += extra * w[stLocal] / sum
				memory := (w[stL1] + w[stL2] + w[stFabric] + w[stDRAM] + w[stSlots]) / sum
				rounds := 1.0
				if s.kind == stMain {
					rounds = math.Max(1, f.d.main.rounds)
				} else {
					rounds = math.Max(1, f.d.vertex.rounds)
				}
				fill += extra / dt * memory * c.misses / rounds / f.m.units / missSlots
			}
			held = 1 - (1-held)*(1-math.Min(1, f.use[i][stMemory])*c.tagShare)
			if i > 0 {
				prior := math.Max(0, could[i-1]-can[i-1]) / top[i-1]
				o.held[n] += dt * prior / (prior + 0.02)
			}
		}
		f.blame(i, left*u, resident)
		left *= 1 - u
	}
	o.cause[launch] += left
	for k, x := range total {
		o.busy[k] += math.Min(1, x) * dt
	}
	fill += total[stSlots] * 0.8
	back := fill * fill / (1 + fill*fill)
	works := math.Min(1, total[stMemory])
	if works <= 1e-6 {
		back = 0
	}
	stall := 1 - (1-back)*(1-held)*(1-0.06*works)
	o.stalled += stall * dt
	o.pipe += dt * (1 - math.Pow(1-works, 1.25)*(1-stall))
	memory := math.Min(1, math.Max(total[stFabric], total[stDRAM]))
	o.refused += dt * power(memory, 3) * math.Sqrt(f.writes)
}
