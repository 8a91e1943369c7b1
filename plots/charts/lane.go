package charts

import (
	"image/color"
	"math"
	"sort"

	"astrolabe/plots/canvas"
)

// draw puts a lane into area: header, notes, legend where it does not stand at the right, labels of marks, the frame
// with its data, and the foot if there is one. Nothing but the foot stands below a frame, so that lanes can share one.
func (l *lane) draw(sc *canvas.Scene, t *canvas.Theme, g laneGeometry, ax timeAxis, p laneParts, area canvas.Rect,
	foot *timeFoot) {
	y := p.header.draw(sc, t, area.X, area.Y)
	if len(p.notes) > 0 {
		y = sc.TextLines(area.X, y+t.Text*0.1, canvas.Left, canvas.Regular.Of(t.Small), t.Muted, p.notes)
	}
	if p.hasKeys && g.legendW == 0 {
		p.legend.draw(sc, t, area.X, y+t.Text*0.25)
		y += t.Text*0.25 + p.legend.heightWithNote(t)
	}
	if h := p.nameAbove(t, g); h > 0 {
		sc.TextLines(area.X+g.gutter, y, canvas.Left, canvas.Regular.Of(t.Text), t.Ink, p.name)
		y += h
	}
	if !l.follows {
		y += p.above + topPad(t)
	}
	frameH := area.Bottom() - y
	if foot != nil {
		frameH -= foot.height(t)
	}
	frame := sc.Snapped(canvas.Box(area.X+g.gutter, y, g.frameW(area.W), frameH))
	if frame.W < 8 || frame.H < 8 {
		return // no room for a picture; the header still says what was meant
	}
	va := l.axis(t, frameH)
	l.drawFrame(sc, t, frame, ax, va, frameH >= twoLabels(t))
	for _, lb := range p.labels {
		lb.draw(sc, t, area.X, frame.Y)
	}
	if foot != nil {
		foot.draw(sc, t, frame)
	}
	if p.hasKeys && g.legendW > 0 {
		p.legend.draw(sc, t, frame.Right()+g.rightW+t.Text, frame.Y-t.Text*0.2)
	}
	if g.legendW > 0 && len(p.name) > 0 {
		l.drawNameBeside(sc, t, g, frame.Right()+g.rightW+t.Text, frame)
	}
}

// toY maps values into a frame, clipped at its edges.
func toY(frame canvas.Rect, a valueAxis) func(float64) float64 {
	if a.log {
		return func(v float64) float64 {
			return min(max(frame.Bottom()-a.frac(v)*frame.H, frame.Y), frame.Bottom())
		}
	}
	k := frame.H / (a.hi - a.lo)
	return func(v float64) float64 {
		return min(max(frame.Bottom()-(v-a.lo)*k, frame.Y), frame.Bottom())
	}
}

// toX maps times into a frame, clipped at its edges.
func toX(frame canvas.Rect, ax timeAxis) func(int64) float64 {
	k := frame.W / float64(ax.t1-ax.t0)
	return func(ns int64) float64 {
		return min(max(frame.X+float64(ns-ax.t0)*k, frame.X), frame.Right())
	}
}

