package rdna

import "math"

// counts is what the instructions of a kernel add up to, whatever the time they take.
type counts struct {
	// of one wave
	valu, trans, dp, salu, smem, loads, stores, texture, lds, internal, all float64
	ldsActive, ldsConflict                                                  float64
	// of the GPU
	tcpRead, tcpWrite, tcpMiss                     float64 // requests of 64 bytes
	reads, writes, atomics                         float64 // at GL1 and GL2: lines, 64 bytes, lines
	readMiss, writeMiss, fabricWrites, narrowWrite float64
	served                                         float64 // cycles of a channel of GL2
}

// count adds up the instructions of a kernel.
func (k *kernel) count() counts {
	c := counts{salu: 2, internal: 6}
	w := k.waves()
	k.each(func(o *op, times float64) {
		n := o.n * times
		lines := n * o.lines * w
		requests := n * math.Max(o.lines, o.bytes*lanes/64) * w
		switch o.kind {
		case opScalar:
			c.smem += n
		case opVALU:
			c.valu += n
			if times > 1 {
				c.salu += 0.06 * n
			}
			switch o.class {
			case transcendental:
				c.trans += n
			case double:
				c.dp += n
			}
		case opLoad:
			c.loads += n
			c.internal += times
			if o.texture {
				c.texture += n
			}
			c.tcpRead += requests
			c.tcpMiss += requests * (1 - o.gl0)
			c.reads += lines * (1 - o.gl0)
			c.served += lines * (1 - o.gl0)
			c.readMiss += lines * (1 - o.gl0) * (1 - o.gl2)
		case opStore:
			c.stores += n
			c.tcpWrite += requests
			sent := lines * math.Max(1, o.bytesOfLine()/64)
			c.writes += sent
			c.served += sent
			c.writeMiss += lines * math.Min(1, 1.1*(1-o.gl2))
			c.fabricWrites += sent * (1 - o.gl2)
			if o.bytesOfLine() <= 32 {
				c.narrowWrite += sent * (1 - o.gl2)
			}
		case opAtomic:
			c.stores += n
			c.internal += times
			c.tcpWrite += lines
			c.atomics += lines
			c.served += lines * o.serial
		case opLDS:
			c.lds += n
			c.internal += times
			cycles := n * math.Max(1, o.bytes*lanes/ldsBytes)
			c.ldsActive += cycles * (1 + o.conflict)
			c.ldsConflict += cycles * o.conflict
		case opBarrier:
			c.internal += times
		}
	})
	c.salu += 2 * float64(k.iters)
	c.internal += float64(k.iters)
	c.all = c.valu + c.salu + c.smem + c.loads + c.stores + c.lds + c.internal + 2 + float64(k.iters)
	return c
}

