package amd

import "astrolabe/capture/simulate"

// sample is a dispatch in one pass, as counters see it: c are the counts of the whole GPU, times in ns.
type sample struct {
	m      *machine
	k      *kernel
	c      *tally
	took   float64 // of the dispatch
	worked float64 // of its waves
	wgps   float64
	waves  float64
	slip   float64 // how much more instructions the counters see than there are: a little
}

func (s *sample) clocks(ns float64) float64 { return ns * s.m.clock }

// gui is the clocks of the dispatch.
func (s *sample) gui() float64 { return s.clocks(s.took) }

// many is the time in which at least one of so many has a request, of whom each has one for a time.
func (s *sample) many(each float64, of float64) float64 {
	free := 1.0
	idle := 1 - min(1, each/s.worked)
	for range int(of) {
		free *= idle
	}
	return s.worked * (1 - free)
}

func (s *sample) full(lines, half float64) float64 { return max(0, lines-half) }

// gated is 0 where the counters' clock in L0 is off.
func (s *sample) gated(x float64) float64 {
	if s.m.gated {
		return 0
	}
	return x
}

func (s *sample) internal() float64 { return s.c[cInternal] + 0.3*s.c[cVector] + 2*s.c[cWaves] }

func (s *sample) memoryOps() float64 { return s.c[cLoads] + s.c[cStores] }

func (s *sample) all() float64 {
	return (s.c[cVector] + s.c[cScalar] + s.c[cSMEM] + s.c[cLDS] + s.memoryOps() + s.internal()) * s.slip
}

func (s *sample) waveCycles() float64 { return s.clocks(s.c[cWaveNs]) }

func (s *sample) fetchWait() float64 { return s.waveCycles() * (0.008 + 0.0002*float64(s.k.code)) }

func (s *sample) waitAny() float64 {
	return min(0.985*s.waveCycles(), s.clocks(s.c[cWaitCnt]+s.c[cWaitBarrier]+s.c[cWaitDep])+s.fetchWait())
}

// banks of the GL1 of an array.
const banks = 4

func (s *sample) gl1Cycles() float64 { return s.gui() * banks * float64(s.m.arrays) }

func (s *sample) gl1Reqs() float64 { return s.c[cGL1Read] + s.c[cGL1Write] }

func (s *sample) gl2Reads() float64 { return s.c[cGL1ReadMiss] }

// halves is the share of reads that fetch 64 bytes.
func (s *sample) halves() float64 { return s.c[cGL1Read64] / max(1, s.c[cGL1Read]) }

func (s *sample) arbiters() float64 { return s.took * s.m.fabric * float64(s.m.chans) }

func (s *sample) requests() float64 { return s.c[cGL2ReadMiss] + s.c[cGL2WriteMiss] }

func (s *sample) arbitersStall() float64 {
	return max(0, min(s.arbiters()-s.requests(), 0.55*s.c[cMemFull]/s.wgps*s.m.fabric*float64(s.m.chans)+0.1*s.requests()))
}

// gl2Misses counts a line's second write of 64 bytes as a hit.
func (s *sample) gl2Misses() float64 {
	return min(s.gl2Reads()+s.c[cGL1Write], s.c[cGL2ReadMiss]+s.c[cGL2WriteMiss]*0.5)
}

// counter is one that a recorder may measure.
type counter struct {
	name, unit string
	block      string // whose registers it needs
	of         []part // whose it is directly
	likely     float64
	timed      bool // grows with the time of the very pass
	get        func(*sample) float64
}

const (
	cycles = "cycles"
	insts  = "instructions"
	reqs   = "requests"
	waveCy = "wave cycles"
)

