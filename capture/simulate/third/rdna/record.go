package rdna

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// record makes the capture that the reader of a workload would make of it.
func (p *program) record(o simulate.Options) (*capture.Capture, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.dispatches)
	start, end := p.times(0)
	cfg := capture.Config{Name: fmt.Sprintf("%s-%d", p.kind, p.seed), Format: "rocprofcompute", GPU: "gfx1151",
		Device:     capture.Device{Name: "RDNA35_HALO", Vendor: "AMD", ID: "5510", Driver: "ROCm 7.12.0"},
		Properties: properties(), Axis: &capture.Axis{Clock: "gpu", Start: start, End: end}}
	cfg.Labels = p.labels()
	d := draw{rand.New(rand.NewPCG(p.seed, uint64(len(p.kind))))}
	without := telling.Left(&o, telling.RDNA)
	stale := d.chance(0.7) && !p.pinned
	for i := range passes {
		cp := &capture.Pass{ID: passes[i].id}
		starts, lengths := make([]uint64, n), make([]uint64, n)
		s, e := p.times(i)
		for j := range n {
			starts[j] = uint64(2444206000000000 + int64(i)*30e9 + s[j])
			lengths[j] = uint64(e[j] - s[j])
		}
		cp.Start, cp.Duration = capture.NewColumn(capture.Data{U: starts}), capture.NewColumn(capture.Data{U: lengths})
		cfg.Passes = append(cfg.Passes, cp)
		columns := map[string][]uint64{}
		for j := range n {
			values := p.counters(i, j, d)
			for _, name := range passes[i].counters {
				v, ok := values[name]
				if !ok {
					v, ok = values[base(name)]
				}
				if !ok {
					return nil, fmt.Errorf("no value of %s", name)
				}
				columns[name] = append(columns[name], printed(name, v))
			}
		}
		for _, name := range passes[i].counters {
			if slices.Contains(without, name) {
				continue
			}
			u := columns[name]
			if stale && (name == "GRBM_SPI_BUSY" || name == "GRBM_CP_BUSY") {
				for j := range u {
					u[j] = u[0]
				}
			}
			block, _, _ := strings.Cut(name, "_")
			cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: name, Kind: capture.Delta,
				GPU: cfg.GPU, Block: block, Source: cfg.Format}, Axis: cfg.Axis, Pass: cp,
				Col: capture.NewColumn(capture.Data{U: u})})
		}
	}
	return capture.New(cfg)
}

// base is a counter's name without what says how its instances make one.
func base(name string) string {
	return strings.TrimSuffix(name, "_sum")
}

// printed is a value as the profiler prints it: sums have six digits.
func printed(name string, v float64) uint64 {
	v = math.Round(max(0, v))
	if strings.HasSuffix(name, "_sum") && v >= 1e6 {
		f, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
		return uint64(f)
	}
	return uint64(v)
}

// properties are the constants of the GPU, as the profiler's file has them.
func properties() (out []capture.Property) {
	for _, p := range []struct {
		name  string
		value float64
	}{{"gpu_l1", 32}, {"gpu_l2", 2048}, {"cu_per_gpu", 32}, {"simd_per_cu", 2}, {"se_per_gpu", 2}, {"sa_per_se", 2},
		{"wave_size", 32}, {"workgroup_max_size", 1024}, {"max_waves_per_cu", 32}, {"max_sclk", 2799}, {"max_mclk", 0},
		{"cur_sclk", 2799}, {"cur_mclk", 0}, {"l2_banks", 8}, {"total_l2_chan", 8}, {"lds_banks_per_cu", 32},
		{"sqc_per_gpu", 16}, {"pipes_per_gpu", 2}, {"num_memory_channels", 8}, {"num_gl1c", 4}, {"gpu_chip_id", 5510}} {
		out = append(out, capture.Property{Name: p.name, Number: p.value})
	}
	for _, p := range [][2]string{{"gpu_series", "RDNA3.5"}, {"gpu_model", "RDNA35_HALO"}, {"gpu_arch", "gfx1151"},
		{"rocm_version", "7.12.0"}, {"cpu_model", "AMD RYZEN AI MAX PRO 385 w/ Radeon 8050S"},
		{"ip_blocks", "SQ|LDS|SQC|TA|TD|TCP|TCC|SPI|CPC|CPF|roofline"}} {
		out = append(out, capture.Property{Name: p[0], Text: p[1], IsText: true})
	}
	return out
}

// labels describe the dispatches.
func (p *program) labels() (out []*capture.Label) {
	ids := map[*kernel]int{}
	for _, d := range p.dispatches {
		if _, ok := ids[d.k]; !ok {
			ids[d.k] = len(ids)
		}
	}
	add := func(name string, f func(i int, k *kernel) string) {
		texts := make([]string, len(p.dispatches))
		for i, d := range p.dispatches {
			texts[i] = f(i, d.k)
		}
		out = append(out, capture.NewLabel(name, texts, nil))
	}
	number := func(f func(k *kernel) int) func(int, *kernel) string {
		return func(_ int, k *kernel) string { return strconv.Itoa(f(k)) }
	}
	add("kernel", func(_ int, k *kernel) string { return k.name })
	add("kernel_shape", func(_ int, k *kernel) string {
		return fmt.Sprintf("%s grid %d workgroup %d", k.name, k.groups*k.groupSize, k.groupSize)
	})
	add("dispatch", func(i int, _ *kernel) string { return strconv.Itoa(i) })
	add("gpu", func(int, *kernel) string { return "0" })
	add("gpu_id", func(int, *kernel) string { return "1" })
	add("grid_size", number(func(k *kernel) int { return k.groups * k.groupSize }))
	add("workgroup_size", number(func(k *kernel) int { return k.groupSize }))
	add("lds_per_workgroup", number(func(k *kernel) int { return k.lds }))
	add("scratch_per_workitem", number(func(k *kernel) int { return k.scratch }))
	add("arch_vgpr", number(func(k *kernel) int { return k.vgprs }))
	add("accum_vgpr", number(func(*kernel) int { return 0 }))
	add("sgpr", number(func(*kernel) int { return 128 }))
	add("kernel_id", number(func(k *kernel) int { return ids[k] }))
	return out
}
