package mali

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var cases simulatetest.Make = New

// values of a counter by Arm's machine name, nil where the layout lacks it.
func values(c *capture.Capture, name string) []float64 {
	for _, x := range c.Counters {
		if x.Name == name || slices.Contains(x.Aliases, name) {
			return x.Floats()
		}
	}
	return nil
}

func TestNoPercentageIsOutsideOfItsRange(t *testing.T) {
	for _, name := range Names {
		for _, kind := range simulate.Kinds() {
			for seed := range uint64(simulatetest.Number(t, 8, 3)) {
				c := simulatetest.Recorded(t, cases.Case(t, name, kind, seed), simulate.Options{})
				if n := c.Len(); n < 30 || n > 500 {
					t.Errorf("%s %s %d: %d samples", name, kind, seed, n)
				}
				list, err := metrics.Metrics(c)
				if err != nil {
					t.Fatal(err)
				}
				all, err := metrics.Floats(context.Background(), list)
				if err != nil {
					t.Fatal(err)
				}
				for i, m := range list {
					for k, v := range all[i] {
						if math.IsInf(v, 0) || v < -1e-9 || m.Unit == "percent" && v > 100+1e-6 {
							t.Errorf("%s %s %d: %s is %v %s in sample %d", name, kind, seed, m.Name, v, m.Unit, k)
							break
						}
					}
				}
			}
		}
	}
}

func TestCountersFitTogether(t *testing.T) {
	for _, name := range Names {
		for seed := range uint64(6) {
			c := simulatetest.Recorded(t, cases.Case(t, name, simulate.KindRandom, seed), simulate.Options{})
			cores, _ := c.Property("MaliConstantsShaderCoreCount")
			slices, _ := c.Property("MaliConstantsL2SliceCount")
			for _, x := range []struct {
				small, large string
				by           float64
			}{{"MaliGPUActiveCy", "gpu_clock_cycles", 1}, {"MaliCoreActiveCy", "gpu_clock_cycles", cores.Number}, {"MaliTilerActiveCy", "MaliGPUActiveCy", 1},
				{"MaliFragEZSKillQd", "MaliFragEZSTestQd", 1}, {"MaliExtBusRd", "MaliL2CacheRdLookup", 1}, {"MaliTexFiltIssueCy", "MaliCoreActiveCy", 1},
				{"MaliGeomTrianglePrim", "gpu_clock_cycles", 1}, {"MaliFragRastQd", "gpu_clock_cycles", cores.Number},
				{"MaliSCBusTileWrBt", "gpu_clock_cycles", cores.Number}, {"MaliExtBusRdBt", "gpu_clock_cycles", slices.Number},
				{"MaliExtBusWrBt", "gpu_clock_cycles", slices.Number}, {"MaliL2CacheLookup", "gpu_clock_cycles", slices.Number},
				{"MaliL2CacheRdStallCy", "gpu_clock_cycles", slices.Number}, {"MaliEngStarveCy", "MaliCoreActiveCy", 1}} {
				small, large := values(c, x.small), values(c, x.large)
				if small == nil || large == nil {
					t.Fatalf("%s has no %s or %s", name, x.small, x.large)
				}
				for i := range small {
					if small[i] > large[i]*x.by+1 {
						t.Errorf("%s %d: %s is %v with %v of %s", name, seed, x.small, small[i], large[i], x.large)
						break
					}
				}
			}
		}
	}
}

func TestWhateverProgramsDoIsCounted(t *testing.T) {
	for _, name := range Names {
		sum := map[string]float64{}
		for seed := range uint64(24) {
			c := simulatetest.Recorded(t, cases.Case(t, name, simulate.KindSingle, seed), simulate.Options{})
			for _, x := range c.Counters {
				sum[x.Name] += x.Total().Float()
			}
		}
		for n, v := range sum {
			if v > 0 || strings.Contains(n, "Snoop") || strings.Contains(n, "Reserved") || strings.Contains(n, "Stage2") || strings.Contains(n, "CS3") ||
				strings.Contains(n, "PointPrimitives") || strings.HasPrefix(n, "cpu_") {
				continue
			}
			t.Errorf("%s: %s is 0 in all cases", name, n)
		}
	}
}

func TestPlantsAreWhatLimits(t *testing.T) {
	for _, name := range Names {
		cases.PlantsLimit(t, name, len(plants(name == Names[0])))
	}
}

func TestProgramsThatKeepTheirDatesAreHealthy(t *testing.T) {
	for i := range uint64(12) {
		name := Names[i%2]
		truth := simulatetest.Judged(t, cases.Case(t, name, simulate.KindHealthy, i))
		if l, _ := truth.Limiter(); !truth.Healthy || l.Level != simulate.LevelDisplay {
			t.Errorf("%s %d: healthy %v, %d dates missed, %v limits", name, i, truth.Healthy, truth.Missed, l)
		}
	}
}

func TestPhasesAreJudgedApart(t *testing.T) {
	for i := range uint64(4) {
		truth := simulatetest.Judged(t, cases.Case(t, Names[i%2], simulate.KindTwoPhase, i))
		if len(truth.Phases) != 2 {
			t.Fatalf("%d phases", len(truth.Phases))
		}
		x, a := truth.Phases[0].Limiter()
		y, b := truth.Phases[1].Limiter()
		if x == y || !a || !b {
			t.Error(fmt.Sprint(i, x, a, y, b))
		}
	}
}
