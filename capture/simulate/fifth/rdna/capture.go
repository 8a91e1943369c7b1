package rdna

import (
	"math"
	"sort"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// recorder is how the profiler finds the machine in the runs of the program.
type recorder struct {
	noise   float64 // of memory and overhead from run to run
	steady  bool    // the clock is held, else firmware lets it go down between dispatches
	clock   float64
	gated   bool // the counters' clock of the vector caches is off
	lost    bool // SPI_CSN_WAVE reads 0
	stale   bool // GRBM_SPI_BUSY and GRBM_CP_BUSY repeat a value
	rounded bool // six digits
	extra   float64
	gap     float64
}

func drawRecorder(r simulate.Random, _ *scenario) recorder {
	return recorder{noise: r.Log(0.005, 0.06), steady: r.Chance(0.75), clock: r.Between(0.86, 1), gated: r.Chance(0.2),
		lost: r.Chance(0.4), stale: r.Chance(0.3), rounded: r.Chance(0.5), extra: r.Log(300, 6000), gap: r.Log(8e3, 2e6)}
}

// record measures all dispatches in each run and makes the capture.
func (c *scenario) record(name string, k *recorder, seed uint64, o simulate.Options) (*capture.Capture, error) {
	noise := k.noise
	switch {
	case o.Noise < 0:
		noise = 0
	case o.Noise > 0:
		noise *= o.Noise
	}
	r := simulate.NewRandom(seed, "fifth rdna runs")
	left := map[string]bool{}
	for _, name := range telling.Left(&o, telling.RDNA) {
		left[name] = true
	}
	n := len(c.list)
	cfg := capture.Config{Name: name, Format: "rocprofcompute", GPU: "gfx1151", Device: capture.Device{Name: "RDNA35_HALO",
		Vendor: "AMD", Driver: "ROCm 7.12.0", ID: "5510", Extra: map[string]string{"gpu_arch": "gfx1151", "gpu_series": "RDNA3.5"}},
		Axis: &capture.Axis{Clock: "gpu"}}
	c.properties(&cfg)
	c.labels(&cfg)
	origin := int64(2_444_200_000_000_000)
	for run, list := range passes {
		starts, lengths := make([]uint64, n), make([]uint64, n)
		rows := make([]measured, n)
		at := origin + int64(run)*950_000_000
		always := 1.05 + 0.15*r.Float64()
		for i := range c.list {
			with := conditions{share: k.clock, off: r.Spread(noise), start: r.Spread(3 * noise)}
			if !k.steady {
				with.share = min(1, k.clock*(1-0.5*noise*r.ExpFloat64()))
				if noise > 0 && r.Chance(0.12) {
					with.share = r.Between(0.3, 0.7) // firmware has just let it down
				}
			}
			ns, t, w := c.ns(i, with)
			starts[i], lengths[i] = uint64(at), uint64(ns)
			at += ns + int64(k.gap*r.Between(0.5, 1.5))
			rows[i] = measured{k: w.k, w: w, t: t, m: c.m, active: t.cycles + k.extra*r.Spread(2*noise), always: always,
				some: r.Spread(0.1 * noise)}
		}
		pass := &capture.Pass{ID: "run " + strconv.Itoa(run), Start: capture.NewColumn(capture.Data{U: starts}),
			Duration: capture.NewColumn(capture.Data{U: lengths})}
		cfg.Passes = append(cfg.Passes, pass)
		if run == 0 {
			for i := range n {
				cfg.Axis.Start = append(cfg.Axis.Start, int64(starts[i]-starts[0]))
				cfg.Axis.End = append(cfg.Axis.End, int64(starts[i]-starts[0]+lengths[i]))
			}
		}
		for _, name := range list {
			if left[name] {
				continue
			}
			block, _, _ := strings.Cut(name, "_")
			meta := capture.Meta{Name: name, Block: block, GPU: "gfx1151", Source: "rocprofcompute", Unit: unitOf(name)}
			cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: meta, Axis: cfg.Axis, Pass: pass,
				Col: capture.NewColumn(k.column(name, rows))})
		}
	}
	if o.Marks == simulate.Yes {
		for i := range n {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: c.kernels[c.list[i].kernel].name, Start: cfg.Axis.Start[i],
				End: cfg.Axis.End[i]})
		}
	}
	return capture.New(cfg)
}

// unitOf is the unit that the catalogue gives a counter.
func unitOf(name string) string {
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(name, p) {
				return true
			}
		}
		return false
	}
	switch {
	case strings.HasPrefix(name, "SQ_WAIT"), strings.HasPrefix(name, "SQ_WAVE_CYCLES"):
		return "wave cycles"
	case has("SQ_WAVES", "CSN_WAVE"):
		return "waves"
	case has("SQ_ITEMS"):
		return "work-items"
	case has("DRAM_SIZE"):
		return "units of 32 bytes"
	case has("RET_VLD"):
		return "responses"
	case has("LATENCY", "BUSY", "ACTIVE", "CYCLE", "STALL", "STARV", "COUNT", "READYB", "GATE", "CONFLICT", "PRESSURE", "IDLE"):
		return "cycles"
	case has("INSTS", "ATOMIC_RETURN"):
		return "instructions"
	}
	return "requests"
}

