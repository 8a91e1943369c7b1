package cdna

import (
	"fmt"
	"math"
)

// count writes what the counters of a real profile read for a dispatch, as AMD defines them. Those of the sequencer
// that tell of waves are in quad-cycles; those with _sum are summed over all instances.
func (r *run) count(c *counting) {
	r.countTime(c)
	r.countWaves(c)
	r.countLaunch(c)
	r.countVector(c)
	r.countLevel2(c)
	r.countFront(c)
}

// units is how many cycles all instances of something that each compute unit has work, of those in which the shaders
// have waves.
func (r *run) units(share float64) float64 { return r.m.cus * r.busy * min(1, share) }

func (r *run) countTime(c *counting) {
	m := r.m
	whole := r.total + m.overhead
	for _, n := range []string{"GRBM_GUI_ACTIVE", "GRBM_COUNT"} {
		c.cycles(n, m.dies*whole)
	}
	c.cycles("GRBM_SPI_BUSY", m.dies*min(r.busy, r.waves/m.engines+0.6*r.busy))
	c.cycles("SQ_CYCLES", m.engines*whole)
	c.cycles("SQ_BUSY_CYCLES", m.engines*r.busy*(1-r.idle))
	c.cycles("SQ_BUSY_CU_CYCLES", m.cus*r.busy*(1-r.idle)*min(1, r.simds/m.cus)*min(1, 0.02+r.filled()))
	for _, n := range []string{"CPC_CPC_STAT_BUSY", "CPF_CPF_STAT_BUSY"} {
		c.cycles(n, m.dies*r.total)
	}
}

// filled is the share of busy cycles in which a compute unit that gets waves has some: all but the beginning and the
// end.
func (r *run) filled() float64 { return max(0.5, 1-0.1*r.stay/r.busy) }

