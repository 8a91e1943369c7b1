package charts

import (
	"slices"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

func TestNamesThatRunFromRightToLeftLeaveNumbersInTheirPlace(t *testing.T) {
	y := []float64{1, 2, 3}
	p, err := Overlay(OverlayOptions{Before: "לפני", After: "אחרי"}, Pair{Name: "שם", Before: series("a", "ms", 1e6, y),
		After: series("b", "ms", 1e6, []float64{4, 5, 6}), BeforeTotal: 12, AfterTotal: 34})
	sc, err2 := must(t, p, err).scene(canvas.Size{})
	if err2 != nil {
		t.Fatal(err2)
	}
	found := false
	for _, o := range sc.Ops {
		if tx, ok := o.(canvas.TextOp); ok && strings.Contains(tx.Text, "לפני") {
			found = true
			runs := canvas.SetLine(tx.Style.Face, tx.Text).Runs
			if last := runs[len(runs)-1]; !runs[0].RTL || last.RTL || !strings.Contains(last.Text, ": 12 ms") {
				t.Errorf("%q is drawn as %+v", tx.Text, runs)
			}
		}
	}
	if !found {
		t.Error("no legend has the name")
	}
}

func TestALineInTwoStylesKeepsItsOrder(t *testing.T) {
	// The first word of a Hebrew paragraph stands at the right, whatever the style of the ones in between.
	lines := canvas.WrapRuns([]canvas.Run{{Text: "שלום ", Style: canvas.Regular.Of(20)},
		{Text: "עולם", Style: canvas.Bold.Of(20)}, {Text: " GPU", Style: canvas.Mono.Of(20)}}, 1000)
	if len(lines) != 1 {
		t.Fatalf("%d lines", len(lines))
	}
	var got []canvas.Face
	for _, p := range lines[0] {
		if strings.Trim(p.Text, " \u200e\u200f") != "" {
			got = append(got, p.Style.Face)
		}
	}
	if want := []canvas.Face{canvas.Mono, canvas.Bold, canvas.Regular}; !slices.Equal(got, want) {
		t.Errorf("from left to right the styles are %v, want %v", got, want)
	}
}

func TestTextWithoutSpacesIsWrapped(t *testing.T) {
	canvastest.WithFonts(t, canvastest.ForeignFont(t, "Test Sans", canvastest.ForeignText+"。"))
	s := canvas.Regular.Of(20)
	text := strings.Repeat("日本語の温度。", 40)
	lines := s.Wrap(text, 300)
	if got := strings.Join(lines, ""); got != text {
		t.Errorf("wrapping lost something: %q", got)
	}
	for _, l := range lines {
		if s.Width(l) > 300 || strings.HasPrefix(l, "。") {
			t.Errorf("the line %q is %.0f wide", l, s.Width(l))
		}
	}
	rich := canvas.WrapRuns([]canvas.Run{{Text: text, Style: s}}, 300)
	if len(rich) != len(lines) {
		t.Errorf("%d lines as prose, %d as a label", len(rich), len(lines))
	}
}
