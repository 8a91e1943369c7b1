package builtins_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"astrolabe/builtins"
	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/builtins/values"
	"astrolabe/capture"
)

func TestStringFormsAreShort(t *testing.T) {
	r := exampleRun(t)
	for expr, want := range map[string]string{
		"str(clk)":                           "Counter clk [cycles] 6 samples of 1 s min 900 cycles median 1.05k cycles max 1.2k cycles ▆▇▇█▇▇",
		"str(clk.gt(1000))":                  "Mask 3 of 6 samples (50 %) in 1 span",
		"str(clk.gt(1000).spans()[0])":       "Span 2 s to 5 s (3 s)",
		"str(cap[1])":                        `Sample 1 1 s to 2 s kernel="a"`,
		"str(plot.timeline(clk, title='T'))": `Plot timeline "T"`,
		"str(cap.counters)":                  "3 counters: clk, hits, TCP_REQ_sum",
		"str(cap)":                           "Capture example\n  6 samples over 6 s, 3 counters\n  gpu gfx1151\n  counters clk, hits, TCP_REQ_sum\n  labels kernel\n  1 region\n  1 gap, 1 s without data\n  1 late span, 1 s in longer samples",
		"str(capture.from_columns({'a': [None, None]})['a'])": "Counter a 2 samples of 1 s all missing: the column that the script gave has None here",
		"str(report.new('R'))":                                `Report "R" 0 items, 0 findings`,
		"str(capture)":                                        "<module capture>",
		"str(clk.gt)":                                         "<function Counter.gt>",
	} {
		if got, _ := starlark.AsString(r.eval(t, expr)); got != want {
			t.Errorf("%s\n got %s\nwant %s", expr, got, want)
		}
	}
}

