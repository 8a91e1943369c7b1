package charts

import (
	"astrolabe/plots/canvas"
	"fmt"
	"strings"
)

// figureWidth is the width in logical pixels of a picture between text.
const figureWidth = 1280

// Figure lays a chart out for a document: as high as it needs, on the page of a theme, with scale pixels for a logical
// one.
func (p *Plot) Figure(t *canvas.Theme, scale float64) *canvas.Scene {
	t = t.Shrunk(figureWidth)
	pad := t.Text * 0.6
	h := min(p.body.Prefer(t, figureWidth-2*pad)+2*pad, canvas.MaxSide) // there are charts of thousands of rows
	if figureWidth*h*scale*scale > canvas.MaxPixels/8 {
		scale = 1
	}
	sc := canvas.NewScene(figureWidth, h, scale, t.Page)
	p.body.Draw(sc, t, canvas.Box(pad, pad, figureWidth-2*pad, h-2*pad))
	return sc
}

// Caption says what a picture shows, for those who cannot see it.
func (p *Plot) Caption() string {
	title := canvas.Printable(p.Title)
	if title == "" {
		var names []string
		switch b := p.body.(type) {
		case *timeline:
			for _, l := range b.lanes {
				for _, s := range l.series {
					names = append(names, canvas.Printable(s.Name))
				}
			}
		case *grid:
			for _, row := range b.rows {
				for _, q := range row {
					names = append(names, q.Caption())
				}
			}
		}
		const most = 6
		if len(names) > most {
			names = append(names[:most], fmt.Sprintf("and %d more", len(names)-most))
		}
		title = strings.Join(names, ", ")
	}
	if title == "" {
		return p.Kind
	}
	return p.Kind + ": " + title
}
