package interactive_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
	"astrolabe/capture/capturetest/all"
	"astrolabe/capture/formats"
	formatlist "astrolabe/capture/formats/all"
	"astrolabe/capture/metrics"
	"astrolabe/internal/longtests"
	"astrolabe/internal/testfiles"
	"astrolabe/plots/interactive"
)

// maybe is a number as JavaScript writes it, also one that JSON lacks.
type maybe float64

func (m *maybe) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, []byte("null")) {
		*m = maybe(math.NaN())
		return nil
	}
	f, err := strconv.ParseFloat(string(bytes.Trim(text, `"`)), 64)
	*m = maybe(f)
	return err
}

// said is what the page's script says of a lane over a range.
type said struct {
	Start, End                                *float64
	NoTotal                                   string
	Total, Sum, Mean, Min, Max, N, P95, Error maybe
	Lo, Hi                                    []maybe
}

// ask runs the page's own scripts in node.
func ask(t *testing.T, d interactive.Data, ranges [][2]int64, width int) [][]said {
	t.Helper()
	text, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return askNode(t, map[string]any{"data": text, "ranges": ranges, "width": width})
}

func askNode(t *testing.T, request map[string]any) [][]said {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: node is not installed (Debian's nodejs), so the page's scripts compute nothing")
	}
	in, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "testdata/statistics.js")
	var errors bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errors.Bytes())
	}
	var all [][]said
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatalf("%v: %.300s", err, out)
	}
	return all
}

// near is whether two numbers differ by less than a thousand-millionth; missing ones are equal.
func near(a, b float64) bool {
	if a != a || b != b || a == b {
		return a == b || a != a && b != b
	}
	return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b))
}

func TestASelectionSaysWhatASliceSays(t *testing.T) {
	for name, c := range captures(t) {
		t.Run(name, func(t *testing.T) { compareSlices(t, c) })
	}
}

