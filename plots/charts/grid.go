package charts

import (
	"fmt"

	"astrolabe/plots/canvas"
)

// grid arranges charts in rows. Timelines in one column share their time axis and their edges.
type grid struct {
	title string // over all of it
	rows  [][]*Plot
}

// TitledGrid arranges charts in rows of equal height, with a title over all of them; the charts of a row get equal
// widths.
func TitledGrid(title string, rows [][]*Plot) (*Plot, error) {
	g := &grid{title: title}
	for i, row := range rows {
		if len(row) == 0 {
			return nil, fmt.Errorf("grid: row %d has no chart", i+1)
		}
		for j, p := range row {
			if p == nil || p.body == nil {
				return nil, fmt.Errorf("grid: row %d, chart %d is not a chart", i+1, j+1)
			}
		}
		g.rows = append(g.rows, append([]*Plot(nil), row...))
	}
	if len(g.rows) == 0 {
		return nil, fmt.Errorf("grid: there is no row")
	}
	return New(title, "grid", g), nil
}

// single returns the lanes of a grid that is one column of timelines; the first bears the title of the grid.
func (g *grid) single() []*lane {
	var lanes []*lane
	for _, row := range g.rows {
		tl, ok := row[0].body.(*timeline)
		if len(row) != 1 || !ok {
			return nil
		}
		lanes = append(lanes, tl.lanes...)
	}
	if g.title != "" {
		first := *lanes[0]
		switch {
		case first.title == "":
			first.title = first.over
		case first.over != "":
			first.title = first.over + " · " + first.title
		}
		first.over = g.title
		lanes[0] = &first
	}
	return lanes
}

// header is the title as lines of a width.
func (g *grid) header(t *canvas.Theme, width float64) header {
	return newHeader(t, g.title, "", "", width)
}

// headHeight is the room that the title takes, with the space below it.
func (g *grid) headHeight(t *canvas.Theme, width float64) float64 {
	if g.title == "" {
		return 0
	}
	return g.header(t, width).height(t) + gridGap(t)/2
}

func gridGap(t *canvas.Theme) float64 { return t.Text * 1.4 }

func (g *grid) Prefer(t *canvas.Theme, width float64) float64 {
	if lanes := g.single(); lanes != nil {
		return newTimeStack(lanes).Prefer(t, width)
	}
	h := g.headHeight(t, width) - gridGap(t)
	for _, row := range g.rows {
		cell := g.cellWidth(t, row, width)
		tallest := 0.0
		for _, p := range row {
			tallest = max(tallest, p.body.Prefer(t, cell))
		}
		h += tallest + gridGap(t)
	}
	return h
}

func (g *grid) cellWidth(t *canvas.Theme, row []*Plot, width float64) float64 {
	n := float64(len(row))
	return (width - (n-1)*gridGap(t)) / n
}

func (g *grid) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	if lanes := g.single(); lanes != nil {
		newTimeStack(lanes).Draw(sc, t, area)
		return
	}
	if !g.fits(t, area) {
		s := canvas.Regular.Of(t.Text)
		n := max(1, int(area.H/s.Leading()))
		sc.TextLines(area.X, area.Y, canvas.Left, s, t.Muted,
			s.Lines("the charts of this grid do not fit at this size", area.W, n))
		return
	}
	head := g.headHeight(t, area.W)
	g.header(t, area.W).draw(sc, t, area.X, area.Y)
	area.Y, area.H = area.Y+head, area.H-head
	// Rows share the height in proportion to what their tallest chart prefers.
	prefer, sum := g.heights(t, area.W)
	room := area.H - gridGap(t)*float64(len(g.rows)-1)
	y := area.Y
	for i, row := range g.rows {
		h := room * prefer[i] / sum
		cell := g.cellWidth(t, row, area.W)
		for j, p := range row {
			p.body.Draw(sc, t, canvas.Box(area.X+float64(j)*(cell+gridGap(t)), y, cell, h))
		}
		y += h + gridGap(t)
	}
}

// fits reports whether every chart of the grid gets room for at least its title and a few ticks, or all that it wants.
func (g *grid) fits(t *canvas.Theme, area canvas.Rect) bool {
	for _, row := range g.rows {
		if g.cellWidth(t, row, area.W) < 9*t.Text {
			return false
		}
	}
	prefer, sum := g.heights(t, area.W)
	room := area.H - g.headHeight(t, area.W) - gridGap(t)*float64(len(g.rows)-1)
	for _, p := range prefer {
		if room*p/sum < min(8*t.Text, p)-0.5 {
			return false
		}
	}
	return true
}

// heights are what the tallest chart of each row prefers, and their sum.
func (g *grid) heights(t *canvas.Theme, width float64) (rows []float64, sum float64) {
	rows = make([]float64, len(g.rows))
	for i, row := range g.rows {
		for _, p := range row {
			rows[i] = max(rows[i], p.body.Prefer(t, g.cellWidth(t, row, width)))
		}
		sum += rows[i]
	}
	return rows, sum
}
