package charts

import (
	"image/color"
	"math"

	"astrolabe/plots/canvas"
)

// plane is the frame of a chart with a value axis below and one at the left.
type plane struct {
	frame  canvas.Rect
	xa, ya valueAxis
	tx, ty func(float64) float64
}

// planeParts is what stands around the frame of a plane.
type planeParts struct {
	title, label string // of the header; label names what the vertical axis shows
	unitInLabel  bool   // append the unit of the vertical axis to label
	notes        []string
	xtitle       string // names what the horizontal axis shows; its unit is added
	keys         []key
	bar          *colorBar
	xaxis, yaxis func(n int) valueAxis
	empty        bool
	why          string // where empty
}

// legendBeside is the legend of a chart: right of the frame where whole names fit there, else below it.
func legendBeside(t *canvas.Theme, keys []key, width, frameH, maxBelow float64) (lg legend, right, below float64) {
	if len(keys) == 0 {
		return legend{}, 0, 0
	}
	if lg, ok := legendRight(t, keys, width*0.26, frameH); ok {
		return lg, lg.colW + t.Text, 0
	}
	lg = legendRows(t, keys, width, maxBelow)
	return lg, 0, lg.heightWithNote(t) + t.Text*0.5
}

// draw lays the parts out in area. ok is false where nothing more is to be drawn: there are no data, and a sentence
// says so, or there is no room.
func (p planeParts) draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) (pl plane, ok bool) {
	s, ns := canvas.Regular.Of(t.Text), canvas.Regular.Of(t.Small)
	label := p.label
	guess := p.yaxis(4)
	if p.unitInLabel && guess.unit != "" {
		if label == "" {
			label = guess.unit
		} else {
			label = canvas.Isolated(label) + " [" + guess.unit + "]"
		}
	}
	y := newHeader(t, p.title, "", label, area.W).draw(sc, t, area.X, area.Y)
	var notes []string
	for _, n := range p.notes {
		notes = append(notes, ns.Wrap(n, area.W)...)
	}
	// Notes give way before data do: of a chart that is only as high as its notes nothing would be seen.
	if most := int(area.H * 0.25 / ns.Leading()); len(notes) > most {
		notes = notes[:most]
	}
	y = sc.TextLines(area.X, y+t.Text*0.05, canvas.Left, ns, t.Muted, notes) + topPad(t)
	lg, legendW, below := legendBeside(t, p.keys, area.W, area.Bottom()-y-timeAxisHeight(t), area.H*0.3)
	bottom := area.Bottom() - below
	if p.empty {
		frame := canvas.Box(area.X, y, area.W, bottom-y)
		if frame.H > t.Text && frame.W > t.Text {
			sc.Frame(frame, 1, t.Rule)
			drawNoData(sc, t, frame, p.why)
		}
		return pl, false
	}
	right := legendW
	if p.bar != nil {
		right = max(right, p.bar.width(t))
	}
	frameH := bottom - y - timeAxisHeight(t)
	// The vertical axis first: the width of its labels decides where the frame begins, and that how many labels the
	// horizontal one has room for.
	pl.ya = p.yaxis(min(max(int(frameH/(t.Text*2.2)), 1), 9))
	gutter := 0.0
	for _, k := range pl.ya.ticks {
		gutter = max(gutter, s.Width(k.label))
	}
	gutter = min(gutter+t.Text*0.6, area.W/3)
	frameW := area.W - gutter - right - t.Text*0.6
	pl.xa = p.xaxis(min(max(int(frameW/(t.Text*5.5)), 1), 12))
	frame := canvas.Box(area.X+gutter, y, frameW, frameH)
	pl.frame = sc.Snapped(frame)
	if pl.frame.W < 8 || pl.frame.H < 8 {
		return pl, false
	}
	pl.tx, pl.ty = toValueX(pl.frame, pl.xa), toY(pl.frame, pl.ya)
	pl.grid(sc, t)
	xtitle := p.xtitle
	switch {
	case xtitle == "":
		xtitle = pl.xa.unit
	case pl.xa.unit != "":
		xtitle = canvas.Isolated(xtitle) + " [" + pl.xa.unit + "]"
	}
	valueLabels(sc, t, pl.frame, pl.ya, pl.ty)
	drawTicksBelow(sc, t, pl.frame, pl.xa.ticks, pl.tx, xtitle)
	switch {
	case p.bar != nil:
		p.bar.draw(sc, t, pl.frame)
	case legendW > 0:
		lg.draw(sc, t, pl.frame.Right()+t.Text, pl.frame.Y-t.Text*0.2)
	}
	if below > 0 {
		lg.draw(sc, t, area.X, area.Bottom()-lg.heightWithNote(t))
	}
	return pl, true
}

// grid draws the lines behind the data and the border.
func (pl plane) grid(sc *canvas.Scene, t *canvas.Theme) {
	faint := canvas.WithAlpha(t.Grid, 0x80)
	for _, v := range pl.xa.minor {
		sc.Vline(pl.tx(v), pl.frame.Y, pl.frame.Bottom(), 1, faint)
	}
	for _, v := range pl.ya.minor {
		sc.Hline(pl.frame.X, pl.frame.Right(), pl.ty(v), 1, faint)
	}
	for _, k := range pl.xa.ticks {
		sc.Vline(pl.tx(k.at), pl.frame.Y, pl.frame.Bottom(), 1, t.Grid)
	}
	for _, k := range pl.ya.ticks {
		sc.Hline(pl.frame.X, pl.frame.Right(), pl.ty(k.at), 1, t.Grid)
	}
	sc.Frame(pl.frame, 1, t.Rule)
}

// line draws the straight line through two places of the axes, given as fractions of them, as far as it lies in the
// frame.
func (pl plane) line(sc *canvas.Scene, x0, y0, x1, y1, thick float64, dashed bool, c color.NRGBA) {
	// Liang and Barsky (1984): cut the line at each edge of the unit square.
	from, to := 0.0, 1.0
	for _, e := range [][2]float64{{-(x1 - x0), x0}, {x1 - x0, 1 - x0}, {-(y1 - y0), y0}, {y1 - y0, 1 - y0}} {
		switch {
		case e[0] == 0 && e[1] < 0:
			return
		case e[0] < 0:
			from = max(from, e[1]/e[0])
		case e[0] > 0:
			to = min(to, e[1]/e[0])
		}
	}
	if !(from < to) {
		return
	}
	at := func(f float64) canvas.Point {
		return canvas.At(pl.frame.X+(x0+(x1-x0)*f)*pl.frame.W, pl.frame.Bottom()-(y0+(y1-y0)*f)*pl.frame.H)
	}
	if !dashed {
		sc.Segment(at(from), at(to), thick, c)
		return
	}
	a, b := at(from), at(to)
	length := math.Hypot(b.X-a.X, b.Y-a.Y)
	const on, off = 12, 7
	for d := 0.0; d < length; d += on + off {
		e := min(d+on, length)
		p := func(d float64) canvas.Point { return canvas.At(a.X+(b.X-a.X)*d/length, a.Y+(b.Y-a.Y)*d/length) }
		sc.Segment(p(d), p(e), thick, c)
	}
}

// planeHeight is the height that a plane with these keys prefers.
func planeHeight(t *canvas.Theme, keys []key, width float64) float64 {
	h := t.Text * 21
	if _, right, below := legendBeside(t, keys, width, t.Text*17, 0); right == 0 {
		h += below
	}
	return h
}
