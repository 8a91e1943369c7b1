package amd

import (
	"math"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
)

// raw is a raw counter of the profiler.
type raw struct {
	name  string
	run   int // the pass that measures it
	of    []class
	gated bool // reads 0 where clocks are gated, as those of the L0 cache are at the usual power level
	value func(m *measured, d *device) float64
}

const (
	gl1s = 16 // instances that the profiler adds up, as a real recording has them
	wgps = 16
	gl2s = 8
)

// each is how many waves a token stands for at a time.
func (m *measured) each(d *device) float64 {
	return d.waves * 2 * d.cus * m.shape.occupancy / float64(m.slots[0])
}

// waits are the cycles of waves that waited for an answer, and for a unit to take an instruction.
func (m *measured) waits(d *device) (answer, issue, lds, all float64) {
	x := m.each(d) * m.clk
	all = float64(m.o.lived[inCompute]) * x
	answer = float64(m.o.line[cache]+m.o.line[bandwidth]+m.o.busy[cache]+m.o.busy[bandwidth]+m.o.busy[latency]) * x
	lds = float64(m.o.line[localMemory]) * x * .9
	issue = lds + float64(m.o.line[arithmetic]+m.o.line[texture])*x*.85
	return answer, issue, lds, all
}

func raws() []raw {
	w := func(m ms) float64 { return m.q.computeWaves * m.done[waveLaunch] }
	alu := func(m ms) float64 { return m.q.mainALU * m.done[arithmetic] }
	salu := func(m ms) float64 { return alu(m) * m.shape.scalar }
	smem := func(m ms) float64 { return salu(m) * .2 }
	lds := func(m ms) float64 { return m.q.by[localMemory] * m.done[localMemory] }
	ldsInsts := func(m ms) float64 { return lds(m) * (1 - m.shape.conflicts) / 2 }
	loads := func(m ms) float64 { return m.q.loads * m.done[loadStore] }
	stores := func(m ms) float64 { return m.q.stores * m.done[loadStore] }
	// Reads are requests of 128 bytes, writes of 64.
	reads := func(m ms) float64 { return m.q.l1Miss * (1 - m.shape.written) * m.done[cache] }
	writes := func(m ms) float64 { return m.q.l1Miss * m.shape.written * 2 * m.done[cache] }
	gl1 := func(m ms) float64 { return m.q.l0Miss * (1 - m.shape.written) * m.done[cache] }
	tcp := func(m ms) float64 { return m.q.l0 * m.done[cache] }
	read := func(m ms) float64 { return m.q.read * m.done[bandwidth] }
	written := func(m ms) float64 { return m.q.written * m.done[bandwidth] }
	miss := func(m ms) float64 {
		return min(m.q.l2Miss*m.done[bandwidth], .98*(reads(m)+writes(m)))
	}
	zero := func(m ms, d dv) float64 { return 0 }
	busy := func(m ms) float64 { return m.span(m.o.any[inCompute]) }
	late := func(m ms, d dv) float64 {
		crowd := float64(m.o.queued[bandwidth]+m.o.queued[cache]) / float64(m.o.total)
		return m.answerTime(d) * d.clock * (1 + 2.5*crowd)
	}
	f := func(x func(m ms) float64) func(m ms, d dv) float64 { return func(m ms, d dv) float64 { return x(m) } }
	ar, ls, lm, wl := of(arithmetic), of(loadStore), of(localMemory), of(waveLaunch)
	ca, bw, la := of(cache), of(bandwidth), of(latency)
	return []raw{
		{"GRBM_COUNT", 0, nil, false, func(m ms, d dv) float64 { return m.clocks }},
		{"GRBM_GUI_ACTIVE", 0, nil, false, func(m ms, d dv) float64 { return m.clocks }},
		{"SQ_WAVES_sum", 0, wl, false, f(w)},
		{"SQ_ITEMS_sum", 0, wl, false, func(m ms, d dv) float64 { return w(m) * 32 }},
		{"SQ_BUSY_CYCLES_sum", 0, of(launch), false, func(m ms, d dv) float64 { return busy(m) * wgps * .98 }},
		{"SQ_BUSY_CYCLES_avr", 0, of(launch), false, func(m ms, d dv) float64 { return busy(m) * .98 }},
		{"SQ_WAVE_CYCLES_sum", 0, nil, false, func(m ms, d dv) float64 { _, _, _, all := m.waits(d); return all }},
		{"SPI_BUSY", 0, wl, false, func(m ms, d dv) float64 { return busy(m) * 2 * .97 }},
		{"SPI_CSN_WAVE", 0, wl, false, zero},
		{"SQ_INSTS_VALU_sum", 0, ar, false, f(alu)},
		{"SQ_INSTS_SALU_sum", 1, nil, false, f(salu)},
		{"SQ_INSTS_SMEM_sum", 1, nil, false, f(smem)},
		{"SQ_INSTS_LDS_sum", 1, lm, false, f(ldsInsts)},
		{"SQ_INSTS_FLAT_LOAD_sum", 1, ls, false, f(loads)},
		{"SQ_INSTS_FLAT_STORE_sum", 1, ls, false, f(stores)},
		{"SQ_INSTS_FLAT_sum", 1, ls, false, func(m ms, d dv) float64 { return loads(m) + stores(m) }},
		{"SQ_INSTS_TEX_sum", 1, nil, false, zero},
		{"SQ_INSTS_INTERNAL_sum", 1, nil, false, func(m ms, d dv) float64 { return alu(m) * .3 }},
		{"SQ_INSTS_ALL_sum", 1, ar, false, func(m ms, d dv) float64 {
			return alu(m)*1.3 + salu(m) + smem(m) + ldsInsts(m) + loads(m) + stores(m)
		}},
		{"SQ_INSTS_VALU_TRANS_sum", 1, nil, false, func(m ms, d dv) float64 { return alu(m) * .02 }},
		{"SQ_WAVE_CYCLES", 2, nil, false, func(m ms, d dv) float64 { _, _, _, all := m.waits(d); return all }},
		{"SQ_WAIT_ANY", 2, la, false, func(m ms, d dv) float64 { a, _, _, all := m.waits(d); return min(all, a*1.01) }},
		{"SQ_WAIT_CNT_ANY", 2, la, false, func(m ms, d dv) float64 { a, _, _, all := m.waits(d); return min(all, a) }},
		{"SQ_WAIT_INST_ANY", 2, nil, false, func(m ms, d dv) float64 { _, i, _, all := m.waits(d); return min(all, i) }},
		{"SQ_WAIT_INST_LDS_sum", 2, lm, false, func(m ms, d dv) float64 { _, _, l, all := m.waits(d); return min(all, l) }},
		{"SQ_WAIT_BARRIER", 2, nil, false, func(m ms, d dv) float64 { _, _, l, all := m.waits(d); return min(all, l*.05) }},
		{"SQ_WAIT_IFETCH", 2, nil, false, func(m ms, d dv) float64 { _, _, _, all := m.waits(d); return all * .008 }},
		{"SQC_LDS_IDX_ACTIVE_sum", 3, lm, false, f(lds)},
		{"SQC_LDS_BANK_CONFLICT_sum", 3, lm, false, func(m ms, d dv) float64 { return lds(m) * m.shape.conflicts }},
		{"SQ_INST_CYCLES_LDS_sum", 3, lm, false, f(lds)},
		{"SQC_DCACHE_REQ_sum", 3, nil, false, f(smem)},
		{"SQC_DCACHE_HITS_sum", 3, nil, false, func(m ms, d dv) float64 { return smem(m) * .98 }},
		{"SQC_DCACHE_MISSES_sum", 3, nil, false, func(m ms, d dv) float64 { return smem(m) * .02 }},
		{"GRBM_TA_BUSY", 3, ls, false, func(m ms, d dv) float64 { return m.address }},
		{"TCP_REQ_sum", 3, ls, true, f(tcp)},
		{"TCP_REQ_READ_sum", 3, ls, true, func(m ms, d dv) float64 { return tcp(m) * (1 - m.shape.stores) }},
		{"TCP_REQ_WRITE_sum", 3, ls, true, func(m ms, d dv) float64 { return tcp(m) * m.shape.stores }},
		{"TCP_REQ_MISS_sum", 3, nil, true, func(m ms, d dv) float64 { return m.q.l0Miss * m.done[cache] }},
		{"TCP_TCP_TA_REQ_STALL_sum", 3, bw, true, func(m ms, d dv) float64 { return m.held * d.cus / d.uneven }},
		{"TCP_GL1_REQ_READ_sum", 3, nil, false, func(m ms, d dv) float64 { return gl1(m) * 1.9 }},
		{"GL1C_CYCLE_sum", 4, nil, false, func(m ms, d dv) float64 { return m.clocks * gl1s }},
		{"GL1C_BUSY_sum", 4, nil, false, func(m ms, d dv) float64 { return busy(m) * gl1s * .97 }},
		{"GL1C_REQ_sum", 4, nil, false, func(m ms, d dv) float64 { return gl1(m) + writes(m) }},
		{"GL1C_REQ_READ_sum", 4, nil, false, f(gl1)},
		{"GL1C_REQ_WRITE_sum", 4, nil, false, f(writes)},
		{"GL1C_REQ_MISS_sum", 4, nil, false, func(m ms, d dv) float64 { return reads(m) + writes(m) }},
		{"GL1C_GL2_REQ_READ_sum", 4, ca, false, f(reads)},
		{"GL1C_GL2_REQ_READ_128B_sum", 4, ca, false, f(reads)},
		{"GL1C_GL2_REQ_WRITE_sum", 4, ca, false, f(writes)},
		{"GL1C_GL2_REQ_WRITE_64B_sum", 4, ca, false, f(writes)},
		{"GL1C_GL2_REQ_READ_LATENCY_sum", 4, la, false, func(m ms, d dv) float64 { return reads(m) * late(m, d) }},
		{"GL1C_GL2_REQ_WRITE_LATENCY_sum", 4, la, false, func(m ms, d dv) float64 { return writes(m) * late(m, d) * .6 }},
		{"GL1C_STALL_GL2_GL1_sum", 4, ca, false, func(m ms, d dv) float64 { return m.span(m.o.queued[cache]) * gl1s * .6 }},
		{"GL2C_CYCLE_sum", 5, nil, false, func(m ms, d dv) float64 { return m.clocks * gl2s }},
		{"GL2C_BUSY_sum", 5, nil, false, func(m ms, d dv) float64 { return busy(m) * gl2s * .98 }},
		{"GL2C_REQ_sum", 5, ca, false, func(m ms, d dv) float64 { return reads(m) + writes(m) }},
		{"GL2C_READ_sum", 5, ca, false, f(reads)},
		{"GL2C_WRITE_sum", 5, ca, false, f(writes)},
		{"GL2C_READ_128_REQ_sum", 5, ca, false, f(reads)},
		{"GL2C_ATOMIC_sum", 5, nil, false, zero},
		{"GL2C_HIT_sum", 5, ca, false, func(m ms, d dv) float64 { return reads(m) + writes(m) - miss(m) }},
		{"GL2C_MISS_sum", 5, ca, false, f(miss)},
		{"GL2C_EA_RDREQ_128B_sum", 5, bw, false, func(m ms, d dv) float64 { return read(m) / 128 }},
		{"GL2C_EA_RDREQ_DRAM_sum", 5, bw, false, func(m ms, d dv) float64 { return read(m) / 128 }},
		{"GL2C_MC_WRREQ_sum", 5, bw, false, func(m ms, d dv) float64 { return written(m) / 64 }},
		{"GL2C_EA_WRREQ_64B_sum", 5, bw, false, func(m ms, d dv) float64 { return written(m) / 64 }},
		{"GL2C_EA_WRREQ_DRAM_sum", 5, bw, false, func(m ms, d dv) float64 { return written(m) / 64 }},
		{"GCEA_RDRAM_SIZE_REQ_sum", 5, bw, false, func(m ms, d dv) float64 { return read(m) / 32 }},
		{"GCEA_WDRAM_SIZE_REQ_sum", 5, bw, false, func(m ms, d dv) float64 { return written(m) / 32 }},
		{"GCEA_RRET_VLD_sum", 5, bw, false, func(m ms, d dv) float64 { return read(m) / 64 }},
		{"GCEA_WRET_VLD_sum", 5, bw, false, func(m ms, d dv) float64 { return written(m) / 64 }},
		{"CPC_ALWAYS_COUNT", 0, nil, false, func(m ms, d dv) float64 { return m.clocks }},
		{"CPC_STAT_BUSY", 0, nil, false, func(m ms, d dv) float64 { return m.clocks }},
		{"CPC_STAT_STALL", 0, nil, false, func(m ms, d dv) float64 { return min(m.clocks*.5, 4000) }},
		{"CPC_STAT_IDLE", 0, nil, false, zero},
	}
}

