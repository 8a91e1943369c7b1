package rdna

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// counted gives the counters of a dispatch. The clock of those of L0 can be off.
func (p *run) counted(i int, res *result, v jitter, off bool) map[string]float64 {
	t := p.total(i, res, v)
	s, m, clock := &p.rows[i].job.shader, p.m, p.rows[i].clock
	n, out := s.waves*s.rounds, map[string]float64{}
	gui := whole(t.clocks + 900*clock)
	count := gui + whole(300*v.time)
	groups := math.Ceil(s.waves / s.group)
	mine := math.Ceil(groups / m.wgps)
	launching := max(0.02, 1-max(1, math.Floor(s.slots/s.group))/mine, s.waves*spawning/m.engines/t.clocks)
	put(out, "GRBM_GUI_ACTIVE GRBM_COUNT GRBM_CP_BUSY GRBM_SPI_BUSY SPI_CSN_WAVE", gui, count, gui*0.99,
		t.clocks-t.busy+min(1, launching)*t.busy, s.waves)
	put(out, "CPC_ALWAYS_COUNT CPC_STAT_BUSY CPC_STAT_IDLE CPC_STAT_STALL", count, gui, count-gui, gui*0.9)

	put(out, "SQ_INSTS_VALU_sum SQ_INSTS_VALU_TRANS_sum SQ_INSTS_VALU_DP_sum SQ_INSTS_DUAL_VALU_WAVE32_sum SQ_INSTS_SALU_sum SQ_INSTS_SMEM_sum "+
		"SQ_INSTS_LDS_sum SQ_INSTS_FLAT_LOAD_sum SQ_INSTS_FLAT_STORE_sum SQ_INSTS_INTERNAL_sum SQ_WAVES_sum SQ_ITEMS_sum SQ_INSTS_TEX_sum",
		n*s.valu, n*s.trans, n*s.double, n*s.valu*s.dual, n*s.salu, n*s.smem, n*s.lds, n*(s.loads+s.atomics), n*s.stores, n*2.5+s.waves*6,
		s.waves, s.waves*32, 0)
	flat := out["SQ_INSTS_FLAT_LOAD_sum"] + out["SQ_INSTS_FLAT_STORE_sum"]
	all := flat + out["SQ_INSTS_VALU_sum"] + out["SQ_INSTS_SALU_sum"] + out["SQ_INSTS_SMEM_sum"] + out["SQ_INSTS_LDS_sum"] + out["SQ_INSTS_INTERNAL_sum"]
	life := whole(res.sums.life * v.time)
	left := life // of which waits take their parts
	part := func(x float64) float64 {
		x = min(left, whole(x*v.time))
		left -= x
		return x
	}
	barrier, answers, issue := part(res.sums.barrier), part(res.sums.count), part(res.sums.issue)
	code := part(min(0.01*life, 0.3*left))
	sequencers := max(whole(res.active*t.busy*groups/(res.active*mine)), math.Ceil(life/slotsOf))
	put(out, "SQ_INSTS_FLAT_sum SQ_INSTS_ALL_sum SQ_WAVE_CYCLES_sum SQ_WAIT_BARRIER SQ_WAIT_CNT_ANY SQ_WAIT_IFETCH SQ_WAIT_ANY SQ_WAIT_INST_ANY "+
		"SQ_BUSY_CYCLES_sum SQ_BUSY_CYCLES_avr", flat, all, life, barrier, answers, code, barrier+answers+code, issue, sequencers, sequencers/m.wgps)
	conflicts := whole(n * s.lds * s.conflict)
	fetches, asked := max(whole(all/8), t.code), max(whole(n*s.smem), t.scalar)
	put(out, "SQC_LDS_BANK_CONFLICT_sum SQC_LDS_BANK_CONFLICT SQC_LDS_IDX_ACTIVE_sum SQC_ICACHE_REQ_sum SQC_ICACHE_HITS_sum SQC_ICACHE_MISSES_sum "+
		"SQC_TC_INST_REQ_sum SQC_DCACHE_REQ_sum SQC_DCACHE_HITS_sum SQC_DCACHE_MISSES_sum SQC_TC_DATA_READ_REQ_sum", conflicts, conflicts,
		conflicts+whole(n*s.lds), fetches, fetches-t.code, t.code, t.code, asked, asked-t.scalar, t.scalar, t.scalar)

	if !off {
		put(out, "TCP_REQ_READ_sum TCP_REQ_WRITE_sum TCP_REQ_sum TCP_REQ_MISS_sum TCP_TCP_TA_REQ_STALL_sum TCP_GL1_TCP_BACK_PRESSURE_sum "+
			"TCP_DATA_FIFO_STALL_sum TCP_GL1_REQ_READ_128B_sum TCP_GL1_REQ_READ_sum TCP_GL1_REQ_WRITE_sum", t.read0, t.write0,
			t.read0+t.write2, t.miss0+t.write2, min(t.busy, t.l0Held+t.tagWaits)*2*m.wgps, t.l0Held*1.8*m.wgps,
			t.l0Held*0.3*m.wgps, t.wide1, t.wide1+t.narrow1, t.write2)
	}
	waiting := (t.read0 + t.write2) / (4 * m.wgps) * m.latency[0] * clock / t.clocks
	l0 := max(t.l0Busy/t.busy, busyOf(waiting))
	put(out, "TCP_GATE_EN2 GRBM_TA_BUSY TA_TA_BUSY", l0*t.busy*res.active, t.busy*max(t.l0Busy/t.busy, busyOf(waiting*m.wgps)), t.l0Busy*2*m.wgps)
	read1, write1 := t.wide1+t.narrow1+t.scalar+t.code, t.write2
	read2 := min(read1, t.x128+t.x64+t.x32)
	x128 := min(t.x128, read2)
	x64 := min(t.x64, read2-x128)
	one := max(busyOf(t.inFlight/m.gl1), t.memoryHeld) * t.busy
	held := min(one, min(0.97, max(t.memoryHeld, res.stalled[cache]/2/res.clocks))*t.busy)
	put(out, "GL1C_REQ_READ_sum GL1C_REQ_WRITE_sum GL1C_REQ_sum GL1C_REQ_MISS_sum GL1C_CYCLE_sum GL1C_BUSY_sum GL1C_STALL_GL2_GL1_sum "+
		"GL1C_STALL_LFIFO_FULL_sum GL1C_GL2_REQ_READ_sum GL1C_GL2_REQ_READ_128B_sum GL1C_GL2_REQ_READ_64B_sum GL1C_GL2_REQ_READ_32B_sum "+
		"GL1C_GL2_REQ_WRITE_sum GL1C_GL2_REQ_WRITE_64B_sum GL1C_GL2_REQ_WRITE_32B_sum", read1, write1, read1+write1, read2+write1, gui*m.gl1,
		one*m.gl1, held*m.gl1, 0.3*held*m.gl1, read2, x128, x64, read2-x128-x64, write1, whole(write1*0.95), write1-whole(write1*0.95))
	own := whole(2.5 * m.channels) // requests of the command processor
	lacks := min(t.m128+t.m64+t.m32+own, read2+own+write1)
	put(out, "GL2C_READ_128_REQ_sum GL2C_READ_64_REQ_sum GL2C_READ_32_REQ_sum GL2C_COMPRESSED_READ_96_REQ_sum GL2C_READ_sum GL2C_WRITE_sum "+
		"GL2C_ATOMIC_sum GL2C_REQ_sum GL2C_MISS_sum GL2C_HIT_sum GL2C_CYCLE_sum GL2C_BUSY_sum GRBM_GL2C_BUSY", x128, x64+own, read2-x128-x64, 0,
		read2+own, write1-t.atomic0, t.atomic0, read2+own+write1, lacks, read2+own+write1-lacks, gui*m.channels,
		max(busyOf(t.inFlight/m.channels), t.memoryHeld)*t.busy*m.channels, t.clocks-t.busy+busyOf(t.inFlight)*t.busy)
	reads, writes := t.m128+t.m64+t.m32, t.w64+t.w32
	stalled := 0.7*t.memoryHeld + 0.02*t.memoryUsed
	put(out, "GL2C_EA_RDREQ_128B_sum GL2C_EA_RDREQ_96B_sum GL2C_EA_RDREQ_64B_sum GL2C_EA_RDREQ_32B_sum GL2C_EA_RDREQ_DRAM_sum GL2C_MC_WRREQ_sum "+
		"GL2C_EA_WRREQ_64B_sum GL2C_EA_WRREQ_DRAM_sum GCEA_RDRAM_REQ_PER_CLIGRP_sum GCEA_RDRAM_SIZE_REQ_sum GCEA_WDRAM_REQ_PER_CLIGRP_sum "+
		"GCEA_WDRAM_SIZE_REQ_sum GCEA_RRET_VLD_sum GCEA_WRET_VLD_sum GCEA_SARB_REQ_PER_VC_sum GCEA_SARB_DRAM_REQ_PER_VC_sum GCEA_ALWAYS_COUNT_sum "+
		"GCEA_SARB_BUSY_sum GCEA_SARB_STALLED_sum", t.m128, 0, t.m64, t.m32, reads, writes, t.w64, writes, reads, 4*t.m128+2*t.m64+t.m32, writes,
		2*t.w64+t.w32, reads, writes, reads+writes, reads+writes, gui*16, max(stalled, busyOf(2.2*t.memoryUsed))*t.busy*16, stalled*t.busy*16)
	return out
}

