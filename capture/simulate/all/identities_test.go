package all

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/amd"
	"astrolabe/capture/simulate/simulatetest"
)

// record draws and records a case.
func record(t *testing.T, family, kind string, seed uint64, o simulate.Options) *capture.Capture {
	t.Helper()
	c, err := Case(family, kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	cap, err := c.Record(o)
	if err != nil {
		t.Fatalf("%s %s %d: %v", family, kind, seed, err)
	}
	return cap
}

// fromSeveralRuns reports whether a metric's operands were measured in different runs of the program, which took
// different times: a share of one run's time by another's can pass 100 percent on real hardware too.
func fromSeveralRuns(m *capture.Counter) bool {
	var first *capture.Pass
	for _, c := range m.Der.Operands() {
		switch {
		case c.Pass == nil:
		case first == nil:
			first = c.Pass
		case c.Pass != first:
			return true
		}
	}
	return false
}

// inSteps reports whether a metric's operand is a total that its source renews every 100 ms, so that a sample holds the
// time of many.
func inSteps(m *capture.Counter) bool {
	return slices.ContainsFunc(m.Der.Operands(), func(c *capture.Counter) bool {
		return strings.HasPrefix(c.Name, "engine_")
	})
}

// ofTwoStages reports whether a metric takes what a stage passes on from what the one before it made, so that work
// between them makes a sample negative: quads that are rasterized in one sample may be shaded in the next. Arm's
// formula also takes every warp to be full, and the total can be negative too.
func ofTwoStages(m *capture.Counter) bool {
	has := func(alias string) bool {
		return slices.ContainsFunc(m.Der.Operands(), func(c *capture.Counter) bool {
			return slices.Contains(c.Aliases, alias)
		})
	}
	return has("MaliFragRastQd") && has("MaliFragWarp")
}

// checkMetrics evaluates every metric of a capture, for the whole and per sample, and finds percentages outside of 0
// to 100 and values that are negative or not finite.
func checkMetrics(t *testing.T, what string, cap *capture.Capture) (evaluated int) {
	t.Helper()
	list, err := metrics.Metrics(cap)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	values, err := metrics.Floats(context.Background(), list)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for i, m := range list {
		if m.Total().Missing() {
			continue
		}
		evaluated++
		if m.Der != nil && (fromSeveralRuns(m) || inSteps(m)) {
			continue
		}
		most := 100.0
		if m.Name == "power_share" {
			most = 110 // firmware lets the power pass its limit a little before it takes the clock down
		}
		least := -1e-9
		if m.Der != nil && ofTwoStages(m) {
			least = math.Inf(-1)
		}
		bad := func(v float64) bool {
			return math.IsInf(v, 0) || v < least || m.Unit == "percent" && v > most+1e-6
		}
		if v := m.Total().Float(); bad(v) {
			t.Errorf("%s: %s is %v %s", what, m.Name, v, m.Unit)
		}
		for k, v := range values[i] {
			if bad(v) {
				t.Errorf("%s: %s is %v %s in sample %d", what, m.Name, v, m.Unit, k)
				break
			}
		}
	}
	return evaluated
}

func TestMetricsOfRandomCasesAreWithinTheirRange(t *testing.T) {
	for _, family := range Families() {
		t.Run(family, func(t *testing.T) {
			n := simulatetest.Number(t, 8, 6)
			most := 0
			kinds := Kinds(family)
			for seed := range uint64(n) {
				kind := kinds[seed%uint64(len(kinds))]
				what := fmt.Sprintf("%s %s %d", family, kind, seed)
				most = max(most, checkMetrics(t, what, record(t, family, kind, seed, simulate.Options{})))
			}
			if most < 20 {
				t.Errorf("no capture has more than %d metrics: nothing was checked", most)
			}
		})
	}
}

func TestCapturesHoldOnlyKnownCountersOfWholeNumbers(t *testing.T) {
	for _, family := range Families() {
		for seed := range uint64(simulatetest.Number(t, 3, 2)) {
			cap := record(t, family, simulate.KindArchetype, seed, simulate.Options{Host: simulate.Yes})
			cats := metrics.For(cap)
			for _, c := range cap.Counters {
				known := false
				for _, cat := range cats {
					e, err := cat.Find(c.Name)
					// What GPA calls counters are metrics of its catalogue.
					known = known || err == nil && (e.Kind != capture.Derived || family == amd.GPAName)
				}
				if !known && !readersOwn(c.Name) {
					t.Errorf("%s %d: no catalogue knows the counter %s", family, seed, c.Name)
				}
				for _, one := range append([]*capture.Counter{c}, c.Instances...) {
					if one.Col == nil {
						continue
					}
					d := one.Col.Data()
					if d.Len() != cap.Len() {
						t.Fatalf("%s %d: %s has %d values for %d samples", family, seed, c.Name, d.Len(), cap.Len())
					}
					if c.Kind == capture.Delta && d.U == nil && !fractional(family) {
						t.Errorf("%s %d: %s counts in fractions", family, seed, c.Name)
					}
				}
			}
		}
	}
}

// readersOwn reports whether readers make the column themselves, so that no catalogue describes it.
func readersOwn(name string) bool {
	for _, p := range []string{"gpu_clock_cycles", "shader_clock_cycles", "gpu_frequency", "SLICE_CLOCK",
		"UNSLICE_CLOCK", "gpu_metrics_"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// fractional reports whether the source itself gives fractions.
func fractional(family string) bool { return family == amd.GPAName }

func TestInstancesAddUpToTheWhole(t *testing.T) {
	for _, family := range Families() {
		cap := record(t, family, simulate.KindArchetype, 3, simulate.Options{})
		for _, c := range cap.Counters {
			if len(c.Instances) == 0 || c.Kind != capture.Delta {
				continue
			}
			for i := range cap.Len() {
				sum := uint64(0)
				for _, in := range c.Instances {
					v, ok := in.Value(i).Uint64()
					if !ok {
						t.Fatalf("%s: %s[%s] has no whole number in sample %d", family, c.Name, in.Meta.Instance, i)
					}
					sum += v
				}
				if v, ok := c.Value(i).Uint64(); !ok || v != sum {
					t.Fatalf("%s: %s is %d in sample %d, its instances make %d", family, c.Name, v, i, sum)
				}
			}
		}
	}
}
