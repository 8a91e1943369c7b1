package analysis

import (
	"context"
	"math"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/metrics/formula"
)

// TestARatioInBinsLeavesOutWhatLacksAnOperand has ten samples of 10 ms with busy i and all 10. busy is missing in sample
// 3 and all in sample 6; the ratios are worked out by hand.
func TestARatioInBinsLeavesOutWhatLacksAnOperand(t *testing.T) {
	c := patchy(t)
	of := func(c *capture.Capture, err error) *capture.Capture {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	groups, err := of(c.Resample(20e6)).GroupBy("half")
	if err != nil {
		t.Fatal(err)
	}
	resampled := of(c.Resample(40e6))
	first := capture.NewMask(resampled.Axis, func(i int) bool { return i == 0 })
	nan := math.NaN()
	for name, x := range map[string]struct {
		c     *capture.Capture
		want  []float64 // busy / all
		total float64
	}{
		"as measured":         {c, []float64{0, .1, .2, nan, .4, .5, nan, .7, .8, .9}, 36 / 80.},
		"resampled":           {resampled, []float64{3 / 30., 16 / 30., 17 / 20.}, 36 / 80.},
		"with cut samples":    {of(c.Resample(25e6)), []float64{2 / 25., 5 / 15., 8.5 / 15, 20.5 / 25}, 36 / 80.},
		"resampled twice":     {of(of(c.Resample(20e6)).Resample(40e6)), []float64{3 / 30., 16 / 30., 17 / 20.}, 36 / 80.},
		"resampled and cut":   {of(resampled.Slice(0, 80e6)), []float64{3 / 30., 16 / 30.}, 19 / 60.},
		"cut and resampled":   {of(of(c.Slice(0, 80e6)).Resample(40e6)), []float64{3 / 30., 16 / 30.}, 19 / 60.},
		"chosen":              {of(resampled.Where(first)), []float64{3 / 30.}, 3 / 30.},
		"chosen with cuts":    {of(of(c.Resample(25e6)).Take([]int{1, 3})), []float64{5 / 15., 20.5 / 25}, 25.5 / 40},
		"a group":             {groups[0].Capture, []float64{1 / 20., 2 / 10.}, 3 / 30.},
		"the other group":     {groups[2].Capture, []float64{7 / 10., 17 / 20.}, 24 / 30.},
		"per frame":           {of(PerFrame(c)), []float64{3 / 30., 24 / 30.}, 27 / 60.},
		"per kernel":          {of(MergeLabel(c, "kernel")), []float64{14 / 40., 22 / 40.}, 36 / 80.},
		"all":                 {of(MergeAll(c)), []float64{36 / 80.}, 36 / 80.},
		"frames, then chosen": {of(of(PerFrame(c)).Take([]int{1})), []float64{24 / 30.}, 24 / 30.},
	} {
		if name == "a group" && (groups[0].Key != "first" || groups[2].Key != "second") {
			t.Fatalf("groups %q and %q", groups[0].Key, groups[2].Key)
		}
		for how, load := range map[string]*capture.Counter{"evaluated": ratioOf(t, x.c, "busy / all"),
			"defined": definedRatio(t, x.c), "divided": divided(t, x.c)} {
			if got := load.Floats(); !sameValues(got, x.want...) {
				t.Errorf("%s, %s: %v, want %v", name, how, got, x.want)
			}
			if got := load.Total().Float(); !sameValues([]float64{got}, x.total) {
				t.Errorf("%s, %s: total %v, want %v", name, how, got, x.total)
			}
		}
	}
}

// patchy has frames of samples 0 to 3 and 7 to 9, kernels in turn, and two halves with something between them.
func patchy(t *testing.T) *capture.Capture {
	t.Helper()
	a := capture.NewUniformAxis(10, 10e6)
	busy, all := make([]float64, 10), make([]uint64, 10)
	kernels, halves := make([]string, 10), make([]string, 10)
	for i := range busy {
		busy[i], all[i] = float64(i), 10
		kernels[i] = []string{"even", "odd"}[i%2]
		halves[i] = []string{"first", "", "second"}[min(i/4+i/6, 2)]
	}
	busy[3] = math.NaN()
	bits := capture.NewBitmap(10)
	bits.Clear(6)
	c, err := capture.New(capture.Config{Axis: a, Counters: []*capture.Counter{
		{Meta: capture.Meta{Name: "busy", Unit: "cycles"}, Axis: a, Col: capture.NewColumn(capture.Data{F: busy})},
		{Meta: capture.Meta{Name: "all", Unit: "cycles"}, Axis: a, Col: capture.NewColumn(capture.Data{U: all, Valid: bits})},
	}, Labels: []*capture.Label{capture.NewLabel("kernel", kernels, nil), capture.NewLabel("half", halves, nil)},
		Regions: []capture.Region{{Name: "frame 1", Start: 0, End: 40e6}, {Name: "frame 2", Start: 70e6, End: 100e6}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ratioOf(t *testing.T, c *capture.Capture, expr string) *capture.Counter {
	t.Helper()
	out, err := metrics.Eval(c, expr, capture.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func definedRatio(t *testing.T, c *capture.Capture) *capture.Counter {
	t.Helper()
	e, err := metrics.NewDefinition("", "load", "busy / all", "Load", "", "")
	if err != nil {
		t.Fatal(err)
	}
	out, err := metrics.ResolveAllWith(c, []*metrics.Entry{e}, []string{"busy", "load"})
	if err != nil {
		t.Fatal(err)
	}
	if out[0] != c.Counter("busy") {
		t.Error("a measured counter is another one")
	}
	one, err := metrics.ResolveWith(c, []*metrics.Entry{e}, "load")
	if err != nil {
		t.Fatal(err)
	}
	values, err := metrics.Floats(context.Background(), []*capture.Counter{one, out[1]})
	if err != nil || !sameValues(values[0], values[1]...) {
		t.Errorf("%v alone, %v with others, error %v", values[0], values[1], err)
	}
	return one
}

func divided(t *testing.T, c *capture.Capture) *capture.Counter {
	t.Helper()
	out, err := formula.Apply("/", capture.Meta{}, formula.Operand{Counter: c.Counter("busy")}, formula.Operand{Counter: c.Counter("all")})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// closeTo reports whether values are the same but for rounding; missing is missing.
func sameValues(got []float64, want ...float64) bool {
	if len(got) != len(want) {
		return false
	}
	for i, x := range got {
		if y := want[i]; (x == x) != (y == y) || math.Abs(x-y) > 1e-12*math.Abs(y) {
			return false
		}
	}
	return true
}

// What was resampled is compared as it would have been before: a third of the active time is missing in one half of it.
func TestWhatWasResampledIsComparedAsItWas(t *testing.T) {
	columns := func(scale float64) map[string][]float64 {
		waits, active := make([]float64, 240), make([]float64, 240)
		queued := make([]float64, 240)
		for i := range active {
			queued[i], active[i] = scale*float64(1000+97*(i%11)), float64(5000+31*(i%7))
			if i < 120 && i%3 == 0 {
				active[i] = math.NaN()
			}
		}
		return map[string][]float64{"MaliGPUQueuedCyclesComputeQueued": queued, "MaliGPUWaitCyclesComputeQueueEndpointStall": waits,
			"MaliGPUCyclesGPUActive": active}
	}
	mali := func(cfg *capture.Config) { cfg.GPU = "mali-g720" }
	a, b := made(t, "a", columns(1), mali), made(t, "b", columns(1.5), mali)
	const name = "compute_queue_utilization"
	opt := Options{Metrics: []string{name}}
	want := rowOf(t, compare(t, a, b, opt), "", name)
	if math.Abs(want.Ratio-1.5) > 1e-9 || want.Verdict == NotJudged {
		t.Fatalf("before: %v, %s: %s", want.Ratio, want.Verdict, want.Why)
	}
	binned := func(c *capture.Capture, periods ...int64) *capture.Capture {
		for _, p := range periods {
			var err error
			if c, err = c.Resample(p); err != nil {
				t.Fatal(err)
			}
		}
		return c
	}
	for how, x := range map[string][2]*capture.Capture{"once": {binned(a, 60e6), binned(b, 60e6)},
		"twice": {binned(a, 60e6, 120e6), binned(b, 60e6, 120e6)}, "one of them": {a, binned(b, 50e6)},
		"by another period": {binned(a, 35e6), binned(b, 70e6)}} {
		got := rowOf(t, compare(t, x[0], x[1], opt), "", name)
		if got.Before != want.Before || got.After != want.After || got.Verdict != want.Verdict || got.RatioLo != want.RatioLo {
			t.Errorf("%s: %v to %v, %s (%s); want %v to %v, %s", how, got.Before, got.After, got.Verdict, got.Why,
				want.Before, want.After, want.Verdict)
		}
	}
}
