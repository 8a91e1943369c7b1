package intel

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// tells are what metrics begin with that tell most directly of a candidate, and counters of the processors.
var tells = map[simulate.Candidate][]string{
	candidates[arithmetic]:        {"EuFpu", "Fpu", "VsFpu", "PsFpu", "PsEu", "EuActive", "XVE_INST", "XVE_PIPE", "XVE_MULTIPLE", "XVE_ACTIVE"},
	candidates[texture]:           {"Sampler", "SAMPLER"},
	candidates[loadStore]:         {"ShaderMemory", "Untyped", "EuUntyped", "NonSampler", "LOAD_STORE", "XVE_LOAD_STORE"},
	candidates[localMemory]:       {"Slm", "SLM", "XVE_SLM"},
	candidates[rayTracing]:        {"RT_"},
	candidates[vertexFetch]:       {"Vf", "GtiVf", "IA_", "VERTEX_FETCH"},
	candidates[clipper]:           {"Cl", "CLIPPER"},
	candidates[setup]:             {"Sf", "Poly", "STRIPSFAN"},
	candidates[rasterizer]:        {"Rasteriz", "RASTERIZER"},
	candidates[hierarchicalDepth]: {"HiDepth", "HIZ"},
	candidates[earlyDepth]:        {"EarlyDepth", "EARLY", "IZ_"},
	candidates[pixelBackend]:      {"SamplesW", "SamplesB", "PSOutput", "PixelV", "GtiRcc", "PIXEL", "COLOR", "RENDER_CACHE", "PS_OUTPUT"},
	candidates[bandwidth]:         {"Gti", "GPU_MEMORY", "L3_SUPERQ"},
	candidates[latency]:           {"EuStall", "L3Misses", "XVE_STALL", "L3_MISS"},
	candidates[cache]:             {"L3", "SamplerL1"},
	candidates[launch]:            {"GpuBusy", "GPU_BUSY", "COMMAND_PARSER"},
	simulate.CPUApp:               {"cpu_user"},
	simulate.CPUDriver:            {"cpu_system"},
	simulate.CPUSync:              {"ctxt"},
	simulate.QueuesInTurn:         {"COMMAND_PARSER_COMPUTE", "COMMAND_PARSER_RENDER"},
	simulate.ClockGovernor:        {"SLICE_CLOCK", "UNSLICE_CLOCK"},
	simulate.ClockThermal:         {"temperature", "SLICE_CLOCK", "UNSLICE_CLOCK"},
	simulate.ClockPower:           {"SLICE_CLOCK", "UNSLICE_CLOCK"},
}

// left are the counters that the recorder does not measure.
func (d *drawn) left(o *simulate.Options, chosen [][]selected) []string {
	out := slices.Clone(o.Without)
	for _, c := range o.Withheld {
		out = append(out, tells[c]...) // which are names where they are not of metrics
		for _, set := range chosen {
			for _, s := range set {
				if slices.ContainsFunc(tells[c], func(p string) bool { return strings.HasPrefix(s.symbol, p) }) {
					out = append(out, s.counter)
				}
			}
		}
	}
	return out
}

// hostRow is what the threads of the program did in a sample, and how hot the processor was.
type hostRow struct {
	threads [2]float64 // ns
	frames  float64
	celsius float64
}

func (d *drawn) hostRows(c *course, axis *capture.Axis, origin int64) []hostRow {
	out := make([]hostRow, axis.Len())
	for k, list := range c.threads {
		i := 0
		for _, s := range list {
			for i < len(out) && origin+axis.End[i] <= s[0] {
				i++
			}
			for j := i; j < len(out) && origin+axis.Start[j] < s[1]; j++ {
				from, to := max(s[0], origin+axis.Start[j]), min(s[1], origin+axis.End[j])
				part := float64(max(0, to-from))
				out[j].threads[k] += part
				if k == 0 {
					out[j].frames += part / float64(max(1, s[1]-s[0]))
				}
			}
		}
	}
	for i := range out {
		busy := c.clock(origin+axis.Start[i], origin+axis.End[i]) / float64(axis.End[i]-axis.Start[i])
		out[i].celsius = 52 + 22*busy
		if d.w.clock.limit > 0 {
			out[i].celsius = 76
			if d.w.clock.hot {
				out[i].celsius = 97
			}
		}
	}
	return out
}

// host are the processors' counters, as the kernel tells them: times in hundredths of a second.
func (d *drawn) host(r simulate.Random, axis *capture.Axis, rows []hostRow, o simulate.Options) []*capture.Counter {
	const jiffy = 10e6
	names := []string{"cpu_user", "cpu_system", "cpu_idle", "cpu_iowait"}
	whole := make([]*capture.Counter, len(names)+1)
	for i, n := range append(slices.Clone(names), "cpu_frequency") {
		m := capture.Meta{Name: n, Unit: "ns", Kind: capture.Delta, Block: "cpu", Source: "procfs"}
		if n == "cpu_frequency" {
			m.Unit, m.Kind, m.Combine = "Hz", capture.Gauge, capture.CombineMean
		}
		whole[i] = &capture.Counter{Meta: m, Axis: axis}
	}
	program, kernel := r.IntN(d.m.cores), r.IntN(d.m.cores)
	for kernel == program && d.w.threads > 1 {
		kernel = r.IntN(d.m.cores)
	}
	highest := r.Between(2.6e9, 3.8e9)
	for cpu := range d.m.cores {
		cols := simulate.NewColumns(axis)
		var at []int
		for i, w := range whole {
			m := w.Meta
			m.Instance = fmt.Sprint(cpu)
			if i == len(names) {
				at = append(at, cols.Gauge(m))
				continue
			}
			at = append(at, cols.Counter(m))
			cols.Scaled(at[i], jiffy)
		}
		around := r.Between(0.01, 0.05)
		for i := range rows {
			ns := float64(axis.End[i] - axis.Start[i])
			user, system := around*0.7*ns*r.Spread(0.3), around*0.3*ns*r.Spread(0.3)
			if cpu == program {
				user += rows[i].threads[0] * 0.95
				system += rows[i].threads[0] * 0.05
			}
			if cpu == kernel && d.w.threads > 1 {
				user += rows[i].threads[1] * 0.65
				system += rows[i].threads[1] * 0.35
			}
			if busy := user + system; busy > ns {
				user, system = user*ns/busy, system*ns/busy
			}
			for k, x := range []float64{user, system, max(0, ns-user-system), 0} {
				cols.Add(at[k], x)
			}
			cols.Set(at[len(names)], highest*(0.5+0.5*min(1, 2*(user+system)/ns)))
		}
		for i, c := range cols.Counters(nil) {
			whole[i].Instances = append(whole[i].Instances, c)
		}
	}
	cols := simulate.NewColumns(axis)
	switches := cols.Counter(capture.Meta{Name: "ctxt", Unit: "switches", Kind: capture.Delta, Block: "scheduler", Source: "procfs"})
	heat := cols.Gauge(capture.Meta{Name: "temperature", Unit: "celsius", Block: "thermal", Combine: capture.CombineMax, Source: "procfs"})
	for i := range rows {
		ns := float64(axis.End[i] - axis.Start[i])
		cols.Add(switches, ns*3e-6*r.Spread(0.2)+rows[i].frames*12)
		cols.Set(heat, float64(int(rows[i].celsius+r.Between(-1, 1))))
	}
	left := d.left(&o, nil)
	return slices.DeleteFunc(append(whole, cols.Counters(nil)...), func(c *capture.Counter) bool { return slices.Contains(left, c.Name) })
}
