package capture

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func ints(v ...uint64) *Column    { return NewColumn(Data{U: v}) }
func floats(v ...float64) *Column { return NewColumn(Data{F: v}) }

var nan = math.NaN()

func newCapture(t testing.TB, axis *Axis, counters ...*Counter) *Capture {
	t.Helper()
	for _, c := range counters {
		c.Axis = axis
		for _, in := range c.Instances {
			in.Axis = axis
		}
	}
	c, err := New(Config{Name: "test", Axis: axis, Counters: counters})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func delta(name string, col *Column) *Counter {
	return &Counter{Meta: Meta{Name: name, Kind: Delta}, Col: col}
}

func gauge(name string, col *Column) *Counter {
	return &Counter{Meta: Meta{Name: name, Kind: Gauge}, Col: col}
}

// randomCapture has uneven intervals, gaps, missing values and both kinds of counters.
func randomCapture(t testing.TB, n int, seed uint64) *Capture {
	r := rand.New(rand.NewPCG(seed, 1))
	a := &Axis{}
	now := int64(r.IntN(1000))
	u, f, g := make([]uint64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		if r.IntN(10) == 0 {
			now += int64(r.IntN(5000))
		}
		a.Start = append(a.Start, now)
		now += int64(1 + r.IntN(1000))
		a.End = append(a.End, now)
		u[i] = r.Uint64N(1 << 40)
		f[i] = r.Float64()
		if r.IntN(20) == 0 {
			f[i] = nan
		}
		g[i] = float64(r.IntN(100))
	}
	return newCapture(t, a, delta("u", ints(u...)), delta("f", floats(f...)), gauge("g", floats(g...)))
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestResamplingKeepsTotalsWhateverThePeriod(t *testing.T) {
	for seed := range uint64(20) {
		c := randomCapture(t, 200, seed)
		for _, period := range []int64{1, 7, 100, 999, 5000, 1e6} {
			r, err := c.Resample(period)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"u", "f"} {
				near(t, name, r.Counter(name).Total().Float(), c.Counter(name).Total().Float())
			}
			near(t, "g", r.Counter("g").Total().Float(), c.Counter("g").Total().Float())
			if d := r.Axis.Measured() - c.Axis.Measured(); d < -int64(r.Len()) || d > int64(r.Len()) {
				t.Errorf("period %d: measured time changed by %d ns", period, d)
			}
		}
	}
}

func TestResamplingSharesASampleOutByOverlap(t *testing.T) {
	a := &Axis{Start: []int64{0, 10}, End: []int64{10, 20}}
	c := newCapture(t, a, delta("d", ints(100, 50)), gauge("g", floats(2, 4)))
	r, err := c.Resample(4)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{40, 40, 20 + 10, 20, 20}
	wantG := []float64{2, 2, 3, 4, 4}
	for i, v := range r.Counter("d").Floats() {
		near(t, "delta", v, want[i])
		near(t, "gauge", r.Counter("g").Floats()[i], wantG[i])
	}
}

func TestResamplingAtSampleEdgesKeepsIntegersExact(t *testing.T) {
	big := uint64(1)<<60 + 1
	c := newCapture(t, NewUniformAxis(4, 10), delta("d", ints(big, big, 3, 4)))
	r, err := c.Resample(20)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := r.Counter("d").Value(0).Uint64(); !ok || v != 2*big {
		t.Errorf("first bin = %d (exact %v), want %d", v, ok, 2*big)
	}
	if r.Axis.Merged(0) != 2 {
		t.Errorf("first bin merges %v samples, want 2", r.Axis.Merged(0))
	}
}

func TestResamplingLeavesGapsOut(t *testing.T) {
	a := &Axis{Start: []int64{0, 1e12}, End: []int64{10, 1e12 + 10}}
	c := newCapture(t, a, delta("d", ints(1, 2)))
	r, err := c.Resample(10)
	if err != nil {
		t.Fatal(err)
	}
	if r.Len() != 2 {
		t.Errorf("%d samples, want the 2 that hold data", r.Len())
	}
}

func TestResamplingOverlappingSamplesKeepsTotals(t *testing.T) {
	a := &Axis{Start: []int64{0, 2, 4, 50}, End: []int64{100, 5, 6, 70}}
	c := newCapture(t, a, delta("d", ints(1000, 30, 20, 40)))
	r, err := c.Resample(10)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "total", r.Counter("d").Total().Float(), 1090)
	near(t, "first bin", r.Counter("d").Floats()[0], 100+30+20)
}

