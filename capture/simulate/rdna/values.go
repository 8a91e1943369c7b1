package rdna

import (
	"math"
	"strings"

	"astrolabe/capture/simulate"
)

// values are all counters of a dispatch in a run.
func (b *program) values(i int, m *simulate.Measured, share float64, r simulate.Random, by float64) map[string]float64 {
	d, k := b.d, b.kernels[b.runs.Runs[i].Content]
	c := k.counts
	scale := float64(b.runs.Runs[i].Scale)
	wgps, gl1s, gl2s := float64(d.wgps()), float64(d.gl1s), float64(d.gl2s)
	arbiters := float64(d.arbiters)
	top := d.hz / 1e9
	// Counters also run while the command processor sets up the kernel and flushes caches behind it.
	around := r.Between(0.3e3, 2.5e3) * share * top
	busy := float64(m.Ns) * share * top
	gui := math.Floor(busy + around)
	out := map[string]float64{}
	set := func(v float64, names ...string) {
		for _, n := range names {
			out[n] = math.Floor(max(0, v) + 0.5)
		}
	}
	span := func(s int) float64 { return min(busy, m.Row.Span(s)*top) }
	wait := func(unit int) float64 { return span(m.Rec.UnitWait(unit)) }
	slots := 0.0
	m.Row.Passes(func(_ int, of []float32) { slots = float64(of[m.Rec.Units()+simulate.TallySlots]) })

	// The sequencers count on a part of the GPU, so that what they count is a little more or less than it was.
	near := func(v float64) float64 { return v * scale * (1 + 0.002*by*r.NormFloat64()) }
	waves := near(c.waves)
	set(waves, "SQ_WAVES", "SQ_WAVES_sum")
	set(math.Floor(waves+0.5)*32, "SQ_ITEMS_sum")
	vector := near(c.vector)
	set(vector, "SQ_INSTS_VALU", "SQ_INSTS_VALU_sum")
	set(min(vector, near(c.trans)), "SQ_INSTS_VALU_TRANS_sum")
	set(near(c.double), "SQ_INSTS_VALU_DP_sum")
	set(min(vector, c.dual*scale), "SQ_INSTS_DUAL_VALU_WAVE32_sum")
	set(near(c.scalar), "SQ_INSTS_SALU_sum")
	set(near(c.scalarLoads), "SQ_INSTS_SMEM_sum")
	set(near(c.loads), "SQ_INSTS_FLAT_LOAD_sum")
	set(near(c.stores), "SQ_INSTS_FLAT_STORE_sum")
	set(near(c.loads+c.stores), "SQ_INSTS_FLAT_sum")
	set(near(c.local), "SQ_INSTS_LDS_sum")
	set(near(c.localAtomics), "SQ_LDS_ATOMIC_RETURN_sum")
	set(near(c.inside), "SQ_INSTS_INTERNAL_sum")
	all := c.vector + c.scalar + c.scalarLoads + c.loads + c.stores + c.local + c.inside
	set(max(near(all), out["SQ_INSTS_INTERNAL_sum"]), "SQ_INSTS_ALL_sum")

	// Waves and what they wait for.
	resident := span(simulate.SpanSlots)
	weight := 1.0
	if k.pass.Groups.Wide {
		weight = 2
	}
	occupied := 0.0
	if resident > 0 {
		occupied = min(1, slots*top/weight/float64(d.machine.Slots)/resident)
	}
	waveCycles := max(waves, occupied*resident*float64(maxWaves*d.cus))
	set(waveCycles, "SQ_WAVE_CYCLES", "SQ_WAVE_CYCLES_sum")
	set(resident*wgps, "SQ_BUSY_CYCLES_sum")
	set(resident, "SQ_BUSY_CYCLES_avr")
	issuing := min(0.6*waveCycles, all*scale*1.3)
	rest := waveCycles - issuing
	// Waves stand before the units in the proportion in which chunks do.
	arithmetic, local := wait(unitVector), wait(unitLocal)
	memory := wait(unitLoadStore) + wait(unitCache) + wait(simulate.UnitBandwidth) + wait(simulate.UnitLatency) +
		0.15*resident
	sum := arithmetic + local + memory
	ready := rest * max(0.01, arithmetic/sum)
	ldsReady := rest * local / sum * 0.4
	set(ready+ldsReady, "SQ_WAIT_INST_ANY")
	set(ldsReady, "SQ_WAIT_INST_LDS_sum")
	fetch := rest * 0.01
	barrier := min(0.2*rest, c.barriers*scale*60)
	counting := max(0, rest-ready-ldsReady-fetch-barrier)
	set(fetch, "SQ_WAIT_IFETCH")
	set(barrier, "SQ_WAIT_BARRIER")
	set(counting, "SQ_WAIT_CNT_ANY")
	set(counting+fetch+barrier, "SQ_WAIT_ANY")
	set(c.local*scale*1.6, "SQ_INST_CYCLES_LDS_sum")

	// Caches, from the cores outwards.
	set(min(c.localActive*scale, resident*wgps), "SQC_LDS_IDX_ACTIVE_sum")
	set(min(out["SQC_LDS_IDX_ACTIVE_sum"], c.localConflicts*scale), "SQC_LDS_BANK_CONFLICT",
		"SQC_LDS_BANK_CONFLICT_sum")
	set(c.dataRequests*scale, "SQC_DCACHE_REQ_sum")
	set(c.dataMisses*scale+wgps, "SQC_DCACHE_MISSES_sum", "SQC_TC_DATA_READ_REQ_sum")
	set(out["SQC_DCACHE_REQ_sum"]-out["SQC_DCACHE_MISSES_sum"], "SQC_DCACHE_HITS_sum")
	set(min(0.9*resident*wgps, 2*c.dataRequests*scale), "SQC_DCACHE_BUSY_CYCLES_sum")
	set(min(0.8*resident*wgps, 0.8*c.dataRequests*scale), "SQC_DCACHE_INPUT_VALID_READYB_sum")
	set(c.codeRequests*scale+24*wgps, "SQC_ICACHE_REQ_sum")
	set(c.codeMisses*scale+wgps, "SQC_ICACHE_MISSES_sum", "SQC_TC_INST_REQ_sum")
	set(out["SQC_ICACHE_REQ_sum"]-out["SQC_ICACHE_MISSES_sum"], "SQC_ICACHE_HITS_sum")
	set(min(0.9*resident*wgps, 3*c.codeRequests*scale+100*wgps), "SQC_ICACHE_BUSY_CYCLES_sum")
	set(c.codeMisses*scale*5, "SQC_ICACHE_INPUT_VALID_READYB_sum")

	set(c.reads*scale, "TCP_REQ_READ_sum")
	set(c.writes*scale, "TCP_REQ_WRITE_sum")
	set(out["TCP_REQ_READ_sum"]+out["TCP_REQ_WRITE_sum"], "TCP_REQ_sum")
	set(min(out["TCP_REQ_sum"], c.misses*scale), "TCP_REQ_MISS_sum")
	set(c.gl1Reads*scale, "TCP_GL1_REQ_READ_sum")
	set(c.gl1Reads*scale*0.9, "TCP_GL1_REQ_READ_128B_sum")
	set(c.gl1Writes*scale, "TCP_GL1_REQ_WRITE_sum")
	set(min(gui*wgps, span(simulate.SpanCores)*wgps), "TCP_GATE_EN2", "TCP_GATE_EN2_sum")
	set(wait(unitLoadStore)*wgps*0.8, "TCP_TCP_TA_REQ_STALL_sum")
	behind := 0.8*wait(unitCache) + 0.5*wait(simulate.UnitBandwidth)
	set(min(behind, resident)*wgps, "TCP_GL1_TCP_BACK_PRESSURE_sum")
	set(0.05*wait(unitLoadStore)*wgps, "TCP_DATA_FIFO_STALL_sum")
	if d.gated { // as in the real capture, where these clocks were off
		for name := range out {
			if strings.HasPrefix(name, "TCP_REQ") || name == "TCP_GL1_REQ_WRITE_sum" ||
				name == "TCP_GL1_REQ_READ_128B_sum" || strings.HasPrefix(name, "TCP_TCP") ||
				strings.HasPrefix(name, "TCP_GL1_TCP") || strings.HasPrefix(name, "TCP_DATA") {
				out[name] = 0
			}
		}
	}

	fetched := out["SQC_TC_DATA_READ_REQ_sum"] + out["SQC_TC_INST_REQ_sum"]
	set(c.gl1Reads*scale+fetched, "GL1C_REQ_READ_sum")
	set(c.gl1Writes*scale, "GL1C_REQ_WRITE_sum")
	set(out["GL1C_REQ_READ_sum"]+out["GL1C_REQ_WRITE_sum"], "GL1C_REQ_sum")
	set(min(out["GL1C_REQ_sum"], c.gl1Misses*scale+0.5*fetched), "GL1C_REQ_MISS_sum")
	set(out["GL1C_REQ_MISS_sum"]-out["GL1C_REQ_WRITE_sum"], "GL1C_GL2_REQ_READ_sum", "GL1C_GL2_REQ_READ_128B_sum")
	set(0, "GL1C_GL2_REQ_READ_32B_sum", "GL1C_GL2_REQ_READ_64B_sum", "GL1C_GL2_REQ_WRITE_32B_sum",
		"GL1C_STALL_LFIFO_FULL_sum")
	set(out["GL1C_REQ_WRITE_sum"], "GL1C_GL2_REQ_WRITE_sum", "GL1C_GL2_REQ_WRITE_64B_sum")
	set(gui*gl1s, "GL1C_CYCLE", "GL1C_CYCLE_sum")
	working := min(gui, span(simulate.SpanCores))
	set(working*gl1s*0.85, "GL1C_BUSY", "GL1C_BUSY_sum")
	stall := min(behind, working) * gl1s / 4 * 0.7 // each GL1 counts its cycles four times, and its stalls once
	set(stall, "GL1C_STALL_GL2_GL1_sum")
	set(max(0, gui*gl1s-0.5*working*gl1s-2*out["GL1C_REQ_sum"]-stall), "GL1C_STARVE", "GL1C_STARVE_sum")
	latency := d.latency * share * top * (1 + 0.5*d.machine.LatencyLoad*wait(simulate.UnitBandwidth)/max(1,
		resident)) * (0.4 + 0.6*wait(simulate.UnitBandwidth)/max(1, resident))
	set(out["GL1C_GL2_REQ_READ_sum"]*latency, "GL1C_GL2_REQ_READ_LATENCY_sum")
	set(out["GL1C_GL2_REQ_WRITE_sum"]*latency*0.16, "GL1C_GL2_REQ_WRITE_LATENCY_sum")

	set(out["GL1C_GL2_REQ_READ_sum"], "GL2C_READ_sum", "GL2C_READ_128_REQ_sum")
	set(out["GL1C_GL2_REQ_WRITE_sum"], "GL2C_WRITE_sum")
	set(c.gl2Atomics*scale, "GL2C_ATOMIC_sum")
	set(out["GL2C_READ_sum"]+out["GL2C_WRITE_sum"]+out["GL2C_ATOMIC_sum"], "GL2C_REQ_sum")
	set(min(out["GL2C_REQ_sum"], c.gl2Miss*scale+16), "GL2C_MISS_sum")
	set(out["GL2C_REQ_sum"]-out["GL2C_MISS_sum"], "GL2C_HIT_sum")
	set(0, "GL2C_READ_32_REQ_sum", "GL2C_READ_64_REQ_sum", "GL2C_COMPRESSED_READ_96_REQ_sum")
	set(gui*gl2s*gl2Clock, "GL2C_CYCLE_sum")
	set(working*gl2s*0.8, "GL2C_BUSY_sum")
	reads := min(out["GL2C_READ_sum"], c.memoryReads*scale)
	set(reads, "GL2C_EA_RDREQ_128B_sum", "GL2C_EA_RDREQ_DRAM_sum")
	set(0, "GL2C_EA_RDREQ_32B_sum", "GL2C_EA_RDREQ_64B_sum", "GL2C_EA_RDREQ_96B", "GL2C_EA_RDREQ_96B_sum")
	set(c.memoryWrites*scale, "GL2C_EA_WRREQ_64B_sum", "GL2C_EA_WRREQ_DRAM_sum", "GL2C_MC_WRREQ_sum")

	// The arbiters to memory. A read of 128 bytes is four of their units, and is answered in two parts.
	fabric := gui * arbiters
	set(fabric, "GCEA_ALWAYS_COUNT", "GCEA_ALWAYS_COUNT_sum")
	set(reads*4, "GCEA_RDRAM_SIZE_REQ_sum")
	set(reads*5, "GCEA_RDRAM_REQ_PER_CLIGRP_sum", "GCEA_RDRAM_CHAINED_REQ_PER_CLIGRP_sum")
	set(reads*2, "GCEA_RRET_VLD_sum")
	set(reads*2.2, "GCEA_RDRAM_NUM_BANKS_VLD_sum")
	set(c.memoryWrites*scale*2, "GCEA_WDRAM_SIZE_REQ_sum")
	set(c.memoryWrites*scale*5, "GCEA_WDRAM_REQ_PER_CLIGRP_sum")
	set(c.memoryWrites*scale*0.4, "GCEA_WDRAM_CHAINED_REQ_PER_CLIGRP_sum")
	set(c.memoryWrites*scale, "GCEA_WRET_VLD_sum")
	set(c.memoryWrites*scale*1.8, "GCEA_WDRAM_NUM_BANKS_VLD_sum")
	requests := reads + c.memoryWrites*scale
	set(requests*9, "GCEA_SARB_REQ_PER_VC_sum", "GCEA_SARB_DRAM_REQ_PER_VC_sum")
	set(0, "GCEA_PRB_REQ_sum")
	arbiter := min(fabric, requests*1.0)
	set(arbiter, "GCEA_SARB_BUSY", "GCEA_SARB_BUSY_sum")
	set(min(0.8*fabric, 0.5*wait(simulate.UnitBandwidth)*arbiters), "GCEA_SARB_STALLED", "GCEA_SARB_STALLED_sum")
	set(max(0, fabric-arbiter-out["GCEA_SARB_STALLED"])*0.7, "GCEA_SARB_STARVING")

	set(gui, "GRBM_COUNT", "GRBM_GUI_ACTIVE", "CPC_ALWAYS_COUNT", "CPC_STAT_BUSY", "GRBM_CP_BUSY")
	set(working, "GRBM_GL2C_BUSY", "GRBM_TA_BUSY")
	launching := min(gui, span(simulate.SpanCores)*0.95)
	set(launching, "GRBM_SPI_BUSY")
	set(d.launchRate()*launching, "SPI_BUSY")
	set(0, "SPI_CSN_WAVE", "CPC_STAT_IDLE")
	set(min(gui, 0.3*around+200), "CPC_STAT_STALL")
	set(min(gui, 3000*share), "CPC_TCIU_BUSY", "CPC_UTCL2IU_BUSY")
	set(197, "CPC_GCRIU_BUSY")
	set(612, "CPC_MEC_INSTR_CACHE_HIT_sum")
	set(760, "CPC_ME1_STALL_ON_DATA_FROM_ROQ")
	set(3, "CPC_TCIU_READ_REQUEST_SENT_sum")
	set(11, "CPC_TCIU_WRITE_REQUEST_SENT_sum")
	return out
}
