package cpu

import (
	"math"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var cases simulatetest.Make = New

func made(t *testing.T, kind string, seed uint64) *simulate.Case {
	t.Helper()
	return cases.Case(t, "cpu-third", kind, seed)
}

func recorded(t *testing.T, kind string, seed uint64, o simulate.Options) *capture.Capture {
	t.Helper()
	return simulatetest.Recorded(t, made(t, kind, seed), o)
}

func TestSharesAddUpAndFramesFollow(t *testing.T) {
	for _, kind := range Kinds("cpu-third") {
		for seed := range uint64(5) {
			truth := simulatetest.Judged(t, made(t, kind, seed))
			if len(truth.Each) != truth.Frames {
				t.Errorf("%s %d: %d frames told of %d", kind, seed, len(truth.Each), truth.Frames)
			}
			if kind == simulate.KindTwoPhase && len(truth.Phases) != 2 {
				t.Errorf("%s %d: %d phases", kind, seed, len(truth.Phases))
			}
			if kind == simulate.KindHealthy && !truth.Healthy && truth.Missed == 0 {
				t.Errorf("%s %d is not, and misses no date", kind, seed)
			}
		}
	}
}

func TestPlantsAreWhatLimits(t *testing.T) { cases.PlantsLimit(t, "cpu-third", 22) }

func floats(c *capture.Capture, name string) []float64 {
	if x := c.Counter(name); x != nil {
		return x.Floats()
	}
	return nil
}

func total(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

func TestCountersFitTogether(t *testing.T) {
	for _, kind := range Kinds("cpu-third") {
		for seed := range uint64(8) {
			c := recorded(t, kind, seed, simulate.Options{Host: simulate.Yes})
			v := func(name string) []float64 { return floats(c, name) }
			part := func(small, large string) {
				a, b := v(small), v(large)
				for i := range min(len(a), len(b)) {
					if a[i] > b[i]*1.001+2 {
						t.Fatalf("%s %d: %s is %v, %s %v in sample %d", kind, seed, small, a[i], large, b[i], i)
					}
				}
			}
			part("branch_misses", "branches")
			part("branches", "instructions")
			part("cache_misses", "cache_references")
			part("L1_dcache_load_misses", "L1_dcache_loads")
			part("LLC_load_misses", "LLC_loads")
			part("topdown_mem_bound", "topdown_be_bound")
			part("amd_ops_retired", "amd_ops_dispatched")
			part("amd_cycles_of_loads", "amd_cycles_of_the_oldest")
			part("amd_cycles_of_the_oldest", "cycles")
			part("stalled_cycles_backend", "cycles")
			part("pressure_io_full", "pressure_io_some")
			part("major_faults", "page_faults")
			for i, n := range v("page_faults") {
				if n != v("minor_faults")[i]+v("major_faults")[i] {
					t.Fatalf("%s %d: faults do not add up in sample %d", kind, seed, i)
				}
			}
			cpus, _ := c.Property("cpus_online")
			for i, ns := range v("task_clock") {
				if room := cpus.Number * float64(c.Axis.Interval(i)); ns > room*1.1 {
					t.Fatalf("%s %d: the program ran for %v of %v ns in sample %d", kind, seed, ns, room, i)
				}
			}
			top, ok := c.Property("cpu_max_freq.0")
			if hz := total(v("cycles")) / total(v("task_clock")) * 1e9; ok && (hz > top.Number*1.001 || hz < top.Number*0.1) {
				t.Errorf("%s %d: a clock of %v Hz", kind, seed, hz)
			}
			all := 0.0
			for _, name := range []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq",
				"cpu_steal"} {
				all += total(v(name))
			}
			_, end := c.Axis.Extent()
			if room := cpus.Number * float64(end); math.Abs(all-room) > 0.01*room+8*tick*cpus.Number {
				t.Errorf("%s %d: processors' times are %v of %v", kind, seed, all, room)
			}
			if busy := total(v("cpu_user")) + total(v("cpu_system")); total(v("task_clock")) > busy*1.05+4*tick*cpus.Number {
				t.Errorf("%s %d: the program ran for %v ns, all of them for %v", kind, seed, total(v("task_clock")), busy)
			}
			if slots := total(v("topdown_be_bound")); slots > 0 {
				sum := slots + total(v("topdown_retiring")) + total(v("topdown_bad_spec")) + total(v("topdown_fe_bound"))
				if w := sum / total(v("cycles")); w < 3.3 || w > 8.1 {
					t.Errorf("%s %d: %v slots a cycle", kind, seed, w)
				}
			}
		}
	}
}

func TestOptionsAreKept(t *testing.T) {
	c := recorded(t, simulate.KindArchetype, 1, simulate.Options{Host: simulate.No, Marks: simulate.Yes,
		Without: []string{"cycles"}, Withheld: []simulate.Candidate{unitBranch}})
	for _, x := range c.Counters {
		if x.Name == "cycles" || x.Name == "branch_misses" || strings.HasPrefix(x.Name, "cpu_user") {
			t.Error(x.Name, "is there")
		}
	}
	if c.Label("frame") == nil || len(c.Regions) == 0 {
		t.Error("no frames")
	}
	c = recorded(t, simulate.KindArchetype, 1, simulate.Options{Host: simulate.Yes, Marks: simulate.No})
	if c.Counter("cpu_user") == nil || c.Label("frame") != nil {
		t.Error("not what was asked for")
	}
}
