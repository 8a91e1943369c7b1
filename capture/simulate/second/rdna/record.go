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

// times are when the dispatches of a program's first run were, from its first on, and how long each took in all runs.
type times struct {
	start, end []int64
	ns         [runs][]float64
	slow       [runs][]float64 // cycles by those of the model
}

// times draws how the dispatches follow each other, and how long each took in each run. Short kernels differ most, and
// may meet a clock that has not come up yet.
func (p *program) times() *times {
	r := source(p.kind, p.seed, "times")
	set := p.setup()
	all := p.dispatches()
	t := &times{}
	steady := between(r, 0.002, 0.012)
	seen := map[int]bool{}
	cold := make([]float64, len(all))
	for i, k := range all {
		cold[i] = 1
		if !seen[k] {
			cold[i] = between(r, 1, 1.12)
		}
		seen[k] = true
	}
	for run := range runs {
		for i, k := range all {
			ns := p.outcomes[k].total / p.machine.clock
			slow := cold[i] * (1 + (steady+0.06*math.Exp(-ns/40e3))*math.Abs(r.NormFloat64()))
			low := 1.0
			if set.idleClock && run > 0 && ns < 60e3 && r.IntN(6) == 0 {
				low = between(r, 1.2, 3)
			}
			t.slow[run] = append(t.slow[run], slow)
			t.ns[run] = append(t.ns[run], math.Round(ns*slow*low))
		}
	}
	host := between(r, 60e3, 900e3) // the profiler starts and reads its counters around each dispatch
	at := int64(0)
	for i := range all {
		t.start = append(t.start, at)
		at += int64(t.ns[0][i])
		t.end = append(t.end, at)
		at += int64(host * between(r, 0.7, 1.6))
	}
	return t
}

func (p *program) setup() *setup { return drawSetup(source(p.kind, p.seed, "setup")) }

// record makes the capture that reading the profiler's folder would give.
func record(p *program, name string, o simulate.Options) (*capture.Capture, error) {
	without := telling.Left(&o, telling.RDNA)
	all, t, set := p.dispatches(), p.times(), p.setup()
	r := source(p.kind, p.seed, "noise")
	cfg := capture.Config{Name: fmt.Sprintf("%s-%s-%d", name, p.kind, p.seed), Format: "rocprofcompute", GPU: "gfx1151",
		Device: capture.Device{Name: "RDNA35_HALO", Vendor: "AMD", ID: "5510", Driver: "ROCm 7.12.0",
			Extra: map[string]string{"gpu_arch": "gfx1151", "gpu_series": "RDNA3.5", "rocm_version": "7.12.0",
				"cpu_model": "AMD RYZEN AI MAX w/ Radeon " + p.machine.model}},
		Axis: &capture.Axis{Clock: "gpu", Start: t.start, End: t.end}}
	p.properties(&cfg)
	p.labels(&cfg, all)
	values := make([][]float64, len(counters))
	for run := range runs {
		cfg.Passes = append(cfg.Passes, p.pass(t, run))
		seen := map[int]bool{}
		for i, k := range all {
			d := p.reading(k, t.slow[run][i], !seen[k], set)
			d.r = r
			seen[k] = true
			d.waves = d.told(r.NormFloat64())
			d.gui = d.o.total*d.slow + between(r, 500, 9000)
			d.busy = d.o.shader * d.slow
			for c := range counters {
				if counters[c].run == run {
					values[c] = append(values[c], printed(counters[c].name, math.Max(0, counters[c].of(d))))
				}
			}
		}
	}
	for c := range counters {
		ctr := &counters[c]
		if slices.Contains(without, ctr.name) {
			continue
		}
		block, _, _ := strings.Cut(ctr.name, "_")
		cfg.Counters = append(cfg.Counters, &capture.Counter{
			Meta: capture.Meta{Name: ctr.name, Kind: capture.Delta, GPU: cfg.GPU, Block: block, Source: cfg.Format},
			Axis: cfg.Axis, Col: column(values[c]), Pass: cfg.Passes[ctr.run]})
	}
	c, err := capture.New(cfg)
	if err != nil {
		return nil, err
	}
	return metrics.Describe(c)
}

func (p *program) reading(k int, slow float64, first bool, set *setup) *reading {
	kernel := &p.kernels[k]
	return &reading{m: p.machine, k: kernel, o: &p.outcomes[k], n: kernel.counts(), slow: slow, first: first,
		setup: set}
}

