package intel

import (
	"fmt"
	"math"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var cases simulatetest.Make = New

func TestPlantsAreWhatLimits(t *testing.T) {
	for _, name := range Names {
		n := len(plants(name))
		right := 0
		for seed := range uint64(n) {
			c := cases.Case(t, name, simulate.KindSingle, seed)
			truth := simulatetest.Judged(t, c)
			l, clear := truth.Limiter()
			if clear && l.String() == c.Plant {
				right++
				continue
			}
			t.Logf("%s %d, %s: planted %s, gains %v, healthy %v missed %d", name, seed, c.Text, c.Plant, truth.Leaves[:4], truth.Healthy, truth.Missed)
		}
		if right < n*9/10 {
			t.Errorf("%s: %d of %d plants limit clearly", name, right, n)
		}
	}
}

func TestCapturesFitTogether(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			for seed := range uint64(4) {
				c := cases.Case(t, name, kind, seed)
				identities(t, simulatetest.Recorded(t, c, simulate.Options{}))
			}
		}
		for _, set := range setsOf(newMachine(name, simulate.NewRandom(1, "test"))) {
			c := cases.Case(t, name, simulate.KindArchetype, 5)
			identities(t, simulatetest.Recorded(t, c, simulate.Options{Sets: []string{set.name}}))
		}
	}
}

// identities are what holds on the hardware in each sample.
func identities(t *testing.T, c *capture.Capture) {
	t.Helper()
	eus, _ := c.Property("EuCoresTotalCount")
	of := func(name string) []float64 {
		if ctr := c.Counter(name); ctr != nil {
			return ctr.Floats()
		}
		return make([]float64, c.Len())
	}
	ticks, a0, a7, a8, a21, a22, a23, a26, a27 := of("GPU_TICKS"), of("A0"), of("A7"), of("A8"), of("A21"), of("A22"), of("A23"), of("A26"), of("A27")
	for i := range c.Len() {
		// EUs have threads only while an engine works.
		if a0[i] > ticks[i] || a7[i]+a8[i] > eus.Number*a0[i] ||
			a22[i]+a23[i] > a21[i] || a27[i] > a26[i] {
			t.Errorf("%s, sample %d: clocks %v busy %v active %v stalled %v quads %v %v %v %v %v", c.Name, i, ticks[i], a0[i], a7[i], a8[i], a21[i], a22[i], a23[i], a26[i], a27[i])
			return
		}
	}
	if c.Len() < 30 || c.Len() > 420 && c.Label("metric_set") == nil {
		t.Errorf("%s: %d samples", c.Name, c.Len())
	}
	list, err := metrics.Metrics(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		for i, v := range m.Floats() {
			if v < 0 || math.IsInf(v, 0) || m.Unit == "percent" && v > 100+1e-6 {
				set, _ := c.Property("metric_set")
				t.Errorf("%s: %s of %s is %v in sample %d", c.Name, m.Name, set.Text, v, i)
				break
			}
		}
	}
}

func TestTruthFitsTheKind(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			for seed := range uint64(3) {
				what := fmt.Sprintf("%s %s %d", name, kind, seed)
				c := cases.Case(t, name, kind, seed)
				truth := simulatetest.Judged(t, c)
				if kind == simulate.KindHealthy && !truth.Healthy {
					t.Errorf("%s (%s): not healthy: %d missed, best %v, shares %v", what, c.Text, truth.Missed, truth.Leaves[0], truth.Shares)
				}
				if (kind == simulate.KindTwoPhase) != (len(truth.Phases) == 2) || len(truth.Each) != truth.Frames {
					t.Errorf("%s: %d phases, %d frames of %d", what, len(truth.Phases), len(truth.Each), truth.Frames)
				}
				_, end := simulatetest.Recorded(t, c, simulate.Options{Host: simulate.No}).Axis.Extent()
				if end > truth.End || float64(end) < 0.9*float64(truth.End) {
					t.Errorf("%s: the capture ends at %d, the truth at %d", what, end, truth.End)
				}
			}
		}
	}
}

func TestOptionsAreKept(t *testing.T) {
	c := cases.Case(t, kblName, simulate.KindArchetype, 3)
	both := simulatetest.Recorded(t, c, simulate.Options{Sets: []string{"RenderBasic", "ComputeBasic"}, Host: simulate.Yes, Marks: simulate.Yes})
	if l := both.Label("metric_set"); l == nil || len(l.Dict) != 2 || both.Counter("cpu_user") == nil || both.Label("frame") == nil {
		t.Error("no rounds, no processors or no frames")
	}
	few := simulatetest.Recorded(t, c, simulate.Options{Sets: []string{"RenderBasic"}, Host: simulate.No, Without: []string{"A0"},
		Withheld: []simulate.Candidate{candidates[texture]}, Gaps: 2, Missed: 0.1})
	for _, gone := range []string{"A0", "A28", "B0", "cpu_user"} {
		if few.Counter(gone) != nil {
			t.Errorf("%s is there", gone)
		}
	}
	if len(few.Gaps) == 0 || len(few.Late) == 0 {
		t.Errorf("%d gaps, %d samples of more than a period", len(few.Gaps), len(few.Late))
	}
}

func TestMetricSetsThatAreNotModelledAreRefused(t *testing.T) {
	if _, err := cases.Case(t, dg2Name, simulate.KindSingle, 0).Record(simulate.Options{Sets: []string{"ComputeBasic"}}); err == nil {
		t.Error("a set that is not modelled")
	}
}
