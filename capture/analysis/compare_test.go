package analysis

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"astrolabe/capture"
)

// rowOf finds the row of a counter or metric.
func rowOf(t *testing.T, res *Result, part, name string) *Row {
	t.Helper()
	for i := range res.Rows {
		if r := &res.Rows[i]; r.Name == name && r.Part == part {
			return r
		}
	}
	t.Fatalf("no row %q of part %q among %d", name, part, len(res.Rows))
	return nil
}

func compare(t *testing.T, a, b *capture.Capture, opt Options) *Result {
	t.Helper()
	res, err := Compare(t.Context(), []*capture.Capture{a}, []*capture.Capture{b}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func noisy(rng *rand.Rand, n int, level float64) []float64 {
	return process{0.5, 0.1}.series(rng, n, level)
}

func TestTheSameInputsAndSeedGiveTheSameResult(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	a, b := simulated(t, rng, processes[1].p, 5, 500, flat), simulated(t, rng, processes[1].p, 5, 500, flat)
	one, two := compare(t, a, b, Options{Seed: 7}), compare(t, a, b, Options{Seed: 7})
	other := compare(t, a, b, Options{Seed: 8})
	show := func(r *Result) (out []string) {
		for _, x := range r.Rows {
			out = append(out, fmt.Sprint(x.Name, x.P, x.Q, x.RatioLo, x.RatioHi, x.Effect))
		}
		return out
	}
	if !reflect.DeepEqual(show(one), show(two)) {
		t.Error("two comparisons with one seed differ")
	}
	if reflect.DeepEqual(show(one), show(other)) {
		t.Error("another seed gives the same draws")
	}
}

func TestWhatAddsUpIsComparedPerSecondWhateverTheLengths(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	long := made(t, "long", map[string][]float64{"c000": noisy(rng, 900, 50)})
	short := made(t, "short", map[string][]float64{"c000": noisy(rng, 600, 50)})
	same := made(t, "same", map[string][]float64{"c000": noisy(rng, 900, 50)})
	for _, other := range []*capture.Capture{short, same} {
		r := rowOf(t, compare(t, long, other, Options{}), "", "c000")
		if r.Basis != "per second" || r.Unit != "events/s" || r.Verdict != Same || math.Abs(r.Before-5000) > 200 {
			t.Errorf("%s: %s in %s, %v, %s; want about 5000 events/s and no change", other.Name, r.Basis, r.Unit,
				r.Before, r.Verdict)
		}
		if r.BeforeTotal < 40000 || math.Abs(r.AfterTotal-50*float64(other.Len())) > 2000 {
			t.Errorf("%s: totals are %v and %v, want those of the captures", other.Name, r.BeforeTotal, r.AfterTotal)
		}
	}
}

// dispatched is a capture of n dispatches that alternate between a kernel of one length and one of its own length each
// time.
func dispatched(t *testing.T, rng *rand.Rand, n int, level float64) *capture.Capture {
	names, v := make([]string, n), make([]float64, n)
	for i := range v {
		names[i], v[i] = []string{"even", "uneven"}[i%2], level*(1+0.02*rng.NormFloat64())
	}
	return made(t, fmt.Sprint(n), map[string][]float64{"c000": v}, func(c *capture.Config) {
		c.Labels = []*capture.Label{capture.NewLabel("kernel", names, nil)}
		for i := range c.Axis.End {
			c.Axis.End[i] = c.Axis.Start[i] + 5e6
			if i%2 == 1 {
				c.Axis.End[i] += rng.Int64N(4e6)
			}
		}
	})
}

func TestKernelsOfDispatchesAreAllComparedPerDispatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	a, b := dispatched(t, rng, 200, 100), dispatched(t, rng, 90, 100)
	for _, opt := range []Options{{By: ByLabel, Label: "kernel"}, {}} {
		res := compare(t, a, b, opt)
		if res.Count(Same) != len(res.Rows) {
			t.Errorf("by %s: %d of %d rows without a change, though only the number of dispatches differs", opt.By,
				res.Count(Same), len(res.Rows))
		}
		for _, r := range res.Rows {
			if r.Basis != "per sample" {
				t.Errorf("by %s: %s of %s is compared %s", opt.By, r.Name, r.Part, r.Basis)
			}
		}
	}
	r := rowOf(t, compare(t, a, b, Options{By: ByLabel, Label: "kernel"}), "even", "c000")
	if math.Abs(r.Before-100) > 3 || math.Abs(r.After-100) > 3 || r.Unit != "events/sample" {
		t.Errorf("even: %v and %v %s, want 100 per dispatch", r.Before, r.After, r.Unit)
	}
}

func TestKernelsOfClockedSamplesAreComparedPerSecond(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	sampled := func(n int, period int64) *capture.Capture { // of one rate, whatever the period
		names := make([]string, n)
		for i := range names {
			names[i] = []string{"copy", "mul"}[i/10%2]
		}
		return made(t, "k", map[string][]float64{"c000": noisy(rng, n, float64(period)/1e5)}, func(c *capture.Config) {
			c.Labels = []*capture.Label{capture.NewLabel("kernel", names, nil)}
			now := int64(0)
			for i := range c.Axis.End { // with the jitter of a real clock
				c.Axis.Start[i] = now
				now += period + rng.Int64N(period/50)
				c.Axis.End[i] = now
			}
		})
	}
	res := compare(t, sampled(800, 10e6), sampled(500, 20e6), Options{By: ByLabel, Label: "kernel"})
	for _, r := range res.Rows {
		if r.Basis != "per second" || r.Verdict != Same {
			t.Errorf("%s of %s: %s, %s; want the same rate per second", r.Name, r.Part, r.Basis, r.Verdict)
		}
	}
}

func TestDispatchesWithoutAValueDoNotLowerTheMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 14))
	whole, holed := dispatched(t, rng, 2000, 100), dispatched(t, rng, 2000, 100)
	v := holed.Counters[0].Col.Data().F
	for i := 0; i < len(v); i += 3 {
		v[i] = math.NaN()
	}
	if r := rowOf(t, compare(t, whole, holed, Options{}), "", "c000"); r.Verdict != Same || math.Abs(r.After-100) > 2 {
		t.Errorf("a third of the values missing: %v after %v, %s; want 100 both times", r.After, r.Before, r.Verdict)
	}
}

