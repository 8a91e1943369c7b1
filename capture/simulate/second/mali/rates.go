package mali

import "math"

// rates are the counts per second in a segment.
func (rec *recorder) rates(g *segment, hz float64, v *[counts]float64) {
	if len(g.parts) == 0 {
		return
	}
	m := rec.m
	v[gpuActive], v[iterActive] = hz, hz
	var works, starts [queues]bool
	idle, idleOthers := 1.0, 1.0 // shares of cores without work, and without any that is not of the main phase
	flight := 0.0                // warps of a core under way
	front, main, steady := 0.0, 0.0, 0.0
	var unit [resources]float64 // shares of the cycles
	for i := range g.parts {
		p := &g.parts[i]
		c := p.chunk
		if c.fixed > 0 {
			starts[p.queue] = true
			continue
		}
		works[p.queue] = true
		for k, x := range c.counts {
			if x != 0 {
				v[k] += x * p.rate
			}
		}
		for l := range resources {
			x := p.rate * c.loads[l] * m.reach[l]
			if l.clocked() {
				x /= g.clock
			}
			unit[l] += x
		}
		mine := p.rate * (c.loads[latency]*m.warps + 2*(c.loads[arithmetic]+c.loads[texture]+c.loads[loadStore])/g.clock)
		width := c.width
		if p.queue == binningQueue {
			width *= 1 - math.Exp(-mine*1.5)
		} else if p.limit != rasterizer {
			mine += 4 // what units have to do waits in warps
		}
		flight += mine
		steady = max(steady, c.steady)
		idle *= 1 - width
		if p.queue == mainQueue {
			main = max(main, width)
			front = max(front, p.rate*c.loads[rasterizer]/g.clock/width)
		} else {
			idleOthers *= 1 - width
		}
	}
	core := m.cores * hz
	any := 1 - idle
	v[coreActive], v[fragActive], v[computeActive] = any*core, main*core, (1-idleOthers)*core
	busiest := 0.0
	for l := range resources {
		if l.ofCore() && l != rasterizer && l != backend {
			busiest = max(busiest, unit[l])
		}
	}
	exec := min(any, max(any*steady*(1-math.Exp(-flight/max(any, 0.05))), busiest*1.01))
	v[execActive] = exec * core
	v[fpkActive] = main * core * max(0.08, 1-0.75*front*front*front)
	v[starveArith] = max(0, exec-unit[arithmetic]) * core * 0.92

	rec.textureRates(v, exec, unit[texture], unit[latency], core)
	rec.queueRates(g, &works, &starts, unit[latency], hz, v)
	rec.tilerRates(g, unit[tiler], hz, v)
	rec.memoryRates(unit[cacheRate], unit[bandwidth], hz, v)
}

// textureRates are the stalls of the texture unit.
func (rec *recorder) textureRates(v *[counts]float64, exec, busy, waiting, core float64) {
	if busy == 0 {
		return
	}
	waiting = min(waiting, 1)
	free := max(0, exec-busy)
	v[texDescStall] = exec * core * 0.008
	v[texFetchStall] = free * core * (0.04 + 0.5*waiting*waiting)
	v[texFilterStall] = free * core * (0.06 + 0.7*waiting)
	v[texStarved] = free * core * (0.03 + 0.5*busy*busy)
	v[texClock] = min(exec, busy*1.05+0.1*exec) * core
}

