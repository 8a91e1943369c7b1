package charts

import (
	"astrolabe/plots/canvas"
)

// Panel is a part of a chart that a page never cuts: one lane of a timeline, or the whole of any other chart.
type Panel struct {
	Height float64
	Space  float64 // kept free above it, except at the top of a page
	Keep   bool    // stands on the same page as the next panel
	Foot   *Foot   // what a run of panels shares, drawn where the run or the page ends; nil for none
	Draw   func(sc *canvas.Scene, x, y, w float64)
}

// Foot is the time axis that a run of panels shares.
type Foot struct {
	Height float64
	Draw   func(sc *canvas.Scene, x, y, w float64)
}

// Alignment is what all timelines of a document have in common, so that their frames begin and end above one another.
type Alignment struct{ g laneGeometry }

// AlignTimelines measures the timelines among charts for a width.
func AlignTimelines(t *canvas.Theme, list []*Plot, width float64) Alignment {
	var lanes []*lane
	for _, p := range list {
		lanes = append(lanes, lanesOf(p)...)
	}
	if len(lanes) == 0 {
		return Alignment{}
	}
	least := 0.0
	for _, l := range lanes {
		if len(l.series) > 1 && (least == 0 || l.frameHeight(t) < least) {
			least = l.frameHeight(t)
		}
	}
	return Alignment{geometry(t, lanes, width, max(least, t.Text*7.5))}
}

// lanesOf returns the lanes of a timeline or of a column of timelines, nil for any other chart.
func lanesOf(p *Plot) []*lane {
	if !p.Drawable() {
		return nil
	}
	switch b := p.body.(type) {
	case *timeline:
		return b.lanes
	case *grid:
		return b.single()
	}
	return nil
}

// Panels lays out charts under one another, none higher than highest. Neighbouring timelines whose windows overlap
// stand on one time axis.
func Panels(t *canvas.Theme, list []*Plot, a Alignment, width, highest float64) []Panel {
	var out []Panel
	for i := 0; i < len(list); {
		p := list[i]
		i++
		if !p.Drawable() {
			continue
		}
		lanes := lanesOf(p)
		if lanes == nil {
			h := min(p.body.Prefer(t, width), highest)
			out = append(out, Panel{Height: h, Space: t.Text * 1.4, Draw: func(sc *canvas.Scene, x, y, w float64) {
				p.body.Draw(sc, t, canvas.Box(x, y, w, h))
			}})
			continue
		}
		// Take in the timelines that follow as long as all share their time.
		starts := map[int]bool{0: true}
		for ; i < len(list); i++ {
			more := lanesOf(list[i])
			if more == nil {
				break
			}
			all := append(lanes[:len(lanes):len(lanes)], more...)
			if _, _, ok := shareTime(all); !ok {
				break
			}
			starts[len(lanes)] = true
			lanes = all
		}
		for _, run := range newTimeStack(lanes).runs() {
			out = append(out, run.panels(t, starts, a.g, width, highest)...)
			starts = map[int]bool{0: true} // lanes of a grid over unlike windows stand apart
		}
	}
	return out
}

// panels lays out lanes on one time axis. starts holds the indices at which a new chart begins.
func (r laneRun) panels(t *canvas.Theme, starts map[int]bool, g laneGeometry, width, highest float64) []Panel {
	axis := newTimeFoot(t, r.lanes, r.t0, r.t1, g, width)
	foot := &Foot{Height: axis.height(t), Draw: func(sc *canvas.Scene, x, y, w float64) {
		axis.draw(sc, t, sc.Snapped(canvas.Box(x+g.gutter, y-1, g.frameW(w), 1)))
	}}
	var out []Panel
	for i, l := range r.lanes {
		frameH := l.frameHeight(t)
		parts := l.measure(t, g, axis.ax, width, frameH, highest*0.4)
		h := min(parts.fixed+frameH, highest-foot.Height)
		p := Panel{Height: h, Space: l.gapAbove(t), Foot: foot, Keep: i+1 < len(r.lanes) &&
			r.lanes[i+1].follows && !l.follows}
		if starts[i] {
			p.Space = t.Text * 1.1
		}
		p.Draw = func(sc *canvas.Scene, x, y, w float64) {
			l.draw(sc, t, g, axis.ax, parts, canvas.Box(x, y, w, h), nil)
		}
		out = append(out, p)
	}
	return out
}