// counters are in the order in which people ask for them.
var counters = []counter{
	{"GRBM_GUI_ACTIVE", cycles, "GRBM", nil, 1, true, func(s *sample) float64 { return s.gui() }},
	{"GRBM_COUNT", cycles, "GRBM", nil, 0.7, true, func(s *sample) float64 { return s.gui() }},
	{"SQ_WAVES", "waves", "SQ", nil, 1, false, func(s *sample) float64 { return s.waves }},
	{"SQ_BUSY_CYCLES_sum", cycles, "SQ", nil, 1, true, func(s *sample) float64 { return s.clocks(s.worked) * s.wgps * 0.985 }},
	{"SQ_BUSY_CYCLES_avr", cycles, "SQ", nil, 0.8, true, func(s *sample) float64 { return s.clocks(s.worked) * 0.985 }},
	{"SQ_WAVE_CYCLES_sum", waveCy, "SQ", nil, 0.9, true, func(s *sample) float64 { return s.waveCycles() }},
	{"SQ_INSTS_VALU_sum", insts, "SQ", []part{arithmetic}, 1, false, func(s *sample) float64 { return s.c[cVector] * s.slip }},
	{"SQ_INSTS_ALL_sum", insts, "SQ", []part{arithmetic}, 0.8, false, func(s *sample) float64 { return s.all() }},
	{"SQ_INSTS_INTERNAL_sum", insts, "SQ", nil, 0.7, false, func(s *sample) float64 { return s.internal() * s.slip }},
	{"SQ_WAIT_INST_ANY", waveCy, "SQ", nil, 0.9, true, func(s *sample) float64 { return min(s.waveCycles(), s.clocks(s.c[cWaitInst])) }},
	{"SPI_BUSY", cycles, "SPI", []part{waveLaunch}, 0.8, true, func(s *sample) float64 { return s.clocks(s.worked) * float64(s.m.engines) * 0.97 }},
	{"CPC_STAT_BUSY", cycles, "CPC", []part{overhead}, 0.6, true, func(s *sample) float64 { return s.gui() }},
	{"CPC_ALWAYS_COUNT", cycles, "CPC", []part{overhead}, 0.5, true, func(s *sample) float64 { return s.gui() }},
	{"TCP_REQ_sum", reqs, "TCP", []part{loadStore}, 0.9, false, func(s *sample) float64 { return s.gated(s.c[cL0Read] + s.c[cL0Write]) }},
	{"TCP_REQ_MISS_sum", reqs, "TCP", []part{loadStore}, 0.85, false, func(s *sample) float64 { return s.gated(s.c[cL0Miss]) }},
	{"TCP_GL1_REQ_READ_sum", reqs, "TCP", nil, 0.8, false, func(s *sample) float64 { return s.c[cL0Miss] }},
	{"TCP_GL1_REQ_WRITE_sum", reqs, "TCP", nil, 0.6, false, func(s *sample) float64 { return s.gated(s.c[cL0Write]) }},
	{"GL1C_REQ_sum", reqs, "GL1C", []part{cache}, 0.85, false, func(s *sample) float64 { return s.gl1Reqs() }},
	{"GL1C_REQ_MISS_sum", reqs, "GL1C", []part{cache}, 0.85, false, func(s *sample) float64 { return s.c[cGL1ReadMiss] + s.c[cGL1Write] }},
	{"GL1C_BUSY_sum", cycles, "GL1C", []part{cache}, 0.7, true, func(s *sample) float64 {
		return s.clocks(s.many(s.c[cGL1Open]/s.wgps, s.wgps/float64(s.m.arrays))) * banks * float64(s.m.arrays)
	}},
	{"GL1C_CYCLE_sum", cycles, "GL1C", []part{cache}, 0.7, true, func(s *sample) float64 { return s.gl1Cycles() }},
	{"GL2C_REQ_sum", reqs, "GL2C", []part{cache}, 0.85, false, func(s *sample) float64 { return s.gl2Reads() + s.c[cGL1Write] }},
	{"GL2C_HIT_sum", reqs, "GL2C", []part{cache}, 0.9, false, func(s *sample) float64 { return s.gl2Reads() + s.c[cGL1Write] - s.gl2Misses() }},
	{"GL2C_MISS_sum", reqs, "GL2C", []part{cache}, 0.9, false, func(s *sample) float64 { return s.gl2Misses() }},
	{"GL2C_READ_sum", reqs, "GL2C", []part{cache}, 0.7, false, func(s *sample) float64 { return s.gl2Reads() }},
	{"GL2C_EA_RDREQ_128B_sum", reqs, "GL2C", []part{bandwidth}, 0.9, false, func(s *sample) float64 { return s.full(s.c[cGL2ReadMiss], s.c[cGL2ReadMiss64]) }},
	{"GL2C_EA_RDREQ_64B_sum", reqs, "GL2C", []part{bandwidth}, 0.9, false, func(s *sample) float64 { return s.c[cGL2ReadMiss64] }},
	{"GL2C_EA_RDREQ_32B_sum", reqs, "GL2C", []part{bandwidth}, 0.9, false, func(s *sample) float64 { return 0 }},
	{"GL2C_EA_RDREQ_96B_sum", reqs, "GL2C", []part{bandwidth}, 0.9, false, func(s *sample) float64 { return 0 }},
	{"GL2C_MC_WRREQ_sum", reqs, "GL2C", []part{bandwidth}, 0.9, false, func(s *sample) float64 { return s.c[cGL2WriteMiss] }},
	{"GL2C_EA_WRREQ_64B_sum", reqs, "GL2C", []part{bandwidth}, 0.9, false, func(s *sample) float64 { return s.c[cGL2WriteMiss] }},
	{"SQ_WAVE_CYCLES", waveCy, "SQ", nil, 0.9, true, func(s *sample) float64 { return s.waveCycles() }},
	{"SQ_WAIT_ANY", waveCy, "SQ", nil, 0.9, true, func(s *sample) float64 { return s.waitAny() }},
	{"SQ_WAIT_CNT_ANY", waveCy, "SQ", []part{latency}, 0.8, true, func(s *sample) float64 { return min(s.clocks(s.c[cWaitCnt]), s.waitAny()) }},
	{"SQ_WAIT_BARRIER", waveCy, "SQ", nil, 0.7, true, func(s *sample) float64 { return min(s.clocks(s.c[cWaitBarrier]), s.waitAny()) }},
	{"SQ_WAIT_IFETCH", waveCy, "SQ", nil, 0.5, true, func(s *sample) float64 { return s.fetchWait() }},
	{"SQ_INSTS_LDS_sum", insts, "SQ", []part{localMemory}, 0.9, false, func(s *sample) float64 { return s.c[cLDS] * s.slip }},
	{"SQ_INST_CYCLES_LDS_sum", cycles, "SQ", []part{localMemory}, 0.8, false, func(s *sample) float64 { return s.c[cLDSCycles] }},
	{"SQ_WAIT_INST_LDS_sum", waveCy, "SQ", []part{localMemory}, 0.8, true, func(s *sample) float64 { return s.clocks(s.c[cWaitLDS]) }},
	{"SQC_LDS_BANK_CONFLICT_sum", cycles, "SQ", []part{localMemory}, 0.85, false, func(s *sample) float64 { return s.c[cConflict] }},
	{"SQC_LDS_IDX_ACTIVE_sum", cycles, "SQ", []part{localMemory}, 0.85, false, func(s *sample) float64 { return s.c[cLDSCycles] }},
	{"SQ_INSTS_FLAT_sum", insts, "SQ", []part{loadStore}, 0.8, false, func(s *sample) float64 { return s.memoryOps() * s.slip }},
	{"SQ_INSTS_VALU_TRANS_sum", insts, "SQ", []part{arithmetic}, 0.7, false, func(s *sample) float64 { return s.c[cTrans] * s.slip }},
	{"SQ_INSTS_VALU_DP_sum", insts, "SQ", []part{arithmetic}, 0.7, false, func(s *sample) float64 { return s.c[cDouble] * s.slip }},
	{"SQ_INSTS_SALU_sum", insts, "SQ", nil, 0.6, false, func(s *sample) float64 { return s.c[cScalar] * s.slip }},
	{"SQ_INSTS_SMEM_sum", insts, "SQ", nil, 0.6, false, func(s *sample) float64 { return s.c[cSMEM] * s.slip }},
	{"SQ_ITEMS_sum", "work-items", "SQ", nil, 0.5, false, func(s *sample) float64 { return s.waves * lanes }},
	{"GRBM_TA_BUSY", cycles, "GRBM", []part{loadStore}, 0.7, true, func(s *sample) float64 { return s.clocks(s.many(s.c[cL0Open]/s.wgps, s.wgps)) }},
	{"GRBM_GL2C_BUSY", cycles, "GRBM", []part{cache}, 0.6, true, func(s *sample) float64 { return s.clocks(s.many(s.c[cGL2Open]/s.wgps, s.wgps)) }},
	{"TCP_GATE_EN2_sum", cycles, "TCP", []part{loadStore}, 0.6, true, func(s *sample) float64 { return s.clocks(min(s.worked*s.wgps, s.c[cL0Open])) }},
	{"TCP_TCP_TA_REQ_STALL_sum", cycles, "TCP", []part{loadStore}, 0.7, true, func(s *sample) float64 { return s.clocks(min(s.worked*s.wgps, s.c[cAddrStall]) * s.m.held) }},
	{"TCP_GL1_TCP_BACK_PRESSURE_sum", cycles, "TCP", []part{cache}, 0.6, true, func(s *sample) float64 { return s.clocks(min(s.worked*s.wgps, s.c[cL0Back])) }},
	{"GL1C_GL2_REQ_READ_sum", reqs, "GL1C", []part{cache, latency}, 0.8, false, func(s *sample) float64 { return s.gl2Reads() }},
	{"GL1C_GL2_REQ_READ_LATENCY_sum", cycles, "GL1C", []part{latency}, 0.8, true, func(s *sample) float64 { return s.clocks(s.c[cReadLatency]) }},
	{"GL1C_GL2_REQ_WRITE_sum", reqs, "GL1C", []part{cache, latency}, 0.6, false, func(s *sample) float64 { return s.c[cGL1Write] }},
	{"GL1C_GL2_REQ_WRITE_LATENCY_sum", cycles, "GL1C", []part{latency}, 0.6, true, func(s *sample) float64 { return s.clocks(s.c[cWriteLatency]) }},
	{"GL1C_STALL_GL2_GL1_sum", cycles, "GL1C", []part{cache}, 0.6, true, func(s *sample) float64 {
		return min(s.gl1Cycles()-s.gl1Reqs(), s.clocks(s.c[cGL1Stall]))
	}},
	{"GL2C_BUSY_sum", cycles, "GL2C", []part{cache}, 0.7, true, func(s *sample) float64 {
		return s.clocks(s.many(s.c[cGL2Open]/s.wgps, s.wgps)) * float64(s.m.chans)
	}},
	{"GL2C_CYCLE_sum", cycles, "GL2C", []part{cache}, 0.7, true, func(s *sample) float64 { return s.gui() * float64(s.m.chans) }},
	{"GL2C_READ_128_REQ_sum", reqs, "GL2C", []part{cache}, 0.6, false, func(s *sample) float64 { return s.gl2Reads() * (1 - s.halves()) }},
	{"GL2C_READ_64_REQ_sum", reqs, "GL2C", []part{cache}, 0.6, false, func(s *sample) float64 { return s.gl2Reads() * s.halves() }},
	{"GL2C_WRITE_sum", reqs, "GL2C", []part{cache}, 0.6, false, func(s *sample) float64 { return s.c[cGL1Write] }},
	{"GCEA_ALWAYS_COUNT_sum", cycles, "GCEA", []part{bandwidth}, 0.7, true, func(s *sample) float64 { return s.arbiters() }},
	{"GCEA_SARB_BUSY_sum", cycles, "GCEA", []part{bandwidth}, 0.7, false, func(s *sample) float64 { return min(s.arbiters(), s.requests()) }},
	{"GCEA_SARB_STALLED_sum", cycles, "GCEA", []part{bandwidth}, 0.6, true, func(s *sample) float64 { return s.arbitersStall() }},
	{"GCEA_RDRAM_SIZE_REQ_sum", "units of 32 bytes", "GCEA", []part{bandwidth}, 0.7, false, func(s *sample) float64 {
		return 4*s.full(s.c[cGL2ReadMiss], s.c[cGL2ReadMiss64]) + 2*s.c[cGL2ReadMiss64]
	}},
	{"GCEA_WDRAM_SIZE_REQ_sum", "units of 32 bytes", "GCEA", []part{bandwidth}, 0.7, false, func(s *sample) float64 { return 2 * s.c[cGL2WriteMiss] }},
}

// Registers that a block has for counters in one pass.
var registers = map[string]int{"SQ": 8, "TCP": 4, "GL1C": 4, "GL2C": 4, "GRBM": 2, "CPC": 2, "GCEA": 2, "SPI": 6}

// groups of counters that recorders leave out together.
var groupsOfRecorders = []string{"GCEA_", "GL1C_", "TCP_", "CPC_", "SPI_", "GL2C_READ_", "SQC_LDS"}

// direct reports whether a counter tells of one of the candidates directly.
func (c *counter) direct(of []simulate.Candidate) bool {
	for _, p := range c.of {
		for _, w := range of {
			if candidates[p] == w {
				return true
			}
		}
	}
	return false
}