func (r *run) countWaves(c *counting) {
	n := r.waves
	for _, name := range []string{"SQ_WAVES", "SPI_CSN_WAVE"} {
		c.events(name, n)
	}
	c.events("SQ_ITEMS", 64*n)
	vmem := r.vmem()
	vector1 := r.valu + r.trans + r.mfma
	for _, one := range []struct {
		name string
		per  float64
	}{
		{"SQ_INSTS", r.insts()}, {"SQ_INSTS_VALU", vector1}, {"SQ_INSTS_MFMA", r.mfma}, {"SQ_INSTS_SALU", r.salu},
		{"SQ_INSTS_SMEM", r.smem},
		{"SQ_INSTS_BRANCH", r.branch}, {"SQ_INSTS_LDS", r.lds}, {"SQ_INSTS_VMEM", vmem}, {"SQ_INSTS_FLAT", vmem},
		{"SQ_INSTS_SENDMSG", 1},
		{"SQ_INSTS_VALU_FMA_F32", 0.6 * r.valu}, {"SQ_INSTS_VALU_INT32", 0.3 * r.valu},
		{"SQ_INSTS_VALU_TRANS_F32", r.trans},
		{"SQ_INSTS_VALU_MFMA_F16", r.mfma}, {"SQ_INSTS_VALU_MFMA_MOPS_F16", r.mfma * 32},
		{"SQ_IFETCH", r.fetches()},
	} {
		c.events(one.name, n*one.per)
	}
	for _, zero := range []string{"SQ_INSTS_VALU_ADD_F32", "SQ_INSTS_VALU_MUL_F32", "SQ_INSTS_VALU_ADD_F64",
		"SQ_INSTS_VALU_MUL_F64", "SQ_INSTS_VALU_FMA_F64", "SQ_INSTS_VALU_TRANS_F64",
		"SQ_INSTS_VALU_ADD_F16", "SQ_INSTS_VALU_MUL_F16", "SQ_INSTS_VALU_FMA_F16", "SQ_INSTS_VALU_TRANS_F16",
		"SQ_INSTS_VALU_INT64", "SQ_INSTS_GDS", "SQ_INSTS_VSKIPPED", "SQ_WAVES_SAVED", "SQ_WAVES_RESTORED"} {
		c.events(zero, 0)
	}
	active := r.valu + 4*r.trans + r.mfma
	c.cycles("SQ_ACTIVE_INST_VALU", n*active)
	c.cycles("SQ_THREAD_CYCLES_VALU", n*active*r.lanes)
	c.cycles("SQ_ACTIVE_INST_SCA", n*(r.salu+r.smem))
	c.cycles("SQ_ACTIVE_INST_MISC", n*(r.branch+1))
	c.cycles("SQ_ACTIVE_INST_LDS", n*r.lds)
	c.cycles("SQ_ACTIVE_INST_FLAT", n*vmem)
	c.cycles("SQ_ACTIVE_INST_VMEM", 0)
	issued := n * (active + r.salu + r.smem + r.branch + 1 + r.lds + vmem)
	all := max(issued, n*r.stay/4)
	// A wave whose next instruction finds its unit busy waits to be issued. One that meets others behind the issue
	// waits for what it asked for.
	ready := n / 4 * (r.queued(vector) + r.queued(matrix) + r.queued(scalarUnit) + r.queued(localShare)/2 + r.queued(address)/3)
	ready = min(ready, max(0, all-issued))
	c.cycles("SQ_WAVE_CYCLES", all)
	c.cycles("SQ_ACTIVE_INST_ANY", issued)
	c.cycles("SQ_WAIT_INST_ANY", ready)
	c.cycles("SQ_WAIT_ANY", max(0, all-issued-ready))
	if r.m.gpu != "gfx908" {
		c.cycles("SQ_VALU_MFMA_BUSY_CYCLES", n*r.mfma*r.mfmaLong)
	}
	index := n * r.lds * (2 + r.conflict)
	c.cycles("SQ_LDS_IDX_ACTIVE", index)
	c.cycles("SQ_LDS_BANK_CONFLICT", n*r.lds*r.conflict)
	for _, zero := range []string{"SQ_LDS_ATOMIC_RETURN", "SQ_LDS_ADDR_CONFLICT", "SQ_LDS_UNALIGNED_STALL",
		"SQ_LDS_MEM_VIOLATIONS"} {
		c.cycles(zero, 0)
	}
}

// countLaunch writes what the workgroup manager counts: why no more waves fit.
func (r *run) countLaunch(c *counting) {
	c.events("SPI_CSN_NUM_THREADGROUPS", math.Ceil(r.waves/4))
	c.cycles("SPI_VWC_CSC_WR", r.waves)
	c.cycles("SPI_SWC_CSC_WR", 2*r.waves)
	c.cycles("SPI_CSN_BUSY", r.m.engines*r.busy)
	full := r.m.cus * r.busy * 0.92
	if r.waves <= r.simds*r.held || r.held < 0.95*r.perSIMD {
		full = 0 // all waves found a place
	}
	for _, name := range []string{"SPI_RA_WAVE_SIMD_FULL_CSN", "SPI_RA_VGPR_SIMD_FULL_CSN", "SPI_RA_SGPR_SIMD_FULL_CSN",
		"SPI_RA_LDS_CU_FULL_CSN", "SPI_RA_BAR_CU_FULL_CSN", "SPI_RA_TGLIM_CU_FULL_CSN", "SPI_RA_WVLIM_STALL_CSN",
		"SPI_RA_TMP_STALL_CSN"} {
		v := 0.0
		if name == r.short || r.short == "" && r.perSIMD >= r.m.slots && name == "SPI_RA_WAVE_SIMD_FULL_CSN" {
			v = full
			if name == "SPI_RA_LDS_CU_FULL_CSN" || name == "SPI_RA_BAR_CU_FULL_CSN" {
				v /= 4 // counted by compute unit
			}
		}
		c.cycles(name, v)
	}
	stalled := 0.0
	if full > 0 {
		stalled = 0.24 * r.m.engines * r.busy
	}
	c.cycles("SPI_RA_RES_STALL_CSN", stalled)
	c.cycles("SPI_RA_REQ_NO_ALLOC_CSN", 0.02*r.m.engines*r.busy)
	c.cycles("SPI_RA_REQ_NO_ALLOC", stalled)
}