// column is a counter's values as the profiler writes them.
func (k *recorder) column(name string, rows []measured) capture.Data {
	of := values[name]
	gated := strings.HasPrefix(name, "TCP_") && !strings.HasPrefix(name, "TCP_GATE") && name != "TCP_GL1_REQ_READ_sum"
	exact := make([]float64, len(rows))
	for i := range rows {
		x := &rows[i]
		switch {
		case of == nil || k.gated && gated || k.lost && name == "SPI_CSN_WAVE":
			continue
		case k.stale && (name == "GRBM_SPI_BUSY" || name == "GRBM_CP_BUSY"):
			x = &rows[0]
		}
		v := of(x)
		if math.IsNaN(v) || v < 0 {
			panic("simulate: " + name + " is not a number that counts")
		}
		if k.rounded && v >= 1e6 {
			unit := 1.0
			for v/unit >= 1e6 {
				unit *= 10
			}
			v = math.Floor(v/unit) * unit
		}
		exact[i] = v
	}
	if name == "SQ_BUSY_CYCLES_avr" {
		for i, v := range exact {
			exact[i] = math.Round(v*10) / 10
		}
		return capture.Data{F: exact}
	}
	whole := make([]uint64, len(rows))
	for i, v := range exact {
		whole[i] = uint64(v)
	}
	return capture.Data{U: whole}
}

func (c *scenario) properties(cfg *capture.Config) {
	for _, p := range []struct {
		name string
		v    float64
	}{{"gpu_chip_id", 5510}, {"gpu_l1", 32}, {"gpu_l2", 2048}, {"cu_per_gpu", float64(c.m.cus)}, {"simd_per_cu", simds},
		{"se_per_gpu", engines}, {"sa_per_se", 2}, {"wave_size", 32}, {"workgroup_max_size", 1024}, {"max_waves_per_cu", simds * waves},
		{"max_sclk", c.m.mhz}, {"max_mclk", 0}, {"cur_sclk", c.m.mhz}, {"cur_mclk", 0}, {"l2_banks", channels},
		{"total_l2_chan", channels}, {"lds_banks_per_cu", 32}, {"sqc_per_gpu", float64(c.m.wgps())}, {"pipes_per_gpu", 2},
		{"num_memory_channels", 8}, {"num_gl1c", 4}} {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: p.name, Number: p.v})
	}
	for _, p := range [][2]string{{"gpu_arch", "gfx1151"}, {"gpu_model", "RDNA35_HALO"}, {"gpu_series", "RDNA3.5"}} {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: p[0], Text: p[1], IsText: true})
	}
}

// labels are those that the reader of the profiler's folders makes.
func (c *scenario) labels(cfg *capture.Config) {
	add := func(name string, of func(i int, k *kernel) string) {
		texts := make([]string, len(c.list))
		for i, d := range c.list {
			texts[i] = of(i, &c.kernels[d.kernel])
		}
		cfg.Labels = append(cfg.Labels, capture.NewLabel(name, texts, nil))
	}
	number := func(of func(k *kernel) int) func(int, *kernel) string {
		return func(_ int, k *kernel) string { return strconv.Itoa(of(k)) }
	}
	grid, size := func(k *kernel) int { return k.waves * 32 }, func(k *kernel) int { return k.perGroup * 32 }
	ids := map[string]int{}
	var sorted []string
	for i := range c.kernels {
		sorted = append(sorted, c.kernels[i].name)
	}
	sort.Strings(sorted)
	for _, n := range sorted {
		if _, ok := ids[n]; !ok {
			ids[n] = len(ids)
		}
	}
	add("kernel", func(_ int, k *kernel) string { return k.name })
	add("kernel_shape", func(_ int, k *kernel) string {
		return k.name + " grid " + strconv.Itoa(grid(k)) + " workgroup " + strconv.Itoa(size(k))
	})
	add("dispatch", func(i int, _ *kernel) string { return strconv.Itoa(i) })
	add("gpu", func(int, *kernel) string { return "0" })
	add("gpu_id", func(int, *kernel) string { return "1" })
	add("grid_size", number(grid))
	add("workgroup_size", number(size))
	add("lds_per_workgroup", number(func(k *kernel) int { return k.localBytes }))
	add("scratch_per_workitem", number(func(*kernel) int { return 0 }))
	add("arch_vgpr", number(func(k *kernel) int { return k.vgprs }))
	add("accum_vgpr", number(func(*kernel) int { return 0 }))
	add("sgpr", number(func(k *kernel) int { return k.sgprs }))
	add("kernel_id", func(_ int, k *kernel) string { return strconv.Itoa(ids[k.name]) })
}
