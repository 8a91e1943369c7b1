package charts

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/plots/canvas"
)

// timeStack lays out lanes under one another with aligned left and right edges. Where all their windows overlap they
// share one time axis below the last lane.
type timeStack struct {
	lanes []*lane
}

func newTimeStack(lanes []*lane) *timeStack { return &timeStack{lanes} }

// shareTime reports whether lanes can stand on one axis, and the axis that holds all of them: their windows overlap and
// are of similar length.
func shareTime(lanes []*lane) (t0, t1 int64, ok bool) {
	t0, t1 = lanes[0].tl.t0, lanes[0].tl.t1
	lo, hi := t0, t1
	for _, l := range lanes[1:] {
		lo, hi = max(lo, l.tl.t0), min(hi, l.tl.t1)
		t0, t1 = min(t0, l.tl.t0), max(t1, l.tl.t1)
	}
	const least = 0.25 // of the common axis, else a short window would be squeezed
	for _, l := range lanes {
		if float64(l.tl.t1-l.tl.t0) < least*float64(t1-t0) {
			return t0, t1, false
		}
	}
	return t0, t1, lo < hi
}

// laneGeometry is what aligned lanes have in common.
type laneGeometry struct {
	gutter  float64 // left of the frame: value labels
	legendW float64 // right of the frame, 0 where legends stand above it
	rightW  float64 // between frame and legend: value labels of a right axis
}

// frameW is the width of the frames in panels of a width.
func (g laneGeometry) frameW(width float64) float64 { return width - g.gutter - g.legendW - g.rightW }

// geometry measures lanes for a common width. frameH is about the height of a frame.
func geometry(t *canvas.Theme, lanes []*lane, width, frameH float64) laneGeometry {
	g := laneGeometry{legendW: -1}
	for _, l := range lanes {
		g.gutter = max(g.gutter, l.gutter(t, frameH))
		if l.right != nil {
			g.rightW = max(g.rightW, l.right.gutter(t, frameH))
		}
	}
	g.rightW = min(g.rightW, width/4)
	g.gutter = min(g.gutter, width/3)
	most := width * 0.24
	for _, l := range lanes {
		if w, ok := l.nameBeside(t, most, frameH); !ok {
			g.legendW = 0
			return g
		} else if w > 0 {
			g.legendW = max(g.legendW, w+t.Text)
		}
		keys := l.keys(t)
		if len(keys) == 0 {
			continue
		}
		lg, ok := legendRight(t, keys, most, frameH+t.Text*0.4)
		if !ok {
			g.legendW = 0
			return g
		}
		g.legendW = max(g.legendW, lg.colW+t.Text)
	}
	g.legendW = max(g.legendW, 0)
	return g
}

// gutter is the width of the value labels with their distance to the frame.
func (l *lane) gutter(t *canvas.Theme, frameH float64) float64 {
	s := canvas.Regular.Of(t.Text)
	w := 0.0
	for _, tk := range l.axis(t, frameH).ticks {
		w = max(w, s.Width(tk.label))
	}
	return w + t.Text*0.6
}

func (l *lane) axis(t *canvas.Theme, frameH float64) valueAxis {
	if l.strip != nil {
		return valueAxis{hi: 1}
	}
	data := l.spread
	if l.name != "" {
		data = l.scale
	}
	n := int(frameH / (t.Text * 1.9))
	if n = min(max(n, 2), 8); l.log {
		return newLogAxis(data, l.limits(), l.unit, n)
	}
	return newValueAxis(data, l.limits(), l.unit, n, l.fromZero())
}

// fromZero says that the axis includes zero, because areas stand on it.
func (l *lane) fromZero() bool { return l.offset == 0 && (l.stack != nil || l.tl.o.Style == Area) }

// limits are the ends that the options fix, which are those of the left axis.
func (l *lane) limits() Range {
	if l.offset > 0 {
		return Range{}
	}
	return l.tl.o.Y
}

// laneParts is a lane measured for a width: everything but the frame has a fixed height.
type laneParts struct {
	header  header
	above   float64 // height of the labels of marks and spans
	labels  []aboveLabel
	legend  legend
	hasKeys bool
	notes   []string
	name    []string // of a lane among others of its panel: beside the frame where there is a column for it, else above
	fixed   float64  // sum of all heights but the frame's
}

