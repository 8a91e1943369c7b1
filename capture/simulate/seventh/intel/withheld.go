package intel

import (
	"regexp"

	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
)

// tell is what tells most directly of a candidate: metrics by symbols of the sets, and counters that every set has.
type tell struct {
	symbols string
	raw     []string
}

var telling = map[simulate.Candidate]tell{
	candidates[command]:    {"^(GpuBusy|RenderBusy|AnyEngineBusy)$", []string{"A0"}},
	candidates[fetch]:      {"^VfBottleneck$", nil},
	candidates[clip]:       {"^Cl(Bottleneck|Stall)$", nil},
	candidates[setup]:      {"^Sf(Bottleneck|Stall)$|^PolyDataReady$", nil},
	candidates[raster]:     {"^Rasterizer0", []string{"A21"}},
	candidates[coarse]:     {"^HiDepthBottleneck$", []string{"A22"}},
	candidates[early]:      {"^PixelData", []string{"A23"}},
	candidates[backend]:    {"^(PSOutput|PixelValues)", []string{"A26", "A27"}},
	candidates[arith]:      {"^(Eu|Xve)Active$|Fpu|EmActive$", nil},
	candidates[texture]:    {"^Samplers?[0-9B]", []string{"A28", "A29", "B0", "B1"}}, // B0 and B1 of most sets
	candidates[port]:       {"^NonSamplerShader", []string{"A32", "A33"}},
	candidates[local]:      {"^Slm", []string{"A30", "A31"}},
	candidates[cache]:      {"^L30Bank|^NonSamplerShader", nil},
	candidates[memory]:     {"^Gti|^GTRequestQueue", nil},
	candidates[latency]:    {"^(Eu|Xve)Stall$|^GTRequestQueue", nil},
	simulate.CPUApp:        {"^$", []string{"cpu_user", "cpu_nice", "cpu_idle"}},
	simulate.CPUDriver:     {"^$", []string{"cpu_system"}},
	simulate.CPUSync:       {"^$", []string{"ctxt"}},
	simulate.QueuesInTurn:  {"^(BlitterBusy|ComputeBusy|RenderAndComputeBusy)$", nil},
	simulate.ClockGovernor: {"^$", nil}, // nothing but the clock itself, which every report holds
}

// withheld are the counters of a recorder that measures nothing that tells of candidates.
func withheld(cat *metrics.Catalogue, list []*round, of []simulate.Candidate) (out []string) {
	for _, c := range of {
		t, ok := telling[c]
		if !ok {
			continue
		}
		out = append(out, t.raw...)
		match := regexp.MustCompile(t.symbols)
		for _, e := range cat.Entries() {
			for _, x := range list {
				if e.Set != x.set || !match.MatchString(e.Symbol) {
					continue
				}
				for _, i := range readsOf(e.Expr) {
					out = append(out, rawName(i))
				}
			}
		}
	}
	return out
}
