package rdna

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// counted gives the counters of a dispatch.
func (p *run) counted(i int, res *result, v jitter, off bool) map[string]float64 {
	t := p.total(i, res, v)
	s, m := &p.rows[i].job.shader, p.m
	n := s.waves * s.rounds
	out := map[string]float64{}
	set := func(name string, x float64) float64 { out[name] = whole(x); return out[name] }
	gui := set("GRBM_GUI_ACTIVE", t.clocks+900*p.rows[i].clock)
	set("GRBM_COUNT", gui+whole(300*v.time))
	cp := set("CPC_ALWAYS_COUNT", gui+whole(300*v.time))
	busy := set("CPC_STAT_BUSY", min(cp, gui*0.995))
	set("CPC_STAT_IDLE", cp-busy)
	set("CPC_STAT_STALL", busy*0.9)
	set("GRBM_CP_BUSY", min(gui, gui*0.99))
	set("SPI_CSN_WAVE", s.waves)
	mine := math.Ceil(math.Ceil(s.waves/float64(s.group)) / m.wgps)
	resident := max(1, math.Floor(s.slots/float64(s.group)))
	launching := max(0.02, 1-resident/mine, s.waves*spawning/m.engines/t.clocks)
	set("GRBM_SPI_BUSY", min(gui, t.clocks-t.busy+min(1, launching)*t.busy))

	vectors := set("SQ_INSTS_VALU_sum", n*s.valu)
	set("SQ_INSTS_VALU_TRANS_sum", n*s.trans)
	set("SQ_INSTS_VALU_DP_sum", n*s.double)
	set("SQ_INSTS_DUAL_VALU_WAVE32_sum", vectors*s.dual)
	all := vectors + set("SQ_INSTS_SALU_sum", n*s.salu) + set("SQ_INSTS_SMEM_sum", n*s.smem) + set("SQ_INSTS_LDS_sum", n*s.lds)
	load, store := set("SQ_INSTS_FLAT_LOAD_sum", n*(s.loads+s.atomics)), set("SQ_INSTS_FLAT_STORE_sum", n*s.stores)
	all += set("SQ_INSTS_FLAT_sum", load+store)
	set("SQ_INSTS_TEX_LOAD_sum", 0)
	set("SQ_INSTS_TEX_STORE_sum", 0)
	set("SQ_INSTS_TEX_sum", 0)
	set("SQ_INSTS_ALL_sum", all+set("SQ_INSTS_INTERNAL_sum", n*2.5+s.waves*6))
	set("SQ_WAVES_sum", s.waves)
	set("SQ_ITEMS_sum", s.waves*32)
	life := set("SQ_WAVE_CYCLES_sum", res.sums.life*v.time)
	set("SQ_WAVE_CYCLES", life)
	count, barrier := whole(res.sums.count*v.time), set("SQ_WAIT_BARRIER", res.sums.barrier*v.time)
	issue := whole(min(res.sums.issue*v.time, life-min(life, count+barrier)))
	fetching := set("SQ_WAIT_IFETCH", min(0.01*life, 0.3*(life-min(life, count+barrier+issue))))
	count = set("SQ_WAIT_CNT_ANY", min(count, life-min(life, barrier+fetching)))
	set("SQ_WAIT_ANY", count+barrier+fetching)
	set("SQ_WAIT_INST_ANY", min(issue, life-min(life, count+barrier+fetching)))
	full := math.Ceil(s.waves/float64(s.group)) / (res.active * mine)
	for out["SQ_BUSY_CYCLES_sum"] = whole(res.active * t.busy * full); out["SQ_BUSY_CYCLES_sum"]*m.waves < life; {
		out["SQ_BUSY_CYCLES_sum"] = math.Ceil(life / m.waves)
	}
	set("SQ_BUSY_CYCLES_avr", out["SQ_BUSY_CYCLES_sum"]/m.wgps)
	set("SQC_LDS_BANK_CONFLICT_sum", n*s.lds*s.conflict)
	set("SQC_LDS_BANK_CONFLICT", n*s.lds*s.conflict)
	set("SQC_LDS_IDX_ACTIVE_sum", out["SQC_LDS_BANK_CONFLICT_sum"]+whole(n*s.lds))
	fetches := whole(all / 8)
	set("SQC_ICACHE_MISSES_sum", min(fetches, t.instructions))
	set("SQC_ICACHE_HITS_sum", fetches-out["SQC_ICACHE_MISSES_sum"])
	set("SQC_ICACHE_REQ_sum", fetches)
	set("SQC_TC_INST_REQ_sum", t.instructions)
	asked := max(out["SQ_INSTS_SMEM_sum"], t.scalar)
	set("SQC_DCACHE_REQ_sum", asked)
	set("SQC_DCACHE_MISSES_sum", t.scalar)
	set("SQC_DCACHE_HITS_sum", asked-t.scalar)
	set("SQC_TC_DATA_READ_REQ_sum", t.scalar)

	if !off {
		set("TCP_REQ_READ_sum", t.read0)
		set("TCP_REQ_WRITE_sum", t.write0)
		set("TCP_REQ_sum", t.read0+t.write0+t.atomic0)
		set("TCP_REQ_MISS_sum", t.miss0+t.write0+t.atomic0)
		set("TCP_TCP_TA_REQ_STALL_sum", min(t.busy, t.l0Held+t.tagWaits)*2*m.wgps)
		set("TCP_GL1_TCP_BACK_PRESSURE_sum", t.l0Held*1.8*m.wgps)
		set("TCP_DATA_FIFO_STALL_sum", t.l0Held*0.3*m.wgps)
		set("TCP_GL1_REQ_READ_128B_sum", t.wide1)
		set("TCP_GL1_REQ_READ_sum", t.wide1+t.narrow1)
		set("TCP_GL1_REQ_WRITE_sum", t.write0+t.atomic0)
	}
	waiting := (t.read0 + t.write0) / (2 * m.wgps) / 2 * m.latency[0] * p.rows[i].clock / t.clocks
	l0 := max(t.l0Busy/t.busy, busyOf(waiting))
	set("TCP_GATE_EN2", l0*t.busy*res.active)
	if t.read0+t.write0+t.atomic0 > 0 {
		set("GRBM_TA_BUSY", min(gui, t.busy*max(l0, busyOf(waiting*m.wgps))))
	} else {
		set("GRBM_TA_BUSY", 0)
	}
	set("TA_TA_BUSY", t.l0Busy*2*m.wgps)
	read1, write1 := t.wide1+t.narrow1+t.scalar+t.instructions, t.write0+t.atomic0
	read2 := min(read1, t.read2x128+t.read2x64+t.r2x32)
	x128 := min(t.read2x128, read2)
	x64 := min(t.read2x64, read2-x128)
	set("GL1C_REQ_READ_sum", read1)
	set("GL1C_REQ_WRITE_sum", write1)
	set("GL1C_REQ_sum", read1+write1)
	set("GL1C_REQ_MISS_sum", read2+write1)
	set("GL1C_GL2_REQ_READ_sum", read2)
	set("GL1C_GL2_REQ_READ_128B_sum", x128)
	set("GL1C_GL2_REQ_READ_64B_sum", x64)
	set("GL1C_GL2_REQ_READ_32B_sum", read2-x128-x64)
	set("GL1C_GL2_REQ_WRITE_sum", write1)
	set("GL1C_GL2_REQ_WRITE_64B_sum", write1*0.95)
	set("GL1C_GL2_REQ_WRITE_32B_sum", write1-whole(write1*0.95))
	set("GL1C_CYCLE_sum", gui*m.gl1)
	one := max(busyOf(t.inFlight/m.gl1), t.memoryHeld) * t.busy
	set("GL1C_BUSY_sum", one*m.gl1)
	held := t.memoryHeld
	if d := res.stalled[cache] / 2 / max(1, res.clocks); d > held {
		held = min(0.97, d)
	}
	set("GL1C_STALL_GL2_GL1_sum", min(one, held*t.busy)*m.gl1)
	set("GL1C_STALL_LFIFO_FULL_sum", min(one, 0.3*held*t.busy)*m.gl1)

	own := whole(40 * m.channels / 16) // of the command processor
	set("GL2C_READ_128_REQ_sum", x128)
	set("GL2C_READ_64_REQ_sum", x64+own)
	set("GL2C_READ_32_REQ_sum", read2-x128-x64)
	set("GL2C_COMPRESSED_READ_96_REQ_sum", 0)
	set("GL2C_READ_sum", read2+own)
	set("GL2C_WRITE_sum", write1-t.atomic0)
	set("GL2C_ATOMIC_sum", t.atomic0)
	set("GL2C_REQ_sum", read2+own+write1)
	miss := min(t.missM+own, read2+own+write1)
	set("GL2C_MISS_sum", miss)
	set("GL2C_HIT_sum", read2+own+write1-miss)
	set("GL2C_CYCLE_sum", gui*m.channels)
	set("GL2C_BUSY_sum", max(busyOf(t.inFlight/m.channels), t.memoryHeld)*t.busy*m.channels)
	set("GRBM_GL2C_BUSY", min(gui, t.clocks-t.busy+busyOf(t.inFlight)*t.busy))
	set("GL2C_EA_RDREQ_128B_sum", t.m128)
	set("GL2C_EA_RDREQ_96B_sum", 0)
	set("GL2C_EA_RDREQ_64B_sum", t.m64)
	set("GL2C_EA_RDREQ_32B_sum", t.m32)
	reads, writes := t.m128+t.m64+t.m32, t.w64+t.w32
	set("GL2C_EA_RDREQ_DRAM_sum", reads)
	set("GL2C_MC_WRREQ_sum", writes)
	set("GL2C_EA_WRREQ_64B_sum", t.w64)
	set("GL2C_EA_WRREQ_DRAM_sum", writes)
	set("GCEA_RDRAM_REQ_PER_CLIGRP_sum", reads)
	set("GCEA_RDRAM_SIZE_REQ_sum", 4*t.m128+2*t.m64+t.m32)
	set("GCEA_WDRAM_REQ_PER_CLIGRP_sum", writes)
	set("GCEA_WDRAM_SIZE_REQ_sum", 2*t.w64+t.w32)
	set("GCEA_RRET_VLD_sum", reads)
	set("GCEA_WRET_VLD_sum", writes)
	set("GCEA_SARB_REQ_PER_VC_sum", reads+writes)
	set("GCEA_SARB_DRAM_REQ_PER_VC_sum", reads+writes)
	set("GCEA_ALWAYS_COUNT_sum", gui*arbiters)
	stalled := 0.7*t.memoryHeld + 0.02*t.memoryUsed
	working := max(stalled, busyOf(2.2*t.memoryUsed))
	set("GCEA_SARB_BUSY_sum", working*t.busy*arbiters)
	set("GCEA_SARB_STALLED_sum", stalled*t.busy*arbiters)
	return out
}

