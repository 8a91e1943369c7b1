package amd

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
	"astrolabe/internal/testfiles"
)

var family = simulatetest.Make(New)

func TestPlantsLimit(t *testing.T) {
	family.PlantsLimit(t, Names[0], simulatetest.Number(t, 3*int(leaves), int(leaves)))
}

func TestKindsHold(t *testing.T) {
	family.KindsHold(t, Names[0], kinds, simulatetest.Number(t, 24, 8))
}

// each calls visit for captures of all kinds.
func each(t *testing.T, usual int, o simulate.Options, visit func(what string, cap *capture.Capture)) {
	t.Helper()
	for _, kind := range kinds {
		for seed := range uint64(simulatetest.Number(t, usual, 3)) {
			c := family.Case(t, Names[0], kind, seed)
			visit(kind+" "+c.Text, simulatetest.Recorded(t, c, o))
		}
	}
}

// values are those of a counter, nil where it was not measured.
func values(cap *capture.Capture, name string) []float64 {
	if c := cap.Counter(name); c != nil {
		return c.Floats()
	}
	return nil
}

func TestValuesAreWithinTheirRange(t *testing.T) {
	each(t, 12, simulate.Options{}, func(what string, cap *capture.Capture) {
		for _, c := range cap.Counters {
			for i, v := range c.Floats() {
				if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 || c.Unit == "percent" && v > 100 {
					t.Errorf("%s: %s is %v in sample %d", what, c.Name, v, i)
					break
				}
			}
		}
	})
	// A share that is made of clocks of two runs can pass 100 on hardware too: so without differences between runs.
	each(t, 12, simulate.Options{Noise: -1}, func(what string, cap *capture.Capture) {
		list, err := metrics.Metrics(cap)
		if err != nil {
			t.Fatal(err)
		}
		all, err := metrics.Floats(context.Background(), list)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range list {
			for _, v := range all[i] {
				if v < 0 || m.Unit == "percent" && v > 100+1e-6 {
					t.Errorf("%s: the metric %s is %v", what, m.Name, v)
					break
				}
			}
		}
	})
}

func TestCountsAddUp(t *testing.T) {
	checked := map[string]int{}
	each(t, 12, simulate.Options{Sets: []string{setAll}}, func(what string, cap *capture.Capture) {
		adds := func(whole string, parts ...string) {
			w := values(cap, whole)
			if w == nil {
				return
			}
			for i := range w {
				sum := 0.0
				for _, p := range parts {
					v := values(cap, p)
					if v == nil {
						return
					}
					sum += v[i]
				}
				if math.Abs(sum-w[i]) > 1e-3 {
					t.Errorf("%s: %s is %v in sample %d, its parts are %v", what, whole, w[i], i, sum)
					return
				}
			}
			checked[whole]++
		}
		atMost := func(less, more string, by float64) {
			a, b := values(cap, less), values(cap, more)
			for i := range min(len(a), len(b)) {
				if a[i] > by*b[i]+1e-3 {
					t.Errorf("%s: %s is %v and %s %v in sample %d", what, less, a[i], more, b[i], i)
					return
				}
			}
			if a != nil && b != nil {
				checked[less]++
			}
		}
		for _, c := range []string{"L0Cache", "L1Cache", "L2Cache", "ScalarCache", "InstCache"} {
			adds(c+"RequestCount", c+"HitCount", c+"MissCount")
		}
		adds("TotalRayTests", "RayBoxTests", "RayTriTests")
		adds("HiZQuadsAcceptedCount", "PreZQuadsCulledCount", "PreZQuadsSurvivingCount")
		adds("TexUnitBusyCycles", "MemUnitBusyCycles")
		atMost("CulledPrims", "PrimitivesIn", 1)
		atMost("CSThreadGroupsLaunched", "CSWavefrontsLaunched", 1.01)
		atMost("CSWavefrontsLaunched", "CSThreadsLaunched", 1)
		atMost("CBMemWritten", "CBColorAndMaskWritten", 1.1)
		atMost("GPUTime", "ExecutionDuration", 1)
	})
	for _, name := range []string{"L0CacheRequestCount", "L1CacheRequestCount", "L2CacheRequestCount", "TotalRayTests",
		"HiZQuadsAcceptedCount", "CulledPrims", "GPUTime"} {
		if checked[name] == 0 {
			t.Errorf("%s was never checked", name)
		}
	}
}

