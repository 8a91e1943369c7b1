package charts

import (
	"fmt"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

// Pages take charts as panels: no text of theirs may leave its panel's width, overlap another or stand below what the
// panel says it takes.
func TestNoTextOfPanelsOverlapsOrLeavesThePage(t *testing.T) {
	theme := canvas.Light()
	for _, p := range gallery(t) {
		for _, width := range []float64{1500, 760, 360} {
			th := theme.Shrunk(width)
			list := []*Plot{p.plot}
			panels := Panels(th, list, AlignTimelines(th, list, width), width, 3000)
			if len(panels) == 0 {
				t.Errorf("%s has no panel", p.name)
			}
			h := 0.0
			for _, panel := range panels {
				h += panel.Space + panel.Height
				if panel.Foot != nil {
					h += panel.Foot.Height
				}
			}
			const margin = 1 // a page has more; letters may reach into it by a part of a pixel
			sc := canvas.NewScene(width+2*margin, h, 1, th.Page)
			y := 0.0
			for i, panel := range panels {
				y += panel.Space
				panel.Draw(sc, margin, y, width)
				y += panel.Height
				if f := panel.Foot; f != nil && (i+1 == len(panels) || panels[i+1].Foot != f) {
					f.Draw(sc, margin, y, width)
					y += f.Height
				}
			}
			canvastest.CheckLayout(t, fmt.Sprintf("%s %g wide", p.name, width), sc)
		}
	}
}