const arbiters = 16.0

// slots are the counters of a block that one run measures.
var slots = map[string]int{"SQ": 8, "TCP": 4, "GL1C": 4, "GL2C": 4, "GRBM": 2, "GCEA": 2, "SPI": 6, "CPC": 2, "TA": 2}

// selections are the counters that people ask for together.
var selections = []struct {
	share float64 // of recorders
	names string
}{
	{1, "GRBM_GUI_ACTIVE GRBM_COUNT"},
	{0.95, "SQ_WAVES_sum SQ_INSTS_VALU_sum SQ_BUSY_CYCLES_sum SQ_WAVE_CYCLES_sum SQ_WAIT_ANY SQ_WAIT_INST_ANY SQ_INSTS_LDS_sum SQ_INSTS_FLAT_sum"},
	{0.7, "SQ_INSTS_VALU_TRANS_sum SQ_INSTS_VALU_DP_sum SQ_INSTS_DUAL_VALU_WAVE32_sum SQ_INSTS_SALU_sum SQ_INSTS_SMEM_sum SQ_INSTS_ALL_sum SQ_INSTS_INTERNAL_sum SQ_BUSY_CYCLES_avr"},
	{0.55, "SQ_WAIT_CNT_ANY SQ_WAIT_BARRIER SQ_WAIT_IFETCH SQ_WAVE_CYCLES SQ_INSTS_FLAT_LOAD_sum SQ_INSTS_FLAT_STORE_sum SQ_ITEMS_sum SQ_INSTS_TEX_sum SQ_INSTS_TEX_LOAD_sum SQ_INSTS_TEX_STORE_sum"},
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
	off := p.rows[0].clock > 0.88*p.m.boost && r.Chance(0.25) // the clock of these counters is gated
	var passes [][]string
	for _, s := range selections {
		if !everything && !r.Chance(s.share) {
			continue
		}
		for _, name := range strings.Fields(s.names) {
			passes = fit(passes, name)
		}
	}
	left := append(telling.Left(&o, telling.RDNA), alsoTelling(o.Withheld)...)
	noise := 1.0
	if o.Noise != 0 {
		noise = max(0, o.Noise)
	}
	base := p.results(-1)
	rows := kept(len(base), o.Gaps, r)
	axis := &capture.Axis{Clock: "gpu"}
	now := int64(0)
	gap := r.Log(3e3, 2e5)
	firsts := make([]float64, len(rows))
	for k := range firsts {
		firsts[k] = r.Spread(0.006 * noise)
	}
	for k, i := range rows {
		ns := max(1, int64(float64(base[i].ns(p.rows[i].clock))*firsts[k]))
		axis.Start, axis.End = append(axis.Start, now), append(axis.End, now+ns)
		now += ns + int64(gap*r.Spread(0.5))
	}
	cat, err := metrics.Get(p.m.asic)
	if err != nil {
		return nil, err
	}
	cols := simulate.NewColumns(axis)
	cfg := capture.Config{Name: fmt.Sprintf("ninth-%d", seed), Format: "rocprofv3", GPU: p.m.asic, Axis: axis,
		Device: capture.Device{Name: p.m.name, Vendor: "AMD", ID: p.m.asic}, Properties: p.properties(r)}
	for n, names := range passes {
		pass := &capture.Pass{ID: "pass_" + strconv.Itoa(n+1)}
		starts, lengths := make([]float64, len(rows)), make([]float64, len(rows))
		columns := make([]int, len(names))
		for c, name := range names {
			e := cat.Named(name)
			if e == nil {
				return nil, fmt.Errorf("gfx1201 has no counter %s", name)
			}
			block, _, _ := strings.Cut(name, "_")
			columns[c] = cols.Counter(capture.Meta{Name: name, Title: e.Title, Unit: e.Unit, Doc: e.Doc, Kind: capture.Delta, Block: block,
				GPU: p.m.asic, Source: "rocprofv3"})
			if len(passes) > 1 {
				cols.InPass(columns[c], pass)
			}
			if name == "TA_TA_BUSY" {
				k := int(2 * p.m.wgps)
				cols.Split(columns[c], simulate.Numbers(k), simulate.Near(r, k, 0.03))
			}
		}
		drift := r.Spread(0.004 * noise)
		for k, i := range rows {
			v := jitter{firsts[k], 1}
			if n > 0 {
				v = jitter{drift * r.Spread(0.012*noise), r.Spread(0.01 * noise)}
			}
			if i == 0 && noise > 0 {
				v.time *= r.Between(1, 1.06) // cold caches and code
			}
			values := p.counted(i, &base[i], v, off)
			for c, name := range names {
				cols.Whole(columns[c], values[name])
			}
			starts[k] = float64(axis.Start[k])
			lengths[k] = math.Round(float64(base[i].ns(p.rows[i].clock)) * v.time)
			if n == 0 {
				lengths[k] = float64(axis.End[k] - axis.Start[k])
			}
		}
		pass.Start, pass.Duration = capture.NewColumn(capture.Data{F: starts}), capture.NewColumn(capture.Data{F: lengths})
		if len(passes) > 1 {
			cfg.Passes = append(cfg.Passes, pass)
		}
	}
	cfg.Counters = cols.Counters(left)
	p.label(&cfg, rows)
	return capture.New(cfg)
}