// mali has the inputs of a utilisation and of a plain count.
func mali(t *testing.T, rng *rand.Rand, n int, busy float64, change ...func(*capture.Config)) *capture.Capture {
	active := noisy(rng, n, 1e6)
	queue, stall := make([]float64, n), noisy(rng, n, 1e4)
	for i, x := range active {
		queue[i] = x*busy*(1+0.02*rng.NormFloat64()) + stall[i]
	}
	return made(t, "mali", map[string][]float64{"MaliGPUCyclesAnyQueueActive": active,
		"MaliGPUQueuedCyclesFragmentQueued":           queue,
		"MaliGPUWaitCyclesFragmentQueueEndpointStall": stall},
		append([]func(*capture.Config){func(c *capture.Config) { c.GPU = "mali-g615" }}, change...)...)
}

func TestMetricsAreComparedByTheirFormulasOnTotals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	res := compare(t, mali(t, rng, 700, 0.5), mali(t, rng, 500, 0.6), Options{})
	found := 0
	for _, r := range res.Rows {
		if r.BeforeCounter == nil || r.BeforeCounter.Kind != capture.Derived || r.Verdict == NotJudged {
			continue
		}
		found++
		if r.Basis == "formula" && r.Name == "fragment_queue_utilization" {
			if want := r.BeforeCounter.Total().Float(); math.Abs(r.Before-want) > 1e-9*want {
				t.Errorf("%s before is %v, its total is %v", r.Name, r.Before, want)
			}
			if r.Verdict == Same || math.Abs(r.Ratio-1.2) > 0.02 || r.RatioLo > 1.2 || r.RatioHi < 1.2 {
				t.Errorf("%s: ratio %v in %v to %v, %s; want 1.2", r.Name, r.Ratio, r.RatioLo, r.RatioHi, r.Verdict)
			}
		}
		if r.Basis == "per second" && !near(r.Before, r.BeforeTotal/7) {
			t.Errorf("%s adds up: %v per second of %v in 7 s", r.Name, r.Before, r.BeforeTotal)
		}
	}
	if found < 2 {
		t.Fatalf("%d metrics judged", found)
	}
	if res.Absent == 0 {
		t.Error("metrics that nobody collected are not counted")
	}
}