func TestSlicesPartitionTheSamples(t *testing.T) {
	for seed := range uint64(10) {
		c := randomCapture(t, 100, seed)
		mid := c.Axis.Start[40] + 3
		first, err := c.Slice(math.MinInt64, mid)
		if err != nil {
			t.Fatal(err)
		}
		second, err := c.Slice(mid, math.MaxInt64)
		if err != nil {
			t.Fatal(err)
		}
		if first.Len()+second.Len() != c.Len() {
			t.Fatalf("%d + %d samples, want %d", first.Len(), second.Len(), c.Len())
		}
		near(t, "sum of the slices", first.Counter("f").Sum().Float()+second.Counter("f").Sum().Float(),
			c.Counter("f").Sum().Float())
	}
}

func TestRollingEqualsTheDirectSum(t *testing.T) {
	c := randomCapture(t, 3000, 5)
	f := c.Counter("f")
	for _, window := range []int64{1, 700, 40000, 1 << 40} {
		r, err := f.Rolling(window)
		if err != nil {
			t.Fatal(err)
		}
		got := r.Floats()
		for i := 0; i < c.Len(); i += 37 {
			t0 := min(c.Axis.End[i]-window, c.Axis.Start[i])
			sum, n := 0.0, 0
			for k := 0; k <= i; k++ {
				s, e := c.Axis.Start[k], c.Axis.End[k]
				if e <= t0 || math.IsNaN(f.Floats()[k]) {
					continue
				}
				sum += f.Floats()[k] * float64(e-max(s, t0)) / float64(e-s)
				n++
			}
			if n == 0 {
				sum = nan
			}
			near(t, "window", got[i], sum)
		}
		near(t, "total", r.Total().Float(), f.Total().Float())
	}
}

func TestSumsOfIntegersAreExactBeyondADouble(t *testing.T) {
	c := newCapture(t, NewUniformAxis(3, 1), delta("d", ints(1<<63, 1<<63, 1<<53+1)))
	if got := c.Counter("d").Sum().Big().String(); got != "18455751272964292609" {
		t.Errorf("sum = %s", got)
	}
}

func TestInstancesAddUpAndAMissingOneMakesTheSumMissing(t *testing.T) {
	inst := func(id string, d Data, reasons ...ReasonRun) *Counter {
		return &Counter{Meta: Meta{Name: "x[" + id + "]", Instance: id}, Col: NewColumn(d), Reasons: reasons}
	}
	valid := NewBitmap(3)
	valid.Clear(1)
	off := NewBitmap(3)
	off.Clear(2)
	x := &Counter{Meta: Meta{Name: "x"}, Instances: []*Counter{
		inst("0", Data{U: []uint64{1 << 60, 5, 7}, Valid: valid}),
		inst("5", Data{U: []uint64{1, 6, 8}, Valid: off}, ReasonRun{2, 3, Reason{PowerGated, ""}}),
	}}
	newCapture(t, NewUniformAxis(3, 10), x)
	if v, ok := x.Value(0).Uint64(); !ok || v != 1<<60+1 {
		t.Errorf("sum of the instances = %d, want %d", v, uint64(1<<60+1))
	}
	if !x.Value(1).Missing() {
		t.Errorf("sample with an unknown instance = %v, want missing", x.Value(1).Float())
	}
	near(t, "sample with a powered-off instance", x.Value(2).Float(), 7)
	if x.Instance("5") == nil || x.Instance("4") != nil {
		t.Error("instances are not found by their physical id")
	}
}

