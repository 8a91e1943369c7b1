package lake

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/internal/longtests"
)

// python is the interpreter that has an engine: that of ASTROLABE_LAKE_PYTHON, or the system's. .ci/extra lake installs
// one.
func python(t testing.TB, engine string) string {
	t.Helper()
	exe := os.Getenv("ASTROLABE_LAKE_PYTHON")
	if exe == "" {
		exe = "python3"
	}
	if err := exec.Command(exe, "testdata/engines.py", engine, "--there").Run(); err != nil {
		t.Skipf("SKIPPED: %s is not installed for %s (.ci/extra lake installs it)", engine, filepath.Base(exe))
	}
	return exe
}

// Engines read what was written, before and behind a compaction, with every type as it is: builds that look like
// numbers, folders whose names are escaped, times in UTC, missing values, labels.
func TestEnginesReadWhatWasWritten(t *testing.T) {
	l := made(t)
	want := map[string]int{}
	for i, labels := range []map[string]string{
		{"build": "007", "scene": "menu"}, {"build": "1.10", "device": "A/B=ü %25"}, {}, {"build": "x y", "device": "1"},
		{"build": "007", "scene": "a \"b\"", "device": "#[x]=<y>|'z'\\"},
	} {
		e := entry(i, 9, labels)
		add(t, l, e)
		p := partitionOf(&e.Capture)
		want[asJSON(t, tableCaptures, p, e.Capture)]++
		e.Metrics(func(rows []Metric) error {
			for _, r := range rows {
				want[asJSON(t, tableMetrics, p, r)]++
			}
			return nil
		})
		for _, f := range e.Findings {
			want[asJSON(t, tableFindings, p, f)]++
		}
	}
	engines := []string{"duckdb", "pandas", "polars"}
	if longtests.Asked() || os.Getenv("ASTROLABE_LAKE_PYTHON") != "" {
		engines = append(engines, "pyspark") // which takes half a minute to begin
	}
	ask := func(t *testing.T, lake string) {
		for _, engine := range engines {
			t.Run(engine, func(t *testing.T) {
				cmd := exec.Command(python(t, engine), "testdata/engines.py", engine, l.dir)
				var said bytes.Buffer
				cmd.Stderr = &said
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v\n%s", err, &said)
				}
				got := map[string]int{}
				for line := range strings.Lines(string(out)) {
					got[canonical(t, []byte(line))]++
				}
				if maps.Equal(got, want) {
					t.Logf("ENGINE | %s | %s | %d", lake, engine, len(want))
					return
				}
				for _, x := range slices.Sorted(maps.Keys(want)) {
					if got[x] != want[x] {
						t.Errorf("%d times and not %d: %s", got[x], want[x], x)
					}
				}
				for _, x := range slices.Sorted(maps.Keys(got)) {
					if want[x] == 0 {
						t.Errorf("unexpected: %s", x)
					}
				}
			})
		}
	}
	t.Run("added", func(t *testing.T) { ask(t, "added") })
	compact(t, l)
	t.Run("compacted", func(t *testing.T) { ask(t, "compacted") })
}
