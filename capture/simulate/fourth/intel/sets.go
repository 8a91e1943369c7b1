package intel

import (
	"slices"

	"astrolabe/capture/simulate"
)

// reading is what was counted in a sample.
type reading struct {
	x           [features]float64
	ticks, busy float64
	m           *machine
}

// port is a counter of a report.
type port struct {
	name  string
	value func(r *reading) float64
	most  float64 // of it in a clock; 0 is no limit
	of    []leaf  // that it tells of
}

// set is a metric set: what the counters that can be programmed count.
type set struct {
	name  string
	ports []port
}

// count is a counter of events.
func count(name string, by float64, at ...feature) port {
	return port{name: name, value: func(r *reading) float64 {
		sum := 0.0
		for _, f := range at {
			sum += r.x[f]
		}
		return sum * by
	}}
}

// share is a counter of clocks of one unit, which can differ a little from its neighbours.
func share(name string, by float64, at feature) port {
	p := count(name, by, at)
	p.most = 1
	return p
}

func (p port) limit(most float64) port { p.most = most; return p }

func (p port) tells(of ...leaf) port { p.of = of; return p }

func none(names ...string) (out []port) {
	for _, n := range names {
		out = append(out, port{name: n, value: func(*reading) float64 { return 0 }})
	}
	return out
}

func stall(name string) port {
	return port{name: name, value: func(r *reading) float64 { return max(0, r.x[loaded]*r.m.eus-r.x[active]) }}
}

// fixed are the counters that count the same in every set of a machine.
func fixed(m *machine) []port {
	s, z, d := m.subslices, m.rate[rasterizer], m.rate[loadStore]
	list := []port{
		{name: "A0", value: func(r *reading) float64 { return r.busy }, most: 1},
		count("A1", 1, vsThreads), count("A4", 1, csThreads), count("A6", 1, psThreads),
		count("A7", 1, active).limit(m.eus).tells(arithmetic), stall("A8").limit(m.eus).tells(latency),
		count("A21", 1, rastered).limit(z).tells(rasterizer), count("A22", 1, coarseFails).tells(hierarchicalDepth),
		count("A23", 1, earlyFails).tells(earlyDepth), count("A24", 1, killedQuads), count("A25", 1, lateFails),
		count("A26", 1, written).limit(m.rate[pixelBackend]).tells(pixelBackend), count("A27", 1, blended).tells(pixelBackend),
		count("A28", 1, texels).limit(m.rate[texture]).tells(texture), count("A29", 1, texMisses).limit(m.rate[texture]).tells(texture),
		count("A30", 1, localReads).limit(s).tells(localMemory), count("A31", 1, localWrites).limit(s).tells(localMemory),
		count("A32", 1, messages).limit(d).tells(loadStore), count("A33", 1, missedMessages).limit(d).tells(loadStore),
		count("A34", 1, atomics), count("A35", 1, barriers),
	}
	return append(list, none("A2", "A3", "A5")...)
}

var allReads = []feature{vertexReads, depthReads, colourReads, otherReads, l3Reads}
var allWrites = []feature{depthWrites, colourWrites, otherWrites, l3Writes}

// render are the counters of EUs of the sets for rendering.
func render(m *machine) []port {
	return []port{count("A9", 1, bothPipes).limit(m.eus).tells(arithmetic), count("A10", 1, vsPipe0).tells(arithmetic),
		count("A11", 1, vsPipe1).tells(arithmetic), count("A12", 1, vsSending), count("A15", 1, psPipe0).limit(m.eus).tells(arithmetic),
		count("A16", 1, psPipe1).limit(m.eus).tells(arithmetic), count("A17", 1, psSending).limit(m.eus),
		count("A18", 1, psBoth).limit(m.eus).tells(arithmetic)}
}

func at(stage int, base feature) feature { return base + feature(stage) }