const haloRuns = 6

func (p *program) recordHalo(o simulate.Options, r *random, noise float64) (*capture.Capture, error) {
	gated, told := r.chance(.5), r.chance(.7)
	left := -1 // a run that the recorder did not make
	if r.chance(.2) {
		left = r.whole(2, haloRuns-1)
	}
	rows := p.runs(o, r)
	id := func(i int) string { return "pmc_perf#" + strconv.Itoa(i) }
	axis := &capture.Axis{Clock: "gpu"}
	cfg := capture.Config{Name: "workload", Path: "workload", Format: "rocprofcompute", GPU: "gfx1151", Axis: axis,
		Device: capture.Device{Name: "RDNA35_HALO", Vendor: "AMD", ID: "5510", Driver: "ROCm 7.12.0"}}
	replays := make([][]replay, haloRuns)
	for k := range replays {
		g := newRandom(p.seed, uint64(k), hashText(p.kind))
		starts, lengths := make([]uint64, len(rows)), make([]uint64, len(rows))
		now := uint64(0)
		for i := range rows {
			x := replayed(g, noise)
			replays[k] = append(replays[k], x)
			starts[i], lengths[i] = now, uint64(rows[i].ns*x.length)
			if k == 0 {
				axis.Start, axis.End = append(axis.Start, int64(now)), append(axis.End, int64(now+lengths[i]))
			}
			now += lengths[i] + uint64(1000*g.between(120, 700))
		}
		if k != left {
			cfg.Passes = append(cfg.Passes, &capture.Pass{ID: id(k), Start: capture.NewColumn(capture.Data{U: starts}),
				Duration: capture.NewColumn(capture.Data{U: lengths})})
		}
	}
	cat, err := metrics.Get(cfg.GPU)
	if err != nil {
		return nil, err
	}
	passOf := func(run int) *capture.Pass {
		for _, x := range cfg.Passes {
			if x.ID == id(run) {
				return x
			}
		}
		return nil
	}
	for _, c := range raws() {
		if c.run == left || tells(c.of, o.Withheld) || slices.Contains(o.Without, c.name) {
			continue
		}
		values := make([]uint64, len(rows))
		for i := range rows {
			x := replays[c.run][i]
			v := c.value(&rows[i].measured, &p.dev)
			if isCycles(cat, c.name) {
				v *= x.length
			} else {
				v *= x.level
			}
			if gated && c.gated || !(v > 0) {
				v = 0
			}
			values[i] = uint64(math.Floor(v))
		}
		block := c.name
		for i := range block {
			if block[i] == '_' {
				block = block[:i]
				break
			}
		}
		m := capture.Meta{Name: c.name, Kind: capture.Delta, GPU: cfg.GPU, Block: block, Source: "rocprofcompute"}
		if e := cat.Named(c.name); e != nil {
			m.Unit, m.Doc = e.Unit, e.Doc
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: m, Axis: axis, Pass: passOf(c.run),
			Col: capture.NewColumn(capture.Data{U: values})})
	}
	kernel, grid, group := make([]string, len(rows)), make([]string, len(rows)), make([]string, len(rows))
	dispatch, space := make([]string, len(rows)), make([]string, len(rows))
	for i, x := range rows {
		kernel[i] = kernelName(x.name)
		if p.kind != simulate.KindArchetype {
			kernel[i] = kernelName("step_" + strconv.Itoa(x.sample.index))
		}
		space[i] = strconv.Itoa(int(x.share[localMemory]*20) * 1024)
		grid[i] = strconv.Itoa(int(x.q.computeWaves) * 32)
		group[i] = strconv.Itoa(int(x.shape.groupSize))
		dispatch[i] = strconv.Itoa(x.at)
	}
	cfg.Labels = []*capture.Label{capture.NewLabel("kernel", kernel, nil), capture.NewLabel("dispatch", dispatch, nil),
		capture.NewLabel("grid_size", grid, nil), capture.NewLabel("workgroup_size", group, nil), capture.NewLabel("lds_per_workgroup", space, nil)}
	if told {
		cfg.Properties = sysinfo()
	}
	return capture.New(cfg)
}

