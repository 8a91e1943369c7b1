package rdna

import (
	"math"
	"strings"
)

// counter is one column of the capture: in which run of the program it is measured, and what it counts.
type counter struct {
	run  int
	name string
	of   func(d *reading) float64
}

const runs = 10

func zero(*reading) float64 { return 0 } // what no compute kernel of this GPU counts

// cycles of fixed length, such as those of the command processor.
func fixed(x, spread float64) func(*reading) float64 {
	return func(d *reading) float64 { return math.Abs(d.near(x, spread)) }
}

// counters are in the order of the real captures' runs, which decide what shares its time.
var counters = []counter{
	{0, "GCEA_PRB_REQ_sum", zero},
	{0, "GCEA_SARB_DRAM_REQ_PER_VC_sum", func(d *reading) float64 { return d.near(8.96*d.requests(), 0.002) }},

	{1, "CPC_ME1_STALL_WAIT_ON_MEM_READ", zero},
	{1, "CPC_ME1_STALL_WAIT_ON_MEM_WRITE", zero},
	{1, "GCEA_RRET_VLD_sum", func(d *reading) float64 { return d.near(d.memReads()+d.o.gl2ReadMissesWide, 0.0003) }},
	{1, "GCEA_WDRAM_SIZE_REQ_sum", func(d *reading) float64 { return d.near(2*d.o.memWrites-d.o.memPartial, 0.001) }},
	{1, "GL1C_STALL_LFIFO_FULL_sum", func(d *reading) float64 { return d.full() }},
	{1, "GL2C_EA_RDREQ_96B", zero},
	{1, "SQ_INSTS_FLAT_LOAD_sum", func(d *reading) float64 { return d.perWave(d.n.loads) }},
	{1, "SQ_INSTS_FLAT_STORE_sum", func(d *reading) float64 { return d.perWave(d.n.stores) }},
	{1, "SQ_INSTS_LDS_DIRECT_LOAD_sum", zero},
	{1, "SQ_INSTS_LDS_PARAM_LOAD_sum", zero},
	{1, "SQ_INSTS_TEX_LOAD_sum", zero},
	{1, "SQ_INSTS_TEX_STORE_sum", zero},
	{1, "SQ_INSTS_VALU", func(d *reading) float64 { return d.perWave(d.n.valu) }},
	{1, "SQ_INSTS_WAVE32_LDS_PARAM_LOAD_sum", zero},

	{2, "CPC_ME1_STALL_ON_DATA_FROM_ROQ", fixed(770, 0.05)},
	{2, "CPC_TCIU_READ_REQUEST_SENT_sum", fixed(3, 0)},
	{2, "GCEA_RDRAM_CHAINED_REQ_PER_CLIGRP_sum", func(d *reading) float64 {
		return d.near(5*(d.o.gl2ReadMissesWide+0.4*(d.memReads()-d.o.gl2ReadMissesWide)), 0.0003)
	}},
	{2, "GCEA_WRET_VLD_sum", func(d *reading) float64 { return d.near(d.o.memWrites, 0.002) }},

	{3, "CPC_ALWAYS_COUNT", func(d *reading) float64 { return d.gui }},
	{3, "CPC_STAT_BUSY", func(d *reading) float64 { return d.gui }},
	{3, "GCEA_ALWAYS_COUNT_sum", func(d *reading) float64 { return d.near(d.arbiterCycles(), 0.01) }},
	{3, "GCEA_SARB_BUSY_sum", arbiterBusy},
	{3, "GL1C_BUSY_sum", gl1Busy},
	{3, "GL1C_CYCLE_sum", func(d *reading) float64 { return d.gl1Cycles() }},
	{3, "GL1C_REQ_MISS_sum", func(d *reading) float64 { return d.gl2Reads() + d.gl1Writes() }},
	{3, "GL1C_REQ_sum", func(d *reading) float64 { return d.gl1Reads() + d.gl1Writes() }},
	{3, "GL2C_EA_RDREQ_128B_sum", func(d *reading) float64 { return d.o.gl2ReadMissesWide }},
	{3, "GL2C_EA_RDREQ_32B_sum", zero},
	{3, "GL2C_EA_RDREQ_64B_sum", func(d *reading) float64 { return d.memReads() - d.o.gl2ReadMissesWide }},
	{3, "GL2C_EA_RDREQ_96B_sum", zero},
	{3, "GRBM_COUNT", func(d *reading) float64 { return d.gui }},
	{3, "GRBM_GUI_ACTIVE", func(d *reading) float64 { return d.gui }},
	{3, "SPI_BUSY", func(d *reading) float64 { return 2 * d.near(d.busy+900, 0.005) }},
	{3, "SPI_CSN_WAVE", zero},
	{3, "SQ_BUSY_CYCLES_avr", sequencers},
	{3, "SQ_BUSY_CYCLES_sum", func(d *reading) float64 { return sequencers(d) * float64(d.m.wgps()) }},
	{3, "SQ_INSTS_ALL_sum", func(d *reading) float64 { return d.perWave(d.n.all()) }},
	{3, "SQ_INSTS_INTERNAL_sum", func(d *reading) float64 { return d.perWave(d.n.internal) }},
	{3, "SQ_INSTS_VALU_sum", func(d *reading) float64 { return d.perWave(d.n.valu) }},
	{3, "SQ_WAIT_INST_ANY", func(d *reading) float64 { return d.waveCycles(d.o.waitIssue + 0.004*d.o.waveCycles) }},
	{3, "SQ_WAVES", func(d *reading) float64 { return d.waves }},
	{3, "SQ_WAVE_CYCLES_sum", waveCycles},
	{3, "TCP_GL1_REQ_READ_sum", func(d *reading) float64 {
		if d.setup.gated {
			return d.near(0.9*d.o.gl0ReadMisses, 0.004)
		}
		return d.o.gl0ReadMisses
	}},
	{3, "TCP_GL1_REQ_WRITE_sum", func(d *reading) float64 { return d.gl0(d.gl1Writes()) }},
	{3, "TCP_REQ_MISS_sum", func(d *reading) float64 { return d.gl0(d.o.gl0Misses) }},
	{3, "TCP_REQ_sum", func(d *reading) float64 { return d.gl0(d.o.gl0) }},

	{4, "CPC_TCIU_BUSY", fixed(3310, 0.01)},
	{4, "CPC_UTCL2IU_BUSY", fixed(2500, 0.5)},
	{4, "GCEA_ALWAYS_COUNT", func(d *reading) float64 { return d.near(d.arbiterCycles(), 0.01) }},
	{4, "GCEA_SARB_BUSY", arbiterBusy},
	{4, "GL1C_GL2_REQ_WRITE_32B_sum", func(d *reading) float64 { return d.o.gl2Partial + d.o.gl2Atomics }},
	{4, "GL1C_GL2_REQ_WRITE_64B_sum", func(d *reading) float64 { return d.o.gl2Writes - d.o.gl2Partial }},
	{4, "GL1C_STALL_GL2_GL1_sum", func(d *reading) float64 { return d.gl1Stalls() }},
	{4, "GL1C_STARVE", func(d *reading) float64 { return d.gl1Starve() }},
	{4, "GL2C_EA_WRREQ_64B_sum", func(d *reading) float64 { return d.o.memWrites - d.o.memPartial }},
	{4, "GL2C_HIT_sum", func(d *reading) float64 { return gl2Requests(d) - gl2Misses(d) }},
	{4, "GL2C_MC_WRREQ_sum", func(d *reading) float64 { return d.o.memWrites }},
	{4, "GL2C_MISS_sum", gl2Misses},
	{4, "GRBM_GL2C_BUSY", func(d *reading) float64 { return math.Min(d.gui, d.busy*occupied(d.underway(), 0.5)+600) }},
	{4, "GRBM_TA_BUSY", func(d *reading) float64 { return d.busy * occupied(d.gl0Busy()*float64(d.m.cus), 1) }},
	{4, "SQC_DCACHE_BUSY_CYCLES_sum", func(d *reading) float64 { return d.near(1.85*d.perWave(d.n.smem), 0.02) }},
	{4, "SQC_DCACHE_INPUT_VALID_READYB_sum", scalarStalls},
	{4, "SQC_LDS_BANK_CONFLICT_sum", func(d *reading) float64 { return d.perWave(d.n.ldsConflicts) }},
	{4, "SQC_LDS_IDX_ACTIVE_sum", func(d *reading) float64 { return d.perWave(d.n.ldsCycles) }},
	{4, "SQ_WAIT_BARRIER", func(d *reading) float64 { return d.waveCycles(d.o.waitBarrier) }},
	{4, "SQ_WAIT_CNT_ANY", func(d *reading) float64 { return d.waveCycles(d.o.waitCount) }},
	{4, "SQ_WAIT_IFETCH", func(d *reading) float64 { return d.waveCycles(d.waitFetch()) }},
	{4, "SQ_WAVES_sum", func(d *reading) float64 { return d.waves }},
	{4, "TCP_DATA_FIFO_STALL_sum", func(d *reading) float64 {
		return d.stalled(0.15 * d.o.taBusy * math.Pow(taLoad(d), 8))
	}},
	{4, "TCP_GATE_EN2_sum", gates},
	{4, "TCP_GL1_TCP_BACK_PRESSURE_sum", func(d *reading) float64 {
		return d.stalled(d.o.taStalled*d.slow + 2*d.o.active*d.busy*0.8*(1-d.below()) + 0.02*d.gl1Stalls())
	}},
	{4, "TCP_TCP_TA_REQ_STALL_sum", func(d *reading) float64 {
		return d.stalled(d.o.taStalled*d.slow + math.Max(0, d.o.taBusy-d.perWave(d.n.flat()))*taLoad(d))
	}},

	{5, "CPC_GUS_READ_REQUEST_SENT_sum", zero},
	{5, "CPC_TCIU_WRITE_REQUEST_SENT_sum", fixed(11, 0)},
	{5, "GCEA_RDRAM_NUM_BANKS_VLD_sum", func(d *reading) float64 { return d.near(14*d.busy*d.readPart(), 0.05) }},
	{5, "GCEA_WDRAM_CHAINED_REQ_PER_CLIGRP_sum", func(d *reading) float64 {
		return d.near(0.32*(d.o.memWrites-d.o.memPartial)+0.05*d.o.memPartial, 0.02)
	}},

	{6, "CPC_GUS_WRITE_REQUEST_SENT_sum", zero},
	{6, "GCEA_SARB_REQ_PER_VC_sum", func(d *reading) float64 { return d.near(8.96*d.requests(), 0.002) }},
	{6, "GCEA_WDRAM_NUM_BANKS_VLD_sum", func(d *reading) float64 { return d.near(17*d.busy*d.writePart(), 0.05) }},

	{7, "CPC_MEC_INSTR_CACHE_HIT_sum", fixed(612, 0)},
	{7, "CPC_MEC_INSTR_CACHE_MISS_sum", zero},
	{7, "GCEA_RDRAM_SIZE_REQ_sum", func(d *reading) float64 { return 2*d.memReads() + 2*d.o.gl2ReadMissesWide }},
	{7, "GCEA_WDRAM_REQ_PER_CLIGRP_sum", func(d *reading) float64 { return d.near(5*d.o.memWrites, 0.0005) }},
	{7, "GL1C_BUSY", gl1Busy},
	{7, "GL1C_CYCLE", func(d *reading) float64 { return d.gl1Cycles() }},
	{7, "GL1C_REQ_READ_sum", func(d *reading) float64 { return d.gl1Reads() }},
	{7, "GL1C_REQ_WRITE_sum", func(d *reading) float64 { return d.gl1Writes() }},
	{7, "GL2C_ATOMIC_sum", func(d *reading) float64 { return d.o.gl2Atomics }},
	{7, "GL2C_EA_RDREQ_DRAM_sum", func(d *reading) float64 { return d.memReads() }},
	{7, "GL2C_EA_WRREQ_DRAM_sum", func(d *reading) float64 { return d.o.memWrites }},
	{7, "GL2C_WRITE_sum", func(d *reading) float64 { return d.o.gl2Writes }},
	{7, "SQ_INSTS_FLAT_sum", func(d *reading) float64 { return d.perWave(d.n.flat()) }},
	{7, "SQ_INSTS_SALU_sum", func(d *reading) float64 { return d.perWave(d.n.salu) }},
	{7, "SQ_INSTS_SMEM_sum", func(d *reading) float64 { return d.perWave(d.n.smem) }},
	{7, "SQ_INSTS_TEX_sum", zero},
	{7, "SQ_INSTS_VALU_TRANS_sum", func(d *reading) float64 { return d.perWave(d.n.trans) }},
	{7, "SQ_INST_CYCLES_LDS_sum", func(d *reading) float64 { return d.near(d.perWave(d.n.ldsCycles), 0.003) }},
	{7, "SQ_ITEMS_sum", func(d *reading) float64 { return d.perWave(32) }},
	{7, "SQ_WAIT_INST_LDS_sum", func(d *reading) float64 { return d.waveCycles(d.o.waitLDS) }},

	{8, "CPC_GCRIU_BUSY", fixed(197, 0)},
	{8, "CPC_ME1_STALL_WAIT_ON_RCIU_READY", zero},
	{8, "GCEA_RDRAM_REQ_PER_CLIGRP_sum", func(d *reading) float64 { return d.near(5*d.memReads(), 0.0003) }},
	{8, "GCEA_SARB_STARVING", func(d *reading) float64 {
		return d.near(0.97*math.Max(0, d.arbiterCycles()-d.requests()-d.arbiterStalls()), 0.01)
	}},
	{8, "GL1C_GL2_REQ_READ_LATENCY_sum", func(d *reading) float64 {
		return d.near(d.o.readLatency*d.below()*d.slow,
			0.01)
	}},
	{8, "GL1C_GL2_REQ_READ_sum", func(d *reading) float64 { return d.gl2Reads() }},
	{8, "GL1C_GL2_REQ_WRITE_LATENCY_sum",
		func(d *reading) float64 { return d.near(d.o.writeLatency*d.below()*d.slow, 0.01) }},
	{8, "GL1C_GL2_REQ_WRITE_sum", func(d *reading) float64 { return d.gl1Writes() }},
	{8, "GL2C_BUSY_sum", func(d *reading) float64 {
		return gl2Channels * d.busy * occupied(d.underway(),
			gl2Channels)
	}},
	{8, "GL2C_CYCLE_sum", func(d *reading) float64 { return gl2Channels * d.gui }},
	{8, "GL2C_READ_sum", func(d *reading) float64 { return d.gl2Reads() }},
	{8, "GL2C_REQ_sum", gl2Requests},
	{8, "SQC_DCACHE_REQ_sum", func(d *reading) float64 { return d.perWave(d.n.smem) }},
	{8, "SQC_ICACHE_REQ_sum", func(d *reading) float64 { return 24 * fetched(d) }},
	{8, "SQC_LDS_BANK_CONFLICT", func(d *reading) float64 { return d.perWave(d.n.ldsConflicts) }},
	{8, "SQC_TC_DATA_READ_REQ_sum", func(d *reading) float64 { return d.scalars() }},
	{8, "SQC_TC_INST_REQ_sum", fetched},
	{8, "SQ_INSTS_LDS_sum", func(d *reading) float64 { return d.perWave(d.n.lds) }},
	{8, "SQ_INSTS_VALU_DP_sum", func(d *reading) float64 { return d.perWave(d.n.double) }},
	{8, "SQ_LDS_ATOMIC_RETURN_sum", func(d *reading) float64 { return d.perWave(d.n.ldsAtomics) }},

	{9, "CPC_STAT_IDLE", zero},
	{9, "CPC_STAT_STALL", fixed(4200, 0.08)},
	{9, "GCEA_SARB_STALLED", arbiterStalled},
	{9, "GCEA_SARB_STALLED_sum", arbiterStalled},
	{9, "GL1C_GL2_REQ_READ_128B_sum", func(d *reading) float64 { return d.o.gl2ReadsWide + 4 }},
	{9, "GL1C_GL2_REQ_READ_32B_sum", zero},
	{9, "GL1C_GL2_REQ_READ_64B_sum", func(d *reading) float64 { return d.o.gl2Reads - d.o.gl2ReadsWide }},
	{9, "GL1C_STARVE_sum", func(d *reading) float64 { return d.gl1Starve() }},
	{9, "GL2C_COMPRESSED_READ_96_REQ_sum", zero},
	{9, "GL2C_READ_128_REQ_sum", func(d *reading) float64 { return d.o.gl2ReadsWide + 4 }},
	{9, "GL2C_READ_32_REQ_sum", zero},
	{9, "GL2C_READ_64_REQ_sum", func(d *reading) float64 { return d.o.gl2Reads - d.o.gl2ReadsWide }},
	{9, "GRBM_CP_BUSY", func(d *reading) float64 {
		if d.setup.stale {
			return d.setup.cpBusy
		}
		return d.gui
	}},
	{9, "GRBM_SPI_BUSY", func(d *reading) float64 {
		if d.setup.stale {
			return d.setup.spiBusy
		}
		return math.Min(d.gui, d.busy+900)
	}},
	{9, "SQC_DCACHE_HITS_sum", func(d *reading) float64 { return math.Max(0, d.perWave(d.n.smem)-d.scalars()) }},
	{9, "SQC_DCACHE_MISSES_sum", func(d *reading) float64 { return d.scalars() }},
	{9, "SQC_ICACHE_BUSY_CYCLES_sum", fetching},
	{9, "SQC_ICACHE_HITS_sum", zero},
	{9, "SQC_ICACHE_INPUT_VALID_READYB_sum", func(d *reading) float64 { return 13 * fetched(d) }},
	{9, "SQC_ICACHE_MISSES_sum", fetched},
	{9, "SQ_WAIT_ANY", func(d *reading) float64 {
		return math.Min(0.998*d.o.waveCycles*d.slow, d.waveCycles(d.o.waitAny+d.waitFetch()))
	}},
	{9, "SQ_WAVE_CYCLES", func(d *reading) float64 { return d.o.waveCycles * d.slow }},
	{9, "TCP_GATE_EN2", gates},
	{9, "TCP_GL1_REQ_READ_128B_sum", zero},
	{9, "TCP_REQ_READ_sum", func(d *reading) float64 { return d.gl0(d.o.gl0Reads) }},
	{9, "TCP_REQ_WRITE_sum", func(d *reading) float64 { return d.gl0(d.o.gl0 - d.o.gl0Reads) }},
}

