package intel

import (
	"strconv"

	"astrolabe/capture/simulate"
)

// flexible are the values of the seven registers that say what A7 to A20 count, by metric set (the published sets'
// register lists). Each holds two fields of 12 bits: increment event, coarse filter, fine filter.
var flexible = map[string][7]uint32{
	"RenderBasic":               {0x005004, 0x010003, 0x012011, 0x015014, 0x051050, 0x053052, 0x222222},
	"ComputeBasic":              {0x005004, 0x000003, 0x002001, 0x778008, 0x088078, 0x808708, 0x222222},
	"RenderPipeProfile":         {0x005004, 0x015014, 0x025024, 0x035034, 0x045044, 0x055054, 0x065064},
	"MemoryReads":               {0x005004, 0x015014, 0x025024, 0x035034, 0x045044, 0x055054, 0x065064},
	"MemoryWrites":              {0x005004, 0x015014, 0x025024, 0x035034, 0x045044, 0x055054, 0x065064},
	"ComputeExtended":           {0x005004, 0x000003, 0x002001, 0x778008, 0x088078, 0x808708, 0xa08908},
	"ComputeL3Cache":            {0x005004, 0x000003, 0x002001, 0x101100, 0x201200, 0x301300, 0x401400},
	"HDCAndSF":                  {0x005004, 0x010003, 0x012011, 0x015014, 0x051050, 0x053052, 0x055054},
	"L3_1":                      {0x005004, 0x010003, 0x012011, 0x015014, 0x051050, 0x053052, 0x055054},
	"L3_2":                      {0x005004, 0x010003, 0x012011, 0x015014, 0x051050, 0x053052, 0x055054},
	"L3_3":                      {0x005004, 0x010003, 0x012011, 0x015014, 0x051050, 0x053052, 0x055054},
	"RasterizerAndPixelBackend": {0x005004, 0x010003, 0x012011, 0x015014, 0x051050, 0x053052, 0x055054},
	"Sampler":                   {0x005004, 0x010003, 0x012011, 0x015014, 0x051050, 0x053052, 0x055054},
	"TDL_1":                     {0x005004, 0x010003, 0x012011, 0x015014, 0x051050, 0x053052, 0x055054},
	"TDL_2":                     {0x005004, 0x010003, 0x012011, 0x015014, 0x051050, 0x053052, 0x055054},
	"AsyncCompute":              {0x005004, 0x001000, 0x051050, 0x011010, 0x061060, 0x000008, 0x222222},
	"VMEPipe":                   {0x005004, 0x008003},
	"GpuBusyness":               {},
	"TestOa":                    {6: 0x222222},
	"PMA_Stall":                 {},
}

// Increment events of the flexible counters.
const (
	eventFPU0    = 0
	eventFPU1    = 1
	eventSend    = 2
	eventBoth    = 3
	eventActive  = 4
	eventStall   = 5
	eventThreads = 8 // overflows of an integrator that adds the loaded threads each clock, three bits wide
)

// coarse are the filters by stage of threads; rows 0 and 1 of units are 7 and 8.
var coarse = map[uint32]int{1: vertex, 2: hull, 3: domain, 4: geometryShader, 5: pixel, 6: compute}

// flex is what a field of 12 bits counts in a sample.
func (m *moment) flex(field uint32) float64 {
	event, filter, fine := field&15, field>>4&15, field>>8&15
	by := 1.0
	first, last := 0, shaders-1
	switch {
	case filter == 7 || filter == 8:
		by = 0.5
	case filter > 0:
		first, last = coarse[filter], coarse[filter]
	}
	switch {
	case fine >= 7: // one of the four units of a row
		by *= 0.25
	case fine == 5: // starts of sends
		by *= 0.8
	case fine > 0 && event <= eventFPU1: // kinds of instructions
		by *= m.kinds[fine-1]
	case fine > 0:
		return 0
	}
	sum := 0.0
	for s := first; s <= last; s++ {
		switch event {
		case eventFPU0:
			sum += m.v[perFirst+s]
		case eventFPU1:
			sum += m.v[perUnion+s] + m.v[perBoth+s] - m.v[perFirst+s]
		case eventSend:
			sum += m.v[perSend+s]
		case eventBoth:
			sum += m.v[perBoth+s]
		case eventActive:
			sum += m.active[s]
		case eventStall:
			sum += m.stall[s]
		case eventThreads:
			sum += m.threads[s] / 8
		}
	}
	return sum * by
}

