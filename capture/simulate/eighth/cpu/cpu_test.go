package cpu

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var family = simulatetest.Make(New)

func TestPlantsLimit(t *testing.T) {
	seen := map[string]bool{}
	n := uint64(len(plants))
	for plant := range n {
		for seed := plant; seed < 6*n && !seen[plants[plant].limit.String()]; seed += n {
			truth := simulatetest.Judged(t, family.Case(t, Name, simulate.KindSingle, seed))
			if l, clear := truth.Limiter(); clear {
				seen[l.String()] = true
			}
		}
		if want := plants[plant].limit.String(); !seen[want] {
			t.Errorf("nothing is clearly limited by %s", want)
		}
	}
}

// TestKindsHold looks at more archetypes than others: some two thirds of them are clear.
func TestKindsHold(t *testing.T) {
	kinds := Kinds(Name)
	family.KindsHold(t, Name, kinds[:1], 40)
	family.KindsHold(t, Name, kinds[1:], simulatetest.Number(t, 8, 6))
}

func TestHealthyCasesKeepTheirDates(t *testing.T) {
	for seed := range uint64(simulatetest.Number(t, 15, 5)) {
		c := family.Case(t, Name, simulate.KindHealthy, seed)
		if truth := simulatetest.Judged(t, c); !truth.Healthy || truth.Missed > 0 {
			t.Errorf("%d, %s: healthy %v, %d dates missed", seed, c.Text, truth.Healthy, truth.Missed)
		}
	}
}

// TestMetricsOfCasesAreWithinTheirRange also finds parts that are above their whole: these make percentages above 100 or
// below 0.
func TestMetricsOfCasesAreWithinTheirRange(t *testing.T) {
	evaluated := map[string]bool{}
	for seed := range uint64(simulatetest.Number(t, 36, 12)) {
		kind := Kinds(Name)[seed%6]
		cap := simulatetest.Recorded(t, family.Case(t, Name, kind, seed), simulate.Options{})
		list, err := metrics.Metrics(cap)
		if err != nil {
			t.Fatal(err)
		}
		values, err := metrics.Floats(context.Background(), list)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range list {
			for k, v := range append(values[i], m.Total().Float()) {
				if math.IsInf(v, 0) || v < -1e-6 || m.Unit == "percent" && v > 100+1e-6 {
					t.Errorf("%s %d: %s is %v in sample %d of %d", kind, seed, m.Name, v, k, cap.Len())
					break
				}
			}
			evaluated[m.Name] = evaluated[m.Name] || !math.IsNaN(m.Total().Float())
		}
	}
	for name, ok := range evaluated {
		if !ok && name != "icache_mpki" { // whose misses no case of this model counts
			t.Errorf("%s never has a value", name)
		}
	}
}

// TestCPUTimesAddUp checks that what /proc says of a CPU is the time that passed, but for one unit of each kind.
func TestCPUTimesAddUp(t *testing.T) {
	for seed := range uint64(6) {
		cap := simulatetest.Recorded(t, family.Case(t, Name, simulate.KindArchetype, seed),
			simulate.Options{Host: simulate.Yes, Gaps: -1, Missed: -1})
		first, end := cap.Axis.Extent()
		sum := map[string]float64{}
		for _, c := range cap.Counters {
			if c.Unit != "ns" || !strings.HasPrefix(c.Name, "cpu_") {
				continue
			}
			for _, in := range c.Instances {
				sum[in.Meta.Instance] += in.Total().Float()
			}
		}
		for id, ns := range sum {
			if d := float64(end-first) - ns; d < 0 || d > 8*1e7 {
				t.Errorf("%d: the times of CPU %s are %.0f ns short of %d", seed, id, d, end-first)
			}
		}
	}
}

// TestSlotsAddUpToCycles checks what the makers say of slots: their parts are the width times the cycles, or less where
// another thread shares the core.
func TestSlotsAddUpToCycles(t *testing.T) {
	all := map[string][]string{"bySlots": {"topdown_retiring", "topdown_bad_spec", "topdown_fe_bound", "topdown_be_bound"},
		"byZen": {"amd_ops_dispatched", "amd_slots_without_ops", "amd_slots_held_up"}, "byIssue": {"topdown_total_slots"}}
	checked := map[string]int{}
	for seed := range uint64(60) {
		cap := simulatetest.Recorded(t, family.Case(t, Name, simulate.KindArchetype, seed), simulate.Options{Noise: -1})
		for what, names := range all {
			cycles, slots := cap.Counter("cycles"), 0.0
			for _, n := range names {
				if c := cap.Counter(n); c != nil {
					slots += c.Total().Float()
				}
			}
			if slots == 0 {
				continue
			}
			checked[what]++
			if r := slots / cycles.Total().Float(); r < 2.5 || r > 6.01 {
				t.Errorf("%d, %s: %.2f slots of a cycle", seed, what, r)
			}
		}
	}
	for what := range all {
		if checked[what] == 0 {
			t.Errorf("%s was never counted", what)
		}
	}
}

func TestOptionsAreHonoured(t *testing.T) {
	c := family.Case(t, Name, simulate.KindArchetype, 1)
	for _, host := range []simulate.Choice{simulate.Yes, simulate.No} {
		cap := simulatetest.Recorded(t, c, simulate.Options{Host: host, Marks: host, Period: 5e6, Without: []string{"cycles"}})
		if (cap.Counter("cpu_user") != nil) != (host == simulate.Yes) || (len(cap.Regions) > 0) != (host == simulate.Yes) {
			t.Errorf("host %v: cpu_user or regions are not as asked", host)
		}
		if cap.Counter("cycles") != nil {
			t.Error("cycles are there")
		}
		if d := cap.Axis.End[2] - cap.Axis.Start[2]; d < 2e6 || d > 12e6 {
			t.Errorf("a sample takes %d ns", d)
		}
	}
}

// TestOnlyKnownCounters looks names up in the catalogue.
func TestOnlyKnownCounters(t *testing.T) {
	for seed := range uint64(20) {
		cap := simulatetest.Recorded(t, family.Case(t, Name, simulate.KindRandom, seed), simulate.Options{Host: simulate.Yes})
		for _, c := range cap.Counters {
			known := slices.ContainsFunc(metrics.For(cap), func(cat *metrics.Catalogue) bool {
				e, err := cat.Find(c.Name)
				return err == nil && e.Kind != capture.Derived
			})
			if !known && !strings.HasPrefix(c.Name, "hwmon_") {
				t.Errorf("no catalogue knows %s", c.Name)
			}
		}
	}
}