// printed is a value as the profiler writes it: sums over instances have six digits.
func printed(name string, x float64) float64 {
	if !strings.HasSuffix(name, "_avr") {
		x = math.Round(x)
	}
	if strings.HasSuffix(name, "_sum") || strings.HasSuffix(name, "_avr") {
		if x > 0 {
			unit := math.Pow(10, math.Floor(math.Log10(x))-5)
			if unit > 1 || strings.HasSuffix(name, "_avr") {
				x = math.Round(x/unit) * unit
			}
		}
	}
	return x
}

func arbiterBusy(d *reading) float64 { return d.near(d.requests(), 0.003) }

func arbiterStalled(d *reading) float64 { return d.near(d.arbiterStalls(), 0.01) }

func gl1Busy(d *reading) float64 { return 16 * d.busy * occupied(d.underway()+1, 16) }

func sequencers(d *reading) float64 { return d.busy * d.o.active / float64(d.m.wgps()) }

func waveCycles(d *reading) float64 { return d.o.waveCycles * d.slow }

func gl2Requests(d *reading) float64 { return d.gl2Reads() + d.o.gl2Writes + d.o.gl2Atomics }

func gl2Misses(d *reading) float64 { return d.o.gl2ReadMisses + d.o.gl2WriteMisses + d.o.atomicMisses }