// slots are the counters of a block that one run measures.
var slots = map[string]int{"SQ": 8, "TCP": 4, "GL1C": 4, "GL2C": 4, "GRBM": 2, "GCEA": 2, "SPI": 6, "CPC": 2, "TA": 2}

// selections are the counters that people ask for together, and the share of recorders that do.
var selections = []struct {
	share float64
	names string
}{
	{1, "GRBM_GUI_ACTIVE GRBM_COUNT"},
	{0.95, "SQ_WAVES_sum SQ_INSTS_VALU_sum SQ_BUSY_CYCLES_sum SQ_WAVE_CYCLES_sum SQ_WAIT_ANY SQ_WAIT_INST_ANY SQ_INSTS_LDS_sum SQ_INSTS_FLAT_sum"},
	{0.7, "SQ_INSTS_VALU_TRANS_sum SQ_INSTS_VALU_DP_sum SQ_INSTS_DUAL_VALU_WAVE32_sum SQ_INSTS_SALU_sum SQ_INSTS_SMEM_sum SQ_INSTS_ALL_sum SQ_INSTS_INTERNAL_sum SQ_BUSY_CYCLES_avr"},
	{0.55, "SQ_WAIT_CNT_ANY SQ_WAIT_BARRIER SQ_WAIT_IFETCH SQ_INSTS_FLAT_LOAD_sum SQ_INSTS_FLAT_STORE_sum SQ_ITEMS_sum SQ_INSTS_TEX_sum"},
	{0.85, "SQC_LDS_IDX_ACTIVE_sum SQC_LDS_BANK_CONFLICT_sum SQC_LDS_BANK_CONFLICT"},
	{0.4, "SQC_ICACHE_REQ_sum SQC_ICACHE_HITS_sum SQC_ICACHE_MISSES_sum SQC_TC_INST_REQ_sum SQC_DCACHE_REQ_sum SQC_DCACHE_HITS_sum SQC_DCACHE_MISSES_sum SQC_TC_DATA_READ_REQ_sum"},
	{0.9, "TCP_REQ_sum TCP_REQ_READ_sum TCP_REQ_WRITE_sum TCP_REQ_MISS_sum"},
	{0.6, "TCP_TCP_TA_REQ_STALL_sum TCP_GL1_TCP_BACK_PRESSURE_sum TCP_DATA_FIFO_STALL_sum TCP_GATE_EN2"},
	{0.6, "TCP_GL1_REQ_READ_sum TCP_GL1_REQ_READ_128B_sum TCP_GL1_REQ_WRITE_sum"},
	{0.65, "GL1C_REQ_sum GL1C_REQ_READ_sum GL1C_REQ_WRITE_sum GL1C_REQ_MISS_sum"},
	{0.6, "GL1C_CYCLE_sum GL1C_BUSY_sum GL1C_STALL_GL2_GL1_sum GL1C_STALL_LFIFO_FULL_sum"},
	{0.55, "GL1C_GL2_REQ_READ_sum GL1C_GL2_REQ_READ_128B_sum GL1C_GL2_REQ_READ_64B_sum GL1C_GL2_REQ_READ_32B_sum GL1C_GL2_REQ_WRITE_sum GL1C_GL2_REQ_WRITE_64B_sum GL1C_GL2_REQ_WRITE_32B_sum"},
	{0.9, "GL2C_HIT_sum GL2C_MISS_sum GL2C_REQ_sum"},
	{0.7, "GL2C_READ_sum GL2C_WRITE_sum GL2C_ATOMIC_sum GL2C_READ_128_REQ_sum GL2C_READ_64_REQ_sum GL2C_READ_32_REQ_sum GL2C_COMPRESSED_READ_96_REQ_sum"},
	{0.55, "GL2C_CYCLE_sum GL2C_BUSY_sum GRBM_GL2C_BUSY"},
	{0.85, "GL2C_EA_RDREQ_128B_sum GL2C_EA_RDREQ_96B_sum GL2C_EA_RDREQ_64B_sum GL2C_EA_RDREQ_32B_sum GL2C_MC_WRREQ_sum GL2C_EA_WRREQ_64B_sum"},
	{0.4, "GL2C_EA_RDREQ_DRAM_sum GL2C_EA_WRREQ_DRAM_sum"},
	{0.5, "GCEA_RDRAM_SIZE_REQ_sum GCEA_WDRAM_SIZE_REQ_sum GCEA_RDRAM_REQ_PER_CLIGRP_sum GCEA_WDRAM_REQ_PER_CLIGRP_sum"},
	{0.5, "GCEA_ALWAYS_COUNT_sum GCEA_SARB_BUSY_sum GCEA_SARB_STALLED_sum"},
	{0.25, "GCEA_RRET_VLD_sum GCEA_WRET_VLD_sum GCEA_SARB_REQ_PER_VC_sum GCEA_SARB_DRAM_REQ_PER_VC_sum"},
	{0.6, "GRBM_SPI_BUSY GRBM_TA_BUSY SPI_CSN_WAVE"},
	{0.35, "GRBM_CP_BUSY CPC_ALWAYS_COUNT CPC_STAT_BUSY CPC_STAT_IDLE CPC_STAT_STALL"},
	{0.3, "TA_TA_BUSY"},
}

