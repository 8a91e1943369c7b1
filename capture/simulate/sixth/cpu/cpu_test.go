package cpu

import (
	"context"
	"math"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

func TestPlantsLimit(t *testing.T) {
	simulatetest.Make(New).PlantsLimit(t, Name, simulatetest.Number(t, 2*len(plants), len(plants)))
}

// cases calls f with a capture of a case of each kind.
func cases(t *testing.T, n int, o simulate.Options, f func(c *simulate.Case, cap *capture.Capture)) {
	t.Helper()
	for _, kind := range Kinds(Name) {
		for seed := range uint64(simulatetest.Number(t, n, 1)) {
			c := simulatetest.Make(New).Case(t, Name, kind, seed)
			f(c, simulatetest.Recorded(t, c, o))
		}
	}
}

func TestTheSameSeedGivesTheSameCase(t *testing.T) {
	cases(t, 1, simulate.Options{}, func(c *simulate.Case, a *capture.Capture) {
		again := simulatetest.Make(New).Case(t, c.Family, c.Kind, c.Seed)
		b := simulatetest.Recorded(t, again, simulate.Options{})
		if a.Len() != b.Len() || len(a.Counters) != len(b.Counters) || c.Text != again.Text {
			t.Fatalf("%s %d: %d samples and %d counters, then %d and %d", c.Kind, c.Seed, a.Len(), len(a.Counters), b.Len(), len(b.Counters))
		}
		for k, x := range a.Counters {
			for i := range a.Len() {
				if v, w := x.Value(i).Float(), b.Counters[k].Value(i).Float(); v != w {
					t.Fatalf("%s %d: %s is %v, then %v in sample %d", c.Kind, c.Seed, x.Name, v, w, i)
				}
			}
		}
	})
}

// atMost checks that counters of some names add up to no more than those of others, in every sample and on every CPU.
func atMost(t *testing.T, cap *capture.Capture, few, many []string, slackOf float64) {
	t.Helper()
	parts := func(names []string) (out [][]float64) {
		for _, name := range names {
			c := cap.Counter(name)
			if c == nil {
				return nil
			}
			list := c.Instances
			if len(list) == 0 {
				list = []*capture.Counter{c}
			}
			for k, one := range list {
				if len(out) <= k {
					out = append(out, make([]float64, cap.Len()))
				}
				for i, v := range one.Floats() {
					out[k][i] += v
				}
			}
		}
		return out
	}
	a, b := parts(few), parts(many)
	for k := range min(len(a), len(b)) {
		for i := range a[k] {
			if a[k][i] > b[k][i]+slackOf {
				t.Fatalf("%v make %.0f, %v %.0f in sample %d of CPU %d", few, a[k][i], many, b[k][i], i, k)
			}
		}
	}
}

func TestIdentities(t *testing.T) {
	cases(t, 3, simulate.Options{}, func(c *simulate.Case, cap *capture.Capture) {
		for _, x := range [][2][]string{
			{{"branch_misses"}, {"branches"}}, {{"branches"}, {"instructions"}}, {{"cache_misses"}, {"cache_references"}},
			{{"L1_dcache_load_misses"}, {"L1_dcache_loads"}}, {{"LLC_load_misses"}, {"LLC_loads"}}, {{"dTLB_load_misses"}, {"dTLB_loads"}},
			{{"topdown_mem_bound"}, {"topdown_be_bound"}}, {{"amd_ops_retired"}, {"amd_ops_dispatched"}},
			{{"amd_cycles_of_loads"}, {"amd_cycles_of_the_oldest"}}, {{"topdown_slots_retired"}, {"topdown_slots_issued"}},
			{{"topdown_slots_issued", "topdown_fetch_bubbles", "topdown_recovery_bubbles"}, {"topdown_total_slots"}},
			{{"pressure_io_full"}, {"pressure_io_some"}}, {{"pressure_memory_full"}, {"pressure_memory_some"}},
		} {
			atMost(t, cap, x[0], x[1], 1)
		}
		sum := func(name string, i int) float64 {
			if x := cap.Counter(name); x != nil {
				return x.Value(i).Float()
			}
			return 0
		}
		if cap.Counter("page_faults") != nil {
			for i := range cap.Len() {
				if sum("page_faults", i) != sum("minor_faults", i)+sum("major_faults", i) {
					t.Fatalf("%s %d: faults of both kinds are not all in sample %d", c.Kind, c.Seed, i)
				}
			}
		}
		if cap.Counter("cpu_user") == nil {
			return
		}
		// Times of all kinds are the time that passed, but for the hundredths that are left over.
		total, passed := 0.0, 0.0
		for i := range cap.Len() {
			for _, name := range []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq", "cpu_steal"} {
				total += sum(name, i)
			}
			passed += float64(cap.Axis.Interval(i))
		}
		cpus := float64(len(cap.Counter("cpu_user").Instances))
		if math.Abs(total-passed*cpus) > 8*10e6*cpus {
			t.Errorf("%s %d: %.0f ns of CPUs in %.0f ns on %v CPUs", c.Kind, c.Seed, total, passed, cpus)
		}
	})
}

func TestMetricsAreNumbers(t *testing.T) {
	seen := map[string]bool{}
	cases(t, 3, simulate.Options{}, func(c *simulate.Case, cap *capture.Capture) {
		list, err := metrics.Metrics(cap)
		if err != nil {
			t.Fatal(err)
		}
		values, err := metrics.Floats(context.Background(), list)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range list {
			seen[m.Name] = true
			for k, v := range values[i] {
				if math.IsInf(v, 0) || v < -1e-6 || m.Unit == "percent" && v > 100+1e-6 {
					t.Errorf("%s %d: %s is %v in sample %d", c.Kind, c.Seed, m.Name, v, k)
					break
				}
			}
			if v := m.Total().Float(); !math.IsNaN(v) && m.Name == "ipc" && !(v > 0.005 && v < 8) {
				t.Errorf("%s %d: %s is %v in all", c.Kind, c.Seed, m.Name, v)
			}
		}
	})
	for _, name := range []string{"ipc", "retiring_slots", "amd_memory_slots", "backend_stalls", "cpu_pressure", "io_wait", "frequency_share"} {
		if !seen[name] {
			t.Errorf("no case has the metric %s", name)
		}
	}
}

func TestOptionsAreKept(t *testing.T) {
	c := simulatetest.Make(New).Case(t, Name, simulate.KindArchetype, 1)
	cap := simulatetest.Recorded(t, c, simulate.Options{Period: 40e6, Late: -1, Missed: -1, Gaps: 2, Marks: simulate.Yes, Without: []string{"ctxt"},
		Withheld: []simulate.Candidate{cpuIO, unitBranch}})
	if cap.Axis.Interval(0) != 40e6 || len(cap.Gaps) == 0 || len(cap.Late) != 0 || cap.Label("frame") == nil || len(cap.Regions) == 0 {
		t.Errorf("samples of %d ns, %d gaps, %d late, %d regions", cap.Axis.Interval(0), len(cap.Gaps), len(cap.Late), len(cap.Regions))
	}
	for _, name := range []string{"ctxt", "cpu_iowait", "branch_misses"} {
		if cap.Counter(name) != nil {
			t.Errorf("%s is there", name)
		}
	}
}