// told are the waves as the sequencers tell them: a few of them count for all, so it is one percent off.
func (d *reading) told(noise float64) float64 {
	waves := float64(d.k.groups * d.k.waves)
	if waves < 512 {
		return waves
	}
	return math.Round(waves*(1.007+0.003*noise)/8) * 8
}

// column is exact where all values are whole.
func column(f []float64) *capture.Column {
	u := make([]uint64, len(f))
	for i, x := range f {
		if x != math.Trunc(x) {
			return capture.NewColumn(capture.Data{F: f})
		}
		u[i] = uint64(x)
	}
	return capture.NewColumn(capture.Data{U: u})
}

func (p *program) pass(t *times, run int) *capture.Pass {
	starts := make([]float64, len(t.start))
	for i, s := range t.start {
		starts[i] = float64(2_400_000_000_000_000+int64(run)*9_000_000_000) + float64(s)
	}
	return &capture.Pass{ID: fmt.Sprintf("%08x#%d", p.seed, run+1), Start: column(starts), Duration: column(t.ns[run])}
}

func (p *program) properties(cfg *capture.Config) {
	text := func(name, s string) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Text: s, IsText: true})
	}
	number := func(name string, x float64) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: x})
	}
	clock := 2799.0
	if p.machine.cus == 40 {
		clock = 2900
	}
	text("command", "./"+strings.ReplaceAll(p.stages[0].name, " ", "_"))
	text("rocm_version", "7.12.0")
	text("gpu_series", "RDNA3.5")
	text("gpu_model", "RDNA35_HALO")
	text("gpu_arch", "gfx1151")
	for _, x := range []struct {
		name string
		n    float64
	}{
		{"gpu_chip_id", 5510}, {"gpu_l1", 32}, {"gpu_l2", 2048}, {"cu_per_gpu", float64(p.machine.cus)},
		{"simd_per_cu", 2},
		{"se_per_gpu", 2}, {"sa_per_se", 2}, {"wave_size", 32}, {"workgroup_max_size", 1024}, {"max_waves_per_cu", 32},
		{"max_sclk", clock}, {"max_mclk", 0}, {"cur_sclk", clock}, {"cur_mclk", 0}, {"l2_banks", gl2Channels},
		{"total_l2_chan", gl2Channels}, {"lds_banks_per_cu", 32}, {"sqc_per_gpu", float64(p.machine.wgps())},
		{"pipes_per_gpu", 2}, {"num_memory_channels", 8}, {"num_gl1c", 4},
	} {
		number(x.name, x.n)
	}
}

// labels say what each dispatch ran.
func (p *program) labels(cfg *capture.Config, all []int) {
	add := func(name string, text func(i int, k *kernel) string) {
		texts := make([]string, len(all))
		for i, k := range all {
			texts[i] = text(i, &p.kernels[k])
		}
		cfg.Labels = append(cfg.Labels, capture.NewLabel(name, texts, nil))
	}
	grid := func(k *kernel) string { return strconv.Itoa(k.groups * k.waves * 32) }
	group := func(k *kernel) string { return strconv.Itoa(k.waves * 32) }
	add("kernel", func(_ int, k *kernel) string { return k.name })
	add("kernel_shape", func(_ int, k *kernel) string { return k.name + " grid " + grid(k) + " workgroup " + group(k) })
	add("dispatch", func(i int, _ *kernel) string { return strconv.Itoa(i) })
	add("gpu", func(int, *kernel) string { return "0" })
	add("gpu_id", func(int, *kernel) string { return "1" })
	add("grid_size", func(_ int, k *kernel) string { return grid(k) })
	add("workgroup_size", func(_ int, k *kernel) string { return group(k) })
	add("lds_per_workgroup", func(_ int, k *kernel) string { return strconv.Itoa((k.lds + 511) / 512 * 512) })
	add("scratch_per_workitem", func(int, *kernel) string { return "0" })
	add("arch_vgpr", func(_ int, k *kernel) string { return strconv.Itoa((k.vgprs + 7) / 8 * 8) })
	add("accum_vgpr", func(int, *kernel) string { return "0" })
	add("sgpr", func(int, *kernel) string { return "128" })
	add("kernel_id", func(_ int, k *kernel) string {
		return strconv.Itoa(slices.IndexFunc(p.kernels, func(o kernel) bool { return o.name == k.name }))
	})
}