func (l *lane) measure(t *canvas.Theme, g laneGeometry, ax timeAxis, width, frameH, maxLegend float64) laneParts {
	var p laneParts
	if l.name != "" {
		p.name = l.nameLines(t, g, width)
	}
	if l.follows {
		p.fixed = p.nameAbove(t, g)
		return p
	}
	p.header = newHeader(t, l.over, l.title, l.heading(l.axis(t, frameH).unit), width)
	frameW := g.frameW(width)
	var rest string
	p.labels, p.above, rest = placeAbove(t, l.labelsAbove(ax, g.gutter, frameW), width)
	if keys := l.keys(t); len(keys) > 0 {
		p.hasKeys = true
		if g.legendW > 0 {
			p.legend, _ = legendRight(t, keys, g.legendW-t.Text, math.Inf(1))
		} else {
			p.legend = legendRows(t, keys, width, maxLegend)
		}
	}
	ns := canvas.Regular.Of(t.Small)
	notes := slices.Clone(l.notes)
	if l.right != nil {
		for _, n := range l.right.notes {
			notes = append(notes, "right axis: "+n)
		}
	}
	for _, n := range append(notes, rest) {
		if n == "" {
			continue
		}
		p.notes = append(p.notes, ns.Wrap(n, width)...)
	}
	p.fixed = p.header.height(t) + p.above + topPad(t) + p.extras(t, g) + p.nameAbove(t, g)
	return p
}

// extras is the height of notes and legend between header and frame.
func (p laneParts) extras(t *canvas.Theme, g laneGeometry) float64 {
	h := 0.0
	if p.hasKeys && g.legendW == 0 {
		h += t.Text*0.25 + p.legend.heightWithNote(t)
	}
	if len(p.notes) > 0 {
		h += t.Text*0.1 + float64(len(p.notes))*canvas.Regular.Of(t.Small).Leading()
	}
	return h
}

// timeAxisHeight is the height of tick labels and axis title.
func timeAxisHeight(t *canvas.Theme) float64 {
	s := canvas.Regular.Of(t.Text)
	return tickPad(t) + 2*s.Leading()
}

// tickPad is the distance of tick labels from the frame above them; the lowest label beside the frame reaches into it.
func tickPad(t *canvas.Theme) float64 { return t.Text * 0.6 }

// gapAbove is the space that sets a lane apart from the one before.
func (l *lane) gapAbove(t *canvas.Theme) float64 {
	if l.follows {
		return t.Text * 0.3
	}
	return t.Text * 0.7
}

// gaps is the space between lanes under one another.
func gaps(t *canvas.Theme, lanes []*lane) float64 {
	sum := 0.0
	for _, l := range lanes[1:] {
		sum += l.gapAbove(t)
	}
	return sum
}

// frameHeight is the height of a lane's frame that reads well in a report.
func (l *lane) frameHeight(t *canvas.Theme) float64 {
	switch {
	case l.strip != nil:
		return t.Text * 1.5
	case l.name != "":
		return l.laneHeight(t)
	case l.spread.empty():
		return t.Text * 3.2
	case l.stack != nil || len(l.series) > 4:
		return t.Text * 9.5
	}
	return t.Text * 7.5
}

func (ts *timeStack) Prefer(t *canvas.Theme, width float64) float64 {
	h, least := gaps(t, ts.lanes), math.Inf(1)
	for _, l := range ts.lanes {
		least = min(least, l.frameHeight(t))
	}
	g := geometry(t, ts.lanes, width, least)
	for _, run := range ts.runs() {
		foot := newTimeFoot(t, run.lanes, run.t0, run.t1, g, width)
		h += foot.height(t)
		for _, l := range run.lanes {
			h += l.measure(t, g, foot.ax, width, l.frameHeight(t), 0).fixed + l.frameHeight(t)
		}
	}
	return h
}

// laneRun is lanes on one time axis.
type laneRun struct {
	lanes  []*lane
	t0, t1 int64
}

