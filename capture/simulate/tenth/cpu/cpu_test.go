package cpu

import (
	"math"
	"reflect"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var family = simulatetest.Make(New)

func TestPlantsLimit(t *testing.T) {
	family.PlantsLimit(t, Names[0], simulatetest.Number(t, 42, 14))
}

func TestKindsHold(t *testing.T) {
	family.KindsHold(t, Names[0], Kinds(Names[0]), simulatetest.Number(t, 10, 3))
}

func TestHealthy(t *testing.T) {
	n := simulatetest.Number(t, 20, 5)
	for seed := range uint64(n) {
		c := family.Case(t, Names[0], simulate.KindHealthy, seed)
		truth := simulatetest.Judged(t, c)
		if !truth.Healthy {
			t.Errorf("%d (%s): missed %d, display %.2f, leaves %v", seed, c.Text, truth.Missed, truth.Displayed(), truth.Leaves[0])
		}
	}
}

// total is what a counter and its instances add up to.
func total(c *capture.Capture, name string) float64 {
	ctr := c.Counter(name)
	if ctr == nil {
		return math.NaN()
	}
	sum := 0.0
	list := ctr.Instances
	if list == nil {
		list = []*capture.Counter{ctr}
	}
	for _, in := range list {
		for _, x := range in.Col.Floats() {
			sum += x
		}
	}
	return sum
}

func TestSame(t *testing.T) {
	for _, kind := range Kinds(Names[0]) {
		var were *capture.Capture
		for range 2 {
			c := simulatetest.Recorded(t, family.Case(t, Names[0], kind, 5), simulate.Options{})
			if were != nil {
				if len(were.Counters) != len(c.Counters) || !reflect.DeepEqual(were.Axis.End, c.Axis.End) {
					t.Fatalf("%s differs", kind)
				}
				for _, ctr := range c.Counters {
					if a, b := total(were, ctr.Name), total(c, ctr.Name); a != b {
						t.Errorf("%s: %s is %v and %v", kind, ctr.Name, a, b)
					}
				}
			}
			were = c
		}
	}
}

func TestCounters(t *testing.T) {
	cat, err := metrics.Get("cpu")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"power/energy-pkg/": true, capture.TurnShare: true, capture.TurnEnabled: true, "recorder_cpu": true,
		"recorder_wakeups": true, "recorder_lost": true, "hwmon_k10temp_Tctl": true, "hwmon_coretemp_Package_id_0": true,
		"hwmon_power_meter_power1": true}
	for _, kind := range Kinds(Names[0]) {
		for seed := range uint64(simulatetest.Number(t, 8, 2)) {
			start := time.Now()
			c := simulatetest.Recorded(t, family.Case(t, Names[0], kind, seed), simulate.Options{})
			if d := time.Since(start); d > time.Second {
				t.Logf("%s %d took %v to record", kind, seed, d)
			}
			ns := float64(c.Axis.Measured())
			if ns < 3e8 || ns > 4.2e9 {
				t.Errorf("%s %d: %v s", kind, seed, ns/1e9)
			}
			for _, ctr := range c.Counters {
				if _, err := cat.Find(ctr.Name); err != nil && !known[ctr.Name] {
					t.Errorf("the catalogue has no %s", ctr.Name)
				}
				if x := total(c, ctr.Name); math.IsNaN(x) || x < 0 {
					t.Errorf("%s %d: %s is %v", kind, seed, ctr.Name, x)
				}
			}
			cpus, _ := c.Property("cpus_online")
			all := 0.0
			for _, name := range []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq"} {
				all += total(c, name)
			}
			if want := ns * cpus.Number; math.Abs(all-want) > 0.02*want+6e7*cpus.Number {
				t.Errorf("%s %d: CPUs have %v ns of %v", kind, seed, all, want)
			}
			if x := total(c, "instructions") / total(c, "cycles"); x > 8 {
				t.Errorf("%s %d: %v instructions per cycle", kind, seed, x)
			}
			for _, p := range [][2]string{{"branch_misses", "branches"}, {"branches", "instructions"},
				{"cache_misses", "cache_references"}, {"ex_ret_ops", "de_src_op_disp.all"}, {"op_retired", "op_spec"},
				{"L1_dcache_load_misses", "L1_dcache_loads"}, {"LLC_load_misses", "LLC_loads"}, {"page_faults", "task_clock"}} {
				if a, b := total(c, p[0]), total(c, p[1]); a > b*1.1+20 {
					t.Errorf("%s %d: %s %v above %s %v", kind, seed, p[0], a, p[1], b)
				}
			}
		}
	}
}

