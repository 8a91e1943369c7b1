package rdna

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// table is a capture in the making.
type table struct {
	b     *program
	noise simulate.Random
	by    float64 // of the differences between runs
}

// counted is a dispatch in one run of the profiler.
type counted struct {
	ns     float64            // between its timestamps
	values map[string]float64 // of all counters; the run's own are taken
}

// capture makes the counters that the profiler's runs give, with the durations of each run.
func (t *table) capture(without []string) (*capture.Capture, error) {
	n := len(t.b.runs.Runs)
	axis := &capture.Axis{Clock: "gpu", Start: make([]int64, n), End: make([]int64, n)}
	cols := simulate.NewColumns(axis)
	cfg := t.config()
	at := int64(0)
	begin := int64(t.noise.Between(1e14, 5e15))
	for g, names := range t.b.f.runs {
		pass := &capture.Pass{ID: t.id(g)}
		starts, lengths := make([]uint64, n), make([]uint64, n)
		place := map[string]int{}
		for _, name := range names {
			block, _, _ := strings.Cut(name, "_")
			place[name] = cols.Counter(capture.Meta{Name: name, Kind: capture.Delta, GPU: t.b.f.Name, Block: block,
				Source: "rocprof-compute"})
			cols.InPass(place[name], pass)
		}
		now := begin + int64(g)*950e6
		for i := range n {
			m, err := t.measure(i, g)
			if err != nil {
				return nil, err
			}
			starts[i], lengths[i] = uint64(now), uint64(m.ns)
			if g == 0 {
				axis.Start[i] = at
				axis.End[i] = at + int64(m.ns)
			}
			gap := int64(t.noise.Log(40e3, 2e6)) // the profiler reads counters between dispatches
			now += int64(m.ns) + gap
			at += int64(m.ns) + gap
			for _, name := range names {
				cols.Whole(place[name], m.values[name])
			}
		}
		pass.Start, pass.Duration = capture.NewColumn(capture.Data{U: starts}),
			capture.NewColumn(capture.Data{U: lengths})
		cfg.Passes = append(cfg.Passes, pass)
	}
	cfg.Axis = axis
	cfg.Counters = cols.Counters(without)
	label := func(name string, text func(i int) string) {
		values := make([]string, n)
		for i := range values {
			values[i] = text(i)
		}
		cfg.Labels = append(cfg.Labels, capture.NewLabel(name, values, nil))
	}
	of := func(i int) *kernel { return t.b.kernels[t.b.runs.Runs[i].Content] }
	label("kernel", func(i int) string {
		return strings.ReplaceAll(of(i).pass.Name, " ", "_") + "(float*, float*, int)"
	})
	label("dispatch", strconv.Itoa)
	label("gpu", func(int) string { return "0" })
	label("grid_size", func(i int) string { return strconv.Itoa(int(of(i).counts.waves) * 32) })
	if t.b.d.registers > 0 {
		label("arch_vgpr", func(i int) string { return strconv.Itoa(t.b.d.vectorRegisters(of(i).pass)) })
	}
	label("workgroup_size", func(i int) string { return strconv.Itoa(of(i).counts.groupSize) })
	return capture.New(cfg)
}

func (t *table) id(g int) string {
	return fmt.Sprintf("%08x-0000-7000-8000-%012x", uint32(0x91a0+g), t.b.seed&0xffffffffffff)
}

// measure simulates a dispatch in one run. The clock differs from run to run: the first dispatch meets a GPU that has
// slept.
func (t *table) measure(i, g int) (counted, error) {
	r := simulate.NewRandom(t.b.seed+uint64(i)<<20+uint64(g)<<44, t.b.f.Name+" run")
	share := 1 - math.Abs(r.NormFloat64())*0.03*t.by
	if r.Chance(0.12*t.by) || i == 0 && r.Chance(0.7*t.by) {
		share = 1 - r.Between(0.1, 0.65)*min(1, t.by)
	}
	share = max(0.2, share)
	m, err := simulate.Measure(&t.b.d.machine, &t.b.runs, i, share)
	if err != nil {
		return counted{}, err
	}
	out := counted{ns: float64(m.Ns) * (1 + 0.01*t.by*r.NormFloat64())}
	out.values = t.b.values(i, &m, share, r, t.by)
	return out, nil
}

func (t *table) config() capture.Config {
	d := t.b.d
	cfg := capture.Config{Name: "simulated", Format: "rocprof-compute", GPU: t.b.f.Name,
		Device: capture.Device{Name: d.model, Vendor: "AMD", Driver: "ROCm 7.12.0", ID: d.id,
			Extra: map[string]string{"gpu_arch": t.b.f.Name}}}
	for _, p := range append([]property{
		{"cu_per_gpu", float64(d.cus)},
		{"simd_per_cu", 2},
		{"se_per_gpu", float64(d.engines)},
		{"wave_size", 32},
		{"workgroup_max_size", 1024},
		{"max_waves_per_cu", maxWaves},
		{"max_sclk", d.hz / 1e6},
		{"cur_sclk", d.hz / 1e6},
		{"l2_banks", float64(d.gl2s)},
		{"total_l2_chan", float64(d.gl2s)},
		{"lds_banks_per_cu", 32},
		{"sqc_per_gpu", float64(d.wgps())},
		{"pipes_per_gpu", 2},
		{"gpu_l1", 32},
	}, d.properties...) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: p.name, Number: p.value})
	}
	cfg.Properties = append(cfg.Properties, capture.Property{Name: "gpu_arch", Text: t.b.f.Name, IsText: true})
	return cfg
}

// counters are those that tell of a candidate directly.
func (f *Family) counters(c simulate.Candidate) []string {
	var prefixes []string
	switch c.Level + "/" + c.Name {
	case "unit/arithmetic":
		prefixes = []string{"SQ_INSTS_VALU", "SQ_INSTS_ALL"}
	case "unit/load_store":
		prefixes = []string{"TCP_", "GRBM_TA_BUSY", "SQ_INSTS_FLAT"}
	case "unit/local_memory":
		prefixes = []string{"SQC_LDS", "SQ_INSTS_LDS", "SQ_WAIT_INST_LDS", "SQ_INST_CYCLES_LDS"}
	case "unit/wave_launch":
		prefixes = []string{"SPI_", "GRBM_SPI"}
	case "memory/cache":
		prefixes = []string{"GL2C_", "GL1C_STALL"}
	case "memory/bandwidth":
		prefixes = []string{"GCEA_", "GL2C_EA", "GL2C_MC"}
	case "memory/latency":
		prefixes = []string{"SQ_WAIT", "GL1C_GL2_REQ_READ_LATENCY"}
	case "launch/overhead":
		prefixes = []string{"CPC_"}
	}
	var out []string
	for _, names := range f.runs {
		for _, name := range names {
			if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
				out = append(out, name)
			}
		}
	}
	return out
}
