package charts

import (
	"fmt"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

func TestNoTextOverlapsOrLeavesThePage(t *testing.T) {
	sizes := []canvas.Size{{}, {Width: 800, Height: 450, DPI: 96}, {Width: 640, Height: 360, DPI: 96},
		{Width: 400, Height: 300, DPI: 96}, {Width: 160, Height: 120, DPI: 96}, {Width: 3200, Height: 1800, DPI: 192},
		{Width: 1600, Height: 300, DPI: 96}, {Width: 300, Height: 1600, DPI: 96}, {Width: 1600, Height: 900, DPI: 160}}
	for _, p := range gallery(t) {
		for _, sz := range sizes {
			sc, err := p.plot.scene(sz)
			if err != nil {
				t.Fatal(err)
			}
			canvastest.CheckLayout(t, fmt.Sprintf("%s at %v", p.name, sz), sc)
		}
	}
}
