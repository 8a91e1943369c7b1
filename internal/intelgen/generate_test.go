package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheSetsAreWhatTheTablesSay(t *testing.T) {
	const root = "../.."
	reference := filepath.Join(root, "testdata", "reference")
	out := filepath.Join(t.TempDir(), "sets.gz")
	err := run(filepath.Join(reference, "intel_family_sets.csv"), filepath.Join(reference, "intel_family_counters.csv"),
		filepath.Join(reference, "intel_kbl_metrics.csv"), out)
	if err != nil {
		t.Fatal(err)
	}
	got, want := unpack(t, out), unpack(t, filepath.Join(root, "capture", "metrics", "data", "intel.sets.gz"))
	if !bytes.Equal(got, want) {
		t.Error("capture/metrics/data/intel.sets.gz is not what the tables give: run go generate")
	}
}

func unpack(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestMeaningsComeFromNamesUnitsAndPlaces(t *testing.T) {
	for _, c := range []struct{ title, unit, scope, doc string }{
		{"Slice0 DualSubslice3 Sampler Output Ready", "percent", "dualsubslice",
			"Share of core clocks in which the sampler had output to hand on. Counted in slice 0, dual subslice 3."},
		{"XVE STALL SBID XECORE1 XVE0 THREAD0", "percent", "",
			"Share of vector engine clocks in which threads waited for a scoreboard entry, such as a load that has not returned. " +
				"Counted in Xe-core 1, vector engine 0, thread slot 0."},
		{"ICACHE HIT BANK1 XECORE2", "events", "", "Accesses that found what they looked for: instruction cache. Counted in bank 1, Xe-core 2."},
		{"Slice0 L3 Bank4 Stalled", "percent", "slice", "Share of core clocks in which the slice 0, L3 bank 4 could not go on."},
		{"URB Read", "events", "", "Number of events: URB (unified return buffer) read."},
	} {
		got := describe(map[string]string{"title": c.title, "unit": c.unit, "scope": c.scope})
		if got["doc"] != c.doc || got["high"] == "" || got["low"] == "" {
			t.Errorf("%s means %q, want %q", c.title, got["doc"], c.doc)
		}
	}
}

func TestTablesThatContradictThemselvesAreRefused(t *testing.T) {
	set := map[string]string{"platform": "abc", "metric_set": "One", "guid": "g"}
	counter := map[string]string{"platforms": "abc", "metric_set": "One", "counter_symbol": "X", "name": "X", "equation": "A 0 READ"}
	elsewhere := map[string]string{"platforms": "abd", "metric_set": "One", "counter_symbol": "X"}
	for _, c := range []struct {
		counters []map[string]string
		want     string
	}{
		{[]map[string]string{counter, counter}, "row 3: abc has X twice in its set One"},
		{[]map[string]string{elsewhere}, "row 2: abd has no metric set One"},
		{[]map[string]string{counter}, "which no platform has"}, // of words.txt
	} {
		if _, err := generate([]map[string]string{set}, c.counters, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