// drawFrame draws the frame with its data. several says that a lane among others has room for more than one value
// label: it is asked of the height before that was snapped to pixels, which is the same for all of them.
func (l *lane) drawFrame(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, ax timeAxis,
	va valueAxis, several bool) {
	if l.strip != nil {
		l.drawStrip(sc, t, frame, ax)
		return
	}
	// From the back to the front: late time, bands of values, gaps over both (nothing was measured there, whatever
	// the band says), spans, grid, data, and at last the lines that judge them.
	ty, tx := toY(frame, va), toX(frame, ax)
	shade(sc, frame, ax, l.tl.o.Late, look{fill: always(t.LateFill)})
	for _, b := range l.bands() { // above what is late, which keeps the line along its bottom
		if b.Lo < b.Hi && b.Lo < va.hi && b.Hi > va.lo {
			y0, y1 := ty(b.Hi), ty(b.Lo)
			sc.Fill(canvas.Box(frame.X, y0, frame.W, y1-y0), t.Tint(b.Severity, t.BandFill))
		}
	}
	shade(sc, frame, ax, l.tl.o.Gaps, look{fill: always(t.GapFill)})
	even, odd := alternate(l.tl.o.Spans)
	shade(sc, frame, ax, even, look{fill: func(s canvas.Severity) color.NRGBA { return t.Tint(s, t.SpanFill) }})
	shade(sc, frame, ax, odd, look{fill: func(s canvas.Severity) color.NRGBA {
		c := t.Tint(s, t.SpanFill)
		return canvas.WithAlpha(c, c.A/3)
	}})
	for _, v := range va.minor {
		sc.Hline(frame.X, frame.Right(), ty(v), 1, canvas.WithAlpha(t.Grid, 0x80))
	}
	for _, k := range va.ticks {
		sc.Hline(frame.X, frame.Right(), ty(k.at), 1, t.Grid)
	}
	for _, k := range ax.ticks {
		sc.Vline(tx(ax.t0+int64(k.at)), frame.Y, frame.Bottom(), 1, t.Grid)
	}
	sc.Frame(frame, 1, t.Rule)
	// Edges of shades stand over the frame, or its line would cut them where they matter.
	shade(sc, frame, ax, l.tl.o.Late, look{bottom: always(t.LateEdge)})
	shade(sc, frame, ax, even, look{top: t.SpanEdge})
	shade(sc, frame, ax, odd, look{top: func(s canvas.Severity) color.NRGBA {
		return canvas.WithAlpha(t.SpanEdge(s), 0x90)
	}})
	// colours say which axis belongs to which line
	if l.right != nil && len(l.series) == 1 && len(l.right.series) == 1 {
		colored := *t
		colored.Ink, _ = t.SeriesColor(0)
		valueLabels(sc, &colored, frame, va, ty)
	} else if l.name != "" {
		laneLabels(sc, t, frame, va, ty, several)
	} else {
		valueLabels(sc, t, frame, va, ty)
	}
	if l.spread.empty() && (l.right == nil || l.right.spread.empty()) {
		drawNoData(sc, t, frame, l.why)
		return
	}
	var taken []canvas.Rect
	var lines []*canvas.Trace
	if l.stack != nil {
		l.drawStack(sc, t, frame, ax, ty)
	} else {
		lines = l.drawLines(sc, t, frame, ax, ty)
	}
	if l.right != nil && !l.right.spread.empty() {
		ra := l.right.axis(t, frame.H)
		ink := t.Ink
		if len(l.series) == 1 && len(l.right.series) == 1 {
			ink, _ = t.SeriesColor(1)
		}
		rightLabels(sc, t, frame, ra, ink)
		lines = append(lines, l.right.drawLines(sc, t, frame, ax, toY(frame, ra))...)
	}
	for _, m := range l.tl.o.Marks {
		if m.At >= ax.t0 && m.At <= ax.t1 {
			sc.Dashed(tx(m.At), frame.Y, tx(m.At), frame.Bottom(), 2, t.MarkLine)
		}
	}
	for _, b := range l.bands() {
		if b.Lo == b.Hi && b.Lo >= va.lo && b.Lo <= va.hi {
			sc.Dashed(frame.X, ty(b.Lo), frame.Right(), ty(b.Lo), 2, t.SpanEdge(b.Severity))
		}
	}
	if l.follows {
		return // the first lane of the panel names the bands
	}
	for _, b := range l.bands() {
		l.labelBand(sc, t, frame, va, ty, b, lines, &taken)
	}
}

func valueLabels(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, va valueAxis, ty func(float64) float64) {
	s := canvas.Regular.Of(t.Text)
	lastTop := math.Inf(1)
	for _, k := range va.ticks {
		base := ty(k.at) + s.Size*0.35
		if base-s.Ascent()+s.Height() > lastTop {
			continue
		}
		if s.Width(k.label) > frame.X-t.Text*0.4 {
			continue // a page so small has no room for it, and half a number misleads
		}
		box := sc.TextAt(frame.X-t.Text*0.4, base, canvas.Right, s, t.Ink, k.label)
		lastTop = box.Y
	}
}

