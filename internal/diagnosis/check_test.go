package diagnosis

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture/capturetest"
	"astrolabe/internal/longtests"
)

// checkModels lets a script judge what models of it plant, and fails where fewer than 95 % of the bottlenecks are named
// first, where fewer than 95 % of what is named was planted, where a healthy capture is given a bottleneck, and where
// anything else is named than the documentation shows. It judges a part of the cases by which the documentation
// measures the script, in its long form all of them.
func checkModels(t *testing.T, models ...capturetest.Model) {
	t.Helper()
	t.Parallel()
	cases := Part
	if longtests.Asked() {
		cases = Full.Cases
	}
	x, err := Run(t.Context(), cases, models...)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(x.Summary())
	named, planted := x.recall()
	right, all := x.Precision()
	alarms, healthy := x.falseAlarms()
	if _, always := models[0].(capturetest.Limited); planted == 0 || healthy == 0 && !always {
		t.Fatalf("%d bottlenecks were planted and %d captures were healthy", planted, healthy)
	}
	if float64(named) < 0.95*float64(planted) || float64(right) < 0.95*float64(all) || alarms > 0 {
		t.Errorf("%s\n%s", x.Summary(), x.MissText())
	}
	if len(x.Single) != len(Full.Noises) {
		t.Errorf("single bottlenecks were planted with %d noises of %d", len(x.Single), len(Full.Noises))
	}
	for noise, n := range x.Single {
		if float64(n.Named) < 0.95*float64(n.Planted) {
			t.Errorf("noise %g: %d of %d single bottlenecks were named first", noise, n.Named, n.Planted)
		}
	}
	for _, r := range x.Remarks {
		// Counters from several runs of a kernel do not fit together exactly, which is a remark of its own.
		if !strings.Contains(r.Model, " passes") {
			t.Errorf("%s %s: a healthy capture has the finding %s", r.Model, r.Case, r.Rule)
		}
	}
	rules(t, models...)
	documented(t, x, cases, models...)
}

// documented checks that the record has the same misses in these cases, and that the documentation shows the record.
func documented(t *testing.T, x *Matrix, cases func(capturetest.Model) []capturetest.Case,
	models ...capturetest.Model) {
	t.Helper()
	script := models[0].Script()
	record := filepath.Join("..", "..", RecordPath(script))
	want, err := readRecord(record, cases, models...)
	if err != nil {
		t.Fatal(err)
	}
	again := "go run ./internal/diagnosis/cmd/planted --measure docs/images --cases 0 --script " + script
	if got, want := x.MissText(), want.MissText(); got != want {
		t.Errorf("misses are\n%s\nand in %s\n%s\n%s", got, record, want, again)
	}
	whole, err := readRecord(record, Full.Cases, models...)
	if err != nil {
		t.Fatal(err)
	}
	p, size, err := whole.Picture(script)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "matrix.png")
	if err := p.Save(path, size); err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := os.ReadFile(filepath.Join("..", "..", "docs", "images", PictureName(script)))
	if err != nil || !bytes.Equal(drawn, shown) {
		t.Errorf("docs/images/%s does not show %s (%v): %s", PictureName(script), whole.Summary(), err, again)
	}
}

// asking are the rules that ask for what a capture lacks: models lack nothing.
var asking = []string{"load_unknown", "not_measured", "waiter_unknown", "engines_unknown", "vram_short"}

// elsewhere are the rules about what no planted Mali, Kaby Lake, AMD card or CPU counts, or lacks:
// mali_family_test.star, intel_family_test.star, amd_live_test.star, cpu_test.star, gpa_recorded_test.star, gfx1151_test.star and gfx1151_derived_test.star of scripts/triage show where they
// hold, and the simulator judges them.
var elsewhere = []string{"attribute_bound", "blend_bound", "clock_fell", "cpu_crowded", "dispatch_bound", "job_overhead", "low_clock", "non_fragment_bound",
	"media_bound", "not_countable", "ray_tracing_bound", "waits_scoreboard", "waits_send", "waits_fetch",
	"waits_barrier", "waits_result", "waits_control", "waits_pipe", "waits_pixel_order", "serialized", "core_or_fetch",
	"vector_memory", "other_engine", "rays_bound", "tlb_bound", "few_waves", "cus_idle"}

// rules checks that each rule that can be named has a plant.
func rules(t *testing.T, models ...capturetest.Model) {
	t.Helper()
	planted := map[string]bool{}
	for _, m := range models {
		for _, p := range m.Plants() {
			planted[p.Rule] = true
		}
	}
	j, err := NewJudge(t.Context(), models[0].Script())
	if err != nil {
		t.Fatal(err)
	}
	ids, err := j.Nameable("cause")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if !planted[id] && !slices.Contains(asking, id) && !slices.Contains(elsewhere, id) {
			t.Errorf("rule %s can be named, but no model plants it", id)
		}
	}
}
