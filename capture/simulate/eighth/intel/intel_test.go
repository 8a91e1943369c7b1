package intel

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var sets = map[string][]string{
	Names[0]: {"RenderBasic", "ComputeBasic", "RenderPipeProfile", "Sampler", "TDL_1", "L3_1", "HDCAndSF", "RasterizerAndPixelBackend", "MemoryReads"},
	Names[1]: {"RenderBasic", "ComputeBasic", "RenderPipeProfile", "MemoryProfile", "VectorEngineStalls", "DeviceCacheProfile", "DepthProfile", "VectorEngineProfile", "RTProfile"},
}

func TestKindsHold(t *testing.T) {
	for _, name := range Names {
		simulatetest.Make(New).KindsHold(t, name, []string{simulate.KindSerial, simulate.KindHealthy, simulate.KindTwoPhase}, simulatetest.Number(t, 6, 3))
		for _, kind := range []string{simulate.KindArchetype, simulate.KindRandom} {
			for seed := range uint64(simulatetest.Number(t, 6, 3)) {
				simulatetest.Judged(t, simulatetest.Make(New).Case(t, name, kind, seed))
			}
		}
	}
}

func TestPlantsLimit(t *testing.T) {
	for _, name := range Names {
		simulatetest.Make(New).PlantsLimit(t, name, simulatetest.Number(t, 50, 25))
	}
}

// total is a metric of the whole capture.
func total(t *testing.T, c *capture.Capture, name string) float64 {
	t.Helper()
	m, err := metrics.Resolve(c, name)
	if err != nil {
		t.Fatal(err)
	}
	return m.Total().Float()
}

func TestMetricsAreWithinTheirRangeAndAddUp(t *testing.T) {
	for _, name := range Names {
		for seed := range uint64(simulatetest.Number(t, 8, 4)) {
			kind := simulate.Kinds()[seed%6]
			c := simulatetest.Make(New).Case(t, name, kind, seed)
			for _, set := range sets[name] {
				cap := simulatetest.Recorded(t, c, simulate.Options{Sets: []string{set}})
				what := fmt.Sprintf("%s %s %d %s", name, kind, seed, set)
				check(t, what, cap)
				if set != "RenderBasic" {
					continue
				}
				least := func(a, b, off float64) {
					t.Helper()
					if a > b+off {
						t.Errorf("%s: %f is above %f", what, a, b)
					}
				}
				if name == Names[0] {
					least(total(t, cap, "EuActive")+total(t, cap, "EuStall"), 100, 0.1)
					least(total(t, cap, "EuFpuBothActive"), total(t, cap, "EuActive"), 0.1)
					least(total(t, cap, "SamplesWritten")+total(t, cap, "HiDepthTestFails")+total(t, cap, "EarlyDepthTestFails"), total(t, cap, "RasterizedPixels"), 100)
					least(total(t, cap, "SamplesBlended"), total(t, cap, "SamplesWritten"), 100)
					least(total(t, cap, "SamplerTexelMisses"), total(t, cap, "SamplerTexels"), 100)
					least(total(t, cap, "GtiVfThroughput"), total(t, cap, "GtiReadThroughput"), 1e4)
				} else {
					least(total(t, cap, "XVE_ACTIVE")+total(t, cap, "XVE_STALL"), 100, 0.1)
					least(total(t, cap, "LOAD_STORE_CACHE_HIT"), total(t, cap, "LOAD_STORE_CACHE_ACCESS"), 1)
					least(total(t, cap, "PIXEL_WRITE"), total(t, cap, "RASTERIZER_SAMPLE_OUTPUT"), 100)
				}
			}
		}
	}
}

// check evaluates every metric of a capture and finds percentages outside of 0 to 100 and values that are no numbers.
func check(t *testing.T, what string, cap *capture.Capture) {
	t.Helper()
	list, err := metrics.Metrics(cap)
	if err != nil {
		t.Fatal(err)
	}
	values, err := metrics.Floats(context.Background(), list)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range list {
		for k, v := range values[i] {
			if math.IsInf(v, 0) || v < 0 || m.Unit == "percent" && v > 100+1e-6 {
				t.Errorf("%s: %s is %v %s in sample %d", what, m.Name, v, m.Unit, k)
				break
			}
		}
	}
	if len(list) < 5 {
		t.Errorf("%s: %d metrics", what, len(list))
	}
}

func TestXe2CountsAddUp(t *testing.T) {
	for seed := range uint64(6) {
		cap := simulatetest.Recorded(t, simulatetest.Make(New).Case(t, Names[1], simulate.KindArchetype, seed), simulate.Options{Sets: []string{"MemoryProfile"}})
		hit, miss := total(t, cap, "L3_HIT"), total(t, cap, "L3_MISS")
		if all := total(t, cap, "L3_READ") + total(t, cap, "L3_WRITE"); math.Abs(hit+miss-all) > 4 {
			t.Errorf("%d: %f hits and %f misses of %f", seed, hit, miss, all)
		}
	}
}

func TestSetsAreMeasuredInRoundsAndWithheldCountersAreNot(t *testing.T) {
	for _, name := range Names {
		c := simulatetest.Make(New).Case(t, name, simulate.KindArchetype, 2)
		cap := simulatetest.Recorded(t, c, simulate.Options{Sets: []string{"RenderBasic", "ComputeBasic"}, Host: simulate.Yes, Marks: simulate.Yes})
		if l := cap.Label("metric_set"); l == nil || !slices.Equal(l.Dict, []string{"RenderBasic", "ComputeBasic"}) || cap.Counter("cpu_user") == nil ||
			len(cap.Regions) < 20 {
			t.Errorf("%s: no label of sets, no processors or no frames", name)
		}
		check(t, name, cap)
		all := []simulate.Candidate{}
		for c := range tells {
			all = append(all, c)
		}
		less := simulatetest.Recorded(t, c, simulate.Options{Sets: []string{"RenderBasic"}, Host: simulate.Yes, Withheld: all})
		if less.Counter("cpu_user") != nil || less.Counter("temperature") != nil || less.Counter("A28") != nil || less.Counter("PEC5") != nil {
			t.Errorf("%s: withheld counters are there", name)
		}
		if _, err := c.Record(simulate.Options{Sets: []string{"none"}}); err == nil {
			t.Errorf("%s: records an unknown set", name)
		}
	}
}