// rightLabels writes the labels of the axis at the right, with short ticks: the grid belongs to the left one.
func rightLabels(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, va valueAxis, ink color.NRGBA) {
	s := canvas.Regular.Of(t.Text)
	ty := toY(frame, va)
	lastTop := math.Inf(1)
	for _, k := range va.ticks {
		base := ty(k.at) + s.Size*0.35
		if base-s.Ascent()+s.Height() > lastTop {
			continue
		}
		if frame.Right()+t.Text*0.4+s.Width(k.label) > sc.W {
			continue // as at the left axis
		}
		sc.Hline(frame.Right(), frame.Right()+t.Text*0.25, ty(k.at), 1, t.Rule)
		lastTop = sc.TextAt(frame.Right()+t.Text*0.4, base, canvas.Left, s, ink, k.label).Y
	}
}

func drawTimeAxis(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, ax timeAxis) {
	tx := toX(frame, ax)
	drawTicksBelow(sc, t, frame, ax.ticks, func(ns float64) float64 { return tx(ax.t0 + int64(ns)) }, ax.title)
}

// drawTicksBelow draws labelled ticks under a frame and a title below them; labels that would touch are left out.
func drawTicksBelow(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, ticks []tick, tx func(float64) float64,
	title string) {
	s := canvas.Regular.Of(t.Text)
	y := frame.Bottom() + tickPad(t)
	lastRight := math.Inf(-1)
	for _, k := range ticks {
		x := tx(k.at)
		sc.Vline(x, frame.Bottom(), frame.Bottom()+t.Text*0.3, 1, t.Rule)
		w := s.Width(k.label)
		lx := min(max(x-w/2, 0), sc.W-w-t.Text*0.2)
		if lx < lastRight+s.Size*0.3 {
			continue
		}
		lastRight = sc.TextAt(lx, y+s.Ascent(), canvas.Left, s, t.Ink, k.label).Right()
	}
	sc.TextAt(frame.X+frame.W/2, y+s.Leading()+s.Ascent(), canvas.Center, s, t.Muted, s.Fit(title, frame.W))
}

// drawNoData says in an empty frame that there is nothing, and why.
func drawNoData(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, why string) {
	b, s := canvas.Bold.Of(t.Text), canvas.Regular.Of(t.Text)
	if frame.H < s.Leading()+t.Text*0.4 {
		b, s = canvas.Bold.Of(t.Small*0.85), canvas.Regular.Of(t.Small*0.85)
	}
	room := int((frame.H-t.Text*0.4)/s.Leading()) - 1
	text := "no data"
	var lines []string
	switch {
	case frame.H < s.Height():
		return
	case room > 0 && why != "":
		lines = s.Lines(why, frame.W*0.9, room)
	case why != "":
		text += ": " + why
		b = s
	}
	h := float64(1+len(lines)) * s.Leading()
	y := frame.Y + (frame.H-h)/2
	sc.TextAt(frame.X+frame.W/2, y+b.Ascent(), canvas.Center, b, t.Muted, b.Fit(text, frame.W))
	sc.TextLines(frame.X+frame.W/2, y+s.Leading(), canvas.Center, s, t.Muted, lines)
}

// allMissing says that none of n values is there.
func allMissing(n int) string {
	if n == 1 {
		return "the only value is missing"
	}
	return "all " + Grouped(n) + " values are missing"
}

