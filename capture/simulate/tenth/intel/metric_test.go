package intel

import (
	"testing"

	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

// TestMetrics evaluates the catalogue's metrics on captures: shares are shares, and what the set has is there.
func TestMetrics(t *testing.T) {
	for _, set := range []string{"RenderBasic", "ComputeBasic", "RenderPipeProfile", "DepthProfile", "MemoryProfile", "RTProfile"} {
		for seed := range uint64(simulatetest.Number(t, 6, 2)) {
			c := simulatetest.Make(New).Case(t, Names[0], simulate.KindArchetype, seed)
			cap := simulatetest.Recorded(t, c, simulate.Options{Sets: []string{set}, Host: simulate.Yes, Marks: simulate.Yes})
			for _, name := range []string{"GPU_BUSY", "XVE_ACTIVE", "XVE_STALL", "XVE_THREADS_OCCUPANCY_ALL", "AvgGpuCoreFrequency", "GpuTime",
				"SAMPLER_ACTIVE", "L3_BUSY", "CLIPPER_INPUT_AVAILABLE", "IZ_OUTPUT_READY", "RENDER_CACHE_INPUT_AVAILABLE",
				"COMMAND_PARSER_RENDER_ENGINE_BUSY", "GPU_MEMORY_BYTE_READ_RATE", "RT_TRAVERSAL_STALL", "GPU_MEMORY_ACTIVE"} {
				list, err := metrics.ResolveAllWith(cap, nil, []string{name})
				if err != nil {
					continue // sets that lack it do not agree on what it is
				}
				m := list[0]
				for i := range cap.Len() {
					v := m.Value(i)
					if m.Unit == "percent" && (v.F > 100.01 || v.F < 0) {
						t.Errorf("%s %d: %s is %g", set, seed, name, v.F)
						break
					}
				}
				if seed == 0 && testing.Verbose() {
					t.Log(set, name, m.Unit, m.Total())
				}
			}
		}
	}
}
