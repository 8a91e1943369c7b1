package cpu

import (
	"math"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

func recorded(t *testing.T, kind string, seed uint64, o simulate.Options) *capture.Capture {
	t.Helper()
	c, err := New(kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	cap, err := c.Record(o)
	if err != nil {
		t.Fatalf("%s %d: %v", kind, seed, err)
	}
	return cap
}

// each calls visit for every processor and sample with a function that gives counters' values there.
func each(t *testing.T, cap *capture.Capture, visit func(cpu, i int, value func(name string) uint64)) {
	t.Helper()
	of := map[string]*capture.Counter{}
	cpus := 0
	for _, c := range cap.Counters {
		of[c.Name] = c
		cpus = max(cpus, len(c.Instances))
	}
	for cpu := range cpus {
		for i := range cap.Len() {
			visit(cpu, i, func(name string) uint64 {
				v, ok := of[name].Instances[cpu].Value(i).Uint64()
				if !ok {
					t.Fatalf("%s has no whole number in sample %d", name, i)
				}
				return v
			})
		}
	}
}

func TestPartsOfEventsAreNoMoreThanTheWhole(t *testing.T) {
	for seed := range uint64(simulatetest.Number(t, 2, 1)) {
		for _, kind := range Kinds() {
			cap := recorded(t, kind, seed, simulate.Options{})
			each(t, cap, func(cpu, i int, value func(string) uint64) {
				for _, x := range []struct{ part, whole string }{{"branches", "instructions"},
					{"branch_misses", "branches"},
					{"cache_misses", "cache_references"}, {"LLC_load_misses", "LLC_loads"}, {"L1_dcache_load_misses",
						"L1_dcache_loads"},
					{"dTLB_load_misses", "dTLB_loads"}, {"stalled_cycles_frontend",
						"cycles"}, {"stalled_cycles_backend", "cycles"},
					{"minor_faults", "page_faults"}} {
					// What a sample's limit left over comes in the next, so that rounding can pass the whole by one.
					if p, w := value(x.part), value(x.whole); p > w+1 {
						t.Errorf("%s %d: %d %s of %d %s on processor %d in sample %d", kind, seed, p, x.part, w,
							x.whole, cpu, i)
					}
				}
				if m, f := value("minor_faults")+value("major_faults"), value("page_faults"); m > f+1 || f > m+1 {
					t.Errorf("%s %d: %d minor and major faults of %d", kind, seed, m, f)
				}
			})
		}
	}
}

func TestProcessorTimesMakeTheWholeTime(t *testing.T) {
	kinds := []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "cpu_iowait", "cpu_irq", "cpu_softirq",
		"cpu_steal"}
	for seed := range uint64(simulatetest.Number(t, 2, 1)) {
		for _, kind := range Kinds() {
			cap := recorded(t, kind, seed, simulate.Options{})
			wall := cap.Axis.End[cap.Len()-1] - cap.Axis.Start[0]
			sums := map[int]uint64{}
			each(t, cap, func(cpu, _ int, value func(string) uint64) {
				for _, name := range kinds {
					sums[cpu] += value(name)
				}
				if value("task_clock") == 0 {
					t.Errorf("%s %d: a sample of no time", kind, seed)
				}
			})
			for cpu, sum := range sums {
				// Each kind of time is known in whole ticks.
				if off := math.Abs(float64(sum) - float64(wall)); off > float64(len(kinds))*tick {
					t.Errorf("%s %d: the times of processor %d make %d ns of %d", kind, seed, cpu, sum, wall)
				}
			}
		}
	}
}

func TestFasterProcessorsAndMoreOfThemHelpThoseWhoWait(t *testing.T) {
	r := simulate.NewRandom(1, "test")
	m := machine{cpus: 4, hz: 3e9, share: 1, line: 90, base: 0.7, bandwidth: 40}
	x := mix{1, 0, 0, 0, 0}
	c := programCase{}
	c.add(r, m, program{threads: workers(8, 0, x.run(5e6))}, "arithmetic")
	truth, err := c.loads[0].judge()
	if err != nil {
		t.Fatal(err)
	}
	// All time is arithmetic on four of the eight threads' processors.
	if g, _ := truth.GainOf(Core); math.Abs(g.Percent-100.0/3) > 2 {
		t.Errorf("the core at 1.5 times the speed gains %.1f %%", g.Percent)
	}
	if g := truth.Whole[0]; math.Abs(g.Percent-100.0/3) > 3 {
		t.Errorf("six processors in place of four gain %.1f %%", g.Percent)
	}
	// Eight threads on four processors finish four items in 5 ms.
	if want := float64(truth.Frames) * 5e6 / 4; math.Abs(float64(truth.End-truth.Start)/want-1) > 0.05 {
		t.Errorf("%d items took %d ns", truth.Frames, truth.End-truth.Start)
	}
}

func TestALockLetsOneThreadIn(t *testing.T) {
	r := simulate.NewRandom(1, "test")
	m := machine{cpus: 8, hz: 3e9, share: 1, line: 90, base: 0.7, bandwidth: 40}
	x := mix{1, 0, 0, 0, 0}
	c := programCase{}
	c.add(r, m, program{locks: 1, threads: workers(8, 0, x.run(1e6), step{kind: stepLock}, x.run(1e6),
		step{kind: stepUnlock})}, "lock")
	truth, err := c.loads[0].judge()
	if err != nil {
		t.Fatal(err)
	}
	if want := float64(truth.Frames) * 1e6; math.Abs(float64(truth.End-truth.Start)/want-1) > 0.05 {
		t.Errorf("%d items of 1 ms in the lock took %d ns", truth.Frames, truth.End-truth.Start)
	}
	if l, ok := truth.Limiter(); !ok || l != Lock {
		t.Errorf("the limit is %v (clear: %v)", l, ok)
	}
}

// A program is not healthy where any of its threads misses its dates, also one that it is not measured by.
func TestEveryThreadHasToKeepItsDates(t *testing.T) {
	r := simulate.NewRandom(1, "test")
	m := machine{cpus: 4, hz: 3e9, share: 1, line: 90, base: 0.7, bandwidth: 40}
	x := mix{1, 0, 0, 0, 0}
	for _, busy := range []float64{0.5, 1.3} {
		c := programCase{}
		c.add(r, m, program{threads: []thread{
			{steps: []step{{kind: stepTimer}, x.run(5e6)}, period: 10e6, counts: true},
			{steps: []step{{kind: stepTimer}, x.run(busy * 10e6)}, period: 10e6},
		}}, "dates")
		truth, err := c.loads[0].judge()
		if err != nil {
			t.Fatal(err)
		}
		if keeps := busy < 1; truth.Healthy != keeps || (truth.Missed == 0) != keeps {
			t.Errorf("a second thread that takes %g of its period: %d dates missed, healthy: %t", busy, truth.Missed,
				truth.Healthy)
		}
	}
}

// /proc/stat says how many tasks wait for storage at the instant: no more than there are, and no more in longer samples.
func TestBlockedAreThoseThatWaitAtTheInstant(t *testing.T) {
	r := simulate.NewRandom(1, "test")
	m := machine{cpus: 4, hz: 3e9, share: 1, line: 90, base: 0.7, bandwidth: 40}
	x := mix{1, 0, 0, 0, 0}
	c := programCase{period: 1e6}
	c.add(r, m, program{devices: []int{8}, threads: workers(2, 0, x.run(1e6), step{kind: stepIO, wait: 3e6})}, "storage")
	for _, period := range []time.Duration{time.Millisecond, 20 * time.Millisecond} {
		cap, err := c.record(simulate.Options{Period: period})
		if err != nil {
			t.Fatal(err)
		}
		blocked := cap.Counter("procs_blocked")
		sum := 0.0
		for i := range cap.Len() {
			v := blocked.Value(i).Float()
			if sum += v; v > 2 {
				t.Fatalf("sample %d of %v: %g of two threads wait", i, period, v)
			}
		}
		// Each waits three quarters of the time.
		if mean := sum / float64(cap.Len()); math.Abs(mean-1.5) > 0.25 {
			t.Errorf("samples of %v: %.2f threads wait on average, and should 1.5", period, mean)
		}
	}
}
