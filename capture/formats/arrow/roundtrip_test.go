package arrow

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/table"
)

var background = context.Background()

func open(t testing.TB, path string) *capture.Capture {
	t.Helper()
	c, err := formats.NewRegistry(Format{}).Open(background, path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustNew(t testing.TB, cfg capture.Config) *capture.Capture {
	t.Helper()
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// plainCounter and the other plain types are what of a capture must survive, in a form that go-cmp can compare: doubles
// as their bits.
type plainCounter struct {
	Meta      capture.Meta
	HasCol    bool
	Integer   bool
	Values    []string
	Pass      string
	PassTimes []string
	Reasons   []capture.ReasonRun
	Warnings  []string
	Instances []plainCounter
}

func plainData(col *capture.Column) []string {
	if col == nil {
		return nil
	}
	d := col.Data()
	out := make([]string, d.Len())
	for i := range out {
		switch {
		case d.Missing(i):
			out[i] = "missing"
		case d.U != nil:
			out[i] = fmt.Sprint(d.U[i])
		default:
			out[i] = fmt.Sprintf("%x", math.Float64bits(d.F[i]))
		}
	}
	return out
}

func plainCounters(cs []*capture.Counter) (out []plainCounter) {
	for _, c := range cs {
		p := plainCounter{Meta: c.Meta, HasCol: c.Col != nil, Values: plainData(c.Col), Reasons: c.Reasons,
			Warnings: c.Warnings, Instances: plainCounters(c.Instances)}
		p.Integer = c.Col != nil && c.Col.Data().U != nil
		if c.Pass != nil {
			p.Pass = c.Pass.ID
			p.PassTimes = append(plainData(c.Pass.Start), plainData(c.Pass.Duration)...)
		}
		out = append(out, p)
	}
	return out
}

// plain is everything of a capture but its path and format.
func plain(c *capture.Capture) map[string]any {
	props := ""
	for _, p := range c.Properties {
		props += fmt.Sprintf("%s=%x/%q/%t;", p.Name, math.Float64bits(p.Number), p.Text, p.IsText)
	}
	var passes []string
	for _, p := range c.Passes {
		passes = append(passes, fmt.Sprint(p.ID, plainData(p.Start), plainData(p.Duration)))
	}
	counts := []string{}
	for _, f := range c.Axis.Count {
		counts = append(counts, fmt.Sprint(f))
	}
	return map[string]any{
		"name": c.Name, "gpu": c.GPU, "device": c.Device, "properties": props, "start": c.StartTime.UnixNano(),
		"options": c.Options, "clock": c.Axis.Clock, "starts": fmt.Sprint(c.Axis.Start), "ends": fmt.Sprint(c.Axis.End),
		"covered": fmt.Sprint(c.Axis.Covered == nil, c.Axis.Covered), "count": fmt.Sprint(c.Axis.Count == nil, counts),
		"counters": plainCounters(c.Counters), "labels": fmt.Sprintf("%+v", derefLabels(c.Labels)),
		"regions": c.Regions, "gaps": c.Gaps,
		"late":   c.Late,
		"passes": passes, "warnings": c.Warnings,
	}
}

func derefLabels(ls []*capture.Label) (out []capture.Label) {
	for _, l := range ls {
		out = append(out, *l)
	}
	return out
}

func diff(a, b *capture.Capture) string { return cmp.Diff(plain(a), plain(b)) }

func ints(v ...uint64) *capture.Column    { return capture.NewColumn(capture.Data{U: v}) }
func floats(v ...float64) *capture.Column { return capture.NewColumn(capture.Data{F: v}) }

// everything is a capture that uses every part of the data model.
func everything() capture.Config {
	axis := &capture.Axis{Clock: "CLOCK_MONOTONIC", Start: []int64{0, 10, 10, 1 << 60},
		End:     []int64{10, 20, 30, 1<<60 + 5},
		Covered: []int64{10, 3, 0, 5}, Count: []float64{1, 2.5, 0, 1e9}}
	listed := &capture.Pass{ID: "0", Start: ints(1, 2, 3, math.MaxUint64), Duration: floats(1.5, math.NaN(), 0, 4)}
	unlisted := &capture.Pass{ID: "", Duration: ints(9, 8, 7, 6)}
	valid := capture.NewBitmap(9)
	valid.Clear(5)
	valid = valid.Slice(3) // so that the bits do not start on a byte
	holes := capture.NewColumn(capture.Data{U: []uint64{1, 2, 3, 1<<53 + 1}, Valid: valid})
	whole := &capture.Counter{Axis: axis,
		Meta: capture.Meta{Name: "TCP_REQ", Kind: capture.Delta, Combine: capture.CombineMax, Block: "TCP"}}
	for i := range 3 {
		id := fmt.Sprint(5 - i)
		whole.Instances = append(whole.Instances,
			&capture.Counter{Axis: axis, Col: ints(uint64(i), 2, 3, math.MaxUint64), Pass: unlisted,
				Meta: capture.Meta{Name: "TCP_REQ[" + id + "]", Instance: id, Block: "TCP", Device: "card0"}})
	}
	counters := []*capture.Counter{
		whole,
		{Axis: axis, Col: ints(0, 1<<53+1, math.MaxUint64, 7), Pass: listed, Meta: capture.Meta{
			Name: "GRBM_COUNT", Title: "Cycles <&>", Unit: "cycles", Doc: "says\n\"hello\" π", GPU: "gfx1151",
			Block: "GRBM", Source: "test",
			Expr: "$A / $B", Inputs: []string{"A", "B"}, Refs: []string{"3.2.2"}, Aliases: []string{"x", "y,z", ""},
			Combine: capture.CombineMean}},
		{Axis: axis, Col: floats(math.Inf(1), math.NaN(), math.Copysign(0, -1), 5e-324),
			Meta:     capture.Meta{Name: "gauge", Kind: capture.Gauge, Integral: true},
			Warnings: []string{"doubtful", ""},
			Reasons: []capture.ReasonRun{
				{From: 1, To: 2, Reason: capture.Reason{Code: capture.PowerGated, Text: "off"}},
				{From: 3, To: 4, Reason: capture.Reason{Code: capture.InGap}}}},
		{Axis: axis, Col: holes, Meta: capture.Meta{Name: "holes", Kind: capture.Constant, TurnOf: "0/group1"}},
		{Axis: axis, Meta: capture.Meta{Name: "absent", Unit: "bytes"}, Pass: listed,
			Reasons: []capture.ReasonRun{{From: 0, To: 4, Reason: capture.Reason{Code: capture.NotCollected}}}},
		{Axis: axis, Col: ints(1, 2, 3, 4), Meta: capture.Meta{Name: "start"}}, // clashes with the axis
		{Axis: axis, Col: floats(1, 2, 3, 4), Meta: capture.Meta{Name: "both"}, Instances: []*capture.Counter{
			{Axis: axis, Col: floats(1, 1, 1, 1), Meta: capture.Meta{Name: "both[0]", Instance: "0"}}}},
	}
	return capture.Config{
		Name: "all of it", GPU: "gfx1151",
		StartTime: time.Date(2025, 3, 4, 5, 6, 7, 123456789, time.FixedZone("", 3600)),
		Device: capture.Device{Name: "n", Vendor: "v", Driver: "d", ID: "i",
			Extra: map[string]string{"k": "w", "": ""}},
		Properties: []capture.Property{{Name: "cu", Number: 40}, {Name: "nan", Number: math.NaN()},
			{Name: "inf", Number: math.Inf(-1)}, {Name: "tenth", Number: 0.1}, {Name: "text", Text: "t", IsText: true},
			{Name: "empty", IsText: true}},
		Options: capture.Options{Denom: "per_wave", Duration: "median", Zero: "vendor"},
		Axis:    axis, Counters: counters,
		Labels: []*capture.Label{
			{Name: "kernel", Codes: []int32{1, -1, 0, 1}, Dict: []string{"vcopy(double*, int)", "", "unused"}},
			{Name: "pass", Codes: []int32{0, 0, 0, 0}, Dict: []string{"x"}},
			{Name: "none", Codes: []int32{-1, -1, -1, -1}},
		},
		Regions: []capture.Region{{Name: "frame 1", Start: 0, End: 20, Depth: 2},
			{Start: 5, End: 5, Track: "queue 1"}},
		Gaps: []capture.Gap{{Start: 30, End: 1 << 60, Lost: math.MaxUint64,
			Reason: capture.Reason{Code: capture.LostReports, Text: "buffer full"}}},
		Late: []capture.Gap{{Start: 5, End: 9, Lost: 3,
			Reason: capture.Reason{Code: capture.LostReports, Text: "slept"}}, {Start: 20, End: 30}},
		Passes:   []*capture.Pass{listed},
		Warnings: []string{"first", "second: ünïcode"},
	}
}

func TestEveryPartOfACaptureSurvivesSaving(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.arrow")
	want := mustNew(t, everything())
	if err := formats.NewRegistry(Format{}).Save(background, path, Format{}.Name(), want); err != nil {
		t.Fatal(err)
	}
	got := open(t, path)
	if d := diff(want, got); d != "" {
		t.Errorf("saved and opened capture differs (-want +got):\n%s", d)
	}
	if got.Path != path || got.Format != "arrow" {
		t.Errorf("path %q, format %q", got.Path, got.Format)
	}
	if !got.StartTime.Equal(want.StartTime) {
		t.Errorf("start %v, want %v", got.StartTime, want.StartTime)
	}
	if got.Counters[0].Instances[0].Pass != got.Counters[0].Instances[1].Pass {
		t.Error("instances of one pass no longer share it")
	}
}

func TestCapturesOfUnusualShapesSurviveSaving(t *testing.T) {
	big := func(n, cols int) capture.Config {
		axis := capture.NewUniformAxis(n, 1000)
		cfg := capture.Config{Name: "big", Axis: axis}
		for c := range cols {
			u := make([]uint64, n)
			for i := range u {
				u[i] = uint64(i * (c + 1))
			}
			cfg.Counters = append(cfg.Counters,
				&capture.Counter{Axis: axis, Col: ints(u...), Meta: capture.Meta{Name: fmt.Sprint("c", c)}})
		}
		l := &capture.Label{Name: "l", Dict: []string{"a", "b"}}
		for i := range n {
			l.Codes = append(l.Codes, int32(i%3-1))
		}
		cfg.Labels = []*capture.Label{l}
		return cfg
	}
	many := big(3, 2000)
	for name, cfg := range map[string]capture.Config{
		"no counters": {Name: "n", Axis: capture.NewUniformAxis(5, 7)},
		"no samples": {Name: "n", Axis: &capture.Axis{Start: []int64{}, End: []int64{}},
			Counters: []*capture.Counter{}},
		"two thousand counters":   many,
		"rows not times of eight": big(1027, 3),
	} {
		t.Run(name, func(t *testing.T) {
			var buf bytes.Buffer
			want := mustNew(t, cfg)
			if err := (Format{}).Encode(background, &buf, want); err != nil {
				t.Fatal(err)
			}
			got, err := decode(background, buf.Bytes(), "x.arrow", &table.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d := diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestColumnsInSeveralBatchesAreJoined(t *testing.T) {
	// 20,000 columns leave room for 384 rows in a batch.
	const cols, n = 20000, 1000
	axis := capture.NewUniformAxis(n, 10)
	f := make([]float64, n)
	u := make([]uint64, n)
	valid := capture.NewBitmap(n)
	for i := range f {
		f[i], u[i] = float64(i)/2, uint64(i)
		if i%7 == 3 {
			f[i] = math.NaN()
			valid.Clear(i)
		}
	}
	shared := [2]*capture.Column{floats(f...), capture.NewColumn(capture.Data{U: u, Valid: valid})}
	cfg := capture.Config{Name: "wide", Axis: axis}
	for c := range cols {
		cfg.Counters = append(cfg.Counters,
			&capture.Counter{Axis: axis, Col: shared[c%2], Meta: capture.Meta{Name: fmt.Sprint("c", c)}})
	}
	var buf bytes.Buffer
	if err := (Format{}).Encode(background, &buf, mustNew(t, cfg)); err != nil {
		t.Fatal(err)
	}
	d, err := decodeConfig(background, []piece{{data: buf.Bytes()}}, "x.arrow", &table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.batches() < 3 {
		t.Fatalf("%d batches, the test wants several", d.batches())
	}
	for _, c := range []int{0, 1, cols - 1} {
		if diff := cmp.Diff(plainData(shared[c%2]), plainData(d.cfg.Counters[c].Col)); diff != "" {
			t.Errorf("column %d (-want +got):\n%s", c, diff)
		}
	}
	part, err := d.source[d.cfg.Counters[1]].read(380, 800)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plainData(shared[1])[380:800], plainData(capture.NewColumn(part))); diff != "" {
		t.Errorf("range over batches (-want +got):\n%s", diff)
	}
}

func TestSavingTwiceGivesTheSameBytes(t *testing.T) {
	var a, b bytes.Buffer
	for _, buf := range []*bytes.Buffer{&a, &b} {
		if err := (Format{}).Encode(background, buf, mustNew(t, everything())); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the same capture was saved as different bytes")
	}
}

func TestBytesThatAreNoTextAreReplaced(t *testing.T) {
	axis := capture.NewUniformAxis(1, 1)
	c := mustNew(t, capture.Config{Axis: axis,
		Counters: []*capture.Counter{{Axis: axis, Col: ints(1), Meta: capture.Meta{Name: "temp \xb0C", Unit: "\xb0C"}}},
		Labels:   []*capture.Label{{Name: "l", Codes: []int32{0}, Dict: []string{"\xff"}}}})
	var buf bytes.Buffer
	if err := (Format{}).Encode(background, &buf, c); err != nil {
		t.Fatal(err)
	}
	got, err := decode(background, buf.Bytes(), "x", &table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Counters[0].Name != "temp \uFFFDC" || got.Labels[0].Dict[0] != "\uFFFD" {
		t.Errorf("counter %q, label %q", got.Counters[0].Name, got.Labels[0].Dict[0])
	}
}

func TestALazyColumnThatFailsIsNotSavedAsMissing(t *testing.T) {
	axis := capture.NewUniformAxis(2, 1)
	bad := capture.LazyColumn(2, func() (capture.Data, error) { return capture.Data{}, fmt.Errorf("bad sector") })
	c := mustNew(t, capture.Config{Axis: axis,
		Counters: []*capture.Counter{{Axis: axis, Col: bad, Meta: capture.Meta{Name: "c"}}}})
	err := formats.NewRegistry(Format{}).Save(background, filepath.Join(t.TempDir(), "x.arrow"), Format{}.Name(), c)
	if err == nil || !strings.Contains(err.Error(), "bad sector") {
		t.Errorf("error %v", err)
	}
}
