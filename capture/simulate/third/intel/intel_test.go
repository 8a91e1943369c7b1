package intel

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

var cases simulatetest.Make = New

func TestPlantsAreWhatLimits(t *testing.T) {
	for _, name := range Names {
		cases.PlantsLimit(t, name, len(plants))
	}
}

func TestTruthFitsTheCapture(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			for seed := range uint64(2) {
				c := cases.Case(t, name, kind, seed)
				truth := simulatetest.Judged(t, c)
				if kind == simulate.KindHealthy && !truth.Healthy {
					t.Errorf("%s %s %d: not healthy: %d dates missed", name, kind, seed, truth.Missed)
				}
				if (kind == simulate.KindTwoPhase) != (len(truth.Phases) == 2) {
					t.Errorf("%s %s %d: %d phases", name, kind, seed, len(truth.Phases))
				}
				if len(truth.Each) != truth.Frames {
					t.Errorf("%s %s %d: %d frames of %d", name, kind, seed, len(truth.Each), truth.Frames)
				}
				_, end := simulatetest.Recorded(t, c, simulate.Options{Host: simulate.No}).Axis.Extent()
				if end > truth.End || float64(end) < 0.9*float64(truth.End) {
					t.Errorf("%s %s %d: the capture ends at %d, the truth at %d", name, kind, seed, end, truth.End)
				}
			}
		}
	}
}

func TestCapturesFitTogether(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			for seed := range uint64(8) {
				c := simulatetest.Recorded(t, cases.Case(t, name, kind, seed), simulate.Options{})
				identities(t, c)
			}
		}
	}
}

// identities are what holds on the hardware in each sample; counts are whole, so that each may be one off.
func identities(t *testing.T, c *capture.Capture) {
	t.Helper()
	eus, _ := c.Property("EuCoresTotalCount")
	set, _ := c.Property("metric_set")
	values := map[string][]float64{} // a counter converts its values anew each time
	for _, ctr := range c.Counters {
		values[ctr.Name] = ctr.Floats()
	}
	sum := func(i int, names ...string) (v float64) {
		for _, name := range names {
			if list := values[name]; list != nil {
				v += list[i]
			}
		}
		return v
	}
	most := func(i int, what string, v, limit float64) {
		if v > limit*1.0001+8 || math.IsNaN(v) {
			t.Errorf("%s, sample %d: %s: %v of %v", c.Name, i, what, v, limit)
		}
	}
	kbl := c.GPU == "intel-kbl-gt2"
	for i := range c.Len() {
		ticks := sum(i, "GPU_TICKS")
		most(i, "busy clocks", sum(i, "A0"), ticks)
		most(i, "blended of written", sum(i, "A27"), sum(i, "A26"))
		most(i, "pixels that fail the depth tests", sum(i, "A22", "A23"), sum(i, "A21"))
		if kbl {
			most(i, "active and stalled EUs", sum(i, "A7", "A8"), eus.Number*ticks)
			most(i, "both FPUs", sum(i, "A9"), sum(i, "A7"))
		} else {
			most(i, "active and stalled EUs", sum(i, "A7", "A8", "A9", "A10", "A11", "A12", "A13", "A14"), eus.Number*ticks)
			most(i, "loaded threads", 8*sum(i, "A15", "A16", "A17", "A18"), 7*eus.Number*ticks+32)
		}
		switch {
		case kbl && set.Text == "RenderBasic":
			most(i, "traffic of clients", sum(i, "B6", "B7", "C0", "C1", "C2", "C3", "C4"), sum(i, "C6", "C7"))
			most(i, "sampler that is a bottleneck", sum(i, "B2"), sum(i, "B0"))
		case kbl && set.Text == "MemoryReads":
			parts := sum(i, "B0", "B1", "B3", "B5", "B7", "C4", "C5", "C6", "C7")
			most(i, "reads by client", parts, sum(i, "C0"))
		case !kbl && set.Text == "RenderBasic":
			most(i, "sampler that is a bottleneck", sum(i, "B1"), sum(i, "B0"))
		}
	}
}

func TestOtherEnginesMoveBytesToo(t *testing.T) {
	for _, name := range Names {
		found := false
		for seed := uint64(0); seed < 12 && !found; seed++ {
			c := simulatetest.Recorded(t, cases.Case(t, name, simulate.KindSerial, seed), simulate.Options{Sets: []string{"RenderBasic"}})
			read, busy := c.Counter(map[bool]string{true: "C5", false: "C6"}[name == Names[0]]).Floats(), c.Counter("A0").Floats()
			for i := range busy {
				found = found || busy[i] == 0 && read[i] > 0
			}
		}
		if !found {
			t.Errorf("%s: nothing is read while the render engine has no work", name)
		}
	}
}

func TestFormulasApply(t *testing.T) {
	for _, name := range Names {
		c := simulatetest.Recorded(t, cases.Case(t, name, simulate.KindSingle, 0), simulate.Options{Sets: []string{"RenderBasic"}})
		m, err := metrics.Resolve(c, "EuActive")
		if err != nil {
			t.Fatal(err)
		}
		if v := m.Total().F; v < 80 || v > 100 {
			t.Errorf("%s: EUs are active for %v %%", name, v)
		}
	}
}

func TestOptionsAreKept(t *testing.T) {
	for _, name := range Names {
		c := cases.Case(t, name, simulate.KindArchetype, 3)
		sets := append([]string{"RenderBasic"}, parts[name].sets...)
		all := simulatetest.Recorded(t, c, simulate.Options{Sets: sets, Host: simulate.Yes})
		if l := all.Label("metric_set"); l == nil || !slices.Equal(l.Dict, sets) || all.Counter("cpu_user") == nil {
			t.Errorf("%s: not all sets, or no processors", name)
		}
		few := simulatetest.Recorded(t, c, simulate.Options{Sets: sets[:1], Host: simulate.No, Without: []string{"A0"}, Marks: simulate.Yes,
			Withheld: []simulate.Candidate{candidates[texture]}})
		for _, gone := range []string{"A0", "A28", "B0", "cpu_user"} {
			if few.Counter(gone) != nil {
				t.Errorf("%s: %s is there", name, gone)
			}
		}
		for i := range 36 { // of every report
			if name := "A" + strconv.Itoa(i); simulatetest.Recorded(t, c, simulate.Options{Sets: sets[len(sets)-1:]}).Counter(name) == nil {
				t.Errorf("no %s in %s", name, sets[len(sets)-1])
			}
		}
		if few.Label("frame") == nil || len(few.Regions) == 0 {
			t.Errorf("%s: no frames", name)
		}
	}
	if _, err := New("intel-none", simulate.KindSingle, 1); err == nil {
		t.Error("a family that there is not")
	}
}

func TestSetsThatAreNotModelledAreRefused(t *testing.T) {
	for _, name := range Names {
		if c, err := cases.Case(t, name, simulate.KindSingle, 0).Record(simulate.Options{Sets: []string{"RenderBasic", "GpuBusyness"}}); err == nil {
			t.Errorf("%s: a set that nothing counts for has %d counters", name, len(c.Counters))
		}
	}
}
