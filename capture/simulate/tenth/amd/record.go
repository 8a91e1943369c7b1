package amd

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/telling"
)

// plan draws which counters are measured in which pass. GRBM_GUI_ACTIVE is in the first.
func (p *program) plan(r simulate.Random, o simulate.Options) [][]*counter {
	var left string
	if r.Chance(0.4) {
		left = groupsOfRecorders[r.IntN(len(groupsOfRecorders))]
	}
	many := r.Chance(0.6) // people who measure all there is
	untold := telling.Left(&o, telling.RDNA)
	var passes [][]*counter
	var used []map[string]int
	for i := range counters {
		c := &counters[i]
		skip := !many && !r.Chance(c.likely)
		if skip && c.likely < 1 || left != "" && strings.HasPrefix(c.name, left) || c.direct(o.Withheld) || slices.Contains(untold, c.name) {
			continue
		}
		at := slices.IndexFunc(used, func(u map[string]int) bool { return u[c.block] < registers[c.block]-u["kept "+c.block] })
		if at < 0 {
			at = len(used)
			used, passes = append(used, map[string]int{}), append(passes, nil)
			if at > 0 {
				used[at]["kept GRBM"] = 1 // for the clocks of each run
			}
		}
		used[at][c.block]++
		passes[at] = append(passes[at], c)
	}
	return passes
}

// times are the starts and ends of the dispatches that a run has, whose work took some ns.
func (p *program) times(took []float64) (start, end []int64) {
	at := 0.0
	for i := range p.list {
		if i > 0 {
			at += p.list[i].gap
		}
		start = append(start, int64(at))
		at += took[i]
		end = append(end, int64(at))
	}
	return start, end
}

// record makes the capture: as many runs of the program as the counters need, each with times of its own.
func (p *program) record(o simulate.Options) (*capture.Capture, error) {
	r := simulate.NewRandom(p.seed, gfx1151+p.kind+"record")
	base := p.base()
	passes := p.plan(r, o)
	noise := 1.0
	if o.Noise > 0 {
		noise = o.Noise
	} else if o.Noise < 0 {
		noise = 0
	}
	keep := p.kept(r, o)
	each := r.Chance(0.5) // whether every run counts the clocks of the GPU again
	pid := r.Whole(3000, 90000)
	cfg := capture.Config{Name: gfx1151 + "-" + p.kind + "-" + strconv.FormatUint(p.seed, 10), Format: "rocprofv3", GPU: "gfx1151",
		Device: capture.Device{Name: p.m.product, Vendor: "AMD", ID: "gfx1151"}, Properties: p.properties()}
	var cols *simulate.Columns
	for n, list := range passes {
		took := make([]float64, len(p.list))
		whole := 1 + noise*r.Between(-0.012, 0.012)
		factor := make([]float64, len(p.list))
		for i := range p.list {
			d := &p.list[i]
			factor[i] = 1
			if n > 0 {
				factor[i] = whole * r.Spread(0.012*noise)
			}
			took[i] = d.took(&base[d.kernel], false) * factor[i]
		}
		start, end := p.times(took)
		if n == 0 {
			axis := &capture.Axis{Clock: "gpu"}
			for _, i := range keep {
				axis.Start, axis.End = append(axis.Start, start[i]), append(axis.End, end[i])
			}
			cfg.Axis = axis
			cols = simulate.NewColumns(axis)
		}
		var pass *capture.Pass
		if len(passes) > 1 {
			starts, lengths := make([]uint64, len(keep)), make([]uint64, len(keep))
			for j, i := range keep {
				starts[j], lengths[j] = uint64(start[i]), uint64(end[i]-start[i])
			}
			pass = &capture.Pass{ID: "pmc_" + strconv.Itoa(n+1) + "/" + strconv.Itoa(pid+n*37),
				Start:    capture.NewColumn(capture.Data{U: starts}),
				Duration: capture.NewColumn(capture.Data{U: lengths})}
			cfg.Passes = append(cfg.Passes, pass)
		}
		at := make([]int, len(list))
		for j, c := range list {
			at[j] = cols.Counter(capture.Meta{Name: c.name, Unit: c.unit, Kind: capture.Delta, GPU: "gfx1151",
				Block: strings.SplitN(c.name, "_", 2)[0], Source: "rocprofv3", Integral: true})
			cols.InPass(at[j], pass)
		}
		again := -1
		if name := "GRBM_GUI_ACTIVE@"; n > 0 && each && !slices.Contains(telling.Left(&o, telling.RDNA), "GRBM_GUI_ACTIVE") {
			again = cols.Counter(capture.Meta{Name: name + pass.ID, Unit: cycles, Kind: capture.Delta, GPU: "gfx1151",
				Block: "GRBM", Source: "rocprofv3", Integral: true})
			cols.InPass(again, pass)
		}
		for _, i := range keep {
			d := &p.list[i]
			res := &base[d.kernel]
			s := p.sample(d, res, took[i], factor[i], 1+noise*0.004*r.Float64())
			for j, c := range list {
				x := c.get(&s)
				if c.timed && strings.HasPrefix(c.name, "SQ_WAIT") {
					x *= 1 - noise*0.01*r.Float64()
				}
				cols.Whole(at[j], math.Round(x))
			}
			if again >= 0 {
				cols.Whole(again, math.Round(s.gui()))
			}
		}
	}
	if each && len(passes) > 1 {
		cfg.Warnings = append(cfg.Warnings, "GRBM_GUI_ACTIVE: measured in several passes; the first counts, and those of the others are counters with the name of their run behind an @")
	}
	cfg.Counters = cols.Counters(nil)
	p.labels(&cfg, keep, o.Marks.Of(r.Chance(0.5)))
	return capture.New(cfg)
}