// drawLines draws the series of a lane, and returns what they cover.
func (l *lane) drawLines(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, ax timeAxis,
	ty func(float64) float64) (covered []*canvas.Trace) {
	type line struct {
		*canvas.Trace
		color  color.NRGBA
		marker int
		slot   int
		ink    float64
	}
	n := int(math.Round(frame.W * sc.Scale))
	var lines []line
	for i, s := range l.series {
		r := canvas.Reduce(s.Start, s.End, s.Y, ax.t0, ax.t1, n)
		if r.Empty() {
			continue
		}
		c, m := t.SeriesColor(i + l.offset)
		tr := canvas.NewTrace(r, frame, sc.Scale, ty)
		ln := line{tr, c, m, i, tr.Ink()}
		covered = append(covered, tr)
		switch {
		case l.tl.o.Style == Spread && r.Shown >= leastSpread:
			band, mean := spreadOf(tr, r.Shown, s, ax, ty)
			sc.Strip(band, canvas.WithAlpha(c, 0x4c))
			ln.Trace = mean
		case l.tl.o.Style == Area:
			sc.Strip(tr.AreaTo(ty(0)), canvas.WithAlpha(c, 0x44))
		}
		lines = append(lines, ln)
	}
	// A noisy series covers a quiet one: paint what covers most first.
	sort.SliceStable(lines, func(i, j int) bool { return lines[i].ink > lines[j].ink })
	for _, ln := range lines {
		sc.Trace(ln.Trace, ln.color, t.Line)
		for _, p := range ln.Isolated() {
			sc.Disc(p.X, p.Y, 3.5, ln.color)
		}
	}
	for _, ln := range lines {
		if ln.marker == 0 {
			continue
		}
		step := max(frame.W/9, markerSize(t)*5)
		for x := frame.X + step*(0.3+0.13*float64(ln.slot%5)); x < frame.Right(); x += step {
			if y, ok := ln.At(x); ok {
				sc.Marker(ln.marker, x, y, markerSize(t), ln.color, t.Page)
			}
		}
	}
	return covered
}

func (l *lane) drawStack(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, ax timeAxis, ty func(float64) float64) {
	n := int(math.Round(frame.W * sc.Scale))
	st := *l.stack
	st.t0, st.t1 = ax.t0, ax.t1
	layers := st.columns(n)
	zero := ty(0)
	area := func(a, b []float64) *canvas.Strip {
		s := &canvas.Strip{X0: frame.X, Scale: sc.Scale, Top: make([]float64, n), Bot: make([]float64, n)}
		for i := range n {
			s.Top[i], s.Bot[i] = math.NaN(), math.NaN()
			if !math.IsNaN(a[i]) {
				ya, yb := ty(a[i]), zero
				if b != nil {
					yb = ty(b[i])
				}
				if ya != yb {
					s.Top[i], s.Bot[i] = min(ya, yb), max(ya, yb)
				}
			}
		}
		return s
	}
	// From the outside in: each layer covers what the next ones do not.
	for i := len(layers) - 1; i >= 0; i-- {
		c, m := t.SeriesColor(l.stack.layers[i])
		ly := layers[i]
		sc.Strip(area(ly.up, nil), c)
		sc.Strip(area(ly.down, nil), c)
		if m > 0 {
			l.stackMarkers(sc, t, frame, layers, i, m, ty)
		}
	}
	// The peaks that averaging within a column hides.
	for i := len(layers) - 1; i >= 0; i-- {
		c, _ := t.SeriesColor(l.stack.layers[i])
		ly := layers[i]
		sc.Strip(area(ly.upPeak, ly.up), canvas.WithAlpha(c, 0x70))
		sc.Strip(area(ly.downPeak, ly.down), canvas.WithAlpha(c, 0x70))
	}
	// And the dips of the whole stack, which would leave a column of a thousand samples as high as ever.
	ly := layers[len(layers)-1]
	sc.Strip(area(ly.up, ly.upDip), canvas.WithAlpha(t.Page, 0x70))
	sc.Strip(area(ly.down, ly.downDip), canvas.WithAlpha(t.Page, 0x70))
}

func (l *lane) stackMarkers(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, layers []stackLayer, i, marker int,
	ty func(float64) float64) {
	step := frame.W / 9
	for x := frame.X + step*(0.3+0.13*float64(i%5)); x < frame.Right(); x += step {
		c := int((x - frame.X) * sc.Scale)
		if c >= len(layers[i].up) || math.IsNaN(layers[i].up[c]) {
			continue
		}
		hi, lo := ty(layers[i].up[c]), ty(0)
		if i > 0 {
			lo = ty(layers[i-1].up[c])
		}
		if lo-hi > markerSize(t)*1.2 {
			sc.Marker(marker, x, (hi+lo)/2, markerSize(t)*0.8, t.Page, t.Ink)
		}
	}
}
