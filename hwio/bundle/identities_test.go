package bundle_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	formatlist "astrolabe/capture/formats/all"
	"astrolabe/hwio/bundle"
	"astrolabe/internal/testfiles"
)

// real are the captures of real machines that the repository has, and what a table says that it is of.
func real(t *testing.T) map[string]formats.Options {
	out := map[string]formats.Options{
		testfiles.Path(t, "captures", "cpu-programs", "pipe.arrow"): {},
		testfiles.Path(t, "captures", "cpu-programs", "faults.csv"): {},
		testfiles.Path(t, "intel-rows", "oneprof_gen9_rows.csv"): {Format: "csv", GPU: "intel-skl-gt2",
			Extra: map[string]any{"period": "1ms"}},
	}
	for _, of := range []string{"captures/*/pmc_perf.csv", "workloads/*/pmc_perf.csv"} {
		files, err := filepath.Glob(filepath.Join(testfiles.Path(t), of))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", of, err)
		}
		for _, f := range files {
			out[filepath.Dir(f)] = formats.Options{}
		}
	}
	return out
}

func TestNoIdentityIsBrokenInCapturesOfRealMachines(t *testing.T) {
	n := map[string]int{}
	for file, o := range real(t) {
		c, err := formatlist.Registry().Open(t.Context(), file, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range bundle.JudgeCapture(t.Context(), c) {
			n[k.Verdict]++
			if k.Verdict == bundle.Broken {
				t.Errorf("%s: %s: %s", file, k.Name, k.Text)
			}
		}
	}
	t.Logf("%v", n)
	if n[bundle.Holds] < 50 {
		t.Errorf("only %d identities could be judged", n[bundle.Holds])
	}
}

// made is a capture of two samples of a second each.
func made(t *testing.T, gpu string, counters ...capture.Meta) (*capture.Capture, map[string][]uint64) {
	t.Helper()
	axis := capture.NewUniformAxis(2, 1e9)
	cfg := capture.Config{GPU: gpu, Axis: axis}
	values := map[string][]uint64{}
	for _, m := range counters {
		v := []uint64{5, 5}
		values[m.Name] = v
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: m, Axis: axis, Col: capture.NewColumn(capture.Data{U: v})})
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c, values
}

func TestVerdicts(t *testing.T) {
	branches := []capture.Meta{{Name: "branches"}, {Name: "branch_misses"}}
	const name = "mispredicted branches are branches"
	for _, c := range []struct {
		name     string
		counters []capture.Meta
		misses   uint64
		verdict  string // "" where there is none
		text     string
	}{
		{"it holds", branches, 4, bundle.Holds, "the most is 90 % of it"},
		{"rounding is forgiven", branches, 60, bundle.Holds, ""},
		{"it is broken", branches, 5000, bundle.Broken, "the most in all, 5005 against 10; measured were branch_misses, branches"},
		{"one side was not recorded", branches[1:], 4, bundle.Undecided, "branches was not collected"},
		{"nothing of it was recorded", []capture.Meta{{Name: "page_faults"}}, 4, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			made, values := made(t, "cpu", c.counters...)
			if v := values["branch_misses"]; v != nil {
				v[1] = c.misses
			}
			checks := bundle.JudgeCapture(t.Context(), made)
			at := slices.IndexFunc(checks, func(k bundle.Check) bool { return k.Name == name })
			if (at < 0) != (c.verdict == "") {
				t.Fatalf("%+v", checks)
			}
			if at >= 0 && (checks[at].Verdict != c.verdict || !strings.Contains(checks[at].Text, c.text)) {
				t.Errorf("%+v, want %s with %q", checks[at], c.verdict, c.text)
			}
		})
	}
}

func TestThePageHasTheTableOfIdentities(t *testing.T) {
	const page, begin, end = "../../docs/bundle.md", "<!-- identities -->\n", "<!-- end of identities -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s has no place for the table", page)
	}
	var table strings.Builder
	table.WriteString("| of | what | holds | where | but for | says |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, r := range bundle.IdentityRows() {
		fmt.Fprintf(&table, "| `%s` | %s | `%s` | %s | %s | %s |\n", r[0], r[1], r[2], r[3], r[4], r[5])
	}
	want := before + begin + table.String() + end + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(text) != want {
		t.Errorf("%s is not what the table says; go test ./hwio/bundle -run ThePageHas -update writes it", page)
	}
}
