package rdna

import (
	"math"

	"astrolabe/capture/simulate"
)

// counts are the counters of a dispatch by name.
type counts map[string]float64

// both sets a counter that the profiler has as one value and as a sum over instances.
func (v counts) both(name string, x float64) { v[name], v[name+"_sum"] = x, x }

// Clocks that the instances of a block count for each of the GPU's.
const (
	sequencers = 16
	gl1Clocks  = 16
)

// count sets the counters of a dispatch in a run. noise multiplies what differs from run to run.
func (p *program) count(v counts, run, i int, rnd simulate.Random, noise float64) {
	clear(v)
	d, cond := &p.dispatches[i], &p.conditions[run][i]
	k, f := p.kernels[d.kernel], p.flow(d.kernel, cond.clock, unrelieved())
	cold := d.kernel%2 == 0
	size := d.size
	off := func(by float64) float64 { return 1 + noise*rnd.Between(-by, by) }
	longer := size * cond.late // of times; work does not vary with the run
	// Sequencers count some waves too many, the same in all counters of a run.
	extra := 1 + rnd.Between(0.004, 0.014)*noise

	busy := f.busy * longer
	gui := f.total*longer + rnd.Between(5000, 9000) + 2500*cond.clock
	if cold {
		gui += rnd.Between(4000, 12000)
	}
	p.cycles(v, f, k, busy, gui, rnd, off)
	p.instructions(v, k, size*extra)
	// A slot is empty for a moment between two waves.
	p.waiting(v, f, k, longer*extra*rnd.Between(0.94, 0.97), size*extra, cold, rnd)
	p.scalarCaches(v, k, size*extra, cold, rnd)
	p.vectorCaches(v, f, k, size, busy, gui, cold, rnd, off)
	commands(v, gui, cold, rnd)
}

// active is the mean share of the servers of a station that served, where c compute units had work.
func (f *flown) active(station int, c float64) float64 {
	servers := [stations]float64{byALU: simds * c, byTA: c, byLDS: c, byGL2: channels, byFabric: channels, byDRAM: channels}[station]
	return min(1, f.service[station]/max(1, f.busy*servers))
}

// any is the share of time in which at least one of a mean number of things is there.
func any(mean float64) float64 { return 1 - math.Exp(-mean) }

// cycles are clocks and how long the large blocks were busy.
func (p *program) cycles(v counts, f *flown, k *kernel, busy, gui float64, rnd simulate.Random, off func(float64) float64) {
	v["GRBM_COUNT"], v["GRBM_GUI_ACTIVE"] = gui, gui
	v["GRBM_CP_BUSY"] = gui * rnd.Between(0.97, 1)
	v["GRBM_SPI_BUSY"] = min(gui, busy*rnd.Between(1, 1.03)+200)
	v["SPI_BUSY"] = 2 * min(gui, busy*rnd.Between(1, 1.02)+150)
	// Where groups are few, some processors have none; all have waves till the end of none but their own.
	each := busy * min(1, k.active()/units) * rnd.Between(0.975, 0.995)
	v["SQ_BUSY_CYCLES_avr"] = each
	v["SQ_BUSY_CYCLES_sum"] = sequencers * each
	memory := (f.near + f.far + f.queued[byTA] + f.queued[byGL2] + f.queued[byFabric] + f.queued[byDRAM] + f.service[byTA]) / max(1, f.busy)
	v["GRBM_TA_BUSY"] = busy * any(memory/6) * off(0.01)
	v["GRBM_GL2C_BUSY"] = min(gui, busy*any(memory/3)+rnd.Between(1500, 4000))
	v.both("TCP_GATE_EN2", 16*busy*any(2.2*f.active(byTA, units)+0.35*any(memory/12))*off(0.02))
	v["GL2C_CYCLE_sum"] = 8 * gui
	v["GL2C_BUSY_sum"] = 8 * min(gui*0.97, busy*any(memory/10)*1.01+rnd.Between(1000, 3500))
	v.both("GL1C_CYCLE", gl1Clocks*gui)
	v.both("GL1C_BUSY", gl1Clocks*min(gui*0.97, busy*any(memory/20)+rnd.Between(200, 600)))
}

