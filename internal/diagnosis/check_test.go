package diagnosis

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture/capturetest"
)

// checkModels lets a script judge what models of it plant, and fails where fewer than 95 % of the bottlenecks are named first, where fewer than
// 95 % of what is named was planted, or where a healthy capture is given a bottleneck.
func checkModels(t *testing.T, models ...capturetest.Model) {
	t.Helper()
	t.Parallel()
	suite := Full
	if testing.Short() {
		suite = Quick
	}
	x, err := Run(t.Context(), suite, models...)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(x.Summary())
	named, planted := x.Recall()
	right, all := x.Precision()
	alarms, healthy := x.FalseAlarms()
	if planted == 0 || healthy == 0 {
		t.Fatalf("%d bottlenecks were planted and %d captures were healthy", planted, healthy)
	}
	if float64(named) < 0.95*float64(planted) || float64(right) < 0.95*float64(all) || alarms > 0 {
		t.Errorf("%s\n%s", x.Summary(), x.MissText())
	}
	if len(x.Single) != len(suite.Noises) {
		t.Errorf("single bottlenecks were planted with %d noises of %d", len(x.Single), len(suite.Noises))
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
	if !testing.Short() {
		documented(t, x, models[0].Script())
	}
}

// documented checks that the documentation shows this very matrix.
func documented(t *testing.T, x *Matrix, script string) {
	t.Helper()
	p, size, err := x.Picture(script)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "matrix.png")
	if err := p.Save(path, size); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("..", "..", "docs", "images", PictureName(script)))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/images/%s does not show %s (%v): go run ./internal/diagnosis/cmd/planted --measure docs/images --script %s", PictureName(script), x.Summary(), err, script)
	}
}

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
	ids, err := j.Nameable()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if !planted[id] {
			t.Errorf("rule %s can be named, but no model plants it", id)
		}
	}
}