// rocprof records dispatches as rocprofv3 does: run after run of the program, each with the counters that fit.
func (p *run) rocprof(seed uint64, o simulate.Options) (*capture.Capture, error) {
	r := simulate.NewRandom(seed, "ninth rocprof")
	everything := r.Chance(0.35)
	off := p.rows[0].clock > 0.88*p.m.boost && r.Chance(0.25)
	var passes [][]string
	for _, s := range selections {
		if everything || r.Chance(s.share) {
			for _, name := range strings.Fields(s.names) {
				passes = place(passes, name)
			}
		}
	}
	noise := 1.0
	if o.Noise != 0 {
		noise = max(0, o.Noise)
	}
	base, rows := p.results(), p.kept(o.Gaps, r.IntN)
	axis := &capture.Axis{Clock: "gpu"}
	gap, now, firsts := r.Log(3e3, 2e5), int64(0), make([]float64, len(rows))
	for k, i := range rows {
		firsts[k] = r.Spread(0.006 * noise)
		ns := max(1, int64(float64(base[i].ns(p.rows[i].clock))*firsts[k]))
		axis.Start, axis.End = append(axis.Start, now), append(axis.End, now+ns)
		now += ns + int64(gap*r.Spread(0.5))
	}
	const gpu = "gfx1201"
	cat, err := metrics.Get(gpu)
	if err != nil {
		return nil, err
	}
	cols := simulate.NewColumns(axis)
	cfg := capture.Config{Name: fmt.Sprintf("ninth-%d", seed), Format: "rocprofv3", GPU: gpu, Axis: axis,
		Device: capture.Device{Name: p.m.name, Vendor: "AMD", ID: gpu}, Properties: p.properties(r)}
	for n, names := range passes {
		pass := &capture.Pass{ID: "pass_" + strconv.Itoa(n+1)}
		starts, lengths := make([]float64, len(rows)), make([]float64, len(rows))
		columns := make([]int, len(names))
		for c, name := range names {
			e := cat.Named(name)
			if e == nil {
				return nil, fmt.Errorf("%s has no counter %s", gpu, name)
			}
			columns[c] = cols.Counter(capture.Meta{Name: name, Title: e.Title, Unit: e.Unit, Doc: e.Doc, Kind: capture.Delta, Block: block(name),
				GPU: gpu, Source: "rocprofv3"})
			if len(passes) > 1 {
				cols.InPass(columns[c], pass)
			}
			if units := int(2 * p.m.wgps); name == "TA_TA_BUSY" {
				cols.Split(columns[c], simulate.Numbers(units), simulate.Near(r, units, 0.03))
			}
		}
		drift := r.Spread(0.004 * noise)
		for k, i := range rows {
			v := jitter{firsts[k], 1}
			if n > 0 {
				v = jitter{drift * r.Spread(0.012*noise), r.Spread(0.01 * noise)}
			}
			if i == 0 && noise > 0 && n > 0 {
				v.time *= r.Between(1, 1.06) // caches and code are cold
			}
			values := p.counted(i, &base[i], v, off)
			for c, name := range names {
				cols.Whole(columns[c], values[name])
			}
			starts[k], lengths[k] = float64(axis.Start[k]), math.Round(float64(base[i].ns(p.rows[i].clock))*v.time)
		}
		pass.Start, pass.Duration = capture.NewColumn(capture.Data{F: starts}), capture.NewColumn(capture.Data{F: lengths})
		if len(passes) > 1 {
			cfg.Passes = append(cfg.Passes, pass)
		}
	}
	left := telling.Left(&o, telling.RDNA)
	for _, c := range o.Withheld {
		left = append(left, strings.Fields(alsoTelling[c])...)
	}
	cfg.Counters = cols.Counters(left)
	p.label(&cfg, rows)
	return capture.New(cfg)
}