func TestTheDirectionIsTheCataloguesUnlessTheCallerSaysOtherwise(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	a := made(t, "a", map[string][]float64{"c000": noisy(rng, 500, 10), "c001": noisy(rng, 500, 10),
		"c002": noisy(rng, 500, 10)})
	b := made(t, "b", map[string][]float64{"c000": noisy(rng, 500, 20), "c001": noisy(rng, 500, 20),
		"c002": noisy(rng, 500, 20)})
	res := compare(t, a, b, Options{More: []string{"C001"}, Less: []string{"c000"}})
	for name, want := range map[string]Verdict{"c000": Worse, "c001": Better, "c002": Changed} {
		if r := rowOf(t, res, "", name); r.Verdict != want {
			t.Errorf("%s is %s, want %s", name, r.Verdict, want)
		}
	}
	if res.Rows[0].Name != "c000" {
		t.Errorf("the first row is %s, want the worst", res.Rows[0].Name)
	}
	if n := compare(t, a, b, Options{Less: []string{"*"}, MinEffect: 1.5}).Count(Same); n != 3 {
		t.Errorf("%d of 3 changes below the least effect are none", n)
	}
}

func TestRegionsAndFramesAreComparedPerOccurrence(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	frames := func(name string, length int, level float64) *capture.Capture {
		n := 60 * length
		return made(t, name, map[string][]float64{"c000": noisy(rng, n, level)}, func(c *capture.Config) {
			for f := range 60 {
				start := int64(f*length) * 10e6
				c.Regions = append(c.Regions, capture.Region{Name: fmt.Sprintf("frame %d", f), Start: start,
					End: start + int64(length)*10e6})
				c.Regions = append(c.Regions,
					capture.Region{Name: "draw", Start: start, End: start + 20e6 + rng.Int64N(2e6)})
			}
			c.Regions = append(c.Regions, capture.Region{Name: name, Start: 0, End: 10e6})
		})
	}
	a, b := frames("a", 5, 100), frames("b", 6, 100)
	res := compare(t, a, b, Options{By: ByFrame})
	if r := rowOf(t, res, "", "c000"); r.Basis != "per frame" || r.Unit != "events/frame" || r.Verdict != Changed ||
		math.Abs(r.Ratio-1.2) > 0.05 {
		t.Errorf("frames of six samples for five: %s in %s, ratio %v, %s", r.Basis, r.Unit, r.Ratio, r.Verdict)
	}
	if r := rowOf(t, res, "", durationName); r.Verdict != Worse || math.Abs(r.Before-0.05) > 1e-9 ||
		math.Abs(r.After-0.06) > 1e-9 {
		t.Errorf("frame time: %v to %v, %s", r.Before, r.After, r.Verdict)
	}
	res = compare(t, a, b, Options{By: ByRegion, Metrics: []string{"c*"}})
	if r := rowOf(t, res, "draw", "c000"); r.Verdict != Same || r.Basis != "per occurrence" {
		t.Errorf("draw: %s %s", r.Basis, r.Verdict)
	}
	if len(res.Notes) != 1 || !strings.Contains(res.Notes[0], `"a"`) {
		t.Errorf("notes %q, want the region that only one capture has", res.Notes)
	}
}

func TestFramesMayBeALabel(t *testing.T) {
	labels := make([]string, 30)
	for i := range labels {
		labels[i] = fmt.Sprint(i / 3)
	}
	c := made(t, "a", map[string][]float64{"c000": make([]float64, 30)}, func(c *capture.Config) {
		c.Labels = []*capture.Label{capture.NewLabel("frame", labels, nil)}
	})
	list := Frames(c)
	if len(list) != 10 || list[1].Start != 30e6 || list[1].End != 60e6 {
		t.Errorf("%d frames, the second %v", len(list), list[1])
	}
}

func TestKernelsAreComparedByLabelPerSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	build := func(slow float64) *capture.Capture {
		names, v := make([]string, 200), make([]float64, 200)
		for i := range v {
			names[i] = []string{"copy", "mul"}[i%2]
			v[i] = 100 * (1 + 0.05*rng.NormFloat64())
			if i%2 == 1 {
				v[i] *= slow
			}
		}
		return made(t, "k", map[string][]float64{"c000": v}, func(c *capture.Config) {
			c.Labels = []*capture.Label{capture.NewLabel("kernel", names, nil)}
			for i := range c.Axis.End {
				c.Axis.End[i] = c.Axis.Start[i] + int64(v[i]*1e4) // a dispatch takes as long as it takes
			}
		})
	}
	res := compare(t, build(1), build(1.1), Options{By: ByLabel, Label: "kernel"})
	if r := rowOf(t, res, "mul", "c000"); r.Verdict != Changed || math.Abs(r.Change()-0.1) > 0.03 ||
		r.Basis != "per sample" {
		t.Errorf("mul: %s, %v %s", r.Verdict, r.Change(), r.Basis)
	}
	if r := rowOf(t, res, "mul", durationName); r.Verdict != Worse || r.Unit != "s" {
		t.Errorf("time of mul: %s in %s", r.Verdict, r.Unit)
	}
	if r := rowOf(t, res, "copy", "c000"); r.Verdict != Same {
		t.Errorf("copy: %s", r.Verdict)
	}
}

func TestWhatCannotBeJudgedSaysWhy(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	gone := make([]float64, 300)
	most := noisy(rng, 300, 5)
	for i := range gone {
		gone[i] = math.NaN()
		if i > 100 {
			most[i] = math.NaN()
		}
	}
	build := func(lost []float64, pass string) *capture.Capture {
		return made(t, "x", map[string][]float64{"c000": noisy(rng, 300, 5), "c001": lost, "c002": most,
			"c003": noisy(rng, 300, 5)}, func(c *capture.Config) {
			p := &capture.Pass{ID: pass}
			c.Passes = []*capture.Pass{p}
			c.Counters[3].Pass = p
			c.Counters[1].Reasons = []capture.ReasonRun{
				{From: 0, To: 300, Reason: capture.Reason{Code: capture.PowerGated}}}
		})
	}
	res := compare(t, build(noisy(rng, 300, 5), "1"), build(gone, "2"), Options{})
	for name, want := range map[string]string{"c001": "missing after", "c002": "66 % of the samples",
		"c003": `pass "1" before and in pass "2" after`} {
		r := rowOf(t, res, "", name)
		if r.Verdict != NotJudged || !strings.Contains(r.Why, want) || r.P == r.P || r.Q == r.Q {
			t.Errorf("%s: %s, %q, p %v; want not judged because of %q", name, r.Verdict, r.Why, r.P, want)
		}
	}
	if res.Judged != 1 {
		t.Errorf("%d rows judged, want 1", res.Judged)
	}
}

func TestCapturesThatHaveNothingInCommonAreNotComparable(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	plain := func(name string, gpu string) *capture.Capture {
		return made(t, "x", map[string][]float64{name: noisy(rng, 50, 5)}, func(c *capture.Config) { c.GPU = gpu })
	}
	for _, c := range []struct {
		a, b *capture.Capture
		opt  Options
		want string
	}{
		{plain("c000", "mali-g615"), plain("c000", "gfx1151"), Options{}, "mali-g615"},
		{plain("c000", ""), plain("c001", ""), Options{}, "no counter or metric is in all"},
		{plain("c000", ""), plain("c000", ""), Options{By: ByFrame}, "no frames"},
		{plain("c000", ""), plain("c000", ""), Options{By: ByRegion}, "no regions"},
		{plain("c000", ""), plain("c000", ""), Options{By: ByLabel, Label: "kernel"}, "no label"},
		{plain("c000", ""), plain("c000", ""), Options{Metrics: []string{"zzz*"}}, "zzz"},
		{made(t, "empty", map[string][]float64{"c000": {}}), plain("c000", ""), Options{}, "no samples"},
	} {
		_, err := Compare(t.Context(), []*capture.Capture{c.a}, []*capture.Capture{c.b}, c.opt)
		var not *notComparableError
		if !errors.As(err, &not) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want not comparable because of %q", err, c.want)
		}
	}
}

func TestAdjustedValuesAreThoseOfBenjaminiAndHochberg(t *testing.T) {
	got := adjust([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.02, 0.04, 0.04, 0.02} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("q[%d] = %v, want %v", i, got[i], want)
		}
	}
}