// queueRates are those of the command streams and the iterators.
func (rec *recorder) queueRates(g *segment, works, starts *[queues]bool, full, hz float64, v *[counts]float64) {
	queued := [queues]int{compQueued, tilerQueued, mainQueued}
	blocked := [queues]int{compBlocked, tilerBlocked, mainBlocked}
	enabled := [queues]int{cs2Enabled, cs0Enabled, cs1Enabled}
	waits := [queues]int{cs2Wait, cs0Wait, cs1Wait}
	others := 0
	starting := false
	for q := range queues {
		if works[q] {
			others++
		}
		starting = starting || starts[q]
	}
	for q := range queues {
		at := works[q] || starts[q]
		if at {
			v[queued[q]] = hz
			share := rec.blocked * 0.2
			if others > 1 || others == 1 && !works[q] { // cores have tasks of other queues as well
				share += rec.blocked + 0.15*math.Pow(min(full, 1), 4)
			}
			v[blocked[q]] = hz * share
		}
		if at || g.pending[q] {
			v[enabled[q]] = hz
			if at {
				v[waits[q]] = hz * 0.85
			} else {
				v[waits[q]] = hz * 0.98
			}
		}
	}
	v[mcuActive], v[ceuActive], v[lsuActive] = hz*rec.firmware, hz*rec.firmware*0.5, hz*rec.firmware*0.3
	if starting {
		v[mcuActive], v[ceuActive], v[lsuActive] = hz*0.4, hz*0.25, hz*0.12
	}
	for i := range g.parts {
		if p := &g.parts[i]; p.chunk.tail {
			switch p.queue {
			case computeQueue:
				v[compDrain] = 0.6 * hz
			case binningQueue:
				v[tilerDrain] = 0.6 * hz
			}
		}
	}
}

// tilerRates are those of the tiler's time.
func (rec *recorder) tilerRates(g *segment, busy, hz float64, v *[counts]float64) {
	for i := range g.parts {
		p := &g.parts[i]
		if p.queue != binningQueue {
			continue
		}
		if p.chunk.fixed > 0 {
			v[tilerActive] = max(v[tilerActive], 0.1*hz)
			continue
		}
		v[tilerActive] = hz
		free := max(0, 1-busy)
		if p.limit == tiler {
			v[posShadStall], v[varShadStall] = 0.02*hz, 0.01*hz
			v[posFIFOFull], v[primAssemblyWait] = 0.3*hz*busy, 0.3*free*hz
			continue
		}
		v[posShadStall], v[varShadStall] = 0.5*free*hz, 0.2*free*hz
		v[posFIFOFull], v[primAssemblyWait] = 0.35*free*hz, 0.7*free*hz
	}
}

// memoryRates are those of waiting at caches and at the bus, and the histograms of the bus.
func (rec *recorder) memoryRates(cache, bus, hz float64, v *[counts]float64) {
	m := rec.m
	c, b := min(cache/m.reach[cacheRate], 1), min(bus/m.reach[bandwidth], 1)
	slices := m.slices * hz
	b5 := b * b * b * b * b
	v[l2RdStall] = slices * (0.01*c + 0.4*math.Pow(c, 6) + 0.25*b5)
	v[l2WrStall] = slices * (0.005*c + 0.1*math.Pow(c, 6) + 0.1*b5)
	v[l2RdOutStall] = slices * 0.002 * c
	all := v[extReadBeats] + v[extWriteBeats]
	if all <= 0 {
		return
	}
	reads := v[extReadBeats] / all
	v[extReadStall] = slices * (0.01*b + 0.55*b5) * reads
	v[extWriteStall] = slices * (0.01*b + 0.55*b5) * (1 - reads)

	wait := m.delay * (1 + 0.2*b + 0.6*b*b*b*b) // seconds
	cycles := wait * hz
	below := 0.0
	for _, x := range []struct {
		counter int
		limit   float64
	}{{extLat0, 128}, {extLat128, 192}, {extLat192, 256}, {extLat256, 320}, {extLat320, 384}} {
		at := normal(math.Log(x.limit/cycles) / rec.spread)
		v[x.counter] = v[extReadBeats] * (at - below)
		below = at
	}
	quarters := func(rate, limit float64, to ...int) {
		mean := min(rate*wait/limit, 0.97)
		sd := 0.06 + 0.45*mean*(1-mean)
		none, below := normal(-mean/sd), 0.0
		for i, k := range to {
			at := (normal((0.25*float64(i+1)-mean)/sd) - none) / (1 - none)
			v[k] = rate * max(at-below, 0)
			below = at
		}
	}
	quarters(v[extRead], m.reads*m.slices, extReadQ1, extReadQ2, extReadQ3)
	quarters(v[extWrite], m.reads*m.slices*0.5, extWriteQ1, extWriteQ2, extWriteQ3)
}

// normal is the distribution function of the normal distribution.
func normal(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
