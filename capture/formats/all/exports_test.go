package all

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/capture/export"
	"astrolabe/capture/formats"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	simulated "astrolabe/capture/simulate/all"
	"astrolabe/internal/testfiles"
)

// exportCase is a capture and what of it is written.
type exportCase struct {
	name string
	from *capture.Capture
	opt  export.Options
	// seen is the capture whose counters are written, and parts are what a script would take for each of its samples.
	seen  *capture.Capture
	parts []*capture.Capture
}

// exportCases are a simulated game with frames and gaps, and kernels of a real GPU.
func exportCases(t *testing.T) []exportCase {
	t.Helper()
	drawn, err := simulated.Case("mali-g720", "archetype", 1)
	if err != nil {
		t.Fatal(err)
	}
	game, err := drawn.Record(simulate.Options{Marks: simulate.Yes, Gaps: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range game.Counters { // the simulator's instances are called as the whole, those of readers NAME[ID]
		for _, in := range c.Instances {
			in.Name = c.Name + "[" + in.Meta.Instance + "]"
		}
	}
	kernels, err := Registry().Open(t.Context(), testfiles.Path(t, "captures", "gfx1151-vcopy"), formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	every := []string{export.All}
	periods, err := game.Resample(50e6)
	check(err)
	frames, err := analysis.PerFrame(game)
	check(err)
	byFrame := exportCase{name: "frames", from: game, seen: frames,
		opt: export.Options{Metrics: every, Select: []string{"*"}, By: "frame"}}
	drawing, err := game.GroupBy("frame") // several are in flight at a time
	check(err)
	for i := range frames.Len() {
		name, _ := frames.Label("frame").Value(i)
		for _, g := range drawing {
			if g.Key == name {
				byFrame.parts = append(byFrame.parts, g.Capture)
			}
		}
	}
	merged, err := analysis.MergeLabel(kernels, "kernel")
	check(err)
	byKernel := exportCase{name: "kernels", from: kernels, seen: merged,
		opt: export.Options{Metrics: every, Select: []string{"*"}, By: "kernel"}}
	groups, err := kernels.GroupBy("kernel")
	check(err)
	for _, g := range groups {
		byKernel.parts = append(byKernel.parts, g.Capture)
	}
	return []exportCase{
		{name: "periods", from: game, seen: periods, opt: export.Options{Metrics: every, Resample: 50e6, Instances: true}},
		byFrame,
		byKernel,
		{name: "dispatches", from: kernels, seen: kernels, opt: export.Options{Metrics: every}},
	}
}

// cell is a value as testdata/exports.py prints it.
func cell(v capture.Value) any {
	switch {
	case v.Missing():
		return nil
	case v.IsInt():
		return v.Big().String()
	}
	return fmt.Sprintf("0x%016x", math.Float64bits(v.Float()))
}

// wanted are the columns that a file must have: metrics by the way of a script, and what was measured.
func (x *exportCase) wanted(t *testing.T) map[string][]any {
	t.Helper()
	out := map[string][]any{}
	every := func(c *capture.Capture) []*capture.Counter {
		list, err := metrics.Metrics(c)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	add := func(c *capture.Counter) {
		for i := range c.Len() {
			out[c.Name] = append(out[c.Name], cell(c.Value(i)))
		}
	}
	for _, part := range x.parts { // cap.group_by("frame")[FRAME]["NAME"].total()
		for _, m := range every(part) {
			out[m.Name] = append(out[m.Name], cell(m.Total()))
		}
	}
	for _, m := range every(x.from) {
		switch {
		case x.parts != nil:
			continue
		case x.opt.Resample > 0: // cap["NAME"].resample(PERIOD).values
			bins, err := m.Axis.Resample(x.opt.Resample)
			if err != nil {
				t.Fatal(err)
			}
			m = m.Rebin(bins)
		}
		add(m)
		if x.opt.Instances {
			for _, in := range m.Instances {
				add(in)
			}
		}
	}
	if x.opt.Select != nil {
		for _, c := range x.seen.Counters {
			if len(c.Instances) == 0 || c.Col != nil {
				add(c)
			}
			for _, in := range c.Instances {
				add(in)
			}
		}
	}
	return out
}

// sameCell reports whether a value is what was wanted. A double that holds a whole number may be written as such, and a
// whole number of a column with fractions is a double.
func sameCell(got, want any) bool {
	if got == nil || want == nil {
		return got == want
	}
	number := func(v any) (f float64, ok bool) {
		text := fmt.Sprint(v)
		if bits, found := strings.CutPrefix(text, "0x"); found {
			var u uint64
			_, err := fmt.Sscanf(bits, "%x", &u)
			return math.Float64frombits(u), err == nil
		}
		_, err := fmt.Sscan(text, &f)
		return f, err == nil
	}
	if fmt.Sprint(got) == fmt.Sprint(want) {
		return true
	}
	g, ok1 := number(got)
	w, ok2 := number(want)
	return ok1 && ok2 && g == w && math.Abs(g) < 1<<53
}

// headed finds the column of a counter: its name, behind which a CSV has the unit.
func headed(columns map[string][]any, name string) ([]any, bool) {
	if v, ok := columns[name]; ok {
		return v, true
	}
	for head, v := range columns {
		if rest, ok := strings.CutPrefix(head, name+" "); ok && strings.ContainsAny(rest[:1], "([{") {
			return v, true
		}
	}
	return nil, false
}

func writeExport(t *testing.T, x *exportCase, path string) {
	t.Helper()
	c, err := export.View(t.Context(), x.from, x.opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := Registry().Save(t.Context(), path, "", c); err != nil {
		t.Fatal(err)
	}
}

// Programs of others find in files with metrics what a script computes, to the last bit.
func TestEnginesReadExportedMetrics(t *testing.T) {
	dir := t.TempDir()
	files := map[string][]string{} // by engine
	wanted := map[string]map[string][]any{}
	cases := exportCases(t)
	for i := range cases {
		x := &cases[i]
		want := x.wanted(t)
		for _, ext := range []string{".csv", ".arrow", ".parquet"} {
			path := filepath.Join(dir, x.name+ext)
			writeExport(t, x, path)
			wanted[path] = want
			for _, engine := range []string{"pyarrow", "pandas", "polars", "duckdb"} {
				if engine != "duckdb" || ext != ".arrow" {
					files[engine] = append(files[engine], path)
				}
			}
		}
	}
	for engine, paths := range files {
		t.Run(engine, func(t *testing.T) {
			exe := os.Getenv("ASTROLABE_LAKE_PYTHON")
			if exe == "" {
				exe = "python3"
			}
			if exec.Command(exe, "testdata/exports.py", engine).Run() != nil {
				t.Skipf("SKIPPED: %s is not installed for %s (.ci/extra lake installs it)", engine, filepath.Base(exe))
			}
			cmd := exec.Command(exe, append([]string{"testdata/exports.py", engine}, paths...)...)
			var said bytes.Buffer
			cmd.Stderr = &said
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, &said)
			}
			answers := json.NewDecoder(bytes.NewReader(out))
			answers.UseNumber()
			for _, path := range paths {
				var got map[string][]any
				if err := answers.Decode(&got); err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				compareColumns(t, filepath.Base(path), got, wanted[path])
			}
			if _, err := answers.Token(); err != io.EOF {
				t.Error("it says more than was asked")
			}
		})
	}
}

func compareColumns(t *testing.T, file string, got, want map[string][]any) {
	t.Helper()
	values, missing, differ := 0, 0, 0
	for name, list := range want {
		have, ok := headed(got, name)
		if !ok || len(have) != len(list) {
			t.Errorf("%s: column %q has %d rows, want %d", file, name, len(have), len(list))
			continue
		}
		for i := range list {
			values++
			if list[i] == nil {
				missing++
			}
			if !sameCell(have[i], list[i]) {
				if differ++; differ <= 3 {
					t.Errorf("%s: %s of row %d is %v, want %v", file, name, i, have[i], list[i])
				}
			}
		}
	}
	if values == 0 || missing == 0 || missing == values {
		t.Errorf("%s: %d values, %d of them missing: nothing was judged", file, values, missing)
	}
	t.Logf("ENGINE | export: %s | %d values, %d of them missing, %d differ | %d", file, values, missing, differ, len(want))
}
