package mali

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

// series are the values of counters by any of their names.
func series(c *capture.Capture) map[string][]float64 {
	out := map[string][]float64{}
	for _, x := range c.Counters {
		v := x.Floats()
		for _, name := range append([]string{x.Name}, x.Aliases...) {
			out[name] = v
		}
	}
	return out
}

func TestSameSeedGivesTheSameCase(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			a, b := simulatetest.Make(New).Case(t, name, kind, 3), simulatetest.Make(New).Case(t, name, kind, 3)
			if !reflect.DeepEqual(simulatetest.Judged(t, a), simulatetest.Judged(t, b)) {
				t.Errorf("%s %s: two truths", name, kind)
			}
			x, y := simulatetest.Recorded(t, a, simulate.Options{}), simulatetest.Recorded(t, b, simulate.Options{})
			for i, c := range x.Counters {
				if !reflect.DeepEqual(c.Floats(), y.Counters[i].Floats()) {
					t.Errorf("%s %s: two captures, by %s", name, kind, c.Name)
				}
			}
		}
	}
}

func TestPlantsLimit(t *testing.T) {
	for _, name := range Names {
		simulatetest.Make(New).PlantsLimit(t, name, simulatetest.Number(t, 76, 19))
	}
}

func TestEveryPartHasSharesThatAddUp(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			for seed := range uint64(simulatetest.Number(t, 4, 2)) {
				truth := simulatetest.Judged(t, simulatetest.Make(New).Case(t, name, kind, seed))
				if kind == simulate.KindTwoPhase && len(truth.Phases) != 2 {
					t.Errorf("%s %d: %d phases", name, seed, len(truth.Phases))
				}
				if kind == simulate.KindHealthy && !truth.Healthy {
					t.Errorf("%s %d: not healthy: %v, %d missed", name, seed, truth.Leaves[0], truth.Missed)
				}
			}
		}
	}
}

// TestCountersKeepTheirIdentities checks every sample against the sums and bounds that documents give.
func TestCountersKeepTheirIdentities(t *testing.T) {
	checked := map[string]bool{}
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			for seed := range uint64(simulatetest.Number(t, 6, 2)) {
				c := simulatetest.Recorded(t, simulatetest.Make(New).Case(t, name, kind, seed), simulate.Options{})
				all := series(c)
				for _, b := range bounds {
					of := all[b.of]
					if of == nil {
						continue
					}
					by := 1.0
					for _, x := range []struct {
						on   bool
						name string
					}{{b.cores, "MaliConstantsShaderCoreCount"}, {b.slices, "MaliConstantsL2SliceCount"}} {
						if x.on {
							p, _ := c.Property(x.name)
							by *= p.Number
						}
					}
					for i := range of {
						sum := 0.0
						for _, p := range b.parts {
							if v := all[p]; v != nil {
								sum += v[i]
								checked[p] = true
							}
						}
						if sum > by*of[i]+.5 {
							t.Fatalf("%s %s %d: %v are %.0f of %s, %.0f", name, kind, seed, b.parts, sum, b.of, by*of[i])
						}
					}
				}
				for _, x := range totals[len(totals)-3:] {
					sums, of := make([]float64, c.Len()), all[x.of]
					for _, p := range x.parts {
						for i, v := range all[p] {
							sums[i] += v
						}
					}
					complete := of != nil && all[x.parts[0]] != nil && all[x.parts[1]] != nil
					if complete && c.Len() > 0 && !reflect.DeepEqual(sums, of) {
						t.Errorf("%s %s %d: %s is not the sum of %v", name, kind, seed, x.of, x.parts)
					}
				}
			}
		}
	}
	if len(checked) < 100 {
		t.Errorf("only %d counters were checked", len(checked))
	}
}

func TestMetricsAreNumbersWithinTheirRange(t *testing.T) {
	for _, name := range Names {
		most := 0
		for _, kind := range Kinds(name) {
			for seed := range uint64(simulatetest.Number(t, 4, 2)) {
				c := simulatetest.Recorded(t, simulatetest.Make(New).Case(t, name, kind, seed), simulate.Options{Host: simulate.Yes})
				list, err := metrics.Metrics(c)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := metrics.Floats(context.Background(), list); err != nil {
					t.Fatal(err)
				}
				n := 0
				for _, x := range list {
					v := x.Total()
					if v.Missing() {
						continue
					}
					n++
					if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) || x.Unit == "percent" && (f < -1e-6 || f > 100+1e-6) {
						t.Errorf("%s %s %d: %s is %v", name, kind, seed, x.Name, f)
					}
				}
				most = max(most, n)
			}
		}
		if most < 90 {
			t.Errorf("%s: at most %d metrics have a value", name, most)
		}
	}
}

// TestEveryCounterCounts finds counters that no case moves: names of which a layout knows none.
func TestEveryCounterCounts(t *testing.T) {
	for _, name := range Names {
		moved := map[string]bool{}
		for _, kind := range []string{simulate.KindArchetype, simulate.KindSingle} {
			for seed := range uint64(19) {
				c := simulatetest.Recorded(t, simulatetest.Make(New).Case(t, name, kind, seed), simulate.Options{})
				for _, x := range c.Counters {
					moved[x.Name] = moved[x.Name] || x.Total().Float() > 0
				}
			}
		}
		var still []string
		for x, yes := range moved {
			if !yes {
				still = append(still, x)
			}
		}
		if slices.Sort(still); len(still) > 24 {
			t.Errorf("%s: %d counters never count: %v", name, len(still), still)
		} else {
			t.Logf("%s: %v", name, still)
		}
	}
}