// fit puts a counter into the first run that has a place for it.
func fit(passes [][]string, name string) [][]string {
	block := func(name string) string {
		b, _, _ := strings.Cut(name, "_")
		if b == "SQC" {
			return "SQ"
		}
		return b
	}
	for i, names := range passes {
		same := 0
		for _, n := range names {
			if block(n) == block(name) {
				same++
			}
		}
		if same < slots[block(name)] {
			passes[i] = append(names, name)
			return passes
		}
	}
	return append(passes, []string{name})
}

// alsoTelling are further counters of gfx1201 that tell of what a recorder withholds.
func alsoTelling(withheld []simulate.Candidate) (out []string) {
	for c, names := range map[int]string{valu: "SQ_INSTS_DUAL_VALU_WAVE32_sum", access: "TA_TA_BUSY TCP_REQ_MISS_sum",
		lds: "SQ_INSTS_LDS_sum", wait: "SQ_WAIT_INST_ANY", spawn: "SQ_WAVES_sum",
		cache: "GL2C_HIT_sum GL2C_READ_128_REQ_sum", memory: "GL2C_EA_RDREQ_64B_sum GL2C_EA_RDREQ_32B_sum GL2C_MISS_sum"} {
		if slices.Contains(withheld, candidates[c]) {
			out = append(out, strings.Fields(names)...)
		}
	}
	return out
}