func TestGapsAndLongerSamplesOfOneSideAreNoted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	start, length := mali(t, rng, 400, 50).Axis.Start[100], int64(0)
	with := func(change func(c *capture.Config, g []capture.Gap)) string {
		c := mali(t, rng, 400, 50, func(cfg *capture.Config) {
			length = cfg.Axis.End[399] - cfg.Axis.Start[0]
			change(cfg, []capture.Gap{{Start: start, End: start + length/8}})
		})
		return strings.Join(compare(t, mali(t, rng, 400, 50), c, Options{}).Notes, "\n")
	}
	if s := with(func(c *capture.Config, g []capture.Gap) {
		c.Gaps = g
	}); !strings.Contains(s, "no data in 12 %") || strings.Contains(s, "longer samples") {
		t.Errorf("of a gap it says %q", s)
	}
	if s := with(func(c *capture.Config, g []capture.Gap) {
		c.Late = g
	}); strings.Contains(s, "no data") || !strings.Contains(s, "longer samples in 12 %") {
		t.Errorf("of late time it says %q", s)
	}
}

// Metrics of counters that share the hardware were made of what was counted in their turns, over all of the time.
func TestMetricsOfCountersInTurnsAreThoseOfAllTheTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	made := func() *capture.Capture {
		axis := capture.NewUniformAxis(1200, 1e6)
		c := &capture.Counter{Meta: capture.Meta{Name: "instructions", Unit: "instructions"}, Axis: axis}
		v := make([]float64, axis.Len())
		for i := range v {
			v[i] = math.Round(1e6 * (1 + 0.05*rng.NormFloat64()))
			if i%12 >= 4 {
				v[i] = math.NaN()
				c.Reasons = append(c.Reasons,
					capture.ReasonRun{From: i, To: i + 1, Reason: capture.Reason{Code: capture.NotScheduled}})
			}
		}
		c.Col = capture.NewColumn(capture.Data{F: v})
		out, err := capture.New(capture.Config{GPU: "cpu", Axis: axis, Counters: []*capture.Counter{c}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	res := compare(t, made(), made(), Options{})
	for _, name := range []string{"instructions", "instruction_rate"} {
		if r := rowOf(t, res, "", name); math.Abs(r.Before/1e9-1) > 0.01 {
			t.Errorf("%s is %g per second, and 1e9 happened", name, r.Before)
		}
	}
}

func TestCliffsDeltaCountsPairs(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{{[]float64{1, 2}, []float64{3, 4}, 1}, {[]float64{3, 4}, []float64{1, math.NaN()}, -1},
		{[]float64{1, 2}, []float64{1, 2}, 0}, {[]float64{1, 2, 3}, []float64{2}, 0}} {
		if got := cliff(c.x, c.y); got != c.want {
			t.Errorf("cliff(%v, %v) = %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

func TestBlocksGrowWithTheDependenceOfTheSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	free, bound := blockLength(process{0, 0.5}.series(rng, 512, 1)), blockLength(process{0.95, 0.5}.series(rng, 512, 1))
	if free > 8 || bound < 32 || bound > 512/6 {
		t.Errorf("blocks of %d for independent samples and %d for dependent ones", free, bound)
	}
}

func TestCircularDrawsHoldAsManyCellsAsThereAre(t *testing.T) {
	d := circular(50, 33, 8, rand.New(rand.NewPCG(1, 2)))
	for r := range d.rows {
		if n := weigh(ones(33), d, r); n != 33 {
			t.Fatalf("row %d holds %v cells, want 33", r, n)
		}
	}
}

func ones(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

func FuzzParseBy(f *testing.F) {
	for _, s := range []string{"time", "region", "frame", "kernel", "label:kernel", "label=a b", "label", "",
		":", "time:x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		by, label, err := ParseBy(s)
		if (err == nil) != (by != "") || (by == ByLabel) != (label != "") {
			t.Errorf("ParseBy(%q) = %q, %q, %v", s, by, label, err)
		}
	})
}

func FuzzParseEffect(f *testing.F) {
	for _, s := range []string{"1%", "0.02", "", "%", "-1", "nan", "1e300%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := ParseEffect(s); err == nil && !(v >= 0 && v <= 1e6) {
			t.Errorf("ParseEffect(%q) = %v", s, v)
		}
	})
}
