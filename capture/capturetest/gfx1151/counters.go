package gfx1151

import "math"

// count writes what the counters of the real profile read for a dispatch. Names with _sum are summed over all
// instances; those without are an aggregate of their own, which the profiler measures in another pass.
func (d *dispatch) count(c *counting) {
	d.countTime(c)
	d.countWaves(c)
	d.countVector(c)
	d.countLevels(c)
	d.countFront(c)
}

func (d *dispatch) countTime(c *counting) {
	for _, n := range []string{"GRBM_COUNT", "GRBM_GUI_ACTIVE", "CPC_ALWAYS_COUNT", "CPC_STAT_BUSY"} {
		c.cycles(n, d.total)
	}
	c.cycles("GRBM_TA_BUSY", d.total*min(1, d.load[request]+0.2))
	c.cycles("GRBM_GL2C_BUSY", d.total*min(1, d.load[level2]+0.3))
	c.cycles("SQ_BUSY_CYCLES_avr", d.cycles)
	c.cycles("SQ_BUSY_CYCLES_sum", wgps*d.cycles)
}

func (d *dispatch) countWaves(c *counting) {
	n := d.waves
	for _, name := range []string{"SQ_WAVES", "SQ_WAVES_sum"} {
		c.events(name, n)
	}
	c.events("SQ_ITEMS_sum", 32*n)
	for _, kind := range []struct {
		name string
		per  float64
	}{
		{"ALL_sum", d.perWave()}, {"VALU_sum", d.valu + d.trans + d.dp}, {"VALU", d.valu + d.trans + d.dp},
		{"VALU_TRANS_sum", d.trans}, {"VALU_DP_sum", d.dp},
		{"SALU_sum", d.salu}, {"SMEM_sum", d.smem}, {"INTERNAL_sum", d.internal}, {"LDS_sum", d.lds},
		{"FLAT_sum", d.loads + d.stores},
		{"FLAT_LOAD_sum", d.loads}, {"FLAT_STORE_sum", d.stores}, {"TEX_sum", 0}, {"TEX_LOAD_sum", 0},
		{"TEX_STORE_sum", 0},
	} {
		c.events("SQ_INSTS_"+kind.name, n*kind.per)
	}
	w := d.waits()
	c.cycles("SQ_WAVE_CYCLES", w.all)
	c.cycles("SQ_WAVE_CYCLES_sum", w.all)
	c.cycles("SQ_WAIT_ANY", w.any)
	c.cycles("SQ_WAIT_CNT_ANY", w.data)
	c.cycles("SQ_WAIT_INST_ANY", w.inst)
	c.cycles("SQ_WAIT_IFETCH", w.fetch)
	c.cycles("SQ_WAIT_BARRIER", w.barrier)
	c.cycles("SQ_WAIT_INST_LDS_sum", w.lds)
	active := n * d.lds * (1 + d.conflict)
	c.cycles("SQC_LDS_IDX_ACTIVE_sum", active)
	for _, name := range []string{"SQC_LDS_BANK_CONFLICT", "SQC_LDS_BANK_CONFLICT_sum"} {
		c.cycles(name, n*d.lds*d.conflict)
	}
	c.cycles("SQ_INST_CYCLES_LDS_sum", active)
	c.events("SQ_LDS_ATOMIC_RETURN_sum", 0)
}

// awake is the share of cycles with a clock in the vector L1.
func (d *dispatch) awake() float64 { return min(1, 0.15+max(d.load[request], d.load[returns])) }

func (d *dispatch) countVector(c *counting) {
	reads, writes := math.Round(d.reads()), math.Round(d.writes())
	c.events("TCP_REQ_sum", reads+writes)
	c.events("TCP_REQ_READ_sum", reads)
	c.events("TCP_REQ_WRITE_sum", writes)
	// The hit rate is that of all requests: writes are passed on, and do not count as misses.
	c.events("TCP_REQ_MISS_sum", d.reads1())
	c.events("TCP_GL1_REQ_READ_sum", d.reads1())
	c.events("TCP_GL1_REQ_READ_128B_sum", d.reads1()*d.wide)
	c.events("TCP_GL1_REQ_WRITE_sum", writes)
	awake := wgps * d.cycles * d.awake()
	c.cycles("TCP_GATE_EN2", awake)
	c.cycles("TCP_GATE_EN2_sum", awake)
	c.cycles("TCP_TCP_TA_REQ_STALL_sum", awake*d.pushed())
	c.cycles("TCP_GL1_TCP_BACK_PRESSURE_sum", awake*d.push1())
	c.cycles("TCP_DATA_FIFO_STALL_sum", awake*d.blocked(returns))
}