// kept are the rows without those that were lost in stretches.
func kept(n, gaps int, r simulate.Random) (rows []int) {
	lost := map[int]bool{}
	for range gaps {
		for i, k := r.IntN(n), r.Whole(1, 3); k > 0; i, k = i+1, k-1 {
			lost[i] = true
		}
	}
	for i := range n {
		if !lost[i] || i == 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// properties are what the file of agents says, and with some recorders what rocprof-compute adds.
func (p *run) properties(r simulate.Random) (out []capture.Property) {
	add := func(name string, x float64) { out = append(out, capture.Property{Name: name, Number: x}) }
	m := p.m
	if r.Chance(0.05) {
		return nil // the file of agents is lost
	}
	add("cu_per_gpu", 2*m.wgps)
	add("max_sclk", math.Round(1000*m.boost))
	add("max_waves_per_cu", m.waves/2)
	add("num_xcd", 1)
	add("sa_per_se", 2)
	add("se_per_gpu", m.engines)
	add("simd_per_cu", 2)
	add("wave_size", 32)
	add("workgroup_max_size", 1024)
	if r.Chance(0.6) {
		add("lds_banks_per_cu", 32)
		add("max_mclk", m.memoryClock)
		add("num_gl1c", m.gl1)
		add("num_memory_channels", 32)
		add("sqc_per_gpu", m.wgps)
		add("total_l2_chan", m.channels)
	}
	return out
}

// label says which kernel each row ran, and with which sizes.
func (p *run) label(cfg *capture.Config, rows []int) {
	var names, shapes, ids, grids, groups, local, vgprs, sgprs []string
	number := func(x float64) string { return strconv.Itoa(int(x)) }
	for _, i := range rows {
		j := &p.rows[i].job
		s := &j.shader
		grid, group := number(s.waves*32), number(float64(s.group)*32)
		names, ids = append(names, j.name), append(ids, number(float64(i+1)))
		grids, groups = append(grids, grid), append(groups, group)
		shapes = append(shapes, j.name+" grid "+grid+" workgroup "+group)
		bytes := 0.0
		if s.lds > 0 {
			bytes = 1024 * math.Floor(128/max(1, math.Ceil(s.slots/float64(s.group))))
		}
		local = append(local, number(min(65536, bytes)))
		vgprs, sgprs = append(vgprs, number(8*math.Floor(min(256, 1536/(s.slots/4))/8))), append(sgprs, "128")
		cfg.Regions = append(cfg.Regions, capture.Region{Name: j.name, Start: cfg.Axis.Start[len(names)-1], End: cfg.Axis.End[len(names)-1],
			Track: "queue 1"})
	}
	for _, l := range []struct {
		name  string
		texts []string
	}{{"kernel", names}, {"kernel_shape", shapes}, {"dispatch", ids}, {"grid_size", grids}, {"workgroup_size", groups},
		{"lds_per_workgroup", local}, {"arch_vgpr", vgprs}, {"sgpr", sgprs}} {
		cfg.Labels = append(cfg.Labels, capture.NewLabel(l.name, l.texts, nil))
	}
}