func TestMissingValuesAreNeitherZeroNorCounted(t *testing.T) {
	c := newCapture(t, NewUniformAxis(4, 10), delta("f", floats(1, nan, 3, nan)),
		delta("none", floats(nan, nan, nan, nan)))
	f := c.Counter("f")
	near(t, "mean", f.Mean().Float(), 2)
	if f.Count() != 2 {
		t.Errorf("count = %d, want 2", f.Count())
	}
	none := c.Counter("none")
	for name, v := range map[string]Value{"sum": none.Sum(), "mean": none.Mean(), "min": none.Min(), "max": none.Max(),
		"std":    none.Std(),
		"median": none.Median(), "first": none.First(), "last": none.Last(), "total": none.Total()} {
		if !v.Missing() {
			t.Errorf("%s of nothing = %v, want missing", name, v.Float())
		}
	}
	if r, ok := none.Why(2); !ok || r.String() == "" {
		t.Errorf("no reason for a missing value: %v %v", r, ok)
	}
	if _, ok := f.Why(0); ok {
		t.Error("a present value has a reason for being missing")
	}
}

func TestQuantilesInterpolateLikeNumpy(t *testing.T) {
	c := newCapture(t, NewUniformAxis(5, 1), delta("f", floats(40, 10, nan, 30, 20)))
	for p, want := range map[float64]float64{0: 10, 25: 17.5, 50: 25, 95: 38.5, 100: 40} {
		near(t, "percentile", c.Counter("f").Percentile(p).Float(), want)
	}
}

func TestQuantilesEqualThoseOfASortedColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{1, 2, 3, 10, 1000, 4097} {
		for _, distinct := range []int{1, 3, 1 << 30} {
			v := make([]float64, n)
			for i := range v {
				v[i] = float64(r.IntN(distinct))
			}
			sorted := slices.Sorted(slices.Values(v))
			c := newCapture(t, NewUniformAxis(n, 1), gauge("g", floats(v...))).Counter("g")
			ps := []float64{0.99, 0, 0.5, 1, 0.95, 0.01}
			for k, q := range c.Quantiles(ps...) {
				pos := ps[k] * float64(n-1)
				i := int(pos)
				want := sorted[i]
				if i+1 < n {
					want += (pos - float64(i)) * (sorted[i+1] - sorted[i])
				}
				near(t, "quantile", q.Float(), want)
			}
		}
	}
}

func TestWhereGathersValuesReasonsAndLabels(t *testing.T) {
	a := NewUniformAxis(5, 10)
	d := delta("d", ints(1, 2, 3, 4, 5))
	d.Reasons = []ReasonRun{{1, 4, Reason{LostReports, ""}}}
	c := newCapture(t, a, d)
	c, err := c.With(func(cfg *Config) { cfg.Labels = []*Label{NewLabel("k", []string{"a", "b", "a", "b", "a"}, nil)} })
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.Where(NewMask(a, func(i int) bool { return i%2 == 0 }))
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := w.Counter("d").Total().Uint64(); v != 9 || w.Len() != 3 {
		t.Errorf("total = %d of %d samples, want 9 of 3", v, w.Len())
	}
	if r := w.Counter("d").Reasons; len(r) != 1 || r[0].From != 1 || r[0].To != 2 {
		t.Errorf("reasons = %v", r)
	}
	groups, err := c.GroupBy("k")
	if err != nil {
		t.Fatal(err)
	}
	if len(groups) != 2 || groups[0].Key != "a" || groups[0].Capture.Len() != 3 {
		t.Errorf("groups = %v", groups)
	}
	if _, err := c.GroupBy("nope"); err == nil || !strings.Contains(err.Error(), "k") {
		t.Errorf("unknown label: %v", err)
	}
}