func gates(d *reading) float64 { return d.near(d.gl0Clocked(), 0.02) }

// taLoad is how busy the texture addressers are.
func taLoad(d *reading) float64 {
	if d.o.shader == 0 {
		return 0
	}
	return math.Min(1, d.o.taBusy/(2*d.o.active*d.o.shader))
}

// scalarStalls happen where many waves start at once.
func scalarStalls(d *reading) float64 {
	if d.busy == 0 {
		return 0
	}
	n := d.perWave(d.n.smem)
	return d.near(n*math.Min(4, 8*n/(float64(d.m.wgps())*d.busy)), 0.1)
}

// fetched are lines of instructions that come from GL1, which only a kernel's first dispatch needs.
func fetched(d *reading) float64 {
	if !d.first {
		return 0
	}
	return float64(d.m.wgps() * d.k.code)
}

// fetching are cycles in which instruction caches wait for lines. The first line of a kernel needs its page's address as
// well; others are asked for ahead. A cache cannot be busy for longer than its sequencer.
func fetching(d *reading) float64 {
	if !d.first {
		return 28
	}
	each := math.Min(2700+260*float64(d.k.code-1), 0.97*sequencers(d))
	return d.near(float64(d.m.wgps())*each, 0.02) + 28
}

// readPart and writePart are the load of the way to memory in each direction.
func (d *reading) readPart() float64  { return math.Min(1, d.o.readLoad) }
func (d *reading) writePart() float64 { return math.Min(1, d.o.writeLoad) }