// over is how much of the time a station that works so much of it takes nothing more.
func over(used float64) float64 {
	x := max(0, (used-0.7)/0.3)
	return x * x
}

func (r *run) countVector(c *counting) {
	n, m := r.waves, r.m
	vmem := r.vmem()
	c.events("TA_TOTAL_WAVEFRONTS_sum", n*vmem)
	c.events("TA_FLAT_WAVEFRONTS_sum", n*vmem)
	c.events("TA_FLAT_READ_WAVEFRONTS_sum", n*r.loads)
	c.events("TA_FLAT_WRITE_WAVEFRONTS_sum", n*r.stores)
	c.events("TA_FLAT_ATOMIC_WAVEFRONTS_sum", n*r.atomics)
	c.events("TA_BUFFER_WAVEFRONTS_sum", 0)
	flight := r.inFlight()
	c.cycles("TA_TA_BUSY_sum", r.units(max(r.used[address], 0.7*flight)))
	below := min(0.8, 0.6*over(r.used[level2])+0.25*over(r.used[memory])+0.5*over(r.used[link])+0.5*over(r.used[atomicUnit]))
	c.cycles("TA_ADDR_STALLED_BY_TC_CYCLES_sum", r.units(min(0.9, 0.15*flight+below+0.8*over(r.used[address]))))
	c.cycles("TA_DATA_STALLED_BY_TC_CYCLES_sum", r.units(min(0.9, 0.1*flight)*r.stores/max(1, vmem)))
	c.cycles("TA_ADDR_STALLED_BY_TD_CYCLES_sum", 0)
	c.cycles("TD_TD_BUSY_sum", r.units(min(1, 0.9*flight)))
	c.cycles("TD_TC_STALL_sum", r.units(0.75*flight*(1-r.used[address])))
	lookups := n * vmem * r.access
	c.events("TCP_TOTAL_ACCESSES_sum", n*vmem*max(16, 4*r.access))
	c.events("TCP_TOTAL_CACHE_ACCESSES_sum", lookups)
	c.events("TCP_TOTAL_READ_sum", n*r.loads*r.access)
	c.events("TCP_TOTAL_WRITE_sum", n*r.stores*r.access)
	c.events("TCP_TOTAL_ATOMIC_WITHOUT_RET_sum", n*r.atomics*r.access)
	c.events("TCP_TOTAL_ATOMIC_WITH_RET_sum", 0)
	c.events("TCP_TOTAL_WRITEBACK_INVALIDATES_sum", 0)
	c.events("TCP_TCC_READ_REQ_sum", n*r.readBytes()/m.line)
	c.events("TCP_TCC_WRITE_REQ_sum", n*r.writeBytes()/64)
	c.events("TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum", n*r.atomics*r.lines)
	c.events("TCP_TCC_ATOMIC_WITH_RET_REQ_sum", 0)
	c.events("TCP_UTCL1_REQUEST_sum", lookups)
	c.events("TCP_UTCL1_TRANSLATION_HIT_sum", lookups*(1-r.tlb))
	c.events("TCP_UTCL1_TRANSLATION_MISS_sum", lookups*r.tlb)
	c.events("TCP_UTCL1_PERMISSION_MISS_sum", 0)
	awake := r.units(max(0.1, min(1, 1.1*flight)))
	c.cycles("TCP_GATE_EN1_sum", awake)
	c.cycles("TCP_GATE_EN2_sum", 0.8*awake)
	c.cycles("TCP_TCR_TCP_STALL_CYCLES_sum", awake*below)
	c.cycles("TCP_PENDING_STALL_CYCLES_sum", awake*min(0.95-below, 0.8*(1-r.used[address])*(1-r.hit1)))
	c.cycles("TCP_READ_TAGCONFLICT_STALL_CYCLES_sum", awake*0.02)
	c.cycles("TCP_WRITE_TAGCONFLICT_STALL_CYCLES_sum", 0)
	c.cycles("TCP_ATOMIC_TAGCONFLICT_STALL_CYCLES_sum", 0)
}