// counters gives what a pass measures in a dispatch, by name. Counters that some releases have twice, with and without
// _sum, are the same.
func (p *program) counters(pass, i int, d draw) map[string]float64 {
	const gl1s, gceas = 16, 8
	di := p.dispatches[i]
	r, _ := p.at(di, p.passes[pass][i], causes)
	k, c := di.k, di.k.count()
	t := p.passes[pass][i].jitter
	near := func(v float64) float64 { return v * (1 + 0.004*d.NormFloat64()) }
	busy := r.busy * t
	// The profiler starts and stops counting some cycles before and after the dispatch, and waves of its own run there.
	gui := r.total*t + d.between(11500, 15500)
	gcea := gceas * (gui + d.between(12600, 15200))
	waves := k.waves() + 8*math.Round(k.waves()*d.between(0.006, 0.014)/8)
	active := math.Min(processors, float64(k.groups)) / processors
	waveCycles := r.waveCycles * t * waves / k.waves()
	scale := waveCycles / r.waveCycles
	fetch := waves * d.between(6, 16)
	codeLines := math.Ceil(k.code / 128)
	fetches, missed := 0.0, 0.0
	if k.code > 1024 {
		fetches = waves * codeLines * d.between(0.9, 1.1) * math.Sqrt(1+float64(k.iters))
	}
	if di.first {
		missed = processors * codeLines
		fetch += waves * d.between(15, 30)
	}
	missed += fetches * (1 - math.Min(1, 32768/k.code)) * 0.3
	fetches += missed
	fetch += missed / processors * 300
	barrier, cnt := r.waitBarrier*scale, r.waitCnt*scale
	// Waves do not live longer for it here, so that it is some of the time in which they wait for nothing else.
	fetch = math.Min(fetch, 0.9*math.Max(0, waveCycles-barrier-cnt))
	anyWait := math.Min(waveCycles*d.between(0.97, 0.985), barrier+cnt+fetch)
	issue := math.Min(waveCycles-anyWait, r.waitInst*scale+waveCycles*d.between(0.004, 0.012))
	scalar := c.smem * waves
	scalarMiss := processors * math.Ceil(c.smem/4)
	few := func(lo, hi float64) float64 { return math.Round(d.between(lo, hi)) }
	extra := few(0, 18)
	reads, writes := c.reads+extra, c.writes+c.atomics
	req := reads + writes
	misses := c.readMiss + c.writeMiss
	dram := c.readMiss + few(0, 18)
	sent := c.fabricWrites
	// One of several units of a kind is busy for a share of the time that follows from how much is under way, any of
	// them for one that follows from how long each processor has something under way.
	among := func(units float64) float64 {
		return math.Min(gui, busy*(1-math.Exp(-r.inFlight/units))+d.between(200, 800))
	}
	anywhere := func(cycles float64) float64 {
		return math.Min(gui, busy*(1-math.Pow(1-math.Min(1, cycles/r.busy), processors*active))+d.between(10, 400))
	}
	below, inGL2 := among(gl1s), among(gceas)
	sarb := dram + sent
	stalled := math.Min(0.8*(gcea-sarb), 0.4*sarb+gceas*0.4*r.memQueue*t)
	if p.patient {
		stalled = math.Min(stalled, 0.98*sarb)
	}
	// GL2 pushes back where it is full itself, and hardly where requests wait below it: 0.004 to 0.025 of GL1's busy
	// time in the real capture.
	full := math.Pow(math.Min(1, c.served/(gl2Channels*k.spread*math.Max(1, r.busy))), 6)
	writeLatency := (100 + 25*math.Min(1, r.gl2Queue/r.busy)*4) * near(1)
	out := map[string]float64{
		"CPC_ALWAYS_COUNT": gui, "CPC_STAT_BUSY": gui, "CPC_STAT_IDLE": 0, "GRBM_COUNT": gui, "GRBM_GUI_ACTIVE": gui,
		"CPC_STAT_STALL": few(3800, 5400), "CPC_GCRIU_BUSY": few(190, 205), "CPC_TCIU_BUSY": few(3200, 3500),
		"CPC_UTCL2IU_BUSY": few(0, 3700), "CPC_ME1_STALL_ON_DATA_FROM_ROQ": few(740, 800),
		"CPC_MEC_INSTR_CACHE_HIT_sum": 612, "CPC_MEC_INSTR_CACHE_MISS_sum": 0,
		"CPC_TCIU_READ_REQUEST_SENT_sum": 3, "CPC_TCIU_WRITE_REQUEST_SENT_sum": 11,
		"GRBM_GL2C_BUSY": anywhere(r.below), "GRBM_TA_BUSY": anywhere(r.vmem),
		"GRBM_SPI_BUSY": busy + few(300, 900), "GRBM_CP_BUSY": gui - few(4000, 9000),
		"SPI_BUSY": 2 * (busy + few(100, 700)), "SPI_CSN_WAVE": 0, // which this GPU does not feed

		"SQ_BUSY_CYCLES_sum": processors * busy * active, "SQ_BUSY_CYCLES_avr": busy * active,
		"SQ_WAVES": waves, "SQ_ITEMS": waves * lanes, "SQ_WAVE_CYCLES": waveCycles,
		"SQ_WAIT_ANY": anyWait, "SQ_WAIT_CNT_ANY": cnt, "SQ_WAIT_BARRIER": barrier, "SQ_WAIT_IFETCH": fetch,
		"SQ_WAIT_INST_ANY": issue, "SQ_WAIT_INST_LDS": math.Min(issue, r.waitLDS*scale),
		"SQ_INSTS_ALL": c.all * waves, "SQ_INSTS_INTERNAL": c.internal * waves, "SQ_INSTS_VALU": c.valu * waves,
		"SQ_INSTS_VALU_TRANS": c.trans * waves, "SQ_INSTS_VALU_DP": c.dp * waves, "SQ_INSTS_SALU": c.salu * waves,
		"SQ_INSTS_SMEM": scalar, "SQ_INSTS_FLAT": (c.loads - c.texture + c.stores) * waves,
		"SQ_INSTS_FLAT_LOAD": (c.loads - c.texture) * waves, "SQ_INSTS_FLAT_STORE": c.stores * waves,
		"SQ_INSTS_TEX": c.texture * waves, "SQ_INSTS_TEX_LOAD": c.texture * waves, "SQ_INSTS_TEX_STORE": 0,
		"SQ_INSTS_LDS": c.lds * waves, "SQ_INST_CYCLES_LDS": c.ldsActive * waves,
		"SQC_LDS_IDX_ACTIVE": c.ldsActive * waves, "SQC_LDS_BANK_CONFLICT": c.ldsConflict * waves,
		"SQ_INSTS_LDS_DIRECT_LOAD": 0, "SQ_INSTS_LDS_PARAM_LOAD": 0, "SQ_INSTS_WAVE32_LDS_PARAM_LOAD": 0,
		"SQ_LDS_ATOMIC_RETURN": 0,

		"SQC_DCACHE_REQ": scalar, "SQC_DCACHE_HITS": math.Max(0, scalar-scalarMiss), "SQC_DCACHE_MISSES": scalarMiss,
		"SQC_TC_DATA_READ_REQ": scalarMiss, "SQC_DCACHE_BUSY_CYCLES": math.Min(processors*busy, near(scalar*1.88)),
		"SQC_DCACHE_INPUT_VALID_READYB": math.Min(processors*busy, scalar*d.between(1.6, 2.8)*1000/(1000+math.Max(0, busy-60000)/100)),
		"SQC_ICACHE_REQ":                fetches, "SQC_ICACHE_MISSES": missed, "SQC_ICACHE_HITS": fetches - missed,
		"SQC_TC_INST_REQ": missed, "SQC_ICACHE_INPUT_VALID_READYB": math.Min(0.95*processors*busy*active, missed*13),
		"SQC_ICACHE_BUSY_CYCLES": math.Min(processors*busy, fetches+missed*200+28),

		"GL1C_CYCLE": gl1s * gui, "GL1C_BUSY": gl1s * below, "GL1C_REQ": req, "GL1C_REQ_READ": reads,
		"GL1C_REQ_WRITE": writes, "GL1C_REQ_MISS": req - few(0, 12)*math.Min(1, req/100),
		"GL1C_STARVE":           math.Max(0, gl1s*gui-2.4*req),
		"GL1C_STALL_GL2_GL1":    math.Min(gl1s*below, gl1s*0.5*full*math.Max(0, r.gl2Queue-0.4*r.busy)*t+req*d.between(0.03, 0.08)),
		"GL1C_STALL_LFIFO_FULL": 0,
		"GL1C_GL2_REQ_READ":     reads, "GL1C_GL2_REQ_READ_32B": 0, "GL1C_GL2_REQ_READ_64B": 0, "GL1C_GL2_REQ_READ_128B": reads,
		"GL1C_GL2_REQ_READ_LATENCY": reads * near(r.latency),
		"GL1C_GL2_REQ_WRITE":        writes, "GL1C_GL2_REQ_WRITE_32B": 0, "GL1C_GL2_REQ_WRITE_64B": writes,
		"GL1C_GL2_REQ_WRITE_LATENCY": writes * writeLatency,

		"GL2C_CYCLE": gceas * gui, "GL2C_BUSY": gceas * inGL2, "GL2C_REQ": req + extra, "GL2C_READ": reads + extra,
		"GL2C_READ_128_REQ": reads, "GL2C_READ_64_REQ": extra, "GL2C_READ_32_REQ": 0, "GL2C_COMPRESSED_READ_96_REQ": 0,
		"GL2C_WRITE": c.writes, "GL2C_ATOMIC": c.atomics, "GL2C_MISS": math.Min(misses, req), "GL2C_HIT": math.Max(0, req+extra-misses),
		"GL2C_EA_RDREQ_128B": c.readMiss, "GL2C_EA_RDREQ_64B": dram - c.readMiss, "GL2C_EA_RDREQ_32B": 0,
		"GL2C_EA_RDREQ_96B": 0, "GL2C_EA_RDREQ_DRAM": dram, "GL2C_MC_WRREQ": sent, "GL2C_EA_WRREQ_DRAM": sent,
		"GL2C_EA_WRREQ_64B": sent - c.narrowWrite,

		"GCEA_ALWAYS_COUNT": gcea, "GCEA_SARB_BUSY": sarb, "GCEA_SARB_STALLED": stalled,
		"GCEA_SARB_STARVING": math.Max(0, gcea-sarb-stalled), "GCEA_SARB_REQ_PER_VC": 9 * sarb,
		"GCEA_SARB_DRAM_REQ_PER_VC": 9 * sarb, "GCEA_PRB_REQ": 0,
		"GCEA_RDRAM_REQ_PER_CLIGRP": 5 * dram, "GCEA_RDRAM_CHAINED_REQ_PER_CLIGRP": 5 * dram * 0.9998,
		"GCEA_RDRAM_SIZE_REQ": 4*c.readMiss + 2*(dram-c.readMiss), "GCEA_RRET_VLD": 2*c.readMiss + (dram - c.readMiss),
		"GCEA_RDRAM_NUM_BANKS_VLD":  near(dram * (2 + 3.5*math.Min(1, r.memQueue/r.busy))),
		"GCEA_WDRAM_REQ_PER_CLIGRP": 5 * sent, "GCEA_WDRAM_CHAINED_REQ_PER_CLIGRP": sent * d.between(0.28, 0.45),
		"GCEA_WDRAM_SIZE_REQ": 2*sent - c.narrowWrite, "GCEA_WRET_VLD": sent,
		"GCEA_WDRAM_NUM_BANKS_VLD": near(sent * (1.5 + 2.4*math.Min(1, r.memQueue/r.busy))),

		"TCP_GATE_EN2": processors * r.vmem * t * 0.53, "TCP_GL1_REQ_READ": c.reads * 1.8,
		"TCP_REQ": 0, "TCP_REQ_READ": 0, "TCP_REQ_WRITE": 0, "TCP_REQ_MISS": 0, "TCP_GL1_REQ_WRITE": 0,
		"TCP_GL1_REQ_READ_128B": 0, "TCP_TCP_TA_REQ_STALL": 0, "TCP_GL1_TCP_BACK_PRESSURE": 0, "TCP_DATA_FIFO_STALL": 0,
	}
	for _, name := range []string{"CPC_GUS_READ_REQUEST_SENT_sum", "CPC_GUS_WRITE_REQUEST_SENT_sum",
		"CPC_ME1_STALL_WAIT_ON_MEM_READ", "CPC_ME1_STALL_WAIT_ON_MEM_WRITE", "CPC_ME1_STALL_WAIT_ON_RCIU_READY"} {
		out[name] = 0
	}
	if di.first {
		out["CPC_GCRIU_BUSY"], out["CPC_TCIU_BUSY"] = few(3000, 3500), few(9000, 11000)
		out["CPC_MEC_INSTR_CACHE_HIT_sum"], out["CPC_MEC_INSTR_CACHE_MISS_sum"] = 624, 20
		out["CPC_ME1_STALL_ON_DATA_FROM_ROQ"], out["CPC_TCIU_READ_REQUEST_SENT_sum"] = few(1450, 1600), 13
	}
	if p.pinned { // at a clock that is held nothing is gated
		out["TCP_REQ_READ"], out["TCP_REQ_WRITE"], out["TCP_REQ_MISS"] = c.tcpRead, c.tcpWrite, c.tcpMiss+c.tcpWrite
		out["TCP_REQ"] = c.tcpRead + c.tcpWrite
		out["TCP_GL1_REQ_READ"], out["TCP_GL1_REQ_READ_128B"] = c.reads, c.reads
		out["TCP_GL1_REQ_WRITE"] = writes
		out["TCP_GATE_EN2"] = processors * math.Min(gui, r.vmem*t+few(50, 400))
		out["TCP_TCP_TA_REQ_STALL"] = processors * active * math.Min(r.busy, r.taQueue*0.8+r.dataQueue*0.3) * t
		out["TCP_GL1_TCP_BACK_PRESSURE"] = processors * active * math.Min(r.busy, r.gl2Queue*0.5) * t
		out["TCP_DATA_FIFO_STALL"] = processors * active * 0.2 * r.dataQueue * t
	}
	return out
}