// instructions are what waves issued.
func (p *program) instructions(v counts, k *kernel, by float64) {
	w := k.waves() * by
	var valu, trans, dp, salu, smem, branch, loads, stores, image, imageStores, lds, ldsAtomic float64
	for i := range k.segments {
		s := &k.segments[i]
		valu += s.valu + s.trans + s.dp + s.wmma
		trans += s.trans
		dp += s.dp
		salu += s.salu
		smem += s.smem
		trips := 0.0
		if s.loads > 0 {
			trips = max(1, s.loads/max(1, s.mlp))
		}
		branch += s.branch + s.barriers + trips + s.lds/4 + s.smem/2
		if s.image {
			image += s.loads
			imageStores += s.stores
		} else {
			loads += s.loads + s.atomics
			stores += s.stores
		}
		lds += s.lds
		ldsAtomic += s.ldsAtomic
	}
	if p.cold(k) {
		smem /= 3 // which the colder kernel only waits longer for
	}
	internal := branch + 2
	set := func(name string, n float64) { v[name] = math.Round(n * w) }
	set("SQ_WAVES", 1)
	set("SQ_WAVES_sum", 1)
	v["SQ_ITEMS_sum"] = math.Round(v["SQ_WAVES"] * math.Min(32, float64(k.group)) * 0.9994)
	set("SQ_INSTS_VALU", valu)
	set("SQ_INSTS_VALU_sum", valu)
	set("SQ_INSTS_VALU_TRANS_sum", trans)
	set("SQ_INSTS_VALU_DP_sum", dp)
	set("SQ_INSTS_SALU_sum", salu)
	set("SQ_INSTS_SMEM_sum", smem)
	set("SQ_INSTS_FLAT_LOAD_sum", loads)
	set("SQ_INSTS_FLAT_STORE_sum", stores)
	set("SQ_INSTS_TEX_LOAD_sum", image)
	set("SQ_INSTS_TEX_STORE_sum", imageStores)
	set("SQ_INSTS_LDS_sum", lds)
	set("SQ_LDS_ATOMIC_RETURN_sum", ldsAtomic)
	set("SQ_INSTS_INTERNAL_sum", internal)
	v["SQ_INSTS_FLAT_sum"] = v["SQ_INSTS_FLAT_LOAD_sum"] + v["SQ_INSTS_FLAT_STORE_sum"]
	v["SQ_INSTS_TEX_sum"] = v["SQ_INSTS_TEX_LOAD_sum"] + v["SQ_INSTS_TEX_STORE_sum"]
	for _, n := range []string{"VALU", "SALU", "SMEM", "FLAT", "TEX", "LDS", "INTERNAL"} {
		v["SQ_INSTS_ALL_sum"] += v["SQ_INSTS_"+n+"_sum"]
	}
	v["SQ_INSTS_ALL_sum"] += 2 * v["SQ_WAVES"] // two of each wave are of no kind
}

// cold reports whether a kernel is the first dispatch of one.
func (p *program) cold(k *kernel) bool {
	for i, x := range p.kernels {
		if x == k {
			return i%2 == 0
		}
	}
	return false
}

// waiting is what waves waited for, and what LDS did.
func (p *program) waiting(v counts, f *flown, k *kernel, by, size float64, cold bool, rnd simulate.Random) {
	v.both("SQ_WAVE_CYCLES", f.resident*by)
	barriers := 0.0
	for i := range k.segments {
		if k.segments[i].barriers > 0 {
			barriers = 0.12 / 1.12 * float64(i+1) / float64(len(k.segments)) // of the delays
		}
	}
	delay := f.alu + f.lds + f.near + f.far + f.scalar
	v["SQ_WAIT_BARRIER"] = delay * barriers * by
	fetch := rnd.Between(0.004, 0.012)
	if cold {
		fetch *= 2
	}
	if k.code > 24 {
		fetch *= 3
	}
	v["SQ_WAIT_IFETCH"] = (f.alu + f.scalar) * min(0.5, 8*fetch) * by
	below := 0.0
	for _, j := range [...]int{byGL2, byFabric, byDRAM} {
		below += f.queued[j] + f.service[j]
	}
	data := (f.lds+f.near+f.far+0.6*f.scalar)*(1-barriers) + below + 0.4*f.queued[byTA] + f.service[byTA]*0.5 + 0.3*f.queued[byLDS] + 0.5*f.service[byLDS]
	v["SQ_WAIT_CNT_ANY"] = data * by
	v["SQ_WAIT_ANY"] = min(0.985*f.resident*by, v["SQ_WAIT_CNT_ANY"]+v["SQ_WAIT_BARRIER"]+v["SQ_WAIT_IFETCH"]+0.3*f.alu*(1-barriers)*by)
	v["SQ_WAIT_INST_ANY"] = (f.queued[byALU] + 0.6*f.queued[byTA] + 0.7*f.queued[byLDS] + 0.004*f.resident) * by
	v["SQ_WAIT_INST_LDS_sum"] = 0.7 * f.queued[byLDS] * by
	var lds, active, lost float64
	for i := range k.segments {
		s := &k.segments[i]
		lds += s.lds * s.ldsCycles
		active += s.lds * s.ldsCycles * (1 + s.conflict)
		lost += s.lds * s.ldsCycles * s.conflict
	}
	w := k.waves() * size
	v["SQ_INST_CYCLES_LDS_sum"] = (lds + lost) * w * 1.02
	v["SQC_LDS_IDX_ACTIVE_sum"] = active * w
	v.both("SQC_LDS_BANK_CONFLICT", lost*w)
}