func isCycles(cat *metrics.Catalogue, name string) bool {
	e := cat.Named(name)
	return e != nil && (e.Unit == "cycles" || e.Unit == "wave cycles")
}

// kernelName is how a compiler would write the name of a pass.
func kernelName(name string) string {
	out := []byte(name)
	for i, c := range out {
		if c == ' ' || c == '\'' {
			out[i] = '_'
		}
	}
	return string(out) + "(float const*, float*, int)"
}

// sysinfo are the constants of the device as the profiler's table has them.
func sysinfo() []capture.Property {
	var out []capture.Property
	text := func(name, value string) {
		out = append(out, capture.Property{Name: name, Text: value, IsText: true})
	}
	number := func(name string, x float64) { out = append(out, capture.Property{Name: name, Number: x}) }
	text("gpu_series", "RDNA3.5")
	text("gpu_model", "RDNA35_HALO")
	text("gpu_arch", "gfx1151")
	number("gpu_chip_id", 5510)
	number("gpu_l1", 32)
	number("gpu_l2", 2048)
	number("cu_per_gpu", 32)
	number("simd_per_cu", 2)
	number("se_per_gpu", 2)
	number("sa_per_se", 2)
	number("wave_size", 32)
	number("workgroup_max_size", 1024)
	number("max_waves_per_cu", 32)
	number("max_sclk", 2799)
	number("cur_sclk", 2799)
	number("l2_banks", 8)
	number("total_l2_chan", 8)
	number("lds_banks_per_cu", 32)
	number("sqc_per_gpu", 16)
	number("pipes_per_gpu", 2)
	number("num_memory_channels", 8)
	number("num_gl1c", 4)
	return out
}
