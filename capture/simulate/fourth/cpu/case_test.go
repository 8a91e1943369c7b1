package cpu

import (
	"math"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var cases simulatetest.Make = New

func made(t *testing.T, kind string, seed uint64) *simulate.Case {
	t.Helper()
	return cases.Case(t, Names[0], kind, seed)
}

func TestPlantsLimit(t *testing.T) { cases.PlantsLimit(t, Names[0], simulatetest.Number(t, 44, 22)) }

func TestHealthyProgramsKeepTheirDates(t *testing.T) {
	for seed := range uint64(simulatetest.Number(t, 12, 2)) {
		truth := simulatetest.Judged(t, made(t, simulate.KindHealthy, seed))
		if l, _ := truth.Limiter(); !truth.Healthy || truth.Missed > 0 || l != displayTimer {
			t.Errorf("%d: healthy %v, %d dates missed, %v", seed, truth.Healthy, truth.Missed, l)
		}
	}
}

func TestPartsFollowEachOther(t *testing.T) {
	for _, kind := range Kinds(Names[0]) {
		for seed := range uint64(simulatetest.Number(t, 4, 2)) {
			truth := simulatetest.Judged(t, made(t, kind, seed))
			if len(truth.Each) != truth.Frames {
				t.Errorf("%s %d: %d frames told of %d", kind, seed, len(truth.Each), truth.Frames)
			}
			if kind == simulate.KindTwoPhase && (len(truth.Phases) != 2 || truth.Phases[0].End != truth.Phases[1].Start) {
				t.Errorf("%s %d: phases do not follow each other", kind, seed)
			}
			for _, g := range truth.Leaves {
				if g.Percent < -6 {
					t.Errorf("%s %d: relief of %v slows by %.1f %%", kind, seed, g.Candidate, -g.Percent)
				}
			}
		}
	}
}

// values are a counter's, nil where it is not there or took turns.
func values(c *capture.Capture, name string) []float64 {
	x := c.Counter(name)
	if x == nil || x.Meta.TurnOf != "" && x.Meta.TurnOf != capture.TurnWhole {
		return nil
	}
	return x.Floats()
}

func total(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

func TestCountersFitTogether(t *testing.T) {
	for _, kind := range Kinds(Names[0]) {
		for seed := range uint64(simulatetest.Number(t, 10, 2)) {
			c := simulatetest.Recorded(t, made(t, kind, seed), simulate.Options{Host: simulate.Yes})
			if c.Len() < 15 || c.Len() > 2000 {
				t.Errorf("%s %d: %d samples", kind, seed, c.Len())
			}
			part := func(small, large string, by float64) {
				a, b := values(c, small), values(c, large)
				for i := range min(len(a), len(b)) {
					if a[i] > b[i]*by*1.001+2 {
						t.Fatalf("%s %d: %s is %v, %s %v in sample %d", kind, seed, small, a[i], large, b[i], i)
					}
				}
			}
			part("instructions", "cycles", 6)
			part("branches", "instructions", 1)
			part("branch_misses", "branches", 1)
			part("cache_misses", "cache_references", 1)
			part("L1_dcache_load_misses", "L1_dcache_loads", 1)
			part("LLC_load_misses", "LLC_loads", 1)
			part("dTLB_load_misses", "dTLB_loads", 1)
			part("topdown_mem_bound", "topdown_be_bound", 1)
			part("amd_ops_retired", "amd_ops_dispatched", 1)
			part("amd_cycles_of_loads", "amd_cycles_of_the_oldest", 1)
			part("amd_cycles_of_the_oldest", "cycles", 1)
			part("stalled_cycles_backend", "cycles", 1)
			part("pressure_io_full", "pressure_io_some", 1)
			cpus, _ := c.Property("cpus_online")
			for i, ns := range values(c, "task_clock") {
				if room := cpus.Number * float64(c.Axis.Interval(i)); ns > room+2 {
					t.Fatalf("%s %d: the program ran for %v of %v ns in sample %d", kind, seed, ns, room, i)
				}
			}
			all := 0.0
			for _, s := range states {
				all += total(values(c, s.name))
			}
			_, end := c.Axis.Extent()
			if room := cpus.Number * float64(end); math.Abs(all-room) > 0.001*room+9*tick*cpus.Number {
				t.Errorf("%s %d: processors' times are %v of %v", kind, seed, all, room)
			}
			if busy := total(values(c, "cpu_user")) + total(values(c, "cpu_system")); total(values(c, "task_clock")) > busy+2*tick*cpus.Number {
				t.Errorf("%s %d: the program ran for %v ns, all of them for %v", kind, seed, total(values(c, "task_clock")), busy)
			}
			if be := total(values(c, "topdown_be_bound")); be > 0 {
				sum := be + total(values(c, "topdown_retiring")) + total(values(c, "topdown_bad_spec")) + total(values(c, "topdown_fe_bound"))
				if w := sum / total(values(c, "cycles")); math.Abs(w-6) > 0.05 {
					t.Errorf("%s %d: %v slots a cycle", kind, seed, w)
				}
			}
		}
	}
}

func TestOptionsAreKept(t *testing.T) {
	c := simulatetest.Recorded(t, made(t, simulate.KindArchetype, 1), simulate.Options{Host: simulate.No, Marks: simulate.Yes,
		Without: []string{"cycles"}, Withheld: []simulate.Candidate{candidates[byBranch]}})
	for _, name := range []string{"cycles", "branch_misses", "cpu_user"} {
		if c.Counter(name) != nil {
			t.Error(name, "is there")
		}
	}
	whole := c.Len()
	c = simulatetest.Recorded(t, made(t, simulate.KindArchetype, 1), simulate.Options{Gaps: 2, Marks: simulate.Yes})
	if len(c.Gaps) != 2 || c.Len() >= whole {
		t.Errorf("%d gaps, %d samples of %d", len(c.Gaps), c.Len(), whole)
	}
	if c.Label("frame") == nil || len(c.Regions) == 0 {
		t.Error("no frames")
	}
}