// scalarCaches are those of instructions and of constants.
func (p *program) scalarCaches(v counts, k *kernel, by float64, cold bool, rnd simulate.Random) {
	smem := v["SQ_INSTS_SMEM_sum"]
	room := v["SQ_BUSY_CYCLES_sum"]
	misses := 16.0
	if cold {
		misses += 16
	}
	req := math.Round(smem * rnd.Between(0.993, 1))
	misses = min(misses, req)
	v["SQC_DCACHE_REQ_sum"], v["SQC_DCACHE_MISSES_sum"], v["SQC_DCACHE_HITS_sum"] = req, misses, req-misses
	v["SQC_TC_DATA_READ_REQ_sum"] = misses
	v["SQC_DCACHE_BUSY_CYCLES_sum"] = min(room*0.9, req*rnd.Between(1.8, 2))
	v["SQC_DCACHE_INPUT_VALID_READYB_sum"] = min(room*0.6, req*rnd.Between(1.2, 2.9)*v["SQC_DCACHE_BUSY_CYCLES_sum"]/max(1, room)*4)
	lines := math.Ceil(k.code * 8)
	fetched := 0.0
	if cold {
		fetched = lines
	}
	if k.code > 24 {
		fetched += (k.code - 24) * 8 * 20
	}
	v["SQC_ICACHE_MISSES_sum"], v["SQC_TC_INST_REQ_sum"] = 16*math.Round(fetched), 16*math.Round(fetched)
	v["SQC_ICACHE_REQ_sum"] = 24 * v["SQC_ICACHE_MISSES_sum"]
	v["SQC_ICACHE_HITS_sum"] = v["SQC_ICACHE_REQ_sum"] - v["SQC_ICACHE_MISSES_sum"]
	v["SQC_ICACHE_BUSY_CYCLES_sum"] = min(room*0.7, 28+v["SQC_ICACHE_MISSES_sum"]*110)
	v["SQC_ICACHE_INPUT_VALID_READYB_sum"] = min(room*0.3, v["SQC_ICACHE_MISSES_sum"]*13)
}

