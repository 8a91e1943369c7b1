package intel

import "strconv"

// memoryTargets are those of buffers, local memory, L3 and memory, until Xe-LPG.
var memoryTargets = map[string]target{
	"ShaderMemoryAccesses": of(accesses, 1), "ShaderAtomics": of(atomics, 1), "ShaderBarriers": of(barriers, 1),
	"SlmBytesRead": of(localReads, 64), "SlmBytesWritten": of(localWrites, 64), "SlmReads": of(localReads, 1),
	"SlmWrites": of(localWrites, 1),

	"TypedBytesRead": of(typedReads, 64), "TypedBytesWritten": of(typedWrites, 64),
	"UntypedBytesRead": of(untypedReads, 64), "UntypedBytesWritten": of(untypedWrites, 64),
	"TypedAtomics": of(atomics, 0.3),
	// One subslice is counted: lines, and messages of units, of which several can fall into one line.
	"TypedReads#": one(typedReads, 1), "TypedWrites#": one(typedWrites, 1), "UntypedReads#": one(untypedReads, 1),
	"UntypedWrites#": one(untypedWrites, 1), "TypedAtomics#": one(atomics, 0.3), "EuTypedReads#": merged(typedReads, 1),
	"EuTypedWrites#": merged(typedWrites, 1), "EuUntypedReads#": merged(untypedReads, 1),
	"EuUntypedWrites#": merged(untypedWrites, 1), "EuTypedAtomics#": merged(atomics, 0.3),
	"EuUntypedAtomics#": merged(atomics, 0.7), "EuA#UntypedReads#": none, "EuA#UntypedWrites#": none,
	// Of the data port of one subslice: messages by size, in bytes, and lines of 64 bytes.
	"EuHdc#Reads#B":       bySize(untypedReads),
	"EuHdc#Writes#B":      bySize(untypedWrites),
	"EuHdc#Writes#BSimd#": none,
	"Hdc#L#DataReads":     one(untypedReads, 1), "Hdc#L#DataWrites": one(untypedWrites, 1),
	"Hdc#L#Reads": one(untypedReads, 1), "Hdc#L#Writes": one(untypedWrites, 1),

	"NonSamplerShader#AccessStalledOnL#": each((*moment).cacheWait),
	"L#Bank#Stalled":                     each(func(m *moment) float64 { return m.wait(unitCache) }),
	"L#Bank#Active":                      each((*moment).cacheBusy),
	"L#Bank#InputAvailable":              each((*moment).cacheInput),
	"L#Bank#OutputReady":                 each((*moment).cacheOutput),
	"L#_INPUT_AVAILABLE_L#BANK#":         each((*moment).cacheInput),
	"L#_OUTPUT_READY_L#BANK#":            each((*moment).cacheOutput),
	"L#Bank#Accesses":                    (*moment).bankLookups,
	"L#Bank#IcAccesses":                  count(func(m *moment) float64 { return m.v[instructions] / m.bankCount }),
	"L#Bank#IcHits":                      count(func(m *moment) float64 { return 0.98 * m.v[instructions] / m.bankCount }),
	"L#Accesses": func(m *moment, _ place) (sum float64) {
		per := 4 // banks of a slice
		if m.d.plat.version >= 1100 {
			per = 8
		}
		for i := range int(m.bankCount) {
			sum += m.bankLookups(place{"3", strconv.Itoa(i/per) + strconv.Itoa(i%per)})
		}
		return sum
	},
	"L#SamplerThroughput": of(samplerMisses, 64),
	"L#Misses":            of(cacheMisses, 1),

	"GtiReadThroughput":  count(func(m *moment) float64 { return 64 * m.reads() }),
	"GtiWriteThroughput": count(func(m *moment) float64 { return 64 * m.writes() }),
	"GtiVfThroughput":    count(func(m *moment) float64 { return 64 * (m.v[readFetch] + m.v[readCommand]) }),
	"GtiDepthThroughput": count(func(m *moment) float64 {
		return 64 * (m.v[readHierarchy] + m.v[readStencil] + m.v[readDepth] + m.v[writeHierarchy] + m.v[writeStencil] +
			m.v[writeDepth])
	}),
	"GtiRccThroughput":          count(func(m *moment) float64 { return 64 * (m.v[readColour] + m.v[writeColour]) }),
	"GtiHdcLookupsThroughput":   of(cacheMisses, 64*0.02),
	"GtiCmdStreamerMemoryReads": of(readCommand, 1), "GtiRsMemoryReads": none, "GtiVfMemoryReads": of(readFetch, 1),
	"GtiRccMemoryReads": of(readColour, 1), "GtiMscMemoryReads": none, "GtiHizMemoryReads": of(readHierarchy, 1),
	"GtiStcMemoryReads": of(readStencil, 1), "GtiRczMemoryReads": of(readDepth, 1),
	"GtiMemoryReads": count((*moment).reads), "GtiL#Bank#Reads": of(readCache, 0.25),
	"GtiRingAccesses":            count(func(m *moment) float64 { return m.reads() + m.writes() }),
	"GtiCmdStreamerMemoryWrites": none, "GtiSoMemoryWrites": none, "GtiRccMemoryWrites": of(writeColour, 1),
	"GtiMscMemoryWrites": none, "GtiHizMemoryWrites": of(writeHierarchy, 1), "GtiStcMemoryWrites": of(writeStencil, 1),
	"GtiRczMemoryWrites": of(writeDepth, 1), "GtiMemoryWrites": count((*moment).writes),
	"GtiL#Bank#Writes": of(writeCache, 0.25),

	"GTRequestQueueFull": clocks((*moment).memoryWait), "GTRequestQueue#Full": each((*moment).memoryWait),
}

// bankLookups are those of one bank of L3.
func (m *moment) bankLookups(at place) float64 {
	return m.lookups() / m.bankCount * m.share[at.index()%len(m.share)]
}

// one counts what one subslice does.
func one(quantity int, by float64) target {
	return func(m *moment, _ place) float64 { return by * m.v[quantity] / float64(m.d.subs) }
}

// merged counts messages of which several make a line.
func merged(quantity int, by float64) target {
	return func(m *moment, _ place) float64 { return by * m.v[quantity] / float64(m.d.subs) * m.merge }
}

// bySize counts messages that hold so many bytes: programs use mostly one size.
func bySize(quantity int) target {
	return func(m *moment, at place) float64 {
		share := map[int]float64{32: 0.15, 64: 0.5, 96: 0.02, 128: 0.25, 192: 0.02, 256: 0.06}[at.number(1)]
		return share * m.v[quantity] / float64(m.d.subs) * 64 / float64(at.number(1)) * m.merge
	}
}
