package all

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/capture/export"
)

// traceRead is what testdata/traces.py says of a trace.
type traceRead struct {
	Counters map[string][][2]any
	Slices   [][4]any
	Units    map[string]string
	Groups   map[string]string
	Wrong    int
}

// Traces hold what a script computes, each value at the start of its sample, to the last bit; frames and the other
// regions are slices, and tracks are by hardware block.
func TestEnginesReadTracesOfMetrics(t *testing.T) {
	exe := os.Getenv("ASTROLABE_LAKE_PYTHON")
	if exe == "" {
		exe = "python3"
	}
	if exec.Command(exe, "-c", "import perfetto.protos.perfetto.trace.perfetto_trace_pb2").Run() != nil {
		t.Skipf("SKIPPED: perfetto is not installed for %s (.ci/extra lake installs it)", filepath.Base(exe))
	}
	for _, x := range exportCases(t)[:2] {
		x.opt.Select = nil
		frames := analysis.Frames(x.from)
		from, err := x.from.With(func(cfg *capture.Config) {
			for _, r := range frames {
				r.Name, r.Track = "frame "+r.Name, "frames"
				cfg.Regions = append(cfg.Regions[:len(cfg.Regions):len(cfg.Regions)], r)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		want := x.wanted(t)
		x.from = from
		for _, ext := range []string{".pftrace", ".json"} {
			path := filepath.Join(t.TempDir(), x.name+ext)
			writeExport(t, &x, path)
			out, err := exec.Command(exe, "testdata/traces.py", path).Output()
			if err != nil {
				t.Fatal(err)
			}
			var got traceRead
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			compareTrace(t, &x, filepath.Base(path), &got, want)
			checkSlices(t, filepath.Base(path), &got, from.Regions)
		}
	}
}

func compareTrace(t *testing.T, x *exportCase, file string, got *traceRead, want map[string][]any) {
	t.Helper()
	seen, err := export.View(t.Context(), x.from, x.opt)
	if err != nil {
		t.Fatal(err)
	}
	values, differ := 0, 0
	for name, list := range want {
		have := map[string]any{}
		for _, v := range got.Counters[name] {
			have[fmt.Sprintf("%.0f", v[0])] = v[1]
		}
		for i, v := range list {
			at := fmt.Sprint(x.seen.Axis.Start[i])
			if v == nil && have[at] != nil || v != nil && !sameCell(have[at], v) {
				if differ++; differ < 5 {
					t.Errorf("%s: %s at %s ns is %v, want %v", file, name, at, have[at], v)
				}
			}
			values++
		}
	}
	for _, c := range seen.Counters {
		if unit, ok := got.Units[c.Name]; c.Unit != "" && got.Counters[c.Name] != nil && (!ok || unit != c.Unit && unit != "") {
			t.Errorf("%s: %s is in %q, want %q", file, c.Name, unit, c.Unit)
		}
		if c.Block != "" && got.Counters[c.Name] != nil && !strings.HasSuffix(got.Groups[c.Name], c.Block) {
			t.Errorf("%s: %s is among %q, want %s", file, c.Name, got.Groups[c.Name], c.Block)
		}
		for _, in := range c.Instances {
			if group, ok := got.Groups[in.Name]; ok && strings.HasSuffix(file, ".pftrace") && !strings.HasSuffix(group, " "+in.Meta.Instance) {
				t.Errorf("%s: %s is among %q", file, in.Name, group)
			}
		}
	}
	if got.Wrong > 0 || values == 0 {
		t.Errorf("%s: %d events are of no track, or slices without an end; %d values", file, got.Wrong, values)
	}
	t.Logf("ENGINE | export: %s | %d values, %d differ, %d slices | %d", file, values, differ, len(got.Slices), len(want))
}

func checkSlices(t *testing.T, file string, got *traceRead, regions []capture.Region) {
	t.Helper()
	for _, r := range regions {
		if !slices.ContainsFunc(got.Slices, func(s [4]any) bool {
			return s[1] == r.Name && s[2] == float64(r.Start) && s[3] == float64(r.End) && strings.HasPrefix(fmt.Sprint(s[0]), r.Track)
		}) {
			t.Errorf("%s: no slice of %+v", file, r)
			return
		}
	}
}