func (d *dispatch) countLevels(c *counting) {
	// A request of GL1 moves a line where the reader asked for 128 bytes: two halves are one request.
	read, write := math.Round(d.reads1()*(1-d.wide)+d.reads1()*d.wide/2), math.Round(d.writes())
	lines, writes2 := math.Round(d.lines2()), write
	miss := min(read, lines)
	c.events("GL1C_REQ_sum", read+write)
	c.events("GL1C_REQ_READ_sum", read)
	c.events("GL1C_REQ_WRITE_sum", write)
	c.events("GL1C_REQ_MISS_sum", miss+write)
	busy1 := gl1Caches * d.cycles * min(1, 0.3+d.load[level1])
	for _, name := range []string{"GL1C_CYCLE", "GL1C_CYCLE_sum"} {
		c.cycles(name, gl1Caches*d.total)
	}
	for _, name := range []string{"GL1C_BUSY", "GL1C_BUSY_sum"} {
		c.cycles(name, busy1)
	}
	for _, name := range []string{"GL1C_STARVE", "GL1C_STARVE_sum"} {
		c.cycles(name, gl1Caches*d.total-busy1)
	}
	// The real profile has 2 % beside a path to memory that is stalled a third of the time.
	c.cycles("GL1C_STALL_GL2_GL1_sum", busy1*d.push2()/5)
	c.cycles("GL1C_STALL_LFIFO_FULL_sum", 0)

	c.events("GL1C_GL2_REQ_READ_sum", lines)
	c.events("GL1C_GL2_REQ_READ_128B_sum", lines)
	c.events("GL1C_GL2_REQ_READ_64B_sum", 0)
	c.events("GL1C_GL2_REQ_READ_32B_sum", 0)
	c.events("GL1C_GL2_REQ_WRITE_sum", writes2)
	c.events("GL1C_GL2_REQ_WRITE_64B_sum", writes2)
	c.events("GL1C_GL2_REQ_WRITE_32B_sum", 0)
	slower := 1 + 2*(d.blocked(level2)+d.blocked(memory))
	c.cycles("GL1C_GL2_REQ_READ_LATENCY_sum", lines*(220+450*(1-d.hit2))*slower)
	c.cycles("GL1C_GL2_REQ_WRITE_LATENCY_sum", writes2*150*slower)

	read2 := math.Round(lines * (1 - d.hit2))
	written := math.Round(d.writeBytes() / half)
	c.events("GL2C_REQ_sum", lines+writes2)
	c.events("GL2C_READ_sum", lines)
	c.events("GL2C_WRITE_sum", writes2)
	c.events("GL2C_ATOMIC_sum", 0)
	c.events("GL2C_MISS_sum", read2+min(writes2, written))
	c.events("GL2C_HIT_sum", lines+writes2-read2-min(writes2, written))
	c.cycles("GL2C_CYCLE_sum", gl2Channels*d.total)
	c.cycles("GL2C_BUSY_sum", gl2Channels*d.cycles*min(1, 0.3+d.load[level2]))
	for _, size := range []string{"READ_32_REQ", "READ_64_REQ", "COMPRESSED_READ_96_REQ"} {
		c.events("GL2C_"+size+"_sum", 0)
	}
	c.events("GL2C_READ_128_REQ_sum", lines)
	c.events("GL2C_EA_RDREQ_128B_sum", read2)
	for _, size := range []string{"32B", "64B", "96B"} {
		c.events("GL2C_EA_RDREQ_"+size+"_sum", 0)
	}
	c.events("GL2C_EA_RDREQ_DRAM_sum", read2)
	for _, name := range []string{"GL2C_EA_WRREQ_64B_sum", "GL2C_MC_WRREQ_sum", "GL2C_EA_WRREQ_DRAM_sum"} {
		c.events(name, written)
	}

	// The fabric counts at its own clock.
	fabric := memChannels * d.seconds * memHz
	for _, name := range []string{"GCEA_ALWAYS_COUNT", "GCEA_ALWAYS_COUNT_sum"} {
		c.cycles(name, fabric)
	}
	worked := fabric * d.cycles / d.total
	for _, name := range []string{"GCEA_SARB_BUSY", "GCEA_SARB_BUSY_sum"} {
		c.cycles(name, worked*d.load[memory]*(1-d.foreign))
	}
	for _, name := range []string{"GCEA_SARB_STALLED", "GCEA_SARB_STALLED_sum"} {
		c.cycles(name, worked*d.blocked(memory))
	}
	c.events("GCEA_RDRAM_SIZE_REQ_sum", read2*line/32)
	c.events("GCEA_RDRAM_REQ_PER_CLIGRP_sum", read2*2)
	c.events("GCEA_RRET_VLD_sum", read2*2)
	c.events("GCEA_WDRAM_SIZE_REQ_sum", written*half/32)
	c.events("GCEA_WDRAM_REQ_PER_CLIGRP_sum", written*2)
	c.events("GCEA_WRET_VLD_sum", written)
}

func (d *dispatch) countFront(c *counting) {
	fetches := math.Round(d.waves * d.perWave() / 8)
	missed := math.Round(fetches * (1 - d.code))
	c.events("SQC_ICACHE_REQ_sum", fetches)
	c.events("SQC_ICACHE_HITS_sum", fetches-missed)
	c.events("SQC_ICACHE_MISSES_sum", missed)
	c.events("SQC_TC_INST_REQ_sum", missed)
	busy := wgps * d.cycles
	c.cycles("SQC_ICACHE_BUSY_CYCLES_sum", busy*d.load[instructions])
	c.cycles("SQC_ICACHE_INPUT_VALID_READYB_sum", busy*d.blocked(instructions))
	loads := math.Round(d.waves * d.smem)
	cold := math.Round(0.01 * loads)
	c.events("SQC_DCACHE_REQ_sum", loads)
	c.events("SQC_DCACHE_HITS_sum", loads-cold)
	c.events("SQC_DCACHE_MISSES_sum", cold)
	c.events("SQC_TC_DATA_READ_REQ_sum", cold)
	c.cycles("SQC_DCACHE_BUSY_CYCLES_sum", busy*d.load[constants])
	c.cycles("SQC_DCACHE_INPUT_VALID_READYB_sum", busy*d.blocked(constants))
}
