package export

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// game is 12 samples of 10 ms in two frames and a half, with a kernel that comes back, and a value that is missing.
func game(t *testing.T) *capture.Capture {
	t.Helper()
	a := capture.NewUniformAxis(12, 10e6)
	column := func(v ...float64) *capture.Column { return capture.NewColumn(capture.Data{F: v}) }
	busy := make([]float64, 12)
	all := make([]uint64, 12)
	frames, kernels := make([]string, 12), make([]string, 12)
	for i := range busy {
		busy[i], all[i] = float64(i*i), uint64(100+i)
		frames[i] = []string{"7", "8", ""}[i/5]
		kernels[i] = []string{"a", "b"}[i/2%2]
	}
	busy[3] = math.NaN()
	whole := &capture.Counter{Meta: capture.Meta{Name: "reads", Unit: "bytes"}, Axis: a}
	for _, id := range []string{"0", "2"} {
		whole.AddInstance(&capture.Counter{Meta: capture.Meta{Name: "reads[" + id + "]", Unit: "bytes", Instance: id}, Axis: a,
			Col: capture.NewColumn(capture.Data{U: slices.Clone(all)})})
	}
	c, err := capture.New(capture.Config{Name: "game", Axis: a, Counters: []*capture.Counter{
		{Meta: capture.Meta{Name: "busy", Title: "Busy cycles", Unit: "cycles"}, Axis: a, Col: column(busy...),
			Reasons: []capture.ReasonRun{{From: 3, To: 4, Reason: capture.Reason{Code: capture.PowerGated, Text: "it was off"}}}},
		{Meta: capture.Meta{Name: "all", Unit: "cycles"}, Axis: a, Col: capture.NewColumn(capture.Data{U: all})},
		{Meta: capture.Meta{Name: "clock", Unit: "Hz", Kind: capture.Gauge}, Axis: a, Col: column(busy...)},
		whole,
	}, Labels: []*capture.Label{capture.NewLabel("frame", frames, nil), capture.NewLabel("kernel", kernels, nil)}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func defined(t *testing.T) []*metrics.Entry {
	t.Helper()
	var out []*metrics.Entry
	for _, d := range [][2]string{{"load", "100 * busy / all"}, {"twice", "2 * busy"}, {"odd", "max(busy, all)"},
		{"none", "busy / 0"}, {"per_core", "reads / 2 + 0"}} {
		e, err := metrics.NewDefinition("", d[0], d[1], strings.ToUpper(d[0]), "percent", "")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func view(t *testing.T, opt Options) *capture.Capture {
	t.Helper()
	opt.Defined = defined(t)
	c, err := View(context.Background(), game(t), opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func names(c *capture.Capture) (out []string) {
	for _, ctr := range c.Counters {
		out = append(out, ctr.Name)
	}
	return out
}

func TestAMetricOverAStretchIsTheRatioOfItsTotals(t *testing.T) {
	for _, x := range []struct {
		opt  Options
		want []float64
	}{
		// 0 to 3 (the last has no value), 4 to 7, 8 to 11
		{Options{Resample: 40e6}, []float64{100 * 5. / 303, 100 * (16 + 25 + 36 + 49) / 422., 100 * (64 + 81 + 100 + 121) / 438.}},
		{Options{By: "frame"}, []float64{100 * (1 + 4 + 16) / 407., 100 * (25 + 36 + 49 + 64 + 81) / 535.}},
		{Options{By: "kernel"}, []float64{100 * (1 + 16 + 25 + 64 + 81) / 627., 100 * (4 + 36 + 49 + 100 + 121) / 536.}},
		{Options{By: "label:kernel"}, []float64{100 * (1 + 16 + 25 + 64 + 81) / 627., 100 * (4 + 36 + 49 + 100 + 121) / 536.}},
	} {
		x.opt.Metrics = []string{"load"}
		got := view(t, x.opt).Counter("load")
		if !slices.Equal(got.Floats(), x.want) {
			t.Errorf("%+v: %v, want %v", x.opt, got.Floats(), x.want)
		}
		if got.Kind != capture.Gauge || got.Expr == "" || got.Unit != "percent" || got.Der != nil ||
			len(got.Warnings) == 0 || !strings.Contains(got.Warnings[len(got.Warnings)-1], "mean over time") {
			t.Errorf("%+v: it is %+v, warnings %q", x.opt, got.Meta, got.Warnings)
		}
	}
}

// Metrics that add up are counts, whatever the values are.
func TestWhatAddsUpIsACount(t *testing.T) {
	for _, opt := range []Options{{}, {Resample: 20e6}, {By: "frame"}} {
		opt.Metrics = []string{"*"}
		c := view(t, opt)
		for name, want := range map[string]capture.Kind{"load": capture.Gauge, "twice": capture.Delta, "odd": capture.Gauge,
			"none": capture.Gauge, "per_core": capture.Delta} {
			if got := c.Counter(name); got.Kind != want {
				t.Errorf("%+v: %s is a %s, want %s", opt, name, got.Kind, want)
			}
		}
	}
	c := view(t, Options{Metrics: []string{"*"}})
	if total := c.Counter("twice").Total().Float(); total != 2*(506-9) {
		t.Errorf("the total of what adds up is %v", total)
	}
}

func TestMissingValuesKeepTheirReasons(t *testing.T) {
	c := view(t, Options{Metrics: []string{"twice", "none"}})
	for i := range c.Len() {
		why, missing := c.Counter("twice").Why(i)
		if missing != (i == 3) || missing && !strings.Contains(why.String(), "it was off") {
			t.Errorf("sample %d of twice is missing: %t, because %q", i, missing, why)
		}
	}
	if r := c.Counter("none").Reasons; len(r) != 1 || r[0].To != 12 || r[0].Reason.Code != capture.ZeroDenominator {
		t.Errorf("none is missing because %v", r)
	}
}

func TestCountersAreChosenByNamesAndGlobs(t *testing.T) {
	for _, x := range []struct {
		opt  Options
		want string
	}{
		{Options{}, "busy all clock reads"},
		{Options{Metrics: []string{"load"}}, "load"},
		{Options{Metrics: []string{"load", "clock"}}, "load clock"},
		{Options{Metrics: []string{"T*", "lo?d"}}, "twice load"},
		{Options{Metrics: []string{"load"}, Select: []string{"*"}}, "load busy all clock reads"},
		{Options{Select: []string{"busy c*"}}, "busy"},
		{Options{Select: []string{"reads[2]", "all"}}, "all reads"},
		{Options{Metrics: []string{"load"}, By: "kernel"}, "kernel_duration kernel_samples load"},
		{Options{By: "frame"}, "frame_duration busy all clock reads"},
	} {
		c := view(t, x.opt)
		if got := strings.Join(names(c), " "); got != x.want {
			t.Errorf("%+v: %s, want %s", x.opt, got, x.want)
		}
	}
	reads := view(t, Options{Select: []string{"reads[2]"}}).Counter("reads")
	if len(reads.Instances) != 1 || reads.Instances[0].Meta.Instance != "2" {
		t.Errorf("one instance is %v", reads.Instances)
	}
	cores := view(t, Options{Metrics: []string{"per_core"}, Instances: true}).Counter("per_core")
	if len(cores.Instances) != 2 || cores.Instances[1].Name != "per_core[2]" || cores.Instances[1].Floats()[1] != 101/2. {
		t.Errorf("instances %v", cores.Instances)
	}
}

func TestWhatMakesNoSenseIsAnError(t *testing.T) {
	for want, opt := range map[string]Options{
		"choose one":               {Resample: 1, By: "frame"},
		"frame, kernel, label":     {By: "region"},
		"must be positive":         {Resample: -1},
		"instances of no metrics":  {Instances: true},
		"nothing*":                 {Metrics: []string{"nothing*"}},
		"none?":                    {Select: []string{"none?"}},
		"did you mean":             {Metrics: []string{"lod"}},
		"no counter that was":      {Select: []string{"twice"}},
		"no label \"x\"":           {By: "label:x"},
		"no catalogue has metrics": {Metrics: []string{All}},
		"choose a longer period":   {Resample: 1000},
	} {
		if want != "no catalogue has metrics" {
			opt.Defined = defined(t)
		}
		c := game(t)
		if want == "choose a longer period" {
			end := slices.Clone(c.Axis.End)
			end[11] = 1 << 40
			axis := &capture.Axis{Start: c.Axis.Start, End: end}
			var err error
			if c, err = c.OnAxis(axis); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := View(context.Background(), c, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", opt, err, want)
		}
	}
}

func TestNothingAskedForIsTheCaptureItself(t *testing.T) {
	c := game(t)
	if got, err := View(context.Background(), c, Options{}); got != c || err != nil {
		t.Errorf("got another capture, or error %v", err)
	}
}