// The frames of a menu once counted in a level that was taken out of the capture.
func TestARegionHasTheRegionsThatLieInIt(t *testing.T) {
	c := newCapture(t, NewUniformAxis(10, 100), delta("work", ints(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)))
	cfg := c.Config
	cfg.Regions = []Region{{Name: "menu", Start: 0, End: 400}, {Name: "frame 1", Start: 0, End: 400},
		{Name: "level", Start: 400, End: 1000}, {Name: "frame 2", Start: 400, End: 700}, {Name: "frame 3", Start: 700, End: 1000}}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	level, err := c.Region("level")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range level.Regions {
		names = append(names, r.Name)
	}
	if want := []string{"level", "frame 2", "frame 3"}; !slices.Equal(names, want) {
		t.Errorf("the level has the regions %q, want %q", names, want)
	}
}

func TestPassDurationsFollowTheSamples(t *testing.T) {
	a := &Axis{Start: []int64{0, 100, 200}, End: []int64{10, 110, 210}}
	p := &Pass{ID: "p1", Duration: ints(7, 8, 9)}
	d := delta("d", ints(70, 80, 90))
	d.Pass = p
	c := newCapture(t, a, d)
	c, err := c.With(func(cfg *Config) { cfg.Passes = []*Pass{p} })
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Slice(100, 300)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "sliced duration", s.Counter("d").Duration().Total().Float(), 17e-9)
	if s.Counter("d").Pass != s.Passes[0] {
		t.Error("the slice's counter and the slice's pass are different objects")
	}
	r, err := c.Resample(200)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "re-binned duration", r.Counter("d").Duration().Floats()[0], 15e-9)
}

