package amd

import (
	"math"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var cases = simulatetest.Make(New)

func TestPlantsLimit(t *testing.T) {
	cases.PlantsLimit(t, Names[0], simulatetest.Number(t, 2*len(plants), len(plants)))
}

func TestKindsHold(t *testing.T) {
	cases.KindsHold(t, Names[0], simulate.Kinds(), simulatetest.Number(t, 12, 6))
}

func TestEveryLimiterOccursInSomeArchetype(t *testing.T) {
	seen, clear := map[simulate.Candidate]int{}, 0
	const n = 150 // fewer miss what is rare
	for seed := range uint64(n) {
		l, ok := simulatetest.Judged(t, cases.Case(t, Names[0], simulate.KindArchetype, seed)).Limiter()
		seen[l]++
		if ok {
			clear++
		}
	}
	t.Logf("%d of %d are clear: %v", clear, n, seen)
	if 10*clear < 3*n || 10*clear > 8*n {
		t.Errorf("%d of %d are clear", clear, n)
	}
	if len(seen) < 14 {
		t.Errorf("only %d limiters occur", len(seen))
	}
}

func TestHealthyCasesKeepTheirDates(t *testing.T) {
	for seed := range uint64(simulatetest.Number(t, 12, 6)) {
		truth := simulatetest.Judged(t, cases.Case(t, Names[0], simulate.KindHealthy, seed))
		if l, _ := truth.Limiter(); !truth.Healthy || truth.Missed > 0 || l.Level != simulate.LevelDisplay {
			t.Errorf("%d: healthy %v, %d missed, %v", seed, truth.Healthy, truth.Missed, l)
		}
	}
}

// TestIdentities looks at what must hold exactly: no bit is set more often than registers were read, none of the pipe
// while the pipe is not, and both registers are read as often.
func TestIdentities(t *testing.T) {
	found := 0
	for seed := range uint64(simulatetest.Number(t, 12, 6)) {
		c := cases.Case(t, Names[0], simulate.Kinds()[seed%6], seed)
		cap := simulatetest.Recorded(t, c, simulate.Options{Host: simulate.Yes})
		for _, x := range cap.Counters {
			if strings.HasPrefix(x.Name, "busy_") && strings.HasSuffix(x.Name, "_ones") {
				found++
				most := cap.Counter("busy_gfx_ones").Floats()
				if x.Name == "busy_gfx_ones" || x.Name == "busy_sdma_ones" || x.Name == "busy_rlc_ones" {
					most = cap.Counter("grbm2_samples").Floats()
				}
				for i, v := range x.Floats() {
					if v > most[i] {
						t.Fatalf("%d: %s is %v of %v in sample %d", seed, x.Name, v, most[i], i)
					}
				}
			}
			if strings.HasPrefix(x.Name, "throttled") || x.Unit == "percent" && !strings.HasSuffix(x.Name, "_error") {
				for i, v := range x.Floats() {
					if v < 0 || v > 100 {
						t.Fatalf("%d: %s is %v in sample %d", seed, x.Name, v, i)
					}
				}
			}
		}
		within(t, seed, cap)
	}
	if found == 0 {
		t.Error("no bit was recorded")
	}
}

// within checks that sums over a capture are no more than its time allows.
func within(t *testing.T, seed uint64, cap *capture.Capture) {
	t.Helper()
	_, end := cap.Axis.Extent()
	cpus := 0
	time := map[string]float64{}
	for _, x := range cap.Counters {
		for _, v := range x.Floats() {
			if v > 0 {
				time[x.Name] += v
			}
		}
		if x.Name == "cpu_idle" {
			cpus = len(x.Instances)
		}
	}
	const slack = 120e6 // two readings of 100 ms are not at the capture's ends
	for _, name := range []string{"engine_gfx", "engine_compute", "engine_dma"} {
		if time[name] > float64(end)+slack {
			t.Errorf("%d: %s is %v in %v ns", seed, name, time[name], end)
		}
	}
	all := time["cpu_user"] + time["cpu_system"] + time["cpu_idle"]
	if off := float64(cpus) * 30e6; len(cap.Gaps) == 0 && math.Abs(all-float64(cpus)*float64(end)) > off {
		t.Errorf("%d: processors were there for %v ns, of %d times %v", seed, all, cpus, end)
	}
}

func TestMetricsAreNumbers(t *testing.T) {
	most := 0
	for seed := range uint64(simulatetest.Number(t, 12, 6)) {
		c := cases.Case(t, Names[0], simulate.Kinds()[seed%6], seed)
		cap := simulatetest.Recorded(t, c, simulate.Options{Late: -1, Missed: -1})
		list, err := metrics.Metrics(cap)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, m := range list {
			if m.Total().Missing() {
				continue
			}
			n++
			v := m.Total().Float()
			high := v > 100.001 && !strings.HasPrefix(m.Name, "engine_")
			if m.Name == "power_share" {
				high = v > 112 // the power passes its limit a little before the clock is taken down
			}
			if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 || m.Unit == "percent" && high {
				t.Errorf("%d %s: %s is %v", seed, c.Text, m.Name, v)
			}
		}
		most = max(most, n)
	}
	if most < 30 {
		t.Errorf("no capture has more than %d metrics", most)
	}
}

func TestPowerLimitsHold(t *testing.T) {
	for seed := range uint64(len(plants)) {
		c := cases.Case(t, Names[0], simulate.KindSingle, seed)
		if c.Plant != simulate.ClockPower.String() {
			continue
		}
		cap := simulatetest.Recorded(t, c, simulate.Options{})
		sum, n := 0.0, 0.0
		for _, x := range cap.Counters {
			if x.Name == "throttled" {
				for _, v := range x.Floats() {
					sum, n = sum+v, n+1
				}
			}
		}
		if n > 0 && sum < 50*n {
			t.Errorf("%d: only %.0f %% of the time is throttled", seed, sum/n)
		}
	}
}
