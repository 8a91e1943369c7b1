package i915perf_test

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/capture/metrics"
	"astrolabe/internal/testfiles"
)

// truth is the truth file of the sample recording.
type truth struct {
	Counters  map[string]struct{ Type string }
	Total     group
	Contexts  map[string]group
	Intervals struct {
		Context []string
		Start   []uint64 `json:"start_ticks"`
		End     []uint64 `json:"end_ticks"`
		Values  map[string][]float64
	}
}

type group struct {
	Intervals int
	Raw       struct {
		Time  uint64 `json:"gpu_time"`
		Clock uint64 `json:"gpu_clock"`
		A     []uint64
		B     []uint64
		C     []uint64
	}
	Values map[string]float64
}

func readTruth(t testing.TB) *truth {
	t.Helper()
	out := &truth{}
	testfiles.JSON(t, out, "vectors", "intel_sample.truth.json")
	return out
}

func open(t testing.TB, path string) *capture.Capture {
	t.Helper()
	c, err := all.Registry().Open(context.Background(), path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// check compares the totals of a capture, raw and of every metric, with the truth.
func (tr *truth) check(t *testing.T, what string, c *capture.Capture, g group) {
	t.Helper()
	raw := func(name string, want uint64) {
		if got, ok := c.Counter(name).Sum().Uint64(); !ok || got != want {
			t.Errorf("%s: %s is %d, want %d", what, name, got, want)
		}
	}
	raw("TIMESTAMP", g.Raw.Time)
	raw("GPU_TICKS", g.Raw.Clock)
	for bank, values := range map[string][]uint64{"A": g.Raw.A, "B": g.Raw.B, "C": g.Raw.C} {
		for i, v := range values {
			raw(bank+strconv.Itoa(i), v)
		}
	}
	if len(g.Values) == 0 {
		t.Errorf("%s: no values", what)
	}
	for symbol, want := range g.Values {
		m, err := metrics.Resolve(c, symbol)
		if err != nil {
			t.Fatal(err)
		}
		tr.value(t, what, symbol, m.Total().Float(), want)
	}
}

func (tr *truth) value(t *testing.T, what, symbol string, got, want float64) {
	t.Helper()
	ok := got == want
	if tr.Counters[symbol].Type == "float" {
		ok = math.Abs(got-want) <= 1e-9*math.Abs(want)
	}
	if !ok {
		t.Errorf("%s: %s is %v, want %v", what, symbol, got, want)
	}
}

func TestSampleRecordingEqualsItsTruth(t *testing.T) {
	tr := readTruth(t)
	path := testfiles.Path(t, "vectors", "intel_sample.record")
	c := open(t, path)
	if c.Format != "i915perf" || c.GPU != "intel-kbl-gt2" || c.Device.ID != "8086:5916" || c.Axis.Clock != "cpu" ||
		c.Len() != 199 {
		t.Errorf("format %s, GPU %s, device %s, clock %s, %d samples", c.Format, c.GPU, c.Device.ID,
			c.Axis.Clock, c.Len())
	}
	tr.check(t, "total", c, tr.Total)
	groups, err := c.GroupBy("context")
	if err != nil {
		t.Fatal(err)
	}
	if len(groups) != len(tr.Contexts) {
		t.Errorf("%d contexts", len(groups))
	}
	for _, g := range groups {
		want := tr.Contexts[g.Key]
		if g.Missing || g.Capture.Len() != want.Intervals {
			t.Errorf("context %s: %d samples, want %d", g.Key, g.Capture.Len(), want.Intervals)
		}
		tr.check(t, g.Key, g.Capture, want)
	}
	compared := 0
	for symbol, want := range tr.Intervals.Values {
		m, err := metrics.Resolve(c, symbol)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range m.Floats() {
			tr.value(t, "interval "+strconv.Itoa(i), symbol, v, want[i])
			compared++
		}
	}
	context, times := c.Label("context"), c.Counter("REPORT_TIME").Col.Data().U
	for i, want := range tr.Intervals.Context {
		if got, _ := context.Value(i); got != want {
			t.Errorf("interval %d is of context %q, want %q", i, got, want)
		}
		if times[i] != tr.Intervals.Start[i] ||
			c.Counter("TIMESTAMP").Col.Data().U[i] != tr.Intervals.End[i]-tr.Intervals.Start[i] {
			t.Errorf("interval %d begins at %d, want %d", i, times[i], tr.Intervals.Start[i])
		}
	}
	if compared < 199*len(tr.Total.Values) {
		t.Errorf("only %d values were compared", compared)
	}
	// Any window adds up from raw deltas.
	half := c.Duration() / 2
	var sum uint64
	for _, part := range [][2]int64{{0, half}, {half, c.Duration() + 1}} {
		s, err := c.Slice(part[0], part[1])
		if err != nil {
			t.Fatal(err)
		}
		v, _ := s.Counter("A7").Sum().Uint64()
		sum += v
	}
	if sum != tr.Total.Raw.A[7] {
		t.Errorf("A7 of both halves is %d, want %d", sum, tr.Total.Raw.A[7])
	}
}

func TestSampleRecordingSurvivesTheNativeFormat(t *testing.T) {
	tr := readTruth(t)
	ctx, dir := context.Background(), t.TempDir()
	c := open(t, testfiles.Path(t, "vectors", "intel_sample.record"))
	native, again := filepath.Join(dir, "x.arrow"), filepath.Join(dir, "x.record")
	if err := all.Registry().Save(ctx, native, "", c); err != nil {
		t.Fatal(err)
	}
	stored := open(t, native)
	if doubts := all.Registry().Doubts(again, "", stored); len(doubts) > 0 {
		t.Errorf("doubts %q", doubts)
	}
	if err := all.Registry().Save(ctx, again, "", stored); err != nil {
		t.Fatal(err)
	}
	back := open(t, again)
	tr.check(t, "written again", back, tr.Total)
	for i := range back.Len() {
		for _, l := range []string{"context", "reason"} {
			a, _ := back.Label(l).Value(i)
			if b, _ := c.Label(l).Value(i); a != b {
				t.Errorf("sample %d: %s is %q, was %q", i, l, a, b)
			}
		}
		if d := back.Axis.Start[i] - c.Axis.Start[i]; d < -2 || d > 2 {
			t.Errorf("sample %d starts at %d, was at %d", i, back.Axis.Start[i], c.Axis.Start[i])
		}
	}
	same := func(p, q capture.Property) bool { return p == q }
	if !slices.EqualFunc(back.Properties, c.Properties, same) {
		t.Errorf("properties %+v became %+v", c.Properties, back.Properties)
	}
}

func TestQueryCountersSayWhyARecordingLacksThem(t *testing.T) {
	c := open(t, testfiles.Path(t, "vectors", "intel_sample.record"))
	cat, err := metrics.Get(c.GPU)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range cat.Entries() {
		if e.Set == nil || !strings.Contains(e.Available, "QueryMode") {
			continue
		}
		found++
		m, err := metrics.Resolve(c, e.Name)
		if err != nil {
			t.Fatal(err)
		}
		if r, missing := m.Why(-1); !missing || r.Text == "" {
			t.Errorf("%s has a value in a recording, or no reason: %v", e.Name, r)
		}
	}
	if found == 0 {
		t.Error("no counter of the catalogue depends on $QueryMode")
	}
}