// sample is what counters see of a dispatch in a pass.
func (p *program) sample(d *dispatch, res *result, took, factor, slip float64) sample {
	c := res.c
	g := float64(p.m.wgps)
	for i := range c {
		c[i] *= g * d.work
		if i >= cWaveNs && i != cMemBusy {
			c[i] *= factor
		}
	}
	k := &p.kernels[d.kernel]
	return sample{m: &p.m, k: k, c: &c, took: took, worked: max(1, took-d.lag*factor*0.9), wgps: g,
		waves: float64(k.waves), slip: slip}
}

// kept are the dispatches that the recorder has: not those that it lost or was told to leave out.
func (p *program) kept(r simulate.Random, o simulate.Options) []int {
	lost := o.Missed
	// Of two phases none is lost, so that rows are compared with dispatches one by one.
	if r.Chance(0.15) && lost == 0 && len(p.phases) < 2 {
		lost = 0.003
	}
	out := make([]int, 0, len(p.list))
	gaps := map[int]bool{}
	for range o.Gaps {
		from := r.IntN(len(p.list))
		for i := from; i < min(len(p.list), from+1+len(p.list)/60); i++ {
			gaps[i] = true
		}
	}
	for i := range p.list {
		if gaps[i] || lost > 0 && r.Chance(lost) {
			continue
		}
		out = append(out, i)
	}
	if len(out) == 0 {
		out = append(out, 0)
	}
	return out
}

// properties are the constants that agent_info.csv has.
func (p *program) properties() []capture.Property {
	m := &p.m
	var out []capture.Property
	for _, c := range []struct {
		name string
		x    float64
	}{{"cu_per_gpu", float64(m.wgps * units)}, {"max_sclk", map[int]float64{20: 2900, 16: 2799}[m.wgps]}, {"max_waves_per_cu", 32}, {"num_xcd", 1}, {"sa_per_se", float64(m.arrays / m.engines)},
		{"se_per_gpu", float64(m.engines)}, {"simd_per_cu", simds / units}, {"wave_size", lanes}, {"workgroup_max_size", 1024}} {
		out = append(out, capture.Property{Name: c.name, Number: c.x})
	}
	return out
}

// labels say what each dispatch was; regions are kernels on their queue, where the trace was recorded too.
func (p *program) labels(cfg *capture.Config, keep []int, regions bool) {
	names := []string{"kernel", "kernel_shape", "dispatch", "agent", "queue", "kernel_id", "grid_size", "workgroup_size",
		"lds_per_workgroup", "scratch_per_workitem", "arch_vgpr", "accum_vgpr", "sgpr"}
	texts := make([][]string, len(names))
	for j, i := range keep {
		d := &p.list[i]
		k := &p.kernels[d.kernel]
		grid, group := strconv.Itoa(k.waves*lanes), strconv.Itoa(k.group*lanes)
		vgpr := strconv.Itoa(min(256, 1536/max(1, k.slots)/8*8))
		row := []string{k.name, k.name + " grid " + grid + " workgroup " + group, strconv.Itoa(i + 1), "Agent 1", "1", strconv.Itoa(d.kernel + 11),
			grid, group, strconv.Itoa(k.lds), "0", vgpr, "0", "128"}
		for n := range names {
			texts[n] = append(texts[n], row[n])
		}
		if regions {
			cfg.Regions = append(cfg.Regions, capture.Region{Name: k.name, Start: cfg.Axis.Start[j], End: cfg.Axis.End[j], Track: "kernels, Agent 1, queue 1"})
		}
	}
	for n, name := range names {
		cfg.Labels = append(cfg.Labels, capture.NewLabel(name, texts[n], nil))
	}
}
