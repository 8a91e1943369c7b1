package intel

// xe2Memory are those of buffers, local memory, L3 and memory, on Xe2.
var xe2Memory = map[string]target{
	"LOAD_STORE_CACHE_ACCESS": of(accesses, 1), "LOAD_STORE_CACHE_HIT": count((*moment).nearHits),
	"LOAD_STORE_CACHE_BYTE_READ":  count(func(m *moment) float64 { return 64 * m.bufferReads() }),
	"LOAD_STORE_CACHE_BYTE_WRITE": count(func(m *moment) float64 { return 64 * m.bufferWrites() }),
	"LOAD_STORE_CACHE_PARTIAL_WRITE_COUNT": count(func(m *moment) float64 {
		return 0.2 * m.bufferWrites()
	}),
	"LOAD_STORE_CACHE_NUMBER_OF_BANK_ACCESS_COUNT": of(accesses, 4),
	"LOAD_STORE_CACHE_INPUT_AVAILABLE": clocks(func(m *moment) float64 {
		return m.v[accesses]/float64(m.d.subs) + m.wait(unitDataPort)
	}),
	"LOAD_STORE_CACHE_OUTPUT_READY":                clocks((*moment).nearOutput),
	"XVE_LOAD_STORE_CACHE_ATOMIC_MESSAGE_COUNT":    of(atomics, 1),
	"XVE_LOAD_STORE_CACHE_FENCE_MESSAGE_COUNT":     of(barriers, 0.2),
	"XVE_LOAD_STORE_CACHE_READ_MESSAGE_COUNT":      count((*moment).bufferReads),
	"XVE_LOAD_STORE_CACHE_WRITE_MESSAGE_COUNT":     count((*moment).bufferWrites),
	"XVE_LOAD_STORE_CACHE_REGISTER_REQUEST_COUNT":  of(accesses, 2),
	"XVE_LOAD_STORE_CACHE_REGISTER_RESPONSE_COUNT": count(func(m *moment) float64 { return 2 * m.bufferReads() }),
	"XVE_SLM_ATOMIC_MESSAGE_COUNT":                 none, "XVE_SLM_FENCE_MESSAGE_COUNT": of(barriers, 0.5),
	"XVE_SLM_READ_MESSAGE_COUNT": of(localReads, 1), "XVE_SLM_WRITE_MESSAGE_COUNT": of(localWrites, 1),
	"SLM_ACCESS_COUNT":        count(func(m *moment) float64 { return m.v[localReads] + m.v[localWrites] }),
	"SLM_BANK_CONFLICT_COUNT": of(localConflicts, 1), "SLM_BYTE_READ": of(localReads, 64),
	"SLM_BYTE_WRITE": of(localWrites, 64),
	"ICACHE_HIT":     count(func(m *moment) float64 { return m.v[instructions] * 40 * (1 - m.code) }),
	"ICACHE_MISS":    count(func(m *moment) float64 { return m.v[instructions] * 40 * m.code }),
	"URB_READ":       of(fetchedCount, 3), "URB_WRITE": of(fetchedCount, 2), "URB_CROSS_SLICE_READ": of(fetchedCount, 0.3),

	// L3 has colour and depth as well, of which a part is found there.
	"L#_READ":  count((*moment).farReads),
	"L#_WRITE": count((*moment).farWrites), "L#_HIT": count(func(m *moment) float64 {
		return max(0, m.farReads()+m.farWrites()-m.farMisses())
	}),
	"L#_MISS": count((*moment).farMisses), "L#_ATOMIC_ACCESS": of(atomics, 1),
	"L#_BUSY": clocks((*moment).cacheBusy), "L#_STALL": clocks(bottleneck(unitCache)),
	"L#_INPUT_AVAILABLE": clocks((*moment).cacheInput), "L#_OUTPUT_READY": clocks((*moment).cacheOutput),
	"L#_SUPERQ_FULL":  clocks(func(m *moment) float64 { return m.queued * m.memoryWait() }),
	"SAMPLER_L#_READ": of(samplerMisses, 1),
	"SAMPLER_L#_HIT":  count(func(m *moment) float64 { return m.v[samplerMisses] * m.kept() }),
	"ICACHE_L#_READ":  of(instructions, 1), "ICACHE_L#_HIT": of(instructions, 0.98),
	"LOAD_STORE_CACHE_L#_READ":  count(func(m *moment) float64 { return m.v[nearMisses] * (1 - m.writtenShare()) }),
	"LOAD_STORE_CACHE_L#_WRITE": count(func(m *moment) float64 { return m.v[nearMisses] * m.writtenShare() }),
	"LOAD_STORE_CACHE_L#_HIT":   count(func(m *moment) float64 { return m.v[nearMisses] * m.kept() }),
	"COLOR_L#_ACCESS":           count((*moment).colour),
	"COLOR_L#_HIT":              count(func(m *moment) float64 { return m.colour() * m.reuse }),
	"Z_L#_ACCESS":               count((*moment).depth),
	"Z_L#_HIT":                  count(func(m *moment) float64 { return m.depth() * m.reuse }),
	"RENDER_CACHE_READ":         of(readColour, 1), "RENDER_CACHE_WRITE": of(written, 0.25),
	"RENDER_CACHE_ALLOC": of(writeColour, 1), "RENDER_CACHE_HIT": count(func(m *moment) float64 {
		return max(0, 0.25*m.v[written]-m.v[writeColour])
	}),
	"RENDER_CACHE_INPUT_AVAILABLE": clocks((*moment).renderInput),
	"RENDER_CACHE_OUTPUT_READY":    clocks(func(m *moment) float64 { return 0.5 * m.colours() }),
	"COMPRESSOR_INPUT":             of(writeColour, 2), "COMPRESSOR_OUTPUT": count(func(m *moment) float64 {
		return 2 * m.packed * m.v[writeColour]
	}),

	"GPU_MEMORY_BYTE_READ":  count(func(m *moment) float64 { return 64 * m.reads() }),
	"GPU_MEMORY_BYTE_WRITE": count(func(m *moment) float64 { return 64 * m.writes() }),
	"GPU_MEMORY_L#_READ":    count((*moment).reads), "GPU_MEMORY_L#_WRITE": count((*moment).writes),
	"GPU_MEMORY_READ": count((*moment).reads), "GPU_MEMORY_WRITE": count((*moment).writes),
	"GPU_MEMORY_#B_TRANSACTION_READ": func(m *moment, at place) float64 { return m.transactions(at, m.reads()) },
	"GPU_MEMORY_#B_TRANSACTION_WRITE": func(m *moment, at place) float64 {
		return m.transactions(at, m.writes())
	},
	"GPU_MEMORY_REQUEST_QUEUE_FULL": clocks((*moment).memoryWait), "GPU_MEMORY_ACTIVE": clocks((*moment).memoryBusy),
	"TLB_MISS":                 count(func(m *moment) float64 { return 0.002 * (m.reads() + m.writes()) }),
	"COPY_ENGINE_READ_REQUEST": none, "COPY_ENGINE_REQUEST_STALL": none, "COPY_ENGINE_WRITE_REQUEST": none,
	"HOST_TO_GPUMEM_TRANSACTION_READ": none, "HOST_TO_GPUMEM_TRANSACTION_WRITE": none, "SYSMEM_TRANSACTION_READ": none,
	"SYSMEM_TRANSACTION_WRITE": none,
}

