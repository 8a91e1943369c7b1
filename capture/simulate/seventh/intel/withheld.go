package intel

import (
	"regexp"
	"slices"

	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
)

// telling are the metrics that tell most directly of a candidate, by symbols of the sets and by counters that every set
// has.
var telling = map[simulate.Candidate]struct {
	symbols string
	raw     []string
}{
	candidates[command]:    {"^(GpuBusy|RenderBusy|AnyEngineBusy)$", []string{"A0"}},
	candidates[fetch]:      {"^VfBottleneck$", nil},
	candidates[clip]:       {"^Cl(Bottleneck|Stall)$", nil},
	candidates[setup]:      {"^Sf(Bottleneck|Stall)$|^PolyDataReady$", nil},
	candidates[raster]:     {"^Rasterizer0", []string{"A21"}},
	candidates[coarse]:     {"^HiDepthBottleneck$", []string{"A22"}},
	candidates[early]:      {"^PixelData", []string{"A23"}},
	candidates[backend]:    {"^(PSOutput|PixelValues)", []string{"A26", "A27"}},
	candidates[arith]:      {"^(Eu|Xve)Active$|Fpu|EmActive$", nil},
	candidates[texture]:    {"^Samplers?[0-9B]", []string{"A28", "A29"}},
	candidates[port]:       {"^NonSamplerShader", []string{"A32", "A33"}},
	candidates[local]:      {"^Slm", []string{"A30", "A31"}},
	candidates[cache]:      {"^L30Bank|^NonSamplerShader", nil},
	candidates[memory]:     {"^Gti|^GTRequestQueue", nil},
	candidates[latency]:    {"^(Eu|Xve)Stall$|^GTRequestQueue", nil},
	simulate.CPUApp:        {"", []string{"cpu_user", "cpu_nice", "cpu_idle"}},
	simulate.CPUDriver:     {"", []string{"cpu_system"}},
	simulate.CPUSync:       {"", []string{"ctxt"}},
	simulate.QueuesInTurn:  {"^(BlitterBusy|ComputeBusy|RenderAndComputeBusy)$", nil},
	simulate.ClockGovernor: {"", []string{"cpu_frequency"}},
	simulate.ClockThermal:  {"", []string{"temperature"}},
}

// withheld are the counters that a recorder does not measure that tells nothing of candidates.
func (c *counting) withheld(list []*round, of []simulate.Candidate) (out []string) {
	cat, err := metrics.Get(c.m.product)
	for _, x := range of {
		t, ok := telling[x]
		if !ok || err != nil {
			continue
		}
		out = append(out, t.raw...)
		if t.symbols == "" {
			continue
		}
		match := regexp.MustCompile(t.symbols)
		for _, e := range cat.Entries() {
			if e.Set != nil && match.MatchString(e.Symbol) && slices.ContainsFunc(list, func(r *round) bool { return r.set == e.Set }) {
				for _, i := range readsOf(e.Expr) {
					out = append(out, rawName(i))
				}
			}
		}
	}
	return out
}