// vectorCaches are GL0, GL1, GL2 and the fabric.
func (p *program) vectorCaches(v counts, f *flown, k *kernel, by, busy, gui float64, cold bool, rnd simulate.Random, off func(float64) float64) {
	w := k.waves() * by
	whole := func(x float64) float64 { return math.Round(x * w) }
	var asked, askedWrites, missed, gl1, gl1Missed, writes, pieces, atomics float64
	read, far := map[float64]float64{}, map[float64]float64{} // by size: what GL2 is asked for, and memory
	for i := range k.segments {
		s := &k.segments[i]
		per := max(1, s.bytes/64)
		asked += s.reads(0) * per
		missed += s.reads(1) * per
		askedWrites += s.stores * s.lines * per
		gl1 += s.reads(1)
		gl1Missed += s.reads(2)
		writes += s.writtenLines()
		pieces += s.written()
		atomics += s.atomics * s.lines
		read[s.bytes] += s.reads(2)
		far[s.bytes] += s.reads(3) + s.atomics*s.lines*(1-s.hit2)*0.5
	}
	scalar := v["SQC_TC_DATA_READ_REQ_sum"] + v["SQC_TC_INST_REQ_sum"]
	if p.pinned {
		v["TCP_REQ_READ_sum"], v["TCP_REQ_WRITE_sum"] = whole(asked+atomics), whole(askedWrites)
		v["TCP_REQ_sum"] = v["TCP_REQ_READ_sum"] + v["TCP_REQ_WRITE_sum"]
		v["TCP_REQ_MISS_sum"] = whole(missed + atomics)
		v["TCP_GL1_REQ_READ_sum"] = whole(missed)
		v["TCP_GL1_REQ_READ_128B_sum"] = whole(read128(k))
		v["TCP_GL1_REQ_WRITE_sum"] = whole(askedWrites)
		ta := f.active(byTA, units)
		pressure := math.Pow(max(f.active(byGL2, units), f.active(byFabric, units), f.active(byDRAM, units)), 4)
		v["TCP_TCP_TA_REQ_STALL_sum"] = busy * 16 * min(0.9, 0.8*ta*ta*ta+0.25*pressure) * off(0.05)
		v["TCP_GL1_TCP_BACK_PRESSURE_sum"] = busy * 16 * 0.5 * pressure * off(0.05)
		v["TCP_DATA_FIFO_STALL_sum"] = busy * 16 * 0.12 * ta * pressure * off(0.1)
	} else {
		v["TCP_GL1_REQ_READ_sum"] = whole(missed * 0.895) // the rest were at times when its clock was off
	}
	v["GL1C_REQ_READ_sum"], v["GL1C_REQ_WRITE_sum"] = whole(gl1+atomics)+scalar, whole(pieces)
	v["GL1C_REQ_sum"] = v["GL1C_REQ_READ_sum"] + v["GL1C_REQ_WRITE_sum"]
	v["GL1C_REQ_MISS_sum"] = v["GL1C_REQ_WRITE_sum"] + whole(gl1Missed+atomics) + min(scalar, 4)
	u2 := f.active(byGL2, units)
	v["GL1C_STALL_GL2_GL1_sum"] = v["GL1C_BUSY_sum"] * min(0.85, 0.004+0.75*math.Pow(u2, 5)+
		0.015*math.Pow(f.active(byFabric, units), 4)+p.m.backlog*math.Pow(f.active(byDRAM, units), 8)) * off(0.2)
	v.both("GL1C_STARVE", max(0, v["GL1C_CYCLE_sum"]-v["GL1C_STALL_GL2_GL1_sum"]-v["GL1C_REQ_sum"]*rnd.Between(1, 1.4))*rnd.Between(0.86, 0.98))

	for size, n := range map[float64]string{128: "128", 64: "64", 32: "32"} {
		x := whole(read[size])
		if size == 64 {
			x += min(scalar, 4)
		}
		v["GL1C_GL2_REQ_READ_"+n+"B_sum"], v["GL2C_READ_"+n+"_REQ_sum"] = x, x
		m := whole(far[size])
		if size == 128 {
			m += 2
		}
		v["GL2C_EA_RDREQ_"+n+"B_sum"] = m
	}
	reads := v["GL2C_READ_128_REQ_sum"] + v["GL2C_READ_64_REQ_sum"] + v["GL2C_READ_32_REQ_sum"]
	v["GL1C_GL2_REQ_READ_sum"], v["GL2C_READ_sum"] = reads, reads
	v["GL1C_GL2_REQ_WRITE_sum"], v["GL2C_WRITE_sum"] = whole(pieces), whole(pieces)
	half := 0.0
	for i := range k.segments {
		if s := &k.segments[i]; s.bytes < 64 {
			half += s.written()
		}
	}
	v["GL1C_GL2_REQ_WRITE_32B_sum"] = whole(half)
	v["GL1C_GL2_REQ_WRITE_64B_sum"] = whole(pieces) - whole(half)
	v["GL2C_ATOMIC_sum"] = whole(atomics)
	v["GL2C_REQ_sum"] = reads + v["GL2C_WRITE_sum"] + v["GL2C_ATOMIC_sum"]
	missReads := v["GL2C_EA_RDREQ_128B_sum"] + v["GL2C_EA_RDREQ_64B_sum"] + v["GL2C_EA_RDREQ_32B_sum"]
	v["GL2C_EA_RDREQ_DRAM_sum"] = missReads
	v["GL2C_MISS_sum"] = min(v["GL2C_REQ_sum"], missReads+whole(writes))
	v["GL2C_HIT_sum"] = v["GL2C_REQ_sum"] - v["GL2C_MISS_sum"]
	// GL1 has room for so many reads at a time; the others wait above it.
	const room = 1500
	v["GL1C_GL2_REQ_READ_LATENCY_sum"] = min(f.readsOut*by, room*busy)
	v["GL1C_GL2_REQ_WRITE_LATENCY_sum"] = v["GL1C_GL2_REQ_WRITE_sum"] * (p.m.gl2*0.75 + f.queued[byGL2]/max(1, v["GL2C_REQ_sum"])*by) * off(0.05)

	// What a kernel wrote last stays in GL2 and is written out by the next one's writes, but for the first.
	out := whole(pieces)
	if !cold {
		out = max(0, out-min(0.12*out, 800<<10/64.0)*rnd.Between(0.9, 1.05))
	}
	out = math.Round(out)
	wide := out
	if whole(pieces) > 0 {
		wide = math.Round(out * v["GL1C_GL2_REQ_WRITE_64B_sum"] / whole(pieces))
	}
	v["GL2C_MC_WRREQ_sum"], v["GL2C_EA_WRREQ_64B_sum"], v["GL2C_EA_WRREQ_DRAM_sum"] = out, wide, out
	p.fabric(v, f, busy, gui, out, wide, rnd)
}