// alsoTelling are further counters of gfx1201 that tell of what a recorder withholds.
var alsoTelling = map[simulate.Candidate]string{candidates[valu]: "SQ_INSTS_DUAL_VALU_WAVE32_sum", candidates[access]: "TA_TA_BUSY TCP_REQ_MISS_sum",
	candidates[lds]: "SQ_INSTS_LDS_sum", candidates[wait]: "SQ_WAIT_INST_ANY", candidates[spawn]: "SQ_WAVES_sum",
	candidates[cache]: "GL2C_HIT_sum GL2C_READ_128_REQ_sum", candidates[memory]: "GL2C_EA_RDREQ_64B_sum GL2C_EA_RDREQ_32B_sum GL2C_MISS_sum"}

func block(name string) string {
	b, _, _ := strings.Cut(name, "_")
	return b
}

// place puts a counter into the first run that has a place for it.
func place(passes [][]string, name string) [][]string {
	shared := func(name string) string { return strings.Replace(block(name), "SQC", "SQ", 1) }
	for i, names := range passes {
		left := slots[shared(name)]
		for _, n := range names {
			if shared(n) == shared(name) {
				left--
			}
		}
		if left > 0 {
			passes[i] = append(names, name)
			return passes
		}
	}
	return append(passes, []string{name})
}