func TestRegionsAreAccountedWithoutTheFramesInThem(t *testing.T) {
	axis := capture.NewUniformAxis(30, 1e6)
	c, err := capture.New(capture.Config{
		Name: "example", Axis: axis,
		Counters: []*capture.Counter{{Meta: capture.Meta{Name: "busy", Unit: "cycles"}, Axis: axis,
			Col: capture.NewColumn(capture.Data{F: slices.Repeat([]float64{800}, 30)})}},
		Regions: []capture.Region{{Name: "frame 1", Start: 0, End: 10e6}, {Name: "frame 2", Start: 10e6, End: 20e6},
			{Name: "level", Start: 10e6, End: 30e6}, {Name: "menu", Start: 0, End: 10e6}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := exampleRun(t)
	r.names["cap"] = values.NewCapture(r.env, c)
	if err := r.exec("regions", `
acc = account(cap, {"active": ["busy"], "queues": [{"name": "queue", "level": [["busy"]]}]})
assert.eq([(row["name"], row["time"]) for row in acc.by("region")], [("menu", 0.01), ("level", 0.02)])
assert.eq([row["name"] for row in acc.by("frame")], ["frame 1", "frame 2"])
`); err != nil {
		t.Fatal(trace(err))
	}
}

// Samples of 4 ms that frames of 10 ms end in are cut there, so that each frame takes as long as it lasts.
func TestFramesOfAnAccountTakeAsLongAsTheyLast(t *testing.T) {
	axis := capture.NewUniformAxis(10, 4e6)
	cfg := capture.Config{Name: "example", Axis: axis, Counters: []*capture.Counter{{Axis: axis,
		Meta: capture.Meta{Name: "busy", Unit: "cycles"},
		Col:  capture.NewColumn(capture.Data{F: slices.Repeat([]float64{800}, 10)})}}}
	for i := range int64(4) {
		cfg.Regions = append(cfg.Regions, capture.Region{Name: fmt.Sprint("frame ", i), Start: 10e6 * i, End: 10e6 * (i + 1)})
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := exampleRun(t)
	r.names["cap"] = values.NewCapture(r.env, c)
	if err := r.exec("frames", `
acc = account(cap, {"active": ["busy"], "queues": [{"name": "queue", "level": [["busy"]]}]})
assert.eq([(row["name"], row["start"], row["time"]) for row in acc.by("frame")], [("frame %d" % i, 0.01 * i, 0.01) for i in range(4)])
spans = [r for r in cap.regions][1:3]
assert.eq([(row["name"], row["start"], row["time"]) for row in acc.by(spans)], [("frame 1", 0.01, 0.01), ("frame 2", 0.02, 0.01)])
`); err != nil {
		t.Fatal(trace(err))
	}
}

func TestGapsAndRegionsAreSpans(t *testing.T) {
	r := exampleRun(t)
	err := r.exec("spans", `
g = cap.gaps[0]
assert.eq((g.start, g.end, g.lost, g.first), (6.0, 7.0, 3, None))
assert.eq(g.reason, "lost reports")
assert.true("without data" in str(g))
l = cap.late[0]
assert.eq((l.start, l.end, l.lost, l.first, l.reason), (2.0, 3.0, 1, None, "the recorder slept"))
assert.true("in one longer sample: the recorder slept" in str(l))
assert.eq((cap.duration, cap.measured), (6.0, 6.0))
assert.true("late: 1 s in samples that cover several ticks: counts are complete, only resolution is lost; the recorder slept" in explain(clk, 2))
assert.true("late" not in explain(clk, 3))
assert.true("late: 1 s" in explain(clk))
f = cap.regions[0]
assert.eq((f.name, f.start, f.end), ("frame", 1.0, 3.0))
assert.eq(cap.region("frame").samples, 2)
`)
	if err != nil {
		t.Error(trace(err))
	}
}

func TestPlotsAndReportsAreWritten(t *testing.T) {
	r := exampleRun(t)
	err := r.exec("report", `
p = plot.timeline(clk, hits, title="Clock", bands=[1000, (900, 950, "low"), clk.gt(1100)], marks=[1.5, ("2s", "here")])
p.save("p.png", width=800, height=600)
plot.bar([clk, hits]).save("b.svg")
plot.bar([1, 2], labels=["x", "y"], bands=1.5).save("b2.svg")
plot.bar({"x": [1, 2], "y": [3, None]}, labels=["i", "j"]).save("b3.svg")
plot.grid([[p], [plot.histogram(clk, bins=4), plot.histogram([1, 2, 3])]]).save("g.pdf")
p.show()
r = report.new("Example", capture=cap)
r.text("Some *text*.")
r.finding("clk/high", "warning", "The clock is high", evidence=[clk, p], threshold=1000, advice="Lower it.", spans=clk.gt(1000))
r.finding("fine", "good", "All is well", value="yes")
r.plot(p)
r.table(cap.summary(metrics=False), title="Counters")
r.save("r.png", width=1000)
assert.eq(r.findings["id"], ["clk/high", "fine"])
assert.eq(r.findings[0].value, "6.3k cycles")
assert.eq(r.findings[0].threshold, "1k cycles")
assert.true("gfx1151" in r.provenance["Catalogue"])
assert.eq(r.provenance["Script"], "test.star (sha256 0123456789abcdef)")
assert.eq(r.provenance["Captured"], "2026-03-04 05:06:07 UTC")
`)
	if err != nil {
		t.Fatal(trace(err))
	}
	dir := string(r.env.Files.(folder))
	var names []string
	for _, p := range r.wrote {
		names = append(names, filepath.Base(p))
	}
	if got := strings.Join(names, " "); got != "p.png b.svg b2.svg b3.svg g.pdf r.png" {
		t.Errorf("wrote %s", got)
	}
	data, err := os.ReadFile(filepath.Join(dir, "p.png"))
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 800 || b.Dy() != 600 {
		t.Errorf("the picture is %v, want 800x600", b)
	}
}

func TestUnlikeUnitsWarnOnce(t *testing.T) {
	r := newRun(t)
	err := r.exec("units", `
cap = capture.from_columns({"a": [1], "b": [2]}, units={"a": "bytes", "b": "cycles"})
for i in range(3):
    c = cap["a"] + cap["b"]
`)
	if err != nil {
		t.Fatal(trace(err))
	}
	if len(r.warned) != 1 || !strings.Contains(r.warned[0], "unlike units: bytes and cycles") {
		t.Errorf("warned %q", r.warned)
	}
}

func TestFlagsAreTypedAndFindMistakes(t *testing.T) {
	declare :=
		`f = flags(threshold=(5.0, "percent to warn at"), count=3, verbose=False, strict=True, name="x", tags=["a"])`
	r := newRun(t, "--threshold=7.5", "--count", "4", "--verbose", "--no-strict", "in.csv", "--tags=b,c",
		"--tags=d", "--", "--last")
	if err := r.exec("flags", declare+`
assert.eq((f.threshold, f.count, f.verbose, f.strict, f.name), (7.5, 4, True, False, "x"))
assert.eq(f.tags, ["b", "c", "d"])
assert.eq(f.args, ["in.csv", "--last"])
`); err != nil {
		t.Fatal(trace(err))
	}
	for _, c := range []struct {
		arg  string
		want string
		help bool
	}{
		{"--treshold=1", "unknown flag --treshold (did you mean --threshold?)", false},
		{"--count=x", `flag --count: "x" is no integer`, false},
		{"--threshold", "flag --threshold needs a value", false},
		{"--no-strict=1", "flag --no-strict takes no value", false},
		{"--help", "--threshold=FLOAT  percent to warn at (default 5.0)", true},
	} {
		err := newRun(t, c.arg).exec("flags", declare)
		var usage *binding.UsageError
		if !errors.As(err, &usage) || usage.Help != c.help || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want a usage error with %q", c.arg, err, c.want)
		}
	}
}

func TestACommandNeedsPermission(t *testing.T) {
	r := newRun(t)
	r.env.Record = func(context.Context, binding.RecordRequest) (string, error) {
		t.Error("recorded")
		return "", errors.New("recorded")
	}
	err := r.exec("record", `capture.record("cpu", command=["true"])`)
	if err == nil || !strings.Contains(err.Error(), "--allow-exec") {
		t.Errorf("got %v, want an error that names --allow-exec", err)
	}
}

func TestRecordPassesTheRequestOnAndOpensTheResult(t *testing.T) {
	r := exampleRun(t)
	if err := r.exec("save", `cap.save("made.arrow")`); err != nil {
		t.Fatal(trace(err))
	}
	dir := string(r.env.Files.(folder))
	var got binding.RecordRequest
	r.env.Record = func(_ context.Context, q binding.RecordRequest) (string, error) {
		got = q
		return filepath.Join(dir, "made.arrow"), nil
	}
	r.env.Exec = true
	if err := r.exec("record", `
c = capture.record("cpu,procfs", counters=["cycles", "inst*"], period="1ms", duration=2, command=["sleep", "1"], out="o.arrow", split="10m", last=30)
assert.eq(c.total("clk"), 6300)
`); err != nil {
		t.Fatal(trace(err))
	}
	if got.Split != 600e9 || got.Last != 30e9 || len(got.Sources) != 2 || len(got.Counters) != 2 || got.Period != 1e6 || got.Duration != 2e9 ||
		len(got.Command) != 2 || got.Out != filepath.Join(dir, "o.arrow") {
		t.Errorf("the request is %+v", got)
	}
}

func TestStoppingEndsABuiltinAtOnce(t *testing.T) {
	r := exampleRun(t)
	ctx, cancel := context.WithCancel(t.Context())
	r.ctx = ctx
	release := make(chan struct{})
	defer close(release)
	axis := capture.NewUniformAxis(1, 1e9)
	slow := &capture.Counter{Meta: capture.Meta{Name: "slow"}, Axis: axis,
		Col: capture.LazyColumn(1, func() (capture.Data, error) {
			cancel()
			<-release
			return capture.Data{F: []float64{1}}, nil
		})}
	r.names["slow"] = values.NewCounter(r.env, slow)
	// A builtin that goes on after the run was stopped does not return: what it waits for comes with the end of this
	// test.
	if err := r.exec("slow", "slow.sum()"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestTheClockNeedsPermission(t *testing.T) {
	r := newRun(t)
	r.env.Clock = true
	r.names = builtins.Predeclared(r.env)
	if err := r.exec("clock", "time.now()"); err != nil {
		t.Error(trace(err))
	}
	if err := r.exec("time", `assert.true(time.parse_duration("1s") > time.millisecond)`); err != nil {
		t.Error(trace(err))
	}
}

func TestUniverseIsUnchanged(t *testing.T) {
	before := len(starlark.Universe)
	newRun(t)
	if len(starlark.Universe) != before {
		t.Error("starlark.Universe changed")
	}
	if starlark.Universe["fmt"] != nil || starlark.Universe["capture"] != nil {
		t.Error("starlark.Universe holds our names")
	}
}

func FuzzParseQuantity(f *testing.F) {
	for _, s := range []string{"80GB/s", "95%", "250us", "2M", "1e3", "1e", "-5 cycles", "", "/", "1//"} {
		f.Add(s, "bytes/s")
	}
	f.Fuzz(func(t *testing.T, s, unit string) {
		if v, err := notation.ParseQuantity(s, unit); err != nil && v != 0 {
			t.Errorf("%q in %q: %v with error %v", s, unit, v, err)
		}
	})
}

func BenchmarkPredeclared(b *testing.B) {
	env := &binding.Env{}
	for b.Loop() {
		builtins.Predeclared(env)
	}
}

func TestParametersOfAllFilesAreInTheProvenance(t *testing.T) {
	r := exampleRun(t)
	r.env.Args = []string{"--a=2"}
	if err := r.exec("one", "flags(a=1)"); err != nil {
		t.Fatal(trace(err))
	}
	r.env.Args = nil
	if err := r.exec("two", `
flags(b="x")
assert.eq(report.new("r").provenance["Parameters"], 'a=2 b="x"')
`); err != nil {
		t.Error(trace(err))
	}
}

func TestLanesAreFoundByNameAndPattern(t *testing.T) {
	r := exampleRun(t)
	page := values.NewReport(r.env, "t", values.NewCapture(r.env, exampleCapture(t)))
	if err := page.Lanes([]string{"CLK", "h?t*", "TCP_REQ_sum"}); err != nil {
		t.Fatal(err)
	}
	r.names["page"] = page
	if err := r.exec("lanes", "page.lanes(clk * 2, [hits, clk])"); err != nil {
		t.Fatal(err)
	}
	doc, err := page.Report()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range doc.Lanes {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, ", "); got != "clk, hits, TCP_REQ_sum, clk * 2, hits, clk" {
		t.Errorf("lanes %s", got)
	}
	for _, name := range []string{"nothing", "x*"} {
		if err := page.Lanes([]string{name}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := r.exec("lanes", "page.lanes(3)"); err == nil || !strings.Contains(err.Error(), "got int, want Counter") {
		t.Error(err)
	}
}