func TestConcatMarksWhatAPartLacks(t *testing.T) {
	a := newCapture(t, NewUniformAxis(2, 10), delta("x", ints(1, 2)), delta("y", ints(5, 6)))
	b := newCapture(t, NewUniformAxis(2, 10), delta("x", ints(3, 4)))
	start := time.Unix(100, 0)
	a, _ = a.With(func(c *Config) { c.Name, c.StartTime = "a", start })
	b, _ = b.With(func(c *Config) { c.Name, c.StartTime = "b", start.Add(50) })
	c, err := Concat([]*Capture{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := c.Counter("x").Total().Uint64(); v != 10 {
		t.Errorf("total = %d, want 10", v)
	}
	if c.Axis.Start[2] != 50 || len(c.Gaps) != 1 || c.Gaps[0].End != 50 {
		t.Errorf("second part starts at %d with gaps %v, want 50 by wall clock", c.Axis.Start[2], c.Gaps)
	}
	if r, ok := c.Counter("y").Why(3); !ok || r.Code != NotCollected || !strings.Contains(r.Text, `"b"`) {
		t.Errorf("reason = %v", r)
	}
	if v, ok := c.Counter("y").Value(1).Uint64(); !ok || v != 6 {
		t.Errorf("y[1] = %d, want 6 exactly", v)
	}
	other, _ := b.With(func(c *Config) { c.GPU = "gfx1151" })
	if _, err := Concat([]*Capture{a, other}); err == nil {
		t.Error("captures of two GPUs were concatenated")
	}
}

func TestMaskAlgebraAndSpans(t *testing.T) {
	a := &Axis{Start: []int64{0, 10, 20, 100, 110}, End: []int64{10, 20, 30, 110, 120}}
	m := NewMask(a, func(i int) bool { return i >= 1 })
	spans := m.Spans(0)
	if len(spans) != 2 || spans[0] != (Span{10, 30, 1, 2}) || spans[1] != (Span{100, 120, 3, 4}) {
		t.Errorf("spans = %v: a gap in the axis must end a span", spans)
	}
	if m.Not().Count() != 1 || m.And(m.Not()).Count() != 0 || m.Or(m.Not()).Count() != 5 || m.Xor(m).Count() != 0 {
		t.Error("mask algebra is wrong")
	}
	if len(m.Spans(25)) != 0 {
		t.Error("spans shorter than the minimum were kept")
	}
}

func TestSpansGoOnAcrossSamplesThatAreToBeIgnored(t *testing.T) {
	a := NewUniformAxis(8, 10)
	a.Start[6] += 5 // a gap before the sixth sample
	on := NewMask(a, func(i int) bool { return i == 1 || i == 3 || i == 5 || i == 7 })
	across := NewMask(a, func(i int) bool { return i == 0 || i == 2 || i == 6 })
	got := on.SpansAcross(across, 0)
	want := []Span{{10, 40, 1, 3}, {50, 60, 5, 5}, {70, 80, 7, 7}}
	if !slices.Equal(got, want) {
		t.Errorf("spans = %v, want %v: an ignored sample joins its neighbours, others and gaps end a span", got, want)
	}
	if got := on.SpansAcross(across, 30); len(got) != 1 {
		t.Errorf("spans of at least 30 ns: %v", got)
	}
}

func TestNewRefusesWhatDoesNotFit(t *testing.T) {
	a := NewUniformAxis(2, 10)
	for name, counters := range map[string][]*Counter{
		"has 3 values": {{Meta: Meta{Name: "x"}, Axis: a, Col: ints(1, 2, 3)}},
		"another time": {{Meta: Meta{Name: "x"}, Axis: NewUniformAxis(2, 10), Col: ints(1, 2)}},
		"positions": {{Meta: Meta{Name: "x"}, Axis: a, Col: ints(1, 2)},
			{Meta: Meta{Name: "x"}, Axis: a, Col: ints(1, 2)}},
		"has no name": {{Axis: a, Col: ints(1, 2)}},
		"is derived":  {{Meta: Meta{Name: "x"}, Axis: a, Der: &identity{}}},
	} {
		if _, err := New(Config{Axis: a, Counters: counters}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error = %v, want one that says %q", err, name)
		}
	}
}

func TestLongGapsAndTinyPeriodsFailInsteadOfFillingMemory(t *testing.T) {
	a := &Axis{Start: []int64{0}, End: []int64{1 << 50}}
	c := newCapture(t, a, delta("d", ints(1)))
	if _, err := c.Resample(1); err == nil || !strings.Contains(err.Error(), "longer period") {
		t.Errorf("error = %v", err)
	}
}

func BenchmarkResample(b *testing.B) {
	c := randomCapture(b, 1_000_000, 1)
	b.ReportAllocs()
	for b.Loop() {
		r, err := c.Resample(10_000)
		if err != nil {
			b.Fatal(err)
		}
		r.Counter("u").Floats()
		r.Counter("g").Floats()
	}
}

func BenchmarkRolling(b *testing.B) {
	c := randomCapture(b, 1_000_000, 1)
	for b.Loop() {
		r, err := c.Counter("f").Rolling(1_000_000)
		if err != nil {
			b.Fatal(err)
		}
		r.Floats()
	}
}

func BenchmarkQuantiles(b *testing.B) {
	c := randomCapture(b, 1_000_000, 1)
	for b.Loop() {
		c.Counter("f").Quantiles(0.5, 0.95, 0.99)
	}
}

func TestWhatIsRememberedOfACaptureIsWorkedOutOnce(t *testing.T) {
	c, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	type key struct{}
	built := 0
	for range 3 {
		if got := c.Memo(key{}, func() any { built++; return 7 }); got != 7 {
			t.Errorf("remembered %v, want 7", got)
		}
	}
	if built != 1 {
		t.Errorf("built %d times", built)
	}
	other, err := c.With(func(*Config) {})
	if err != nil {
		t.Fatal(err)
	}
	if got := other.Memo(key{}, func() any { return 8 }); got != 8 {
		t.Errorf("another capture remembers %v of the first", got)
	}
}
