package charts

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

func TestStackedBarsShowTheirPartsAndTheSum(t *testing.T) {
	o := BarOptions{Title: "Time", Unit: "ms", Labels: []string{"frame 1", "frame 2"}, Stacked: true}
	p, err := Bar(o, BarSeries{Name: "texture", Values: []float64{10, 4}},
		BarSeries{Name: "arithmetic", Values: []float64{5, math.NaN()}},
		BarSeries{Name: "others", Values: []float64{0.01, 12}})
	if err != nil {
		t.Fatal(err)
	}
	sc, err := p.scene(canvas.Size{})
	if err != nil {
		t.Fatal(err)
	}
	text := canvastest.TextOf(sc)
	for _, want := range []string{"10 ms\n", "15.01 ms", "16 ms", "texture", "arithmetic", "others"} {
		if !strings.Contains(text, want) {
			t.Errorf("the chart lacks %q:\n%s", want, text)
		}
	}
	for i, a := range sc.Boxes {
		for _, b := range sc.Boxes[:i] {
			if a.Overlaps(b.Rect) {
				t.Errorf("%q stands over %q", a.Text, b.Text)
			}
		}
	}
	if _, err := Bar(o, BarSeries{Name: "x", Values: []float64{1, -1}}); err == nil ||
		!strings.Contains(err.Error(), "not negative") {
		t.Errorf("a negative part: %v", err)
	}
	o.Vertical = true
	if _, err := Bar(o, BarSeries{Name: "x", Values: []float64{1, 1}}); err == nil {
		t.Error("standing bars were stacked")
	}
}

func TestLowRowsKeepTheirNames(t *testing.T) {
	for _, stacked := range []bool{false, true} {
		o := BarOptions{Title: "Time", Unit: "ms", Stacked: stacked}
		var values []float64
		for i := range 12 {
			o.Labels, values = append(o.Labels, fmt.Sprintf("kernel_%02d", i)), append(values, float64(i+1))
		}
		p, err := Bar(o, BarSeries{Name: "texture", Values: values})
		if err != nil {
			t.Fatal(err)
		}
		sc, err := p.scene(canvas.Size{Width: 900, Height: 240})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range o.Labels {
			if !strings.Contains(canvastest.TextOf(sc), l) {
				t.Errorf("a row goes without its name, %s", l)
			}
		}
		for i, a := range sc.Boxes {
			for _, b := range sc.Boxes[:i] {
				if a.Overlaps(b.Rect) {
					t.Errorf("%q stands over %q", a.Text, b.Text)
				}
			}
		}
	}
}
