package canvastest

import (
	"astrolabe/plots/canvas"
	"math"
	"strings"
	"testing"
)

// CheckLayout fails where a text leaves the page or two texts overlap.
func CheckLayout(t *testing.T, name string, sc *canvas.Scene) {
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

// TextOf lists the texts of a scene, one in a line.
func TextOf(sc *canvas.Scene) string {
	var b strings.Builder
	for _, box := range sc.Boxes {
		b.WriteString(box.Text + "\n")
	}
	return b.String()
}