// inFlight is the share of the time in which a compute unit has a vector memory instruction under way.
func (r *run) inFlight() float64 {
	each := r.memory.vmem + r.spent[address] + r.spent[level2] + r.spent[memory] + r.spent[link] + r.spent[atomicUnit]
	mean := 4 * r.held * each / max(1, r.stay) * min(1, r.simds/(4*r.m.cus)) // waves that wait for one
	return 1 - math.Exp(-mean)
}

func (r *run) countLevel2(c *counting) {
	n, m := r.waves, r.m
	reads, writes, atomics := n*r.readBytes()/128, n*r.writeBytes()/64, n*r.atomics*r.lines
	fills := 64.0
	if m.wide {
		fills = 128
	}
	got, put := n*r.missedReads()/fills, n*r.missedWrites()/64
	busy := m.channels * r.busy * min(1, 0.05+max(r.inFlight(), r.used[level2]))
	c.events("TCC_REQ_sum", reads+writes+atomics)
	c.events("TCC_READ_sum", reads)
	c.events("TCC_WRITE_sum", writes)
	c.events("TCC_ATOMIC_sum", atomics)
	c.events("TCC_STREAMING_REQ_sum", 0)
	c.events("TCC_HIT_sum", (reads+writes)*r.hit2+atomics)
	c.events("TCC_MISS_sum", (reads+writes)*(1-r.hit2))
	c.cycles("TCC_CYCLE_sum", m.channels*(r.total+m.overhead))
	c.cycles("TCC_BUSY_sum", busy)
	c.cycles("TCC_TAG_STALL_sum", 0.3*busy*over(r.used[level2]))
	if m.wide {
		c.events("TCC_BUBBLE_sum", got)
	}
	lost := r.spent[memory] + m.latencyM - m.latency2
	if r.remote > 0 {
		lost = (1-r.remote)*lost + r.remote*(r.spent[link]+m.latencyR-m.latency2)
	}
	for _, one := range []struct {
		name string
		v    float64
	}{
		{"RDREQ_sum", got}, {"RDREQ_32B_sum", 0}, {"RDREQ_DRAM_sum", got * (1 - r.remote)},
		{"RD_UNCACHED_32B_sum", 2 * got * r.remote * r.uncached},
		{"WRREQ_sum", put}, {"WRREQ_64B_sum", put}, {"WRREQ_DRAM_sum", put * (1 - r.remote)},
		{"WR_UNCACHED_32B_sum", put * r.remote * r.uncached},
		{"ATOMIC_sum", 0},
	} {
		c.events(m.ea+"_"+one.name, one.v)
	}
	c.cycles(m.ea+"_RDREQ_LEVEL_sum", got*min(lost, 20000))
	c.cycles(m.ea+"_WRREQ_LEVEL_sum", 0.6*put*min(lost, 20000))
	c.cycles(m.ea+"_WRREQ_STALL_sum", 0.05*busy*over(r.used[memory]))
	c.cycles("TCC_TOO_MANY_EA_WRREQS_STALL_sum", 0.1*busy*over(r.used[memory])*put/max(1, got+put))
	r.countChannels(c, got, put)
}

