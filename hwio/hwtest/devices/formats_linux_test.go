//go:build linux

package devices

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/capture/formats/formatstest"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/emulated"
)

// sources are what records a device, by the beginning of its name.
var sources = map[string]string{"bmg": "xe", "cpu-pmu": "cpu", "dg2": "i915", "gfx": "amdgpu", "kbl": "i915", "lnl": "xe", "mali": "kbase", "mtl": "i915",
	"panfrost": "panfrost", "ptl": "xe", "tgl": "i915"}

// answers are how many of a source's answers a recording waits for.
var answers = map[string]int{"cpu": 50, "amdgpu": 4, "i915": 150, "xe": 150, "kbase": 50, "panfrost": 50}

// recordOf records a device as users do.
func recordOf(t *testing.T, m hwtest.Model) *capture.Capture {
	t.Helper()
	source := ""
	for prefix, name := range sources {
		if strings.HasPrefix(m.Name, prefix) {
			source = name
		}
	}
	if strings.HasSuffix(m.Name, "-xe") { // a GPU that both of Intel's drivers run
		source = "xe"
	}
	if source == "" {
		t.Fatalf("nothing is known to record %s: add it to the sources of this test", m.Name)
	}
	e := emulated.Record[any](t, hwtest.Options{Device: m.New(), EndAfter: answers[source]}, source, "5ms")
	c := e.Open(t)
	if c.Len() == 0 || len(c.Counters) == 0 {
		t.Fatalf("%d samples, %d counters\n%s", c.Len(), len(c.Counters), e.Output)
	}
	return c
}

// withoutCost leaves out what the recorder says of itself.
func withoutCost(t *testing.T, c *capture.Capture) *capture.Capture {
	t.Helper()
	out, err := c.With(func(f *capture.Config) {
		f.Counters = slices.DeleteFunc(slices.Clone(f.Counters), func(x *capture.Counter) bool { return x.Block == "recorder" })
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A recording of every device, converted to every format and back, has what docs/formats.md says that the format keeps.
func TestRecordingsOfEveryDeviceSurviveWhatTheTableOfFormatsPromises(t *testing.T) {
	promised, err := formatstest.Promises(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	tried, recorded := map[string]int{}, 0
	for _, m := range All() {
		if slices.ContainsFunc(pairs, func(p hwtest.Model) bool { return p.Name == m.Name }) {
			continue // each of their cards is a device of its own
		}
		t.Run(m.Name, func(t *testing.T) {
			c := recordOf(t, m) // which may skip
			recorded++
			for _, f := range all.Registry().Formats() {
				w, ok := f.(formats.Writer)
				if !ok || f.Name() == "gpa" { // which holds counters of GPA only
					continue
				}
				c := c
				if f.Name() == "i915perf" { // which holds what the device reports, and not what recording it took
					c = withoutCost(t, c)
				}
				back := formatstest.RoundTrip(t, all.Registry(), w, c)
				if back == nil {
					continue
				}
				tried[f.Name()]++
				for what, kept := range formatstest.Measure(c, back) {
					if promised[f.Name()][what] == "yes" && kept == "no" {
						t.Errorf("%s loses the %s", f.Name(), what)
					}
				}
				if t.Failed() {
					t.Log(formatstest.Difference(c, back))
				}
			}
		})
	}
	for _, name := range formatstest.Columns {
		if recorded > 0 && name != "gpa" && tried[name] == 0 {
			t.Errorf("no recording was written as %s and opened again", name)
		}
	}
}