// TestBounds looks at every sample of every CPU: no clock above the highest, no more than the width of the core.
func TestBounds(t *testing.T) {
	for _, kind := range Kinds(Names[0]) {
		for seed := range uint64(simulatetest.Number(t, 8, 2)) {
			c := simulatetest.Recorded(t, family.Case(t, Names[0], kind, seed), simulate.Options{})
			cycles := c.Counter("cycles")
			if cycles == nil || cycles.Instances == nil {
				continue
			}
			for _, in := range cycles.Instances {
				clock := in.Col.Floats()
				top, width := 5.5, 8.0
				if c.Device.Name == "Cortex-A76" {
					top, width = 2.4, 4
				}
				for i, x := range clock {
					if ns := float64(c.Axis.Interval(i)); x > top*ns+2 && in.TurnOf == in.Meta.Instance {
						t.Fatalf("%s %d: CPU %s has %v cycles in %v ns", kind, seed, in.Meta.Instance, x, ns)
					}
				}
				for _, row := range [][]string{{"instructions"}, {"topdown_retiring", "topdown_bad_spec", "topdown_fe_bound",
					"topdown_be_bound"}, {"op_spec", "stall_slot_frontend", "stall_slot_backend"},
					{"de_src_op_disp.all", "de_no_dispatch_per_slot.no_ops_from_frontend", "de_no_dispatch_per_slot.backend_stalls"}} {
					sum, parts := make([]float64, len(clock)), 0
					for _, name := range row {
						if ctr := c.Counter(name); ctr != nil {
							if of := ctr.Instances; of != nil {
								for _, one := range of {
									if one.Meta.Instance == in.Meta.Instance && one.TurnOf == one.Meta.Instance {
										parts++
										for i, x := range one.Col.Floats() {
											sum[i] += x
										}
									}
								}
							}
						}
					}
					for i := range sum {
						if sum[i] > width*clock[i]+float64(20*parts) || parts > 1 && sum[i] < 0.999*width*clock[i]-60 {
							t.Fatalf("%s %d: %v of CPU %s are %v in %v cycles", kind, seed, row, in.Meta.Instance, sum[i], clock[i])
						}
					}
				}
			}
		}
	}
}

// TestPhases looks at programs of two phases: each is clear, and limited by something else.
func TestPhases(t *testing.T) {
	n := simulatetest.Number(t, 10, 3)
	clear := 0
	for seed := range uint64(n) {
		c := family.Case(t, Names[0], simulate.KindTwoPhase, seed)
		truth := simulatetest.Judged(t, c)
		if len(truth.Phases) != 2 {
			t.Fatalf("%d: %d phases", seed, len(truth.Phases))
		}
		a, first := truth.Phases[0].Limiter()
		b, second := truth.Phases[1].Limiter()
		for _, p := range truth.Phases {
			if p.End-p.Start < 4e8 {
				t.Errorf("%d (%s): a phase of %d ns", seed, c.Text, p.End-p.Start)
			}
		}
		if first && second && a != b {
			clear++
		} else {
			t.Logf("%d (%s): %v %v, %v %v", seed, c.Text, a, first, b, second)
		}
	}
	if clear < n*9/10 {
		t.Errorf("%d of %d have two clear phases", clear, n)
	}
}

// TestOptions looks at what a caller may choose.
func TestOptions(t *testing.T) {
	c := family.Case(t, Names[0], simulate.KindArchetype, 1)
	o := simulate.Options{Period: 8 * time.Millisecond, Marks: simulate.Yes, Gaps: 2, Late: -1, Missed: -1,
		Without: []string{"instructions"}, Withheld: []simulate.Candidate{cpuIO}}
	r := simulatetest.Recorded(t, c, o)
	if r.Label("frame") == nil || len(r.Regions) == 0 || len(r.Gaps) == 0 || len(r.Late) != 0 {
		t.Errorf("%d regions, %d gaps, %d late", len(r.Regions), len(r.Gaps), len(r.Late))
	}
	for _, name := range []string{"instructions", "cpu_iowait", "procs_blocked"} {
		if r.Counter(name) != nil {
			t.Errorf("%s is there", name)
		}
	}
	if ns := r.Axis.Interval(0); ns < 7_900_000 || ns > 8_100_000 {
		t.Errorf("samples of %d ns", ns)
	}
	if r = simulatetest.Recorded(t, c, simulate.Options{Marks: simulate.No}); r.Label("frame") != nil {
		t.Error("marks nobody asked for")
	}
}