// Without differences between runs, all runs of a draw take the same time, and both forms of a counter agree.
func TestFormsOfACounterAgree(t *testing.T) {
	each(t, 5, simulate.Options{Sets: []string{setAll}, Noise: -1}, func(what string, cap *capture.Capture) {
		time := values(cap, "GPUTime")
		for _, c := range cap.Counters {
			cycles, busy := values(cap, c.Name+"Cycles"), values(cap, "GPUBusyCycles")
			if cycles == nil || c.Name == "GPUBusy" {
				continue
			}
			for i, v := range c.Floats() {
				if got := 100 * cycles[i] / busy[i]; math.Abs(got-v) > 1e-3+1e-4*v {
					t.Errorf("%s: %s is %v, its clocks make %v", what, c.Name, v, got)
					break
				}
			}
		}
		for i, v := range values(cap, "PSTime") {
			if v > time[i]*1.001+10 {
				t.Errorf("%s: PSTime is %v of %v", what, v, time[i])
			}
		}
	})
}

func TestCountersExistOnTheHardware(t *testing.T) {
	exist := map[[3]string]bool{}
	for _, r := range testfiles.Rows(t, "reference", "gpa_rdna_counters.csv") {
		for _, g := range strings.Fields(r["generation"]) {
			for _, api := range strings.Fields(r["apis"]) {
				exist[[3]string{r["counter"], g, api}] = true
			}
		}
	}
	seen := map[string]bool{}
	each(t, 12, simulate.Options{Sets: []string{setAll}}, func(what string, cap *capture.Capture) {
		g, _ := cap.Property("generation")
		api, _ := cap.Property("api")
		seen[g.Text] = true
		for _, c := range cap.Counters {
			if !exist[[3]string{c.Name, g.Text, api.Text}] {
				t.Errorf("%s: %s does not exist on %s with %s", what, c.Name, g.Text, api.Text)
			}
		}
	})
	if len(seen) != 3 {
		t.Errorf("only %v were seen", seen)
	}
}

func TestSetsAreWhatTheyAreCalled(t *testing.T) {
	c := family.Case(t, Names[0], simulate.KindArchetype, 1)
	if _, err := c.Record(simulate.Options{Sets: []string{"none"}}); err == nil {
		t.Error("a set that there is not is recorded")
	}
	for _, counter := range simulatetest.Recorded(t, c, simulate.Options{Sets: []string{setCycles}}).Counters {
		if counter.Unit == "percent" {
			t.Errorf("counts have the percentage %s", counter.Name)
		}
	}
	all := len(simulatetest.Recorded(t, c, simulate.Options{Sets: []string{setAll}}).Counters)
	hand := len(simulatetest.Recorded(t, c, simulate.Options{Sets: []string{setHand}}).Counters)
	if hand >= all || hand < 5 {
		t.Errorf("%d counters by hand of %d", hand, all)
	}
}

// Relief never makes a draw longer by much, as nothing overtakes but what fills gaps.
func TestReliefHardlySlows(t *testing.T) {
	for _, kind := range kinds {
		for seed := range uint64(simulatetest.Number(t, 20, 5)) {
			c := family.Case(t, Names[0], kind, seed)
			for _, g := range simulatetest.Judged(t, c).Leaves {
				if g.Percent < -1 {
					t.Errorf("%s %d (%s): relief of %v slows by %.1f %%", kind, seed, c.Text, g.Candidate, -g.Percent)
				}
			}
		}
	}
}

func TestPlantsAreAllCandidates(t *testing.T) {
	var got []string
	for seed := range uint64(leaves) {
		got = append(got, family.Case(t, Names[0], simulate.KindSingle, seed).Plant)
	}
	slices.Sort(got)
	if n := len(slices.Compact(got)); n != int(leaves) {
		t.Errorf("%d plants", n)
	}
}