// captures are real ones, and modelled ones.
func captures(t *testing.T) map[string]*capture.Capture {
	caps := map[string]*capture.Capture{}
	for _, name := range []string{"captures/gfx1151-vcopy", "captures/cpu-programs/pipe.arrow",
		"captures/cpu-programs/faults.csv", "vectors/intel_sample.record"} {
		c, err := formatlist.Registry().Open(t.Context(), testfiles.Path(t, name), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		caps[name] = c
	}
	for _, m := range all.Models() {
		if name := m.Name(); name != "mali-g615" && name != "cpu" && !longtests.Asked() {
			continue
		}
		c, err := m.Generate(capturetest.Case{Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		caps[m.Name()] = c
	}
	return caps
}

func compareSlices(t *testing.T, c *capture.Capture) {
	counters := append([]*capture.Counter{}, c.Counters...)
	derived, err := metrics.Metrics(c)
	if err != nil {
		t.Fatal(err)
	}
	counters = append(counters, derived...)
	lanes := &interactive.Lanes{Most: 40}
	for _, ctr := range counters {
		lanes.Add(interactive.Lane{Name: ctr.Name}, ctr)
	}
	r := rand.New(rand.NewPCG(1, 2))
	first, last := c.Axis.Extent()
	ranges := [][2]int64{{first, last + 1}}
	for range 10 {
		a, b := first+r.Int64N(last-first), first+r.Int64N(last-first)
		ranges = append(ranges, [2]int64{min(a, b), max(a, b)})
	}
	holdAnswers(t, c, counters, ask(t, lanes.Data(), ranges, 0))
}

// holdAnswers compares what the page says of stretches of a capture with what slices of it say.
func holdAnswers(t *testing.T, c *capture.Capture, counters []*capture.Counter, answers [][]said) {
	t.Helper()
	_, last := c.Axis.Extent()
	compared, none := 0, 0
	for k, lanesSaid := range answers {
		for i, got := range lanesSaid {
			if got.Start == nil {
				continue // the range holds nothing
			}
			end := last + 1
			if got.End != nil {
				end = int64(*got.End)
			}
			part, err := c.Slice(int64(*got.Start), end)
			if err != nil {
				t.Fatal(err)
			}
			if name := counters[i].Name; name == "active_cus" || name == "waves_per_active_cu" {
				continue // AMD's tool takes one number of active units for all of a capture, which a slice makes anew
			}
			want := part.Counter(counters[i].Name)
			if i >= len(c.Counters) {
				if want, err = metrics.Resolve(part, counters[i].Name); err != nil {
					t.Fatal(err)
				}
			}
			for what, pair := range map[string][2]float64{"sum": {float64(got.Sum), want.Sum().Float()},
				"mean": {float64(got.Mean), want.Mean().Float()}, "min": {float64(got.Min), want.Min().Float()},
				"max": {float64(got.Max), want.Max().Float()}, "count": {float64(got.N), float64(want.Count())}} {
				if !near(pair[0], pair[1]) {
					t.Errorf("range %d, %s: %s is %v, of the slice %v", k, want.Name, what, pair[0], pair[1])
				}
			}
			if p := want.Percentile(95).Float(); !(math.Abs(p-float64(got.P95)) <= float64(got.Error)*(1+1e-9)+1e-9*math.Abs(p)) && p == p {
				t.Errorf("range %d, %s: the 95th percentile is %v, not within %v ± %v", k, want.Name, p, got.P95, got.Error)
			}
			if got.NoTotal != "" {
				none++
				continue
			}
			compared++
			if total := want.Total().Float(); !near(float64(got.Total), total) {
				t.Errorf("range %d, %s (%s, %s): the total is %v, of the slice %v", k, want.Name, want.Kind, want.Expr, got.Total, total)
			}
		}
	}
	t.Logf("%d totals compared, %d not told", compared, none)
	if compared < 100 {
		t.Errorf("only %d totals were compared", compared)
	}
}

// made is a capture of one noisy counter with holes, a long gap, and samples of many lengths.
func made(t *testing.T, n int) *capture.Capture {
	r := rand.New(rand.NewPCG(3, 4))
	axis := &capture.Axis{}
	y := make([]float64, n)
	at := int64(0)
	for i := range n {
		length := 1 + r.Int64N(1000)
		axis.Start, axis.End = append(axis.Start, at), append(axis.End, at+length)
		at += length
		if i == n/2 {
			at += 1_000_000
		}
		y[i] = r.NormFloat64() * 100
		if r.IntN(9) == 0 || i > n/4 && i < n/3 {
			y[i] = math.NaN()
		}
	}
	c, err := capture.New(capture.Config{Axis: axis, Counters: []*capture.Counter{{
		Meta: capture.Meta{Name: "y", Kind: capture.Delta}, Axis: axis,
		Col: capture.LazyColumn(n, func() (capture.Data, error) { return capture.Data{F: y}, nil })}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryColumnOfPixelsHasTheExtremesOfItsTime(t *testing.T) {
	c := made(t, 5000)
	_, last := c.Axis.Extent()
	ranges := [][2]int64{{0, last}, {last / 3, last / 2}, {1000, 9000}, {5000, 5100}, {last - 77, last}}
	const width = 333
	for _, most := range []int{0, 700} {
		lanes := &interactive.Lanes{Most: most}
		lanes.Add(interactive.Lane{Name: "y"}, c.Counters[0])
		d := lanes.Data()
		low, high := d.Lanes[0].Min, d.Lanes[0].Max
		if high == nil {
			high = low
		}
		for k, answer := range ask(t, d, ranges, width) {
			from, to := float64(ranges[k][0]), float64(ranges[k][1])
			for x := range width {
				a, b := from+(to-from)*float64(x)/width, from+(to-from)*float64(x+1)/width
				lo, hi := math.Inf(1), math.Inf(-1)
				for i := range low {
					s, e := float64(d.Axes[0].Start[i]), float64(d.Axes[0].End[i])
					if s < b-1e-6 && e > a+1e-6 && low[i] == low[i] {
						lo, hi = min(lo, low[i]), max(hi, high[i])
					}
				}
				if lo > hi {
					lo, hi = math.NaN(), math.NaN()
				}
				got := answer[0]
				if !near(float64(got.Lo[x]), lo) || !near(float64(got.Hi[x]), hi) {
					t.Fatalf("of at most %d buckets, range %d, column %d: drawn from %v to %v, the data are %v to %v", most, k,
						x, got.Lo[x], got.Hi[x], lo, hi)
				}
			}
		}
	}
}

func TestBucketsBeginWhereASliceCan(t *testing.T) {
	axis := &capture.Axis{}
	for i := range 1000 { // three samples at a time
		axis.Start, axis.End = append(axis.Start, int64(i/3)*10), append(axis.End, int64(i/3)*10+10)
	}
	c, err := capture.New(capture.Config{Axis: axis, Counters: []*capture.Counter{{
		Meta: capture.Meta{Name: "y", Kind: capture.Delta}, Axis: axis,
		Col: capture.LazyColumn(1000, func() (capture.Data, error) { return capture.Data{F: make([]float64, 1000)}, nil })}}})
	if err != nil {
		t.Fatal(err)
	}
	lanes := &interactive.Lanes{Most: 100}
	lanes.Add(interactive.Lane{Name: "y"}, c.Counters[0])
	a := lanes.Data().Axes[0]
	rows := 0
	for i, n := range a.Rows {
		rows += n
		if i > 0 && a.Start[i] == a.Start[i-1] {
			t.Errorf("buckets %d and %d both begin at %d", i-1, i, a.Start[i])
		}
	}
	if rows != 1000 || len(a.Rows) > 100 || len(a.Rows) < 50 {
		t.Errorf("%d samples in %d buckets", rows, len(a.Rows))
	}
}