// runs are the lanes on their axes: all on one where that holds them, else each on its own.
func (ts *timeStack) runs() []laneRun {
	if t0, t1, ok := shareTime(ts.lanes); ok {
		return []laneRun{{ts.lanes, t0, t1}}
	}
	var out []laneRun
	for i, l := range ts.lanes {
		out = append(out, laneRun{ts.lanes[i : i+1], l.tl.t0, l.tl.t1})
	}
	return out
}

// leastFrame is the height below which a frame shows nothing.
func (l *lane) leastFrame(t *canvas.Theme) float64 {
	if l.name != "" {
		return t.Text
	}
	return t.Text * 1.5
}

// draw divides area among the lanes. Lanes that find no room are counted in a line of text.
func (ts *timeStack) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	for n := len(ts.lanes); n >= 1; n-- {
		note := ""
		room := area
		if n < len(ts.lanes) {
			s := canvas.Regular.Of(t.Small)
			note = s.Fit(noRoom(ts.lanes[n:]), area.W)
			room.H -= s.Leading()
		}
		if !ts.drawLanes(sc, t, room, ts.lanes[:n], n == 1) {
			continue
		}
		if note != "" {
			s := canvas.Regular.Of(t.Small)
			sc.TextAt(area.X, area.Bottom()-s.Descent(), canvas.Left, s, t.Muted, note)
		}
		return
	}
}

// noRoom says which lanes find no room.
func noRoom(rest []*lane) string {
	var names []string
	what := "panel"
	for _, l := range rest {
		if l.name != "" {
			what = "lane"
		}
		name := cmp.Or(l.name, l.title)
		if name == "" && len(l.series) > 0 {
			name = l.series[0].Name
		}
		names = append(names, canvas.Isolated(canvas.Printable(name)))
	}
	text := fmt.Sprintf("%d more %ss do", len(rest), what)
	if len(rest) == 1 {
		text = "1 more " + what + " does"
	}
	return text + " not fit at this size: " + strings.Join(names, ", ")
}

// drawLanes draws lanes into area, or nothing and false where that is too low for them and force is not set.
func (ts *timeStack) drawLanes(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect, lanes []*lane, force bool) bool {
	n := float64(len(lanes))
	runs := newTimeStack(lanes).runs()
	each := (area.H - float64(len(runs))*timeAxisHeight(t) - gaps(t, lanes)) / n
	g := geometry(t, lanes, area.W, each*0.7)
	room := area.H - gaps(t, lanes)
	feet := make([]timeFoot, len(runs))
	for i, r := range runs {
		feet[i] = newTimeFoot(t, r.lanes, r.t0, r.t1, g, area.W)
		room -= feet[i].height(t)
	}
	// Headers and legends take what they need; the rest is divided among the frames.
	var parts []laneParts
	fixed, weights, least := 0.0, 0.0, 0.0
	for i, r := range runs {
		for _, l := range r.lanes {
			p := l.measure(t, g, feet[i].ax, area.W, each*0.7, max(each*0.4, keyHeight(t, 1)))
			parts = append(parts, p)
			fixed += p.fixed
			weights += l.frameHeight(t)
			least += l.leastFrame(t)
		}
	}
	if room-fixed < least && !force {
		return false
	}
	if force && room < fixed+least { // the picture comes before what explains it
		fixed = 0
		for i := range parts {
			parts[i].fixed -= parts[i].extras(t, g) + parts[i].nameAbove(t, g)
			parts[i].hasKeys, parts[i].notes, parts[i].name = false, nil, nil
			fixed += parts[i].fixed
		}
		for i := range feet {
			room += feet[i].bands.height(t)
			feet[i].bands = bandLegend{}
		}
	}
	y, i := area.Y, 0
	for k, r := range runs {
		for j, l := range r.lanes {
			h := parts[i].fixed + max(0, room-fixed)*l.frameHeight(t)/weights
			var foot *timeFoot
			if j == len(r.lanes)-1 {
				foot = &feet[k]
				h += foot.height(t)
			}
			if i > 0 {
				y += l.gapAbove(t)
			}
			l.draw(sc, t, g, feet[k].ax, parts[i], canvas.Box(area.X, y, area.W, min(h, area.Bottom()-y)), foot)
			y += h
			i++
		}
	}
	return true
}

// topPad is the space between the header and a frame: the label of the topmost tick reaches into it.
func topPad(t *canvas.Theme) float64 { return t.Text * 0.7 }
