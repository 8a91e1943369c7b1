package budget

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
)

var nan = math.NaN()

// made is a capture of samples of 10 ms with the counters "n" (a delta in bytes), "level" (a gauge in percent) and
// "ones" (a delta).
func made(t testing.TB, values []float64, change ...func(*capture.Config)) *capture.Capture {
	t.Helper()
	axis := capture.NewUniformAxis(len(values), 10e6)
	counter := func(name, unit string, kind capture.Kind, v []float64) *capture.Counter {
		return &capture.Counter{Meta: capture.Meta{Name: name, Unit: unit, Kind: kind}, Axis: axis,
			Col: capture.NewColumn(capture.Data{F: v})}
	}
	ones := make([]float64, len(values))
	for i := range ones {
		ones[i] = 1
	}
	cfg := capture.Config{Name: "made", Path: "made.arrow", Axis: axis, Counters: []*capture.Counter{
		counter("n", "bytes", capture.Delta, values), counter("level", "percent", capture.Gauge, values),
		counter("ones", "", capture.Delta, ones)}}
	for _, f := range change {
		f(&cfg)
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func withRegions(list ...capture.Region) func(*capture.Config) {
	return func(c *capture.Config) { c.Regions = list }
}

func withLabel(name string, values ...string) func(*capture.Config) {
	return func(c *capture.Config) {
		c.Labels = append(c.Labels, capture.NewLabel(name, values, func(i int) bool { return values[i] != "" }))
	}
}

// one judges a single limit, given without its [[limit]].
func one(t testing.TB, c *capture.Capture, limit string) *Result {
	t.Helper()
	b, err := Parse("b.toml", []byte("[[limit]]\n"+limit))
	if err != nil {
		t.Fatal(err)
	}
	j, err := Judge(t.Context(), b, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j.Results[0]
}

func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*math.Abs(b) || a != a && b != b }

func TestAValueAtItsLimitKeepsIt(t *testing.T) {
	c := made(t, []float64{1, 2, 3})
	for _, x := range []struct {
		limit string
		want  Verdict
	}{
		{"metric = 'n'\nmax = 6", Kept},
		{"metric = 'n'\nmax = 5.999999", Broken},
		{"metric = 'n'\nmin = 6", Kept},
		{"metric = 'n'\nmin = 6.000001", Broken},
		{"metric = 'n'\nmin = 6\nmax = 6", Kept},
		{"metric = 'n'\nmin = 7\nmax = 8", Broken},
		{"metric = 'n'\nmin = 4\nmax = 5", Broken},
		{"metric = 'n'\nmax = '6B'", Kept},
		{"metric = 'n'\nmax = '0.006kB'", Kept},
		{"metric = 'n'\nmax = '5B'", Broken},
		{"metric = 'level'\nmax = '2%'", Kept}, // the mean over time
		{"metric = 'level'\nmax = '1.99%'", Broken},
		{"metric = 'duration'\nmax = '30ms'", Kept},
		{"metric = 'duration'\nmax = '29.999ms'", Broken},
		{"metric = 'duration'\nmax = 0.03", Kept},
		{"metric = 'n'\nmax = '200B/s'", Kept}, // 6 bytes in 30 ms
		{"metric = 'n'\nmax = '199B/s'", Broken},
		{"metric = 'n'\nmin = '0.2kB/s'", Kept},
		{"metric = 'ones'\nmax = '100/s'", Kept},
		{"metric = 'ones'\nmax = '99/s'", Broken},
		{"expr = 'n / ones'\nmax = 2", Kept},
		{"expr = '100 * n / ones'\nunit = 'percent'\nmax = '199%'", Broken},
	} {
		if r := one(t, c, x.limit); r.Verdict != x.want {
			t.Errorf("%q: %s (%v), want %s", x.limit, r.Verdict, r.Worst, x.want)
		}
	}
}

func TestTheRoundingOfUnitsBreaksNoLimit(t *testing.T) {
	sum := 0.1
	sum += 0.2 // a little more than 0.3
	for _, r := range []*Result{{Max: 0.3, Min: nan}, {Max: -0.3, Min: nan}} {
		v := math.Copysign(sum, r.Max)
		if r.Max < 0 {
			v = math.Nextafter(r.Max, 0)
		}
		if v <= r.Max || r.Beyond(v) {
			t.Errorf("%v is beyond %v by %g", v, r.Max, r.Excess(v))
		}
		if v = r.Max + 1e-11; !r.Beyond(v) {
			t.Errorf("%v is not beyond %v", v, r.Max)
		}
	}
	if r := (&Result{Min: sum, Max: nan}); r.Beyond(0.3) || !r.Beyond(0.3-1e-11) {
		t.Error("the smallest value allowed has no such margin")
	}
	if r := (&Result{Max: 0, Min: nan}); !r.Beyond(math.SmallestNonzeroFloat64) || r.Beyond(0) {
		t.Error("a limit of 0 is exact")
	}
}

func TestATotalOfARatioIsTheRatioOfTotals(t *testing.T) {
	c := made(t, []float64{1, 100, 1}, func(cfg *capture.Config) {
		cfg.Counters[2].Col = capture.NewColumn(capture.Data{F: []float64{1, 10, 9}})
	})
	if r := one(t, c, "expr = 'n / ones'\nmax = 5.1"); r.Verdict != Kept || !near(r.Worst, 5.1) {
		t.Errorf("%s, %v, want 102/20", r.Verdict, r.Worst)
	}
}

func TestFramesRegionsSamplesAndLabelsAreParts(t *testing.T) {
	c := made(t, []float64{1, 2, 3, 4, 5, 6}, withRegions(
		capture.Region{Name: "frame 0", Start: 0, End: 20e6}, capture.Region{Name: "frame 1", Start: 20e6, End: 30e6},
		capture.Region{Name: "frame 2", Start: 30e6, End: 60e6},
		capture.Region{Name: "load", Start: 0, End: 30e6}, capture.Region{Name: "draw", Start: 30e6, End: 40e6},
		capture.Region{Name: "draw", Start: 40e6, End: 60e6}),
		withLabel("kernel", "a", "b", "a", "b", "", "c"), withLabel("step", "x", "x", "y", "", "z", "z"))
	for _, x := range []struct {
		limit   string
		verdict Verdict
		values  []float64
		over    int
		worst   float64
		where   string
	}{
		{"metric = 'n'\nper = 'frame'\nmax = 14", Broken, []float64{3, 3, 15}, 1, 15, "frame 2 at 30 ms"},
		{"metric = 'n'\nper = 'frame'\nmax = 14\nallow = 1", Kept, []float64{3, 3, 15}, 1, 15, "frame 2 at 30 ms"},
		{"metric = 'n'\nper = 'frame'\nmin = 4\nallow = 1", Broken, []float64{3, 3, 15}, 2, 3, "frame 0 at 0 s"},
		{"metric = 'n'\nper = 'frame'\nmax = 2\nallow = '99%'", Broken, []float64{3, 3, 15}, 3, 15, "frame 2 at 30 ms"},
		{"metric = 'n'\nper = 'frame'\nmax = 2\nallow = '100%'", Kept, []float64{3, 3, 15}, 3, 15, "frame 2 at 30 ms"},
		{"metric = 'level'\nper = 'frame'\nmax = 5", Kept, []float64{1.5, 3, 5}, 0, 5, "frame 2 at 30 ms"},
		{"metric = 'duration'\nper = 'frame'\nmax = '20ms'", Broken, []float64{.02, .01, .03}, 1, .03,
			"frame 2 at 30 ms"},
		{"metric = 'n'\nper = 'frame'\nmax = '500B/s'", Kept, []float64{150, 300, 500}, 0, 500, "frame 2 at 30 ms"},
		{"metric = 'n'\nper = 'frame'\nmax = '499B/s'", Broken, []float64{150, 300, 500}, 1, 500, "frame 2 at 30 ms"},
		{"metric = 'n'\nper = 'region'\nof = 'draw'\nmax = 10", Broken, []float64{4, 11}, 1, 11, "draw #2 at 40 ms"},
		{"metric = 'n'\nper = 'region'\nof = ['l*', 'draw']\nmax = 10", Broken, []float64{6, 4, 11}, 1, 11,
			"draw #2 at 40 ms"},
		{"metric = 'n'\nper = 'sample'\nmax = 4", Broken, []float64{1, 2, 3, 4, 5, 6}, 2, 6, "sample 5 at 50 ms"},
		{"metric = 'n'\nper = 'sample'\nmax = '400B/s'", Broken, []float64{100, 200, 300, 400, 500, 600}, 2, 600,
			"sample 5 at 50 ms"},
		{"metric = 'duration'\nper = 'sample'\nmax = '10ms'", Kept, []float64{.01, .01, .01, .01, .01, .01}, 0, .01,
			"sample 0 at 0 s"},
		{"metric = 'n'\nper = 'kernel'\nmax = 5", Broken, []float64{4, 6, 6}, 2, 6, "b"},
		{"metric = 'n'\nper = 'kernel'\nof = 'a'\nmax = 5", Kept, []float64{4}, 0, 4, "a"},
		{"metric = 'n'\nper = 'kernel'\nmax = '299B/s'\nof = ['a', 'b']", Broken, []float64{200, 300}, 1, 300, "b"},
		{"metric = 'duration'\nper = 'kernel'\nmax = '10ms'", Broken, []float64{.02, .02, .01}, 2, .02, "a"},
		{"metric = 'n'\nper = 'step'\nmax = 10", Broken, []float64{3, 3, 11}, 1, 11, "z at 40 ms"},
		{"metric = 'duration'\nper = 'step'\nmax = '20ms'", Kept, []float64{.02, .01, .02}, 0, .02, "x at 0 s"},
	} {
		r := one(t, c, x.limit)
		if r.Verdict != x.verdict || !slices.EqualFunc(r.Values, x.values, near) || r.Over != x.over ||
			!near(r.Worst, x.worst) || r.Where() != x.where {
			t.Errorf("%q: %s, %v, %d over, worst %v in %q; want %s, %v, %d, %v in %q", x.limit, r.Verdict, r.Values,
				r.Over, r.Worst, r.Where(), x.verdict, x.values, x.over, x.worst, x.where)
		}
	}
}

func TestStatisticsAreOfAllPartsOrOfEachRegion(t *testing.T) {
	c := made(t, []float64{1, 2, 3, 4, 10}, withRegions(capture.Region{Name: "a", Start: 0, End: 10e6},
		capture.Region{Name: "a", Start: 10e6, End: 20e6},
		capture.Region{Name: "b", Start: 20e6, End: 30e6}, capture.Region{Name: "b", Start: 30e6, End: 40e6}))
	for _, x := range []struct {
		limit string
		want  Verdict
		worst float64
		over  string
	}{
		{"per = 'sample'\nstatistic = 'mean'\nmax = 4", Kept, 4, ""},
		{"per = 'sample'\nstatistic = 'mean'\nmax = 3.9", Broken, 4, ""},
		{"per = 'sample'\nstatistic = 'median'\nmax = 3", Kept, 3, ""},
		{"per = 'sample'\nstatistic = 'min'\nmax = 1", Kept, 1, ""},
		{"per = 'sample'\nstatistic = 'max'\nmax = 9", Broken, 10, ""},
		{"per = 'sample'\nstatistic = 'p75'\nmax = 4", Kept, 4, ""},
		{"per = 'sample'\nstatistic = 'p80'\nmax = 5", Broken, 5.2, ""},
		{"per = 'sample'\nstatistic = 'p0'\nmin = 1", Kept, 1, ""},
		{"per = 'sample'\nstatistic = 'p100'\nmin = 11", Broken, 10, ""},
		{"per = 'region'\nstatistic = 'mean'\nmax = 3", Broken, 3.5, "1 of 2"},
		{"per = 'region'\nstatistic = 'mean'\nmax = 3.5", Kept, 3.5, "0 of 2"},
		{"per = 'region'\nstatistic = 'mean'\nmin = 2", Broken, 1.5, "1 of 2"},
	} {
		if r := one(t, c, "metric = 'n'\n"+x.limit); r.Verdict != x.want || !near(r.Worst, x.worst) ||
			r.OverText() != x.over {
			t.Errorf("%q: %s, %v, %q; want %s, %v, %q", x.limit, r.Verdict, r.Worst, r.OverText(), x.want,
				x.worst, x.over)
		}
	}
}

func TestAStatisticOfFramesIsOfAllAndNamesTheWorst(t *testing.T) {
	c := made(t, []float64{1, 9, 4}, withRegions(capture.Region{Name: "frame 0", Start: 0, End: 10e6},
		capture.Region{Name: "frame 1", Start: 10e6, End: 20e6},
		capture.Region{Name: "frame 2", Start: 20e6, End: 30e6}))
	r := one(t, c, "metric = 'n'\nper = 'frame'\nstatistic = 'median'\nmax = 3")
	if len(r.Groups) != 1 || r.Verdict != Broken || r.Worst != 4 || r.Where() != "frame 1 at 10 ms" ||
		r.OverText() != "" {
		t.Errorf("%d groups, %s, %v, %q, %q", len(r.Groups), r.Verdict, r.Worst, r.Where(), r.OverText())
	}
}

func TestACounterCalledDurationIsNotTheTime(t *testing.T) {
	c := made(t, []float64{1, 2}, func(cfg *capture.Config) { cfg.Counters[0].Name = "duration" })
	if r := one(t, c, "metric = 'duration'\nmax = '3B'"); r.Verdict != Kept || r.Worst != 3 {
		t.Errorf("%s, %v", r.Verdict, r.Worst)
	}
}

func TestWhatHasNoValueIsNeverKept(t *testing.T) {
	holes := made(t, []float64{1, nan, 3, 4}, withRegions(capture.Region{Name: "frame 0", Start: 0, End: 10e6},
		capture.Region{Name: "frame 1", Start: 12e6, End: 15e6},
		capture.Region{Name: "frame 2", Start: 20e6, End: 40e6}))
	nothing := made(t, []float64{nan, nan})
	empty := made(t, nil)
	for _, x := range []struct {
		name  string
		cap   *capture.Capture
		limit string
		want  Verdict
		why   string
	}{
		{"a total of nothing", nothing, "metric = 'n'\nmax = 1", NotJudged, ""},
		{"a total of nothing, skipped", nothing, "metric = 'n'\nmax = 1\nmissing = 'skip'", Skipped, ""},
		{"an empty capture", empty, "metric = 'n'\nmax = 1", NotJudged, "no samples"},
		{"the duration of an empty capture", empty, "metric = 'duration'\nmax = 1", NotJudged, "no samples"},
		{"samples of an empty capture", empty, "metric = 'n'\nper = 'sample'\nmax = 1", NotJudged, "no samples"},
		{"no frames", nothing, "metric = 'duration'\nper = 'frame'\nmax = 1", NotJudged, "no frames"},
		{"no frames, skipped", nothing, "metric = 'duration'\nper = 'frame'\nmax = 1\nmissing = 'skip'",
			Skipped, "no frames"},
		{"no regions", nothing, "metric = 'duration'\nper = 'region'\nmax = 1", NotJudged, "no regions"},
		{"no such region", holes, "metric = 'duration'\nper = 'region'\nof = 'x'\nmax = 1", NotJudged,
			"no region is called x"},
		{"no such label", holes, "metric = 'n'\nper = 'kernal'\nmax = 1", NotJudged, `no label "kernal"`},
		{"an empty frame", holes, "metric = 'n'\nper = 'frame'\nmax = 10", NotJudged,
			"1 of 3 (first frame 1) has no value: no sample starts in it"},
		{"an empty frame, skipped", holes, "metric = 'n'\nper = 'frame'\nmax = 10\nmissing = 'skip'", Kept, ""},
		{"an empty frame beside a broken one", holes, "metric = 'n'\nper = 'frame'\nmax = 5", Broken, ""},
		{"an empty frame within what is allowed", holes, "metric = 'n'\nper = 'frame'\nmax = 10\nallow = 1", Kept, ""},
		{"an empty and a broken frame of one allowed", holes, "metric = 'n'\nper = 'frame'\nmax = 5\nallow = 1",
			NotJudged, "no sample starts"},
		{"an empty and a broken frame of one allowed, skipped", holes,
			"metric = 'n'\nper = 'frame'\nmax = 5\nallow = 1\nmissing = 'skip'", Kept, ""},
		{"the duration of an empty frame", holes, "metric = 'duration'\nper = 'frame'\nmax = '20ms'", Kept, ""},
		{"a missing sample", holes, "metric = 'n'\nper = 'sample'\nmax = 10", NotJudged,
			"1 of 4 (first sample 1) has no value"},
		{"a missing sample, skipped", holes, "metric = 'n'\nper = 'sample'\nmax = 10\nmissing = 'skip'", Kept, ""},
		{"a statistic with a missing sample", holes, "metric = 'n'\nper = 'sample'\nstatistic = 'max'\nmax = 10",
			NotJudged, "no value"},
		{"a statistic with a missing sample, skipped", holes,
			"metric = 'n'\nper = 'sample'\nstatistic = 'max'\nmax = 10\nmissing = 'skip'", Kept, ""},
		{"a statistic of nothing, skipped", nothing,
			"metric = 'n'\nper = 'sample'\nstatistic = 'max'\nmax = 10\nmissing = 'skip'", Skipped,
			"no sample has a value"},
		{"a pattern that matches nothing", holes, "metric = 'duration'\nper = 'region'\nof = ['frame*', 'x']\nmax = 1",
			NotJudged, `no region matches "x"`},
		{"a pattern that matches nothing beside a broken region", holes,
			"metric = 'duration'\nper = 'region'\nof = ['frame*', 'x']\nmax = '1ms'", Broken, ""},
		{"a pattern that matches nothing, skipped", holes,
			"metric = 'duration'\nper = 'region'\nof = ['frame*', 'x']\nmax = 1\nmissing = 'skip'", Kept, ""},
		{"a pattern that matches nothing, whatever is allowed", holes,
			"metric = 'duration'\nper = 'region'\nof = ['frame*', 'x']\nmax = 1\nallow = 5", NotJudged,
			`no region matches "x"`},
		{"a missing sample within the share of all samples that is allowed", holes,
			"metric = 'n'\nper = 'sample'\nmax = 10\nallow = '25%'", Kept, ""},
		{"a divisor of 0", made(t, []float64{0, 0}), "expr = 'ones / n'\nmax = 10", NotJudged, "divisor"},
	} {
		r := one(t, x.cap, x.limit)
		if r.Verdict != x.want || !strings.Contains(r.Why, x.why) {
			t.Errorf("%s: %s (%s), want %s (%s)", x.name, r.Verdict, r.Why, x.want, x.why)
		}
		if r.Judged == 0 && r.OverText() != "" {
			t.Errorf("%s: %q of nothing", x.name, r.OverText())
		}
		if (r.Verdict == NotJudged || r.Verdict == Skipped) && r.Why == "" {
			t.Errorf("%s: no reason", x.name)
		}
	}
}

func TestABudgetIsKeptWhereSomethingIsJudgedAndNothingElse(t *testing.T) {
	c := made(t, []float64{1, 2}, func(cfg *capture.Config) {
		cfg.Counters[1].Col = capture.NewColumn(capture.Data{F: []float64{nan, nan}})
	})
	const kept, broken, unjudged, skipped = "[[limit]]\nmetric='n'\nmax=3\n", "[[limit]]\nmetric='n'\nmax=2\n",
		"[[limit]]\nmetric='level'\nmax=2\n", "[[limit]]\nmetric='level'\nmax=2\nmissing='skip'\n"
	for text, want := range map[string]bool{kept: true, broken: false, unjudged: false, skipped: false,
		kept + skipped: true, kept + broken: false, kept + unjudged: false} {
		j, err := Judge(t.Context(), parse(t, text), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if j.OK() != want {
			t.Errorf("%q: %v, want %v", text, j.OK(), want)
		}
	}
}

func TestInfiniteValuesBreakTheLimitTheyAreBeyond(t *testing.T) {
	c := made(t, []float64{math.Inf(1), 1, math.Inf(-1)})
	if r := one(t, c, "metric = 'n'\nper = 'sample'\nmax = 5"); r.Verdict != Broken || r.Over != 1 ||
		!math.IsInf(r.Worst, 1) {
		t.Errorf("max: %s, %d over, %v", r.Verdict, r.Over, r.Worst)
	}
	if r := one(t, c, "metric = 'n'\nper = 'sample'\nmin = -5"); r.Verdict != Broken || r.Over != 1 ||
		!math.IsInf(r.Worst, -1) {
		t.Errorf("min: %s, %d over, %v", r.Verdict, r.Over, r.Worst)
	}
	if r := one(t, c, "metric = 'n'\nper = 'sample'\nstatistic = 'mean'\nmax = 5"); r.Verdict != NotJudged {
		t.Errorf("mean of infinities of both signs: %s", r.Verdict)
	}
	c = made(t, []float64{math.Inf(1), math.Inf(-1), 1}, withRegions(capture.Region{Name: "a", Start: 0, End: 10e6},
		capture.Region{Name: "a", Start: 10e6, End: 20e6}, capture.Region{Name: "b", Start: 20e6, End: 30e6}))
	if r := one(t, c, "metric = 'n'\nper = 'region'\nstatistic = 'mean'\nmax = 5\nmissing = 'skip'"); r.Verdict !=
		NotJudged || r.Why == "" {
		t.Errorf("one region without a mean: %s (%s)", r.Verdict, r.Why)
	}
}

func TestMistakesThatACaptureShowsNameTheirLine(t *testing.T) {
	c := made(t, []float64{1})
	for text, want := range map[string]string{
		"[[limit]]\nmax = 1\nmetric = 'nn'":                   `b.toml:3: `,
		"[[limit]]\nmax = 1\nexpr = 'n +'":                    `b.toml:3: `,
		"[[limit]]\nmax = 1\nexpr = 'n + absent'":             `b.toml:3: `,
		"[[limit]]\nmetric = 'n'\nmax = '3ms'":                `b.toml:3: "3ms" is in ms, the counter is in bytes`,
		"[[limit]]\nmetric = 'level'\nmax = '3%/s'":           `b.toml:3: `, // only what adds up has a rate
		"[[limit]]\nmetric = 'n'\nmax = 'much'":               `b.toml:3: "much" is no quantity`,
		"[[limit]]\nmetric = 'n'\nmax = '1e999'":              `b.toml:3: `,
		"[[limit]]\nmetric = 'n'\nmax = 1\nmin = '2'":         `b.toml:4: min is greater than max`,
		"[[limit]]\nmetric = 'n'\nmax = '1B'\nmin = '2kB/s'":  `b.toml:4: `,
		"[[limit]]\nmetric = 'duration'\nmax = '3%'":          `b.toml:3: `,
		"\ngpu = 'gfx1151'\n[[limit]]\nmetric = 'n'\nmax = 1": `b.toml:2: the budget is for gfx1151, the capture is of an unknown GPU`,
	} {
		_, err := Judge(t.Context(), parse(t, text), c, nil)
		var at *Error
		if err == nil || !strings.HasPrefix(err.Error(), want) || !errors.As(err, &at) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	_, err := Judge(t.Context(), parse(t, "[[limit]]\nmetric = 'x1'\nmax = 1\n[[limit]]\nmetric = 'x2'\nmax = 1"), c,
		nil)
	if err == nil || !strings.Contains(err.Error(), "b.toml:2") || !strings.Contains(err.Error(), "b.toml:5") {
		t.Errorf("%v, want both mistakes", err)
	}
}

func TestSumsThatLackSamplesSaySo(t *testing.T) {
	c := made(t, []float64{1, nan, 3})
	if r := one(t, c, "metric = 'n'\nmax = 4"); r.Verdict != Kept || len(r.Notes) != 1 ||
		!strings.Contains(r.Notes[0], "1 of 3 samples") {
		t.Errorf("%s, %q", r.Verdict, r.Notes)
	}
	if r := one(t, c, "metric = 'ones'\nmax = 4"); len(r.Notes) != 0 {
		t.Errorf("%q", r.Notes)
	}
}

// "2GB/s" was refused for every metric in bytes, such as those of Mali, because only counters had a rate.
func TestLimitsPerSecondHoldOnWhateverAddsUp(t *testing.T) {
	c := made(t, []float64{1e6, 2e6, nan, 3e6})
	for _, x := range []struct {
		limit string
		worst float64
		unit  string
	}{
		{"metric = 'n'\nmax = '2GB/s'", 2e8, "bytes/s"}, // 6 MB in the 30 ms that have a value
		{"metric = 'n'\nmax = '200 MB per second'", 2e8, "bytes/s"},
		{"metric = 'n'\nper = 'sample'\nmissing = 'skip'\nmax = '0.2GB/s'", 3e8, "bytes/s"},
		{"expr = 'n * 2'\nunit = 'bytes'\nmax = '1GiB/s'", 4e8, "bytes/s"},
		{"expr = 'n * 2'\nunit = 'bytes'\nper = 'sample'\nmissing = 'skip'\nmax = '1GiB/s'", 6e8, "bytes/s"},
		{"metric = 'n'\nmax = '10 MiB'", 6e6, "bytes"},
		{"metric = 'duration'\nmax = '1h'", 0.04, "s"},
	} {
		r := one(t, c, x.limit)
		if math.Abs(r.Worst/x.worst-1) > 1e-9 || r.Unit != x.unit {
			t.Errorf("%s: worst %v %s (%s), want %v %s", x.limit, r.Worst, r.Unit, r.Verdict, x.worst, x.unit)
		}
	}
	for _, limit := range []string{
		"expr = 'n / ones'\nunit = 'bytes'\nmax = '2GB/s'", // an average is no amount
		"metric = 'level'\nmax = '2GB/s'",
		"metric = 'n'\nmax = '2GHz'",
	} {
		b, err := Parse("b.toml", []byte("[[limit]]\n"+limit))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Judge(t.Context(), b, c, nil); err == nil || !strings.Contains(err.Error(), "the counter is in") {
			t.Errorf("%s: %v", limit, err)
		}
	}
}

func TestOnlyGapsMakeASumLackEvents(t *testing.T) {
	span := []capture.Gap{{Start: 10e6, End: 20e6, Lost: 1}}
	gaps := made(t, []float64{1, 2, 3}, func(c *capture.Config) { c.Gaps = span })
	late := made(t, []float64{1, 2, 3}, func(c *capture.Config) { c.Late = span })
	for _, x := range []struct {
		c           *capture.Capture
		limit, note string
	}{
		{gaps, "metric = 'n'\nmax = 9", "gaps, whose events sums lack"}, {late, "metric = 'n'\nmax = 9", ""},
		{gaps, "metric = 'n'\nper = 'sample'\nmax = 9", ""},
		{late, "metric = 'n'\nper = 'sample'\nmax = 9", "events of several ticks"},
		{late, "metric = 'level'\nper = 'sample'\nmax = 9", ""},
	} {
		if said := strings.Join(one(t, x.c, x.limit).Notes, "\n"); said == "" != (x.note == "") ||
			!strings.Contains(said, x.note) {
			t.Errorf("%q with %d late spans says %q, want %q", x.limit, len(x.c.Late), said, x.note)
		}
	}
}

func TestBreaksAreRunsOfNeighbours(t *testing.T) {
	c := made(t, []float64{9, 1, 7, 8, 1, nan, 6})
	r := one(t, c, "metric = 'n'\nper = 'sample'\nmax = 5\nmissing = 'skip'")
	var got []string
	for _, b := range r.Breaks() {
		got = append(got, fmt.Sprintf("%d-%d x%d worst %v, %d-%d ms", b.First, b.Last, b.Count, b.Worst,
			b.Start/1e6, b.End/1e6))
	}
	if want := []string{"0-0 x1 worst 9, 0-10 ms", "2-3 x2 worst 8, 20-40 ms",
		"6-6 x1 worst 6, 60-70 ms"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if s := r.Spans(c, 11e6); len(s) != 2 || s[0].Start != 0 || s[0].End != 40e6 || s[1].Start != 60e6 {
		t.Errorf("spans %v", s)
	}
	if s := r.Spans(c, 10e6); len(s) != 3 {
		t.Errorf("spans a gap of 10 ms apart: %v", s)
	}
	if r := one(t, c, "metric = 'n'\nper = 'sample'\nmax = 50\nmissing = 'skip'"); r.Breaks() != nil {
		t.Errorf("%v breaks a limit that is kept", r.Breaks())
	}
}

func TestBreaksOfALabelAreWhereItsSamplesAre(t *testing.T) {
	c := made(t, []float64{9, 1, 9, 1, 9, 9}, withLabel("kernel", "a", "b", "a", "b", "b", "a"))
	r := one(t, c, "metric = 'n'\nper = 'kernel'\nmax = 20")
	s := r.Spans(c, 0)
	if len(r.Breaks()) != 1 || len(s) != 3 || s[0].Start != 0 || s[1].Start != 20e6 || s[2].Start != 50e6 {
		t.Errorf("%v, %v", r.Breaks(), s)
	}
}

// Budgets once cut a frame in two where samples of the next one lay within it.
func TestFramesInFlightAreJudgedWhole(t *testing.T) {
	c := made(t, []float64{9, 1, 9, 1, 9, 9}, withLabel("frame", "0", "0", "1", "0", "1", "1"))
	r := one(t, c, "metric = 'n'\nper = 'frame'\nmax = 20")
	if !slices.Equal(r.Values, []float64{11, 27}) {
		t.Errorf("%v", r.Values)
	}
	if s := r.Spans(c, 0); len(s) != 1 || s[0].Start != 20e6 || s[0].End != 60e6 {
		t.Errorf("%v", s)
	}
	if r := one(t, c, "metric = 'duration'\nper = 'frame'\nmax = '39ms'"); r.Over != 2 {
		t.Errorf("%d over, %v", r.Over, r.Values)
	}
}

func TestAStatisticBreaksInItsOwnGroupOnly(t *testing.T) {
	c := made(t, []float64{9, 1, 9, 9},
		withRegions(capture.Region{Name: "a", Start: 0, End: 10e6}, capture.Region{Name: "a", Start: 10e6, End: 20e6},
			capture.Region{Name: "b", Start: 20e6, End: 30e6}, capture.Region{Name: "b", Start: 30e6, End: 40e6}))
	r := one(t, c, "metric = 'n'\nper = 'region'\nstatistic = 'mean'\nmax = 6")
	if b := r.Breaks(); len(b) != 1 || b[0].First != 2 || b[0].Last != 3 {
		t.Errorf("%v, want only those of b", b)
	}
}

// A label whose values have one run of samples each is judged by bins, another one by a capture of each value.
func TestRunsAndGroupsOfALabelGiveTheSame(t *testing.T) {
	values := []float64{5, 1, 2, 8, 3, 7}
	runs := made(t, values, withLabel("k", "a", "a", "b", "b", "c", "c"))
	groups := made(t, []float64{5, 2, 1, 8, 3, 7}, withLabel("k", "a", "b", "a", "b", "c", "c"))
	for _, limit := range []string{"metric='n'\nmax=9", "metric='level'\nmin=4", "expr='100*n/ones'\nmax=450",
		"metric='n'\nmax='450B/s'", "metric='duration'\nmax='19ms'"} {
		a, b := one(t, runs, limit+"\nper='k'"), one(t, groups, limit+"\nper='k'")
		if a.Parts.bins == nil || b.Parts.caps == nil {
			t.Fatal("not two ways")
		}
		if a.Verdict != b.Verdict || !slices.EqualFunc(a.Values, b.Values, near) || a.Over != b.Over {
			t.Errorf("%q: %s %v, %s %v", limit, a.Verdict, a.Values, b.Verdict, b.Values)
		}
	}
}
