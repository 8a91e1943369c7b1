package budget

import (
	"bytes"
	"encoding/xml"
	"math"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/buildserver"
)

func TestJUnitHasACaseForEveryLimit(t *testing.T) {
	c := made(t, []float64{1, 2}, func(cfg *capture.Config) {
		cfg.Counters[1].Col = capture.NewColumn(capture.Data{F: []float64{nan, nan}})
	})
	b := parse(t,
		"[[limit]]\nmetric='n'\nmax=3\n[[limit]]\nname='<x & y>'\nmetric='n'\nmax=2\n[[limit]]\nmetric='level'\nmax=2\n[[limit]]\nmetric='level'\nmax=2\nmissing='skip'")
	j, err := Judge(t.Context(), b, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Judge(t.Context(), parse(t, "[[limit]]\nmetric='level'\nmax=2\nmissing='skip'"), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Results([]*Judgement{j, all}).WriteJUnit(&out); err != nil {
		t.Fatal(err)
	}
	var got buildserver.Suites
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 6 || got.Failures != 1 || got.Errors != 2 || got.Skipped != 2 || len(got.Suites) != 2 {
		t.Fatalf("%d tests, %d failures, %d errors, %d skipped in %d suites", got.Tests, got.Failures, got.Errors,
			got.Skipped, len(got.Suites))
	}
	s := got.Suites[0]
	if s.Name != "b.toml: made.arrow" || s.Tests != 4 || s.Failures != 1 || s.Errors != 1 || s.Skipped != 1 {
		t.Errorf("suite %+v", s)
	}
	k := s.Cases
	if k[0].Failure != nil || k[0].Error != nil || k[0].Skipped != nil || k[0].Line != 1 || k[0].File != "b.toml" {
		t.Errorf("kept: %+v", k[0])
	}
	if k[1].Failure == nil || !strings.Contains(k[1].Failure.Message, "3 B, limit ≤ 2 B") ||
		!strings.Contains(k[1].Name, "<x & y>") || k[1].Line != 4 {
		t.Errorf("broken: %+v", k[1])
	}
	if k[2].Error == nil || k[3].Skipped == nil {
		t.Errorf("missing: %+v %+v", k[2], k[3])
	}
	if last := got.Suites[1].Cases; len(last) != 2 || last[1].Error == nil || last[1].Error.Message != NothingJudged {
		t.Errorf("nothing judged: %+v", last)
	}
}

func TestAStartingBudgetIsKeptByItsCapture(t *testing.T) {
	axis := capture.NewUniformAxis(40, 10e6)
	names := []string{"page_faults", "cpu_user", "cpu_nice", "cpu_system", "cpu_irq", "cpu_softirq", "cpu_steal",
		"cpu_idle", "cpu_iowait", "cycles", "instructions"}
	cfg := capture.Config{Name: "x", Path: "folder/x\n\"y\".arrow", GPU: "cpu", Axis: axis}
	for k, n := range names {
		v := make([]uint64, 40)
		for i := range v {
			v[i] = uint64(1e6 + 1000*k + 77*i)
		}
		cfg.Counters = append(cfg.Counters,
			&capture.Counter{Meta: capture.Meta{Name: n}, Axis: axis, Col: capture.NewColumn(capture.Data{U: v})})
	}
	for i := range 10 {
		cfg.Regions = append(cfg.Regions,
			capture.Region{Name: "frame", Start: int64(i) * 40e6, End: int64(i)*40e6 + 30e6 + int64(i)*1e6})
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, margin := range []float64{0, 0.1, 2} {
		text, err := Starting(c, margin)
		if err != nil {
			t.Fatal(err)
		}
		j, err := Judge(t.Context(), parse(t, text), c, nil)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if !j.OK() || j.Count(Kept) != len(j.Results) || len(j.Results) < 3 || j.Budget.GPU != "cpu" {
			t.Errorf("margin %v: %d of %d kept\n%s", margin, j.Count(Kept), len(j.Results), text)
		}
		if !strings.Contains(text, "metric = \"duration\"") ||
			!strings.Contains(text, "metric = \"page_fault_rate\"\nmax") ||
			!strings.Contains(text, "metric = \"ipc\"\nmin") {
			t.Errorf("no frame time, or no limit in the right direction for ipc or page faults in\n%s", text)
		}
	}
	if _, err := Starting(made(t, []float64{1}), 0.1); err == nil {
		t.Error("a capture without catalogue and frames gives a budget")
	}
}

func TestNumbersOfAStartingBudgetAreRoundedOutward(t *testing.T) {
	for _, c := range []struct {
		v    float64
		up   bool
		want float64
	}{{1234, true, 1240}, {1234, false, 1230}, {0.012345, true, 0.0124}, {0.012345, false, 0.0123}, {100, true, 100},
		{100, false, 100}, {-1234, true, -1230}, {0, true, 0}, {99.96, true, 100}, {0.02 * 1.1, true, 0.022},
		{0.07 * 10, false, 0.7}} {
		if got := outward(c.v, c.up); got != c.want {
			t.Errorf("%v (%v): %v, want %v", c.v, c.up, got, c.want)
		}
	}
	for _, v := range []float64{math.MaxFloat64, math.SmallestNonzeroFloat64, 1e-300, 7.7e22} {
		if up, down := outward(v, true), outward(v, false); !(up >= v-equal*v) || !(down <= v+equal*v) {
			t.Errorf("%v: %v and %v", v, down, up)
		}
	}
}

func TestAValueThatReadsLikeItsLimitSaysByHowMuchItIsBeyond(t *testing.T) {
	c := made(t, []float64{100000.4})
	if r := one(t, c, "metric='level'\nmax=100000.3"); r.Verdict != Broken ||
		!strings.Contains(r.ValueText(), "beyond") {
		t.Errorf("%s, %q of %q", r.Verdict, r.ValueText(), r.LimitText())
	}
	if r := one(t, c, "metric='level'\nmax=100000.4"); r.Verdict != Kept || strings.Contains(r.ValueText(), "beyond") {
		t.Errorf("%s, %q of %q", r.Verdict, r.ValueText(), r.LimitText())
	}
}

// FuzzBudget holds a small capture against any file: nothing panics, and verdicts agree with the numbers beside them.
func FuzzBudget(f *testing.F) {
	for _, s := range []string{
		"[[limit]]\nmetric = 'n'\nmax = 3",
		"[[limit]]\nexpr = 'n / ones'\nmin = '2%'\nunit = 'percent'\nper = 'frame'\nallow = '10%'",
		"title = 'x'\ngpu = 'cpu'\nlimit = [{metric = 'level', max = '1e3', per = 'k', of = ['a', 'b*']}]",
		"[[limit]]\nmetric = 'duration'\nper = 'sample'\nstatistic = 'p99.9'\nmax = '16.6ms'\nmissing = 'skip'",
		"[[limit]]\nmetric = 'n'\nper = 'region'\nmax = '1kB/s'\nstatistic = 'mean'", "[[limit]\n", "[limit]\nx.y = 1",
		"limit = [[]]", "[[limit]]\n[[limit.x]]\n[limit.x.y]\nz=1",
	} {
		f.Add(s)
	}
	c := made(f, []float64{1, nan, 3, math.Inf(1), 0, 6},
		withRegions(capture.Region{Name: "frame 0", Start: 0, End: 20e6},
			capture.Region{Name: "frame 1", Start: 20e6, End: 60e6}),
		withLabel("k", "a", "b", "a", "", "b", "b"))
	f.Fuzz(func(t *testing.T, text string) {
		b, err := Parse("f", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Fatalf("no position: %v", err)
			}
			return
		}
		j, err := Judge(t.Context(), b, c, nil)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Fatalf("no position: %v", err)
			}
			return
		}
		for _, r := range j.Results {
			over := 0
			for _, v := range r.Values {
				if r.Beyond(v) {
					over++
				}
			}
			if r.Groups == nil && over != r.Over {
				t.Errorf("%d values beyond the limit, %d counted", over, r.Over)
			}
			if broken := r.Over > r.Allowed; broken != (r.Verdict == Broken) {
				t.Errorf("%s with %d of %d beyond and %d allowed", r.Verdict, r.Over, r.Judged, r.Allowed)
			}
			if r.Verdict == Kept && r.Judged == 0 {
				t.Error("kept, and nothing was judged")
			}
			if (r.Verdict == NotJudged || r.Verdict == Skipped) && r.Why == "" {
				t.Error("no reason")
			}
			if r.Sentence() == "" || r.LimitText() == "" {
				t.Error("nothing to say")
			}
			r.Breaks()
		}
		if err := Results([]*Judgement{j}).WriteJUnit(new(bytes.Buffer)); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkAMillionSamplesByFrame(b *testing.B) {
	v := make([]float64, 1e6)
	for i := range v {
		v[i] = float64(i % 1000)
	}
	c := made(b, v, func(cfg *capture.Config) {
		for i := 0; i < len(v); i += 16 {
			cfg.Regions = append(cfg.Regions,
				capture.Region{Name: "frame", Start: int64(i) * 10e6, End: int64(i+16) * 10e6})
		}
	})
	x, err := Parse("b",
		[]byte(
			"[[limit]]\nmetric='n'\nper='frame'\nmax=9000\n[[limit]]\nexpr='n/ones'\nper='frame'\nmax=500\nallow='1%'\n[[limit]]\nmetric='level'\nper='sample'\nstatistic='p99'\nmax=10\n[[limit]]\nmetric='duration'\nper='frame'\nmax='16ms'"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		j, err := Judge(b.Context(), x, c, nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range j.Results {
			r.Spans(c, 1)
		}
	}
}