// properties are what the file of agents says, where it is not lost, and with some recorders what rocprof-compute adds.
func (p *run) properties(r simulate.Random) (out []capture.Property) {
	m, lost, more := p.m, r.Chance(0.05), r.Chance(0.6)
	for i, x := range []float64{2 * m.wgps, math.Round(1000 * m.boost), slotsOf / 2, 1, 2, m.engines, 2, 32, 1024, 32, 1258, m.gl1, 32, m.wgps, m.channels} {
		name := strings.Fields("cu_per_gpu max_sclk max_waves_per_cu num_xcd sa_per_se se_per_gpu simd_per_cu wave_size workgroup_max_size " +
			"lds_banks_per_cu max_mclk num_gl1c num_memory_channels sqc_per_gpu total_l2_chan")[i]
		if !lost && (more || i < 9) {
			out = append(out, capture.Property{Name: name, Number: x})
		}
	}
	return out
}

// label says which kernel each row ran, and with which sizes.
func (p *run) label(cfg *capture.Config, rows []int) {
	names := []string{"kernel", "dispatch", "grid_size", "workgroup_size", "lds_per_workgroup", "arch_vgpr", "sgpr", "kernel_shape"}
	texts := make([][]string, len(names))
	for k, i := range rows {
		j := &p.rows[i].job
		s, bytes := &j.shader, 0.0
		if s.lds > 0 {
			bytes = min(65536, 1024*math.Floor(128/max(1, math.Ceil(s.slots/s.group))))
		}
		row := []string{j.name}
		for _, x := range []float64{float64(i + 1), s.waves * 32, s.group * 32, bytes, 8 * math.Floor(min(256, 6144/s.slots)/8), 128} {
			row = append(row, strconv.Itoa(int(x)))
		}
		for c, text := range append(row, j.name+" grid "+row[2]+" workgroup "+row[3]) {
			texts[c] = append(texts[c], text)
		}
		cfg.Regions = append(cfg.Regions, capture.Region{Name: j.name, Start: cfg.Axis.Start[k], End: cfg.Axis.End[k], Track: "queue 1"})
	}
	for c, name := range names {
		cfg.Labels = append(cfg.Labels, capture.NewLabel(name, texts[c], nil))
	}
}