// transactions are those of 32 or of 64 bytes: an eighth of the traffic is in the small ones.
func (m *moment) transactions(at place, lines float64) float64 {
	if at.number(0) == 32 {
		return lines / 8 * 2
	}
	return lines * 7 / 8
}

// nearOutput is how many clocks the mean first level of cache hands data over.
func (m *moment) nearOutput() float64 { return 0.9 * m.v[accesses] / float64(m.d.subs) }

// renderInput is how many clocks the cache of colour has requests.
func (m *moment) renderInput() float64 { return 0.7*m.colours() + 0.2*m.pixelShare*m.memoryWait() }

func (m *moment) nearHits() float64 { return max(0, m.v[accesses]-m.v[nearMisses]) }

func (m *moment) bufferReads() float64  { return m.v[typedReads] + m.v[untypedReads] }
func (m *moment) bufferWrites() float64 { return m.v[typedWrites] + m.v[untypedWrites] }

// writtenShare is the share of accesses of buffers that write.
func (m *moment) writtenShare() float64 {
	if all := m.bufferReads() + m.bufferWrites(); all > 0 {
		return m.bufferWrites() / all
	}
	return 0
}

// kept is the share of look-ups of samplers and buffers that L3 holds.
func (m *moment) kept() float64 {
	all := m.v[samplerMisses] + m.v[nearMisses]
	if all <= 0 {
		return 0
	}
	return max(0, 1-m.v[cacheMisses]/all)
}

// colour and depth are what the pixel pipe asks of L3: what goes on to memory is what is not found there.
func (m *moment) colour() float64 { return (m.v[readColour] + m.v[writeColour]) / (1 - m.reuse) }

func (m *moment) depth() float64 {
	return (m.v[readHierarchy] + m.v[readStencil] + m.v[readDepth] + m.v[writeHierarchy] + m.v[writeStencil] +
		m.v[writeDepth]) / (1 - m.reuse)
}

func (m *moment) farReads() float64 {
	return m.v[samplerMisses] + m.v[nearMisses]*(1-m.writtenShare()) + m.v[instructions] + 0.5*(m.colour()+m.depth())
}

func (m *moment) farWrites() float64 {
	return m.v[nearMisses]*m.writtenShare() + 0.5*(m.colour()+m.depth())
}

func (m *moment) farMisses() float64 {
	// Misses are counted when memory answers, so that a sample can have more than were looked up in it.
	return min(m.farReads()+m.farWrites(),
		m.v[cacheMisses]+0.02*m.v[instructions]+(1-m.reuse)*(m.colour()+m.depth()))
}