// custom are what the boolean and network counters B0 to B7 and C0 to C7 count, by metric set.
var custom = map[string]func(m *moment) map[string]float64{
	"RenderBasic": func(m *moment) map[string]float64 {
		out := map[string]float64{
			"B0": m.sampler(0), "B1": m.sampler(1), "B2": m.samplerWait(0), "B3": m.samplerWait(1),
			"B4": m.v[samplerMisses] / 8,
			"B6": m.v[readFetch], "B7": m.v[readCommand], "C0": m.v[readHierarchy] + m.v[readStencil] + m.v[readDepth],
			"C1": m.v[writeHierarchy] + m.v[writeStencil] + m.v[writeDepth], "C2": m.v[readColour],
			"C3": m.v[writeColour],
			"C4": m.v[cacheMisses], "C5": 0.02 * m.v[cacheMisses], "C6": m.reads(), "C7": m.writes(),
		}
		if m.d.slices > 1 {
			out["B4"], out["B5"] = out["B4"]/2, out["B4"]/2
		}
		return out
	},
	"ComputeBasic": func(m *moment) map[string]float64 {
		out := map[string]float64{"C4": m.reads(), "C5": m.writes()}
		// Three subslices are counted; the equations scale by slices.
		by := 1 / float64(3*m.d.slices)
		for i, x := range []int{typedReads, typedReads, typedReads, typedWrites, typedWrites, typedWrites,
			untypedReads, untypedReads} {
			out["B"+strconv.Itoa(i)] = m.v[x] * by
		}
		out["C0"] = m.v[untypedReads] * by
		for _, name := range []string{"C1", "C2", "C3"} {
			out[name] = m.v[untypedWrites] * by
		}
		return out
	},
	"RenderPipeProfile": func(m *moment) map[string]float64 {
		behind := m.wait(unitSetup) + m.held()
		return map[string]float64{
			"C0": m.wait(unitFetch), "B0": m.streamWait(0), "B1": m.streamWait(0) * m.hullShare,
			"B2": m.streamWait(0) * m.hullShare,
			"B5": m.wait(unitClip), "B6": m.wait(unitSetup), "B7": m.wait(unitDepth), "C6": m.wait(unitHierarchical),
			"C7": 0.1 * m.streamWait(1), "C1": m.wait(unitClip) * m.hullShare, "C2": m.wait(unitClip) * m.hullShare,
			"C4": min(m.clocks, behind), "C5": m.held(),
		}
	},
	"MemoryReads": func(m *moment) map[string]float64 {
		out := map[string]float64{"B0": m.v[readCommand], "B1": m.v[readFetch], "B3": m.v[readColour],
			"B5": m.v[readHierarchy],
			"B6": m.v[readStencil], "B7": m.v[readDepth], "C0": m.reads(), "C3": (m.reads() + m.writes()) / 2}
		for _, name := range []string{"C4", "C5", "C6", "C7"} {
			out[name] = m.v[readCache] / 4
		}
		return out
	},
	"MemoryWrites": func(m *moment) map[string]float64 {
		out := map[string]float64{"B3": m.v[writeColour], "B5": m.v[writeHierarchy], "B6": m.v[writeStencil],
			"B7": m.v[writeDepth],
			"C0": m.writes(), "C3": (m.reads() + m.writes()) / 2}
		for _, name := range []string{"C4", "C5", "C6", "C7"} {
			out[name] = m.v[writeCache] / 4
		}
		return out
	},
	"ComputeExtended": func(m *moment) map[string]float64 {
		// One subslice is counted. Several messages of a thread can fall into one line.
		by := 1 / float64(m.d.subs)
		return map[string]float64{
			"B0": m.v[untypedReads] * by * m.merge, "B1": m.v[untypedWrites] * by * m.merge,
			"B2": m.v[typedReads] * by * m.merge,
			"B3": m.v[typedWrites] * by * m.merge, "B4": m.v[atomics] * by, "B6": 0, "B7": 0,
			"C0": m.v[typedWrites] * by, "C1": m.v[untypedWrites] * by, "C2": m.v[typedReads] * by,
			"C3": m.v[untypedReads] * by,
		}
	},
	"ComputeL3Cache": func(m *moment) map[string]float64 {
		bank := m.cacheAccesses() / 4 / 2
		fetch := min(m.v[instructions]/8, bank)
		return map[string]float64{"C0": bank, "C1": bank, "B2": bank, "B3": bank, "B0": 0.02 * fetch,
			"B1": 0.98 * fetch,
			"C4": m.v[cacheMisses] / 2, "C5": m.v[cacheMisses] / 2, "C6": m.reads(), "C7": m.writes()}
	},
	"HDCAndSF": func(m *moment) map[string]float64 {
		out := map[string]float64{"B0": min(m.clocks, m.v[stageWork+2]+m.wait(unitRaster)+m.held())}
		stall := min(m.wait(unitCache)+m.wait(unitDataPort), 0.9*m.clocks)
		for i, names := range [][2]string{{"C7", "C6"}, {"C5", "C4"}, {"C3", "C2"}} {
			taken := min(m.v[accesses]/float64(m.d.subs), m.clocks-stall)
			out[names[1]] = taken * (0.97 + 0.01*float64(i))
			out[names[0]] = out[names[1]] + stall
		}
		return out
	},
	"L3_1":                      func(m *moment) map[string]float64 { return m.banks("B0", "C6", "B4", "C7") },
	"L3_2":                      func(m *moment) map[string]float64 { return m.banks("B0", "C7") },
	"L3_3":                      func(m *moment) map[string]float64 { return m.banks("B0", "C7") },
	"RasterizerAndPixelBackend": pixelPipe,
	"Sampler": func(m *moment) map[string]float64 {
		out := map[string]float64{}
		for i, names := range [][2]string{{"B2", "C6"}, {"B0", "C5"}, {"B1", "C7"}} {
			busy := m.sampler(i)
			out[names[0]] = min(m.clocks, max(busy, m.samplerWait(i)+0.5*busy))
			out[names[1]] = busy * 0.85
		}
		return out
	},
	"TDL_1": func(m *moment) map[string]float64 {
		out := map[string]float64{}
		for i, names := range [][2]string{{"B2", "B1"}, {"B0", "B5"}, {"B4", "B3"}} {
			by := 0.96 + 0.02*float64(i)
			out[names[0]], out[names[1]] = m.streamWait(0)*by, m.streamWait(1)*by
		}
		return out
	},
	"TDL_2": func(m *moment) map[string]float64 {
		out := map[string]float64{}
		ready := min(m.clocks, 0.5*(m.streamWait(0)+m.streamWait(1)))
		for _, name := range []string{"C2", "C3", "C4", "C5", "C6", "C7"} {
			out[name] = 0.6 * ready
		}
		return out
	},
	"AsyncCompute": func(*moment) map[string]float64 { return nil },
	"VMEPipe":      func(*moment) map[string]float64 { return nil },
	"GpuBusyness": func(m *moment) map[string]float64 {
		return map[string]float64{"C7": m.busy, "B0": m.busy}
	},
	"TestOa": func(m *moment) map[string]float64 {
		// Fixed ratios to the clock, with which a reader proves itself.
		return map[string]float64{"B1": m.clocks, "B2": m.clocks, "B3": m.clocks / 2, "B4": m.clocks / 3,
			"B5": m.clocks / 3,
			"B6": m.clocks / 6, "B7": m.clocks * 2 / 3, "C7": m.clocks}
	},
	"PMA_Stall": func(m *moment) map[string]float64 {
		stall := 0.05 * m.wait(unitDepth)
		return map[string]float64{"B0": stall, "B1": stall}
	},
}

func pixelPipe(m *moment) map[string]float64 {
	each := func(x float64) float64 { return min(m.clocks, x) }
	return map[string]float64{
		"B1": each(m.v[stageWork+3] + m.wait(unitRaster)),
		"C5": each(0.5*m.v[stageWork+3] + m.wait(unitHierarchical)),
		"B0": each(0.4*m.v[stageWork+5] + m.streamWait(1)),
		"C7": each(m.backend() + m.wait(unitBackend)),
		"C6": each(0.6*m.backend() + 0.3*m.wait(simulate.UnitBandwidth)*m.pixelShare),
	}
}

// Sets are the metric sets that a recording can have.
func Sets() []string {
	return []string{"RenderBasic", "ComputeBasic", "RenderPipeProfile", "MemoryReads", "MemoryWrites",
		"ComputeExtended", "ComputeL3Cache", "HDCAndSF",
		"L3_1", "L3_2", "L3_3", "RasterizerAndPixelBackend", "Sampler", "TDL_1", "TDL_2", "AsyncCompute", "VMEPipe",
		"GpuBusyness", "TestOa", "PMA_Stall"}
}
