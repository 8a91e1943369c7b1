package rdna

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// spans are the starts and ends of the dispatches of a run, in ns since the first began.
func (p *program) spans(run int) (start, end []int64) {
	t := int64(0)
	for i := range p.dispatches {
		if i > 0 {
			t += int64(p.conditions[run][i].gap)
		}
		start = append(start, t)
		t += max(1, int64(math.Round(p.ns(run, i, unrelieved()))))
		end = append(end, t)
	}
	return start, end
}

// record makes the capture that a reader of the profiler's files makes.
func (p *program) record(o *simulate.Options) (*capture.Capture, error) {
	left := telling.Left(o, telling.RDNA)
	start, end := p.spans(0)
	axis := &capture.Axis{Clock: "gpu", Start: start, End: end}
	cfg := capture.Config{Name: fmt.Sprintf("%s-%d", p.kind, p.seed), Format: "rocprofcompute", GPU: "gfx1151",
		Device: capture.Device{Name: "RDNA35_HALO", Vendor: "AMD", Driver: "ROCm 7.12.0", ID: "5510"}, Axis: axis, Properties: properties}
	p.label(&cfg)
	noise := o.Noise
	if noise == 0 {
		noise = 1
	}
	rnd := simulate.NewRandom(p.seed, p.family+" "+p.kind+" counters")
	begun := int64(2.4e15 * rnd.Between(0.1, 1))
	v := counts{}
	for run, names := range runs {
		from, to := p.spans(run)
		pass := &capture.Pass{ID: fmt.Sprintf("%08x-%04x-7%03x-%04x-%012x", 0x91af, rnd.IntN(1<<16), rnd.IntN(1<<12), 0x8000|rnd.IntN(1<<14),
			rnd.Int64N(1<<48))}
		starts, lengths := make([]uint64, len(from)), make([]uint64, len(from))
		for i := range from {
			starts[i], lengths[i] = uint64(begun+from[i]), uint64(to[i]-from[i])
		}
		begun += to[len(to)-1] + int64(rnd.Between(5e8, 1.5e9))
		pass.Start, pass.Duration = capture.NewColumn(capture.Data{U: starts}), capture.NewColumn(capture.Data{U: lengths})
		columns := make([][]uint64, len(names))
		stale := !p.pinned && rnd.Chance(0.15)
		for i := range p.dispatches {
			p.count(v, run, i, rnd, max(0, noise))
			for k, name := range names {
				x := uint64(math.Floor(max(0, v[name]) + 0.5))
				if stale && i > 0 && (name == "GRBM_CP_BUSY" || name == "GRBM_SPI_BUSY") {
					x = columns[k][0]
				}
				columns[k] = append(columns[k], printed(name, x))
			}
		}
		for k, name := range names {
			if slices.Contains(left, name) {
				continue
			}
			block, _, _ := strings.Cut(name, "_")
			cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: name, Kind: capture.Delta, GPU: "gfx1151", Block: block,
				Source: "rocprofcompute"}, Axis: axis, Col: capture.NewColumn(capture.Data{U: columns[k]}), Pass: pass})
		}
	}
	return capture.New(cfg)
}

// printed is a sum as the profiler prints it, with six digits.
func printed(name string, x uint64) uint64 {
	if strings.HasSuffix(name, "_sum") {
		for unit := uint64(10); x/unit >= 1e5; unit *= 10 {
			if x/unit < 1e6 {
				return (x + unit/2) / unit * unit
			}
		}
	}
	return x
}

// label names the dispatches as readers do.
func (p *program) label(cfg *capture.Config) {
	columns := []string{"kernel", "kernel_shape", "dispatch", "gpu", "gpu_id", "grid_size", "workgroup_size", "lds_per_workgroup",
		"scratch_per_workitem", "arch_vgpr", "accum_vgpr", "sgpr", "kernel_id"}
	ids := map[string]int{}
	texts := make([][]string, len(columns))
	for i, d := range p.dispatches {
		k := p.kernels[d.kernel]
		if _, ok := ids[k.name]; !ok {
			ids[k.name] = len(ids)
		}
		size, group := strconv.Itoa(k.groups*k.group), strconv.Itoa(k.group)
		for c, text := range []string{k.name, k.name + " grid " + size + " workgroup " + group, strconv.Itoa(i), "0", "1", size, group,
			strconv.Itoa((k.lds + 511) / 512 * 512), "0", strconv.Itoa((k.vgpr + 7) / 8 * 8), "0", "128", strconv.Itoa(ids[k.name])} {
			texts[c] = append(texts[c], text)
		}
	}
	for c, name := range columns {
		cfg.Labels = append(cfg.Labels, capture.NewLabel(name, texts[c], func(int) bool { return true }))
	}
}

// properties are those of the public capture's sysinfo.csv.
var properties = func() (out []capture.Property) {
	for _, x := range []struct {
		name  string
		value float64
	}{{"gpu_l1", 32}, {"gpu_l2", 2048}, {"cu_per_gpu", units}, {"simd_per_cu", simds}, {"se_per_gpu", engines}, {"sa_per_se", 2},
		{"wave_size", 32}, {"workgroup_max_size", 1024}, {"max_waves_per_cu", simds * slots}, {"max_sclk", 2799}, {"max_mclk", 0},
		{"cur_sclk", 2799}, {"cur_mclk", 0}, {"l2_banks", channels}, {"total_l2_chan", channels}, {"lds_banks_per_cu", 32},
		{"sqc_per_gpu", 16}, {"pipes_per_gpu", 2}, {"num_memory_channels", channels}, {"num_gl1c", 4}, {"gpu_chip_id", 5510}} {
		out = append(out, capture.Property{Name: x.name, Number: x.value})
	}
	for _, x := range [][2]string{{"gpu_series", "RDNA3.5"}, {"gpu_model", "RDNA35_HALO"}, {"gpu_arch", "gfx1151"}, {"rocm_version", "7.12.0"},
		{"cpu_model", "AMD RYZEN AI MAX PRO 385 w/ Radeon 8050S"}, {"ip_blocks", "SQ|LDS|SQC|TA|TD|TCP|TCC|SPI|CPC|CPF|roofline"}} {
		out = append(out, capture.Property{Name: x[0], Text: x[1], IsText: true})
	}
	return out
}()