// read128 are the lines that GL0 asks for whole.
func read128(k *kernel) (n float64) {
	for i := range k.segments {
		if s := &k.segments[i]; s.bytes == 128 {
			n += s.reads(1)
		}
	}
	return n
}

// fabric is what lies between GL2 and memory.
func (p *program) fabric(v counts, f *flown, busy, gui, writes, wide float64, rnd simulate.Random) {
	reads := v["GL2C_EA_RDREQ_DRAM_sum"]
	units := 4*v["GL2C_EA_RDREQ_128B_sum"] + 2*v["GL2C_EA_RDREQ_64B_sum"] + v["GL2C_EA_RDREQ_32B_sum"]
	other := math.Round(rnd.Between(10, 80)) // of the command processor and of page tables
	v["GCEA_RDRAM_SIZE_REQ_sum"] = units + other
	v["GCEA_RDRAM_REQ_PER_CLIGRP_sum"] = units + reads + other
	v["GCEA_RDRAM_CHAINED_REQ_PER_CLIGRP_sum"] = units + reads
	v["GCEA_RRET_VLD_sum"] = math.Ceil(units/2) + other
	v["GCEA_WDRAM_SIZE_REQ_sum"] = writes + wide
	v["GCEA_WDRAM_REQ_PER_CLIGRP_sum"] = 5 * writes
	v["GCEA_WDRAM_CHAINED_REQ_PER_CLIGRP_sum"] = writes * rnd.Between(0.28, 0.5)
	v["GCEA_WRET_VLD_sum"] = writes + math.Round(other/8)
	v["GCEA_SARB_REQ_PER_VC_sum"], v["GCEA_SARB_DRAM_REQ_PER_VC_sum"] = 9*(reads+writes)+9*other, 9*(reads+writes)+8*other
	v["GCEA_RDRAM_NUM_BANKS_VLD_sum"], v["GCEA_WDRAM_NUM_BANKS_VLD_sum"] = reads*rnd.Between(2.2, 5.3), writes*rnd.Between(1.8, 3.6)
	clocks := 8 * (gui + rnd.Between(12000, 15000))
	v.both("GCEA_ALWAYS_COUNT", clocks)
	served := min(reads+writes+other, 0.9*clocks)
	v.both("GCEA_SARB_BUSY", served)
	u := max(f.active(byFabric, 32), f.active(byDRAM, 32))
	stalled := min(8*busy, clocks-served) * min(0.8, 0.02+0.42*math.Pow(u, 2)*rnd.Between(0.7, 1.2))
	v.both("GCEA_SARB_STALLED", stalled)
	v["GCEA_SARB_STARVING"] = (clocks - served - stalled) * rnd.Between(0.62, 0.88)
}

// commands are what the processor of commands did.
func commands(v counts, gui float64, cold bool, rnd simulate.Random) {
	v["CPC_ALWAYS_COUNT"], v["CPC_STAT_BUSY"] = gui, gui
	v["CPC_STAT_STALL"] = min(gui, rnd.Between(3800, 5400))
	v["CPC_TCIU_BUSY"] = min(gui, rnd.Between(3200, 3500))
	v["CPC_GCRIU_BUSY"], v["CPC_MEC_INSTR_CACHE_HIT_sum"], v["CPC_TCIU_READ_REQUEST_SENT_sum"] = 197, 612, 3
	v["CPC_ME1_STALL_ON_DATA_FROM_ROQ"] = rnd.Between(740, 790)
	v["CPC_TCIU_WRITE_REQUEST_SENT_sum"] = 11
	if rnd.Chance(0.4) {
		v["CPC_UTCL2IU_BUSY"] = min(gui, rnd.Between(2400, 3800))
	}
	if cold {
		v["CPC_TCIU_BUSY"] *= 3
		v["CPC_GCRIU_BUSY"], v["CPC_MEC_INSTR_CACHE_HIT_sum"], v["CPC_MEC_INSTR_CACHE_MISS_sum"] = 3269, 624, 20
		v["CPC_TCIU_READ_REQUEST_SENT_sum"] = 13
		v["CPC_ME1_STALL_ON_DATA_FROM_ROQ"] *= 2
	}
}