// setsOf are the sets that are modelled of a machine; the first is the usual one.
func setsOf(m *machine) []set {
	reads := func(name string) port { return count(name, 1, allReads...).limit(1).tells(bandwidth) }
	writes := func(name string) port { return count(name, 1, allWrites...).limit(0.5).tells(bandwidth) }
	occupancy := func(name string) port {
		p := count(name, m.eus*m.threads/8, occupied)
		return p.limit(m.eus * m.threads / 8).tells(latency)
	}
	if m.discrete {
		return []set{{"RenderBasic", []port{occupancy("A9"), count("A10", 1, bothPipes).limit(m.eus).tells(arithmetic),
			count("A11", 1, vsPipe0).tells(arithmetic), count("A12", 1, vsPipe1).tells(arithmetic), count("A13", 1, vsSending),
			count("A14", 1, psPipe0).limit(m.eus).tells(arithmetic), count("A15", 1, psPipe1).limit(m.eus).tells(arithmetic),
			count("A16", 1, psSending).limit(m.eus),
			count("A36", 0.5, allReads...).limit(4).tells(bandwidth), count("A37", 0.5, allWrites...).limit(4).tells(bandwidth),
			share("B6", 0.99, samplerHolds).tells(texture), share("B7", 0.995, samplerBusy).tells(texture)}}}
	}
	compute := func(more ...port) []port {
		return append([]port{count("A9", 1, bothPipes).limit(m.eus).tells(arithmetic), count("A10", 1, pipe0).limit(m.eus).tells(arithmetic),
			count("A11", 1, pipe1).limit(m.eus).tells(arithmetic), count("A12", 1, sending).limit(m.eus), occupancy("A13")}, more...)
	}
	with := func(more ...port) []port { return append(render(m), more...) }
	hold := func(name string, stage int, l leaf) port { return share(name, 1, at(stage, holding)).tells(l) }
	bank := func(name string, by float64, f feature) port { return count(name, by, f) }
	return []set{
		{"RenderBasic", with(share("B0", 0.995, samplerBusy).tells(texture), share("B1", 0.985, samplerBusy).tells(texture),
			share("B2", 0.99, samplerHolds).tells(texture), share("B3", 0.975, samplerHolds).tells(texture),
			count("B4", 0.125, texMisses).tells(texture, cache), count("B6", 0.8, vertexReads).tells(vertexFetch), count("B7", 0.2, vertexReads).tells(vertexFetch),
			count("C0", 1, depthReads).tells(earlyDepth), count("C1", 1, depthWrites).tells(earlyDepth),
			count("C2", 1, colourReads).tells(pixelBackend), count("C3", 1, colourWrites).tells(pixelBackend),
			count("C4", 1, l3Reads, l3Writes).tells(cache), count("C5", 0.01, missedMessages), reads("C6"), writes("C7"))},
		{"ComputeBasic", compute(count("B0", 0.334, typedReads).limit(1).tells(loadStore), count("B1", 0.333, typedReads).limit(1).tells(loadStore),
			count("B2", 0.333, typedReads).limit(1).tells(loadStore), count("B3", 0.334, typedWrites).tells(loadStore),
			count("B4", 0.333, typedWrites).tells(loadStore), count("B5", 0.333, typedWrites).tells(loadStore),
			count("B6", 0.334, untypedReads).limit(1).tells(loadStore), count("B7", 0.333, untypedReads).limit(1).tells(loadStore),
			count("C0", 0.333, untypedReads).limit(1).tells(loadStore), count("C1", 0.334, untypedWrites).tells(loadStore),
			count("C2", 0.333, untypedWrites).tells(loadStore), count("C3", 0.333, untypedWrites).tells(loadStore), reads("C4"), writes("C5"))},
		{"RenderPipeProfile", append(none("B1", "B2", "B3", "B4", "C1", "C2", "C3"),
			hold("B0", stVertex, arithmetic), hold("B5", stClip, clipper), hold("B6", stSetup, setup), hold("B7", stEarly, earlyDepth),
			hold("C0", stFetch, vertexFetch), hold("C6", stCoarse, hierarchicalDepth), share("C7", 0.25, at(stShade, holding)),
			share("C4", 1, at(stClip, waiting)), share("C5", 1, at(stSetup, waiting)))},
		{"MemoryReads", append(none("B2", "B4"), count("B0", 0.004, otherReads), count("B1", 1, vertexReads).tells(vertexFetch),
			count("B3", 1, colourReads).tells(pixelBackend), count("B5", 0.08, depthReads).tells(hierarchicalDepth), count("B6", 0.05, depthReads).tells(earlyDepth),
			count("B7", 0.87, depthReads).tells(earlyDepth), reads("C0"), count("C3", 0.5, slices.Concat(allReads, allWrites)...).tells(bandwidth),
			bank("C4", 0.26, l3Reads), bank("C5", 0.25, l3Reads), bank("C6", 0.25, l3Reads), bank("C7", 0.24, l3Reads))},
		{"MemoryWrites", append(none("B0", "B2", "B4"), count("B3", 1, colourWrites).tells(pixelBackend),
			count("B5", 0.08, depthWrites).tells(hierarchicalDepth), count("B6", 0.05, depthWrites).tells(earlyDepth), count("B7", 0.87, depthWrites).tells(earlyDepth),
			writes("C0"), count("C3", 0.5, slices.Concat(allReads, allWrites)...).tells(bandwidth),
			bank("C4", 0.26, l3Writes), bank("C5", 0.25, l3Writes), bank("C6", 0.25, l3Writes), bank("C7", 0.24, l3Writes))},
		{"ComputeL3Cache", []port{count("A9", 1, bothPipes).limit(m.eus).tells(arithmetic), count("A10", 1, pipe0).limit(m.eus).tells(arithmetic),
			count("A11", 1, pipe1).limit(m.eus).tells(arithmetic), count("A12", 1, sending).limit(m.eus),
			count("A13", 0.05, pipe0), count("A14", 0.05, pipe1), count("A15", 0.4, pipe0), count("A16", 0.4, pipe1),
			count("A17", 0.35, pipe0), count("A18", 0.35, pipe1), count("A19", 0.2, pipe0), count("A20", 0.2, pipe1),
			count("B0", 0.002, lines), count("B1", 0.01, lines), count("B2", 0.125, lines).tells(cache), count("B3", 0.12, lines).tells(cache),
			count("C0", 0.13, lines).tells(cache), count("C1", 0.125, lines).tells(cache), count("C4", 0.5, l3Reads, l3Writes).tells(cache),
			count("C5", 0.5, l3Reads, l3Writes).tells(cache), reads("C6"), writes("C7")}},
		{"HDCAndSF", with(share("B0", 1, at(stRaster, holding)).tells(rasterizer), share("C2", 0.02, at(stShade, serving)), share("C4", 0.02, at(stShade, serving)),
			share("C6", 0.02, at(stShade, serving)), stalled("C3", 0.97), stalled("C5", 1), stalled("C7", 0.98))},
		{"L3_1", with(share("B0", 1, l3Stalled).tells(cache, bandwidth), share("B4", 0.97, l3Stalled).tells(cache, bandwidth),
			share("C6", 1, l3Busy).tells(cache), share("C7", 0.98, l3Busy).tells(cache))},
		{"RasterizerAndPixelBackend", with(share("B0", 1, at(stShade, holding)), filled("B1", stRaster).tells(rasterizer),
			filled("C5", stCoarse).tells(rasterizer), filled("C6", stBackend).tells(pixelBackend), share("C7", 1, at(stBackend, holding)).tells(pixelBackend))},
		{"Sampler", with(share("B0", 0.99, samplerWaits).tells(texture), share("B1", 0.97, samplerWaits).tells(texture), share("B2", 1, samplerWaits).tells(texture),
			answers("C5", 0.99), answers("C6", 1), answers("C7", 0.97))},
		{"TDL_1", with(share("B0", 0.97, vsReady), share("B1", 1, psReady), share("B2", 1, vsReady), share("B3", 0.98, psReady),
			share("B4", 0.99, vsReady), share("B5", 0.97, psReady))},
	}
}

// stalled is how long a data port had a request that L3 did not take, with the clocks that the formula takes off.
func stalled(name string, by float64) port {
	return port{name: name, most: 1, of: []leaf{cache}, value: func(r *reading) float64 {
		return min(r.ticks, by*r.x[portStalled]+0.02*r.x[at(stShade, serving)])
	}}
}

// filled is how long a unit had something to do or to hand on.
func filled(name string, stage int) port {
	return port{name: name, most: 1, value: func(r *reading) float64 {
		return min(r.ticks, 0.9*r.x[at(stage, serving)]+r.x[at(stage, waiting)])
	}}
}

// answers is how long a sampler had an answer ready.
func answers(name string, by float64) port {
	return port{name: name, most: 1, of: []leaf{texture}, value: func(r *reading) float64 {
		return min(r.ticks, by*(0.25*r.x[samplerBusy]+0.3*r.x[texels]/r.m.rate[texture]))
	}}
}

// withheld are the counters that are left out of a set.
func withheld(list []port, o *simulate.Options) []string {
	out := slices.Clone(o.Without)
	for _, p := range list {
		for _, l := range p.of {
			if slices.Contains(o.Withheld, candidates[l]) {
				out = append(out, p.name)
			}
		}
	}
	return out
}