// countChannels writes the counters of each channel of the L2. The busiest is the first of each XCD, and XCDs that have
// more work come first.
func (r *run) countChannels(c *counting, got, put float64) {
	m := r.m
	per := m.channels / m.dies
	whole := r.waves * r.requests()
	for i := range int(m.channels) {
		weight := 1.0
		if r.skew > 1 {
			hot := min(4, per)
			weight = r.skew
			if float64(i%int(per)) >= hot {
				weight = max(0, (per-hot*r.skew)/(per-hot))
			}
		}
		if r.dieSkew > 1 && m.dies > 1 {
			die := math.Floor(float64(i) / per)
			if half := m.dies / 2; die < half {
				weight *= r.dieSkew
			} else {
				weight *= max(0, 2-r.dieSkew)
			}
		}
		share := weight / m.channels
		at := func(name string) string { return fmt.Sprintf("%s[%d]", name, i) }
		c.events(at("TCC_REQ"), whole*share)
		atomic := r.waves * r.atomics * r.lines * ((1 - r.hot) / m.channels)
		if i == 0 {
			atomic += r.waves * r.atomics * r.lines * r.hot
		}
		c.events(at("TCC_ATOMIC"), atomic)
		c.events(at("TCC_HIT"), whole*share*r.hit2)
		c.events(at("TCC_MISS"), whole*share*(1-r.hit2))
		c.events(at(m.ea+"_RDREQ"), got*share)
		c.events(at(m.ea+"_WRREQ"), put*share)
		if !m.stalls {
			continue
		}
		// AMD measured 0.07 % of the L2's cycles where a kernel streams from HBM, 18 % from another device and 91 %
		// from the host.
		busy := r.busy
		c.cycles(at(m.ea+"_RDREQ_DRAM_CREDIT_STALL"), 0.002*busy*over(r.used[memory]))
		c.cycles(at(m.ea+"_RDREQ_GMI_CREDIT_STALL"), 0.2*busy*over(r.used[link]))
		c.cycles(at(m.ea+"_RDREQ_IO_CREDIT_STALL"), 0)
		c.cycles(at(m.ea+"_WRREQ_DRAM_CREDIT_STALL"), 0.002*busy*over(r.used[memory]))
		c.cycles(at(m.ea+"_WRREQ_GMI_CREDIT_STALL"), 0)
		c.cycles(at(m.ea+"_WRREQ_IO_CREDIT_STALL"), 0)
	}
}

func (r *run) countFront(c *counting) {
	n := r.waves
	fetches := n * r.fetches()
	c.events("SQC_ICACHE_REQ", fetches)
	c.events("SQC_ICACHE_HITS", fetches*(1-r.code))
	c.events("SQC_ICACHE_MISSES", fetches*r.code*0.4)
	c.events("SQC_ICACHE_MISSES_DUPLICATE", fetches*r.code*0.6)
	c.events("SQC_TC_INST_REQ", fetches*r.code*0.4)
	loads := n * r.smem
	c.events("SQC_DCACHE_REQ", loads)
	c.events("SQC_DCACHE_HITS", loads*(1-r.constant))
	c.events("SQC_DCACHE_MISSES", loads*r.constant*0.4)
	c.events("SQC_DCACHE_MISSES_DUPLICATE", loads*r.constant*0.6)
	c.events("SQC_TC_DATA_READ_REQ", loads*r.constant*0.4)
	c.events("SQC_TC_DATA_WRITE_REQ", 0)
	c.events("SQC_TC_DATA_ATOMIC_REQ", 0)
	c.cycles("SQC_TC_STALL", 0.3*r.m.sqcs*r.busy*over(r.used[instructions]))
	// What level files accumulate: how many instructions of a kind are under way, in every cycle.
	for _, l := range []struct {
		file string
		v    float64
	}{
		{"SQ_LEVEL_WAVES", r.stay},
		{"SQ_INST_LEVEL_VMEM", r.vmem() / max(1,
			r.rounds) * (r.memory.vmem + r.spent[address] + r.spent[level2] + r.spent[memory] + r.spent[link] + r.spent[atomicUnit])},
		{"SQ_INST_LEVEL_LDS", r.lds / max(1, r.rounds3) * (r.memory.lds + r.spent[localShare])},
		{"SQ_INST_LEVEL_SMEM", r.smem / max(1, min(r.smem, 4)) * (r.memory.smem + r.spent[constants])},
		{"SQ_IFETCH_LEVEL", r.memory.fetch + r.spent[instructions] + 20*r.fetches()},
	} {
		c.level(l.file, n*l.v)
	}
}
