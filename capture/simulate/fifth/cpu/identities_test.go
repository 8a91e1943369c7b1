package cpu

import (
	"context"
	"math"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

func values(c *capture.Capture, name string) []float64 {
	if x := c.Counter(name); x != nil {
		return x.Floats()
	}
	return nil
}

// within checks that a counter never passes another, but for a count of rounding on every CPU.
func within(t *testing.T, what string, c *capture.Capture, small, large string, by float64) {
	t.Helper()
	a, b := values(c, small), values(c, large)
	if a == nil || b == nil || turnOf(c.Counter(small)) != turnOf(c.Counter(large)) {
		return
	}
	for i := range a {
		if a[i] > by*b[i]+26 {
			t.Errorf("%s: %s is %.0f in sample %d, %s %.0f", what, small, a[i], i, large, b[i])
			return
		}
	}
}

// turnOf is the group of events that a counter takes turns with.
func turnOf(c *capture.Counter) string {
	if len(c.Instances) > 0 {
		return c.Instances[0].Meta.TurnOf
	}
	return c.Meta.TurnOf
}

func TestCountersAgreeWithEachOther(t *testing.T) {
	kinds := Kinds(Names[0])
	for seed := range uint64(simulatetest.Number(t, 48, 12)) {
		c := simulatetest.Make(New).Case(t, Names[0], kinds[seed%uint64(len(kinds))], seed)
		cap := simulatetest.Recorded(t, c, simulate.Options{})
		what := c.Kind + " " + c.Text
		within(t, what, cap, "branch_misses", "branches", 1)
		within(t, what, cap, "branches", "instructions", 1)
		within(t, what, cap, "cache_misses", "cache_references", 1)
		within(t, what, cap, "LLC_load_misses", "LLC_loads", 1)
		within(t, what, cap, "L1_dcache_load_misses", "L1_dcache_loads", 1)
		within(t, what, cap, "LLC_load_misses", "L1_dcache_load_misses", math.Inf(1))
		within(t, what, cap, "dTLB_load_misses", "dTLB_loads", 1)
		within(t, what, cap, "instructions", "cycles", 8)
		within(t, what, cap, "topdown_mem_bound", "topdown_be_bound", 1)
		within(t, what, cap, "amd_ops_retired", "amd_ops_dispatched", 1)
		within(t, what, cap, "amd_cycles_of_loads", "amd_cycles_of_the_oldest", 1)
		within(t, what, cap, "amd_cycles_of_the_oldest", "cycles", 1)
		within(t, what, cap, "pressure_io_full", "pressure_io_some", 1)
		frontend, backend := values(cap, "stalled_cycles_frontend"), values(cap, "stalled_cycles_backend")
		for i, n := range values(cap, "cycles") {
			if frontend != nil && frontend[i]+backend[i] > n+26 {
				t.Errorf("%s: stalls of %.0f and %.0f in %.0f cycles", what, frontend[i], backend[i], n)
				break
			}
		}
		checkMetrics(t, what, cap)
		checkTimes(t, what, cap)
	}
}

func checkMetrics(t *testing.T, what string, cap *capture.Capture) {
	t.Helper()
	list, err := metrics.Metrics(cap)
	if err != nil {
		t.Fatal(err)
	}
	all, err := metrics.Floats(context.Background(), list)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range list {
		for k, v := range append([]float64{m.Total().Float()}, all[i]...) {
			if math.IsInf(v, 0) || v < -1e-6 || m.Unit == "percent" && v > 100+1e-6 {
				t.Errorf("%s: %s is %v in %d", what, m.Name, v, k)
				break
			}
		}
	}
}

// checkTimes checks that the columns of /proc/stat add up to about the time that passed on every CPU.
func checkTimes(t *testing.T, what string, cap *capture.Capture) {
	t.Helper()
	sum, passed := 0.0, 0.0
	for _, name := range []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq", "cpu_steal"} {
		for _, v := range values(cap, name) {
			sum += v
		}
	}
	for i := range cap.Len() {
		passed += float64(cap.Axis.End[i] - cap.Axis.Start[i])
	}
	n, _ := cap.Property("cpus_online")
	if passed *= n.Number; math.Abs(sum-passed) > 0.04*passed+80e6*n.Number {
		t.Errorf("%s: times add up to %.3f of what passed", what, sum/passed)
	}
}

func TestHealthyCasesAreHealthy(t *testing.T) {
	for seed := range uint64(simulatetest.Number(t, 24, 8)) {
		c := simulatetest.Make(New).Case(t, Names[0], simulate.KindHealthy, seed)
		truth := simulatetest.Judged(t, c)
		if l, _ := truth.Limiter(); !truth.Healthy || truth.Missed > 0 || l != Timer {
			t.Errorf("%d, %s: healthy %v, %d missed, %v", seed, c.Text, truth.Healthy, truth.Missed, l)
		}
	}
}

func TestOptionsAreKept(t *testing.T) {
	c := simulatetest.Make(New).Case(t, Names[0], simulate.KindArchetype, 3)
	plain := simulatetest.Recorded(t, c, simulate.Options{Marks: simulate.No, Late: -1, Missed: -1, Period: 3 * time.Millisecond})
	if len(plain.Labels) > 0 || len(plain.Regions) > 0 || len(plain.Gaps) > 0 || len(plain.Late) > 0 {
		t.Error("there are marks, gaps or late samples that nobody asked for")
	}
	if d := plain.Axis.End[0] - plain.Axis.Start[0]; d < 2e6 || d > 5e6 {
		t.Errorf("a sample takes %d ns", d)
	}
	other := simulatetest.Recorded(t, c, simulate.Options{Marks: simulate.Yes, Gaps: 2, Missed: 0.2, Without: []string{"cpu_nice"},
		Withheld: []simulate.Candidate{Lock, simulate.MemoryLatency}})
	if len(other.Labels) != 1 || len(other.Regions) == 0 || len(other.Gaps) == 0 || len(other.Late) == 0 {
		t.Error("marks, gaps or late samples are missing")
	}
	for _, name := range []string{"cpu_nice", "context_switches", "ctxt", "cache_misses", "stalled_cycles_backend"} {
		if other.Counter(name) != nil {
			t.Errorf("%s was withheld", name)
		}
	}
}
