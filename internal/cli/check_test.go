package cli

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/internal/budget"
	"astrolabe/internal/testfiles"
	"astrolabe/plots/charts"
)

func TestAnAxisHasRoomForALimitBeyondTheValues(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name     string
		min, max float64
		values   []float64
		want     charts.Range
	}{
		{"within the values", nan, 5, []float64{1, 10}, charts.Range{}},
		{"above", 20, nan, []float64{1, nan, 10}, charts.Range{Hi: 21}},
		{"below", -10, nan, []float64{0, 10}, charts.Range{Lo: -11, Hi: 11}},
		{"so far that the values would be a flat line", 1000, nan, []float64{1, 10}, charts.Range{}},
		{"infinite values", nan, 20, []float64{math.Inf(1), 10}, charts.Range{Hi: 21}},
		{"no values", nan, 20, nil, charts.Range{}},
	} {
		if got := checkRange(&budget.Result{Min: c.min, Max: c.max}, c.values); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A script may judge longer samples than a capture has, and by a table that the capture decides on. Once limits and
// comparisons then said otherwise than the page.
func TestLimitsAndReportsAccountAlike(t *testing.T) {
	talk, err := os.Create(filepath.Join(t.TempDir(), "talk"))
	if err != nil {
		t.Fatal(err)
	}
	defer talk.Close()
	a := &app{ctx: t.Context(), out: &output{}, talk: newTalk(talk)}
	c, err := a.openCapture(testfiles.Path(t, "captures", "cpu-programs", "pipe.arrow"), &openFlags{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := a.reportHost("", &reportFlags{})
	if err != nil {
		t.Fatal(err)
	}
	names := reportScripts(c, "")
	if err := h.runner.Declare(a.ctx, names...); err != nil {
		t.Fatal(err)
	}
	page, err := a.fill(a.ctx, h, c, names, "")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := page.Report()
	if err != nil {
		t.Fatal(err)
	}
	acc, err := a.accountOf(a.ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	// It is of a virtual machine, which has no cycles to record.
	if got := doc.Account.Missing; len(got) != 1 || !strings.Contains(got[0], "on a machine that counts cycles") {
		t.Errorf("the page asks to record %q", got)
	}
	parts := acc.Found().Parts
	if len(parts) < 2 || len(parts) != len(doc.Account.Parts) {
		t.Fatalf("limits have %d parts, the page %d", len(parts), len(doc.Account.Parts))
	}
	for i, p := range doc.Account.Parts {
		if p.Time != parts[i].Time {
			t.Errorf("%s: %d ns on the page, %d to limits", p.Name, p.Time, parts[i].Time)
		}
	}
}
