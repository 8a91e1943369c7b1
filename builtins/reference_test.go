package builtins_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.starlark.net/starlark"

	"astrolabe/builtins"
	"astrolabe/builtins/binding"
	"astrolabe/builtins/modules"
	"astrolabe/builtins/values"
	"astrolabe/capture"
)

// exampleRun is a run with the names that the examples of the method tables use: cap, clk, hits and ses, and two files.
func exampleRun(t testing.TB) *run {
	t.Helper()
	r := newRun(t)
	dir := string(r.env.Files.(folder))
	for name, text := range map[string]string{"example.csv": "time,cycles\n0,1\n1,2\n", "notes.txt": "seen\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r.names["cap"] = values.NewCapture(r.env, exampleCapture(t))
	if err := r.exec("names", `clk, hits = cap["clk"], cap["hits"]
ses = capture.session("amd-gpa", raw={"GPUTime_Bottom_To_Bottom": [27000, 54000]}, generation="gfx8", api="gl", ts_freq=27e6)`); err != nil {
		t.Fatal(trace(err))
	}
	return r
}

func exampleCapture(t testing.TB) *capture.Capture {
	t.Helper()
	axis := capture.NewUniformAxis(6, 1e9)
	ints := func(name, unit string, v ...uint64) *capture.Counter {
		return &capture.Counter{Meta: capture.Meta{Name: name, Unit: unit}, Axis: axis,
			Col: capture.NewColumn(capture.Data{U: v})}
	}
	c, err := capture.New(capture.Config{
		Name: "example", GPU: "gfx1151", Axis: axis, StartTime: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		Counters: []*capture.Counter{
			ints("clk", "cycles", 900, 1000, 1100, 1200, 1100, 1000),
			ints("hits", "requests", 1, 2, 3, 4, 5, 6),
			ints("TCP_REQ_sum", "requests", 10, 20, 30, 40, 50, 60),
		},
		Labels: []*capture.Label{capture.NewLabel("kernel", []string{"a", "a", "b", "b", "a", "b"}, func(int) bool {
			return true
		})},
		Regions: []capture.Region{{Name: "frame", Start: 1e9, End: 3e9}},
		Gaps:    []capture.Gap{{Start: 6e9, End: 7e9, Lost: 3, Reason: capture.Reason{Code: capture.LostReports}}},
		Late: []capture.Gap{{Start: 2e9, End: 3e9, Lost: 1,
			Reason: capture.Reason{Code: capture.LostReports, Text: "the recorder slept"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEveryExampleRuns runs the examples of all tables. A method without one must be on the short list of those that
// cannot have any.
func TestEveryExampleRuns(t *testing.T) {
	without := map[string]string{"fail": "stops the run", "capture.record": "needs hardware",
		"capture.screenshots": "needs a folder", "Screenshots.of": "needs a folder"}
	check := func(owner string, e *binding.Entry) {
		name := strings.TrimPrefix(owner+"."+e.Name, ".")
		t.Run(name, func(t *testing.T) {
			if e.Doc == "" {
				t.Error("no documentation")
			}
			if !strings.HasSuffix(e.Doc, ".") {
				t.Errorf("documentation %q is no sentence", e.Doc)
			}
			if e.Sig == nil {
				return
			}
			if e.Example == "" {
				if without[name] == "" {
					t.Error("no example")
				}
				return
			}
			if !strings.Contains(e.Example, e.Name) {
				t.Errorf("the example %q does not show %s", e.Example, e.Name)
			}
			if err := exampleRun(t).exec("example", e.Example); err != nil {
				t.Errorf("%s: %v", e.Example, trace(err))
			}
		})
	}
	for _, e := range builtins.Functions().Entries() {
		check("", e)
	}
	for _, d := range slices.Concat(values.Types, modules.All) {
		for _, e := range d.Entries() {
			check(d.TypeName(), e)
		}
	}
}

func TestEveryAttributeOfEveryTypeCanBeRead(t *testing.T) {
	r := exampleRun(t)
	shots, err := values.OpenScreenshots(r.env, filepath.Join("testdata", "screenshots"))
	if err != nil {
		t.Fatal(err)
	}
	r.names["shots"] = shots
	exprs := map[string]string{
		"Capture": "cap", "Counter": "clk", "Mask": "clk.gt(1)", "Sample": "cap[0]", "Span": "clk.gt(1).spans()[0]",
		"CounterMap": "cap.counters",
		"Metric":     "metrics.list('gfx1151')[0]", "Plot": "plot.timeline(clk)", "Report": "report.new('t', cap)",
		"Table": "cap.summary()", "Session": "ses", "Account": "account(cap)",
		"Note": "plot.note(1, 'x')", "Screenshots": "shots",
	}
	for _, d := range values.Types {
		expr, ok := exprs[d.TypeName()]
		if !ok {
			t.Errorf("no value of type %s to try", d.TypeName())
			continue
		}
		v := r.eval(t, expr)
		if v.Type() != d.TypeName() {
			t.Errorf("%s is a %s, want %s", expr, v.Type(), d.TypeName())
		}
		names := v.(starlark.HasAttrs).AttrNames()
		if len(names) != len(d.Entries()) {
			t.Errorf("%s has %d attributes, its table %d", d.TypeName(), len(names), len(d.Entries()))
		}
		for _, n := range names {
			if x, err := v.(starlark.HasAttrs).Attr(n); err != nil || x == nil {
				t.Errorf("%s.%s: %v, %v", d.TypeName(), n, x, err)
			}
		}
	}
}

func TestReferenceListsEveryName(t *testing.T) {
	var b bytes.Buffer
	if err := builtins.WriteReference(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"### `capture.open(path, format=None, gpu=None, kinds=None, force=False, **options)`",
		"| `unit` | str |", "### `percentile(p)`", "### `fmt(format, *values)`"} {
		if !strings.Contains(text, want) {
			t.Errorf("the reference lacks %q", want)
		}
	}
	var again bytes.Buffer
	builtins.WriteReference(&again)
	if again.String() != text {
		t.Error("two runs give different references")
	}
}

// TestNamesOfTheContract holds what scripts that users have checked in depend on.
func TestNamesOfTheContract(t *testing.T) {
	r := exampleRun(t)
	for expr, names := range map[string]string{
		"capture":        "open record sources from_columns concat session",
		"metrics":        "gpus list get define",
		"plot":           "timeline histogram bar grid",
		"report":         "new",
		"report.new('')": "text plot table finding save",
		"math":           "nan inf isnan log2 log10 sqrt pi",
		"json":           "encode decode indent",
		"assert":         "eq true near fails",
		"cap": "name path format gpu device properties start duration measured samples counters metrics regions gaps " +
			"late warnings device_names counter metric eval slice where resample group_by region total summary head " +
			"save",
		"clk": "name title unit doc kind gpu block instances expr inputs refs values times sum mean min max std " +
			"median percentile first last count total abs clamp minimum maximum fill rate share rolling resample " +
			"diff cumsum gt ge lt le eq ne between missing",
		"clk.gt(1)":                  "count fraction any all spans",
		"clk.gt(1).spans()[0]":       "start end duration first last",
		"cap[0]":                     "index start end duration labels counters metrics",
		"metrics.list('gfx1151')[0]": "name title unit group doc refs expr inputs kind gpu",
		"plot.timeline(clk)":         "save show",
		"stats":                      "correlation regression histogram",
	} {
		have := map[string]bool{}
		for _, n := range r.eval(t, expr).(starlark.HasAttrs).AttrNames() {
			have[n] = true
		}
		for _, n := range strings.Fields(names) {
			if !have[n] {
				t.Errorf("%s has no %s", expr, n)
			}
		}
	}
	for _, n := range strings.Fields(
		"capture metrics plot report stats table args flags read write explain help fail fmt si percent sum round json math time") {
		if r.names[n] == nil {
			t.Errorf("%s is not predeclared", n)
		}
	}
}
