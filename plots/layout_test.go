package plots

import (
	"fmt"
	"math"
	"testing"

	"astrolabe/plots/canvas"
)

// checkLayout fails where a text leaves the page or two texts overlap.
func checkLayout(t *testing.T, name string, sc *canvas.Scene) {
	t.Helper()
	page := canvas.Box(0, 0, sc.W, sc.H)
	bad := 0
	for i, a := range sc.Boxes {
		if !page.Contains(a.Rect) {
			t.Errorf("%s: %.60q leaves the page of %.0fx%.0f: %+v", name, a.Text, sc.W, sc.H, a.Rect)
			bad++
		}
		for _, b := range sc.Boxes[i+1:] {
			if a.Overlaps(b.Rect) {
				t.Errorf("%s: %.60q at %.0f overlaps %.60q at %.0f", name, a.Text, a.Rect, b.Text, b.Rect)
				bad++
			}
		}
		if bad > 5 {
			t.Fatalf("%s: and more", name)
		}
	}
	for _, o := range sc.Ops {
		if p, ok := o.(canvas.PolyOp); ok {
			for _, q := range p.Pts {
				if math.IsNaN(q.X+q.Y) || math.IsInf(q.X+q.Y, 0) {
					t.Fatalf("%s: a polygon has a corner at %v", name, q)
				}
			}
		}
	}
}

func TestNoTextOverlapsOrLeavesThePage(t *testing.T) {
	sizes := []canvas.Size{{}, {Width: 800, Height: 450, DPI: 96}, {Width: 640, Height: 360, DPI: 96}, {Width: 400, Height: 300, DPI: 96}, {Width: 160, Height: 120, DPI: 96}, {Width: 3200, Height: 1800, DPI: 192}, {Width: 1600, Height: 300, DPI: 96}, {Width: 300, Height: 1600, DPI: 96}, {Width: 1600, Height: 900, DPI: 160}}
	for _, p := range gallery(t) {
		for _, sz := range sizes {
			sc, err := p.plot.scene(sz)
			if err != nil {
				t.Fatal(err)
			}
			checkLayout(t, fmt.Sprintf("%s at %v", p.name, sz), sc)
		}
	}
}

func TestNoTextOfAReportOverlapsOrLeavesItsPage(t *testing.T) {
	for name, r := range map[string]*Report{"sample": sampleReport(t, 120), "odd": oddReport(t), "empty": {}} {
		for _, format := range canvas.Formats() {
			for _, sz := range []canvas.Size{{}, {Width: 800}, {Width: 400}, {Width: 1600, Height: 900}, {Width: 3200, DPI: 192}} {
				scenes, err := r.scenes(format, sz)
				if err != nil {
					t.Fatal(err)
				}
				for i, sc := range scenes {
					checkLayout(t, fmt.Sprintf("%s.%s at %v, page %d", name, format, sz, i+1), sc)
				}
			}
		}
	}
}
