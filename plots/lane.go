package plots

import (
	"image/color"
	"math"
	"sort"
)

// draw puts a lane into area: header, notes, legend where it does not stand at the right, labels of marks, the frame
// with its data, and the foot if there is one. Nothing but the foot stands below a frame, so that lanes can share one.
func (l *lane) draw(sc *scene, t *Theme, g laneGeometry, ax timeAxis, p laneParts, area rect, foot *timeFoot) {
	y := p.header.draw(sc, t, area.x, area.y)
	if len(p.notes) > 0 {
		y = sc.textLines(area.x, y+t.Text*0.1, left, style{regular, t.Small}, t.Muted, p.notes)
	}
	if p.hasKeys && g.legendW == 0 {
		p.legend.draw(sc, t, area.x, y+t.Text*0.25)
		y += t.Text*0.25 + p.legend.heightWithNote(t)
	}
	if h := p.nameAbove(t, g); h > 0 {
		sc.textLines(area.x+g.gutter, y, left, style{regular, t.Text}, t.Ink, p.name)
		y += h
	}
	if !l.follows {
		y += p.above + topPad(t)
	}
	frameH := area.bottom() - y
	if foot != nil {
		frameH -= foot.height(t)
	}
	frame := sc.snapped(rect{area.x + g.gutter, y, g.frameW(area.w), frameH})
	if frame.w < 8 || frame.h < 8 {
		return // no room for a picture; the header still says what was meant
	}
	va := l.axis(t, frameH)
	l.drawFrame(sc, t, frame, ax, va, frameH >= twoLabels(t))
	for _, lb := range p.labels {
		lb.draw(sc, t, area.x, frame.y)
	}
	if foot != nil {
		foot.draw(sc, t, frame)
	}
	if p.hasKeys && g.legendW > 0 {
		p.legend.draw(sc, t, frame.right()+g.rightW+t.Text, frame.y-t.Text*0.2)
	}
	if g.legendW > 0 && len(p.name) > 0 {
		l.drawNameBeside(sc, t, g, frame.right()+g.rightW+t.Text, frame)
	}
}

// toY maps values into a frame, clipped at its edges.
func toY(frame rect, a valueAxis) func(float64) float64 {
	if a.log {
		return func(v float64) float64 {
			return min(max(frame.bottom()-a.frac(v)*frame.h, frame.y), frame.bottom())
		}
	}
	k := frame.h / (a.hi - a.lo)
	return func(v float64) float64 {
		return min(max(frame.bottom()-(v-a.lo)*k, frame.y), frame.bottom())
	}
}

// toX maps times into a frame, clipped at its edges.
func toX(frame rect, ax timeAxis) func(int64) float64 {
	k := frame.w / float64(ax.t1-ax.t0)
	return func(ns int64) float64 {
		return min(max(frame.x+float64(ns-ax.t0)*k, frame.x), frame.right())
	}
}

// drawFrame draws the frame with its data. several says that a lane among others has room for more than one value label: it
// is asked of the height before that was snapped to pixels, which is the same for all of them.
func (l *lane) drawFrame(sc *scene, t *Theme, frame rect, ax timeAxis, va valueAxis, several bool) {
	if l.strip != nil {
		l.drawStrip(sc, t, frame, ax)
		return
	}
	ty, tx := toY(frame, va), toX(frame, ax)
	shade(sc, frame, ax, l.tl.o.Late, look{fill: always(t.LateFill)})
	for _, b := range l.bands() { // above what is late, which keeps the line along its bottom
		if b.Lo < b.Hi && b.Lo < va.hi && b.Hi > va.lo {
			y0, y1 := ty(b.Hi), ty(b.Lo)
			sc.fill(rect{frame.x, y0, frame.w, y1 - y0}, t.tint(b.Severity, t.BandFill))
		}
	}
	shade(sc, frame, ax, l.tl.o.Gaps, look{fill: always(t.GapFill)})
	even, odd := alternate(l.tl.o.Spans)
	shade(sc, frame, ax, even, look{fill: func(s Severity) color.NRGBA { return t.tint(s, t.SpanFill) }})
	shade(sc, frame, ax, odd, look{fill: func(s Severity) color.NRGBA { c := t.tint(s, t.SpanFill); return withAlpha(c, c.A/3) }})
	for _, v := range va.minor {
		sc.hline(frame.x, frame.right(), ty(v), 1, withAlpha(t.Grid, 0x80))
	}
	for _, k := range va.ticks {
		sc.hline(frame.x, frame.right(), ty(k.at), 1, t.Grid)
	}
	for _, k := range ax.ticks {
		sc.vline(tx(ax.t0+int64(k.at)), frame.y, frame.bottom(), 1, t.Grid)
	}
	sc.frame(frame, 1, t.Rule)
	shade(sc, frame, ax, l.tl.o.Late, look{bottom: always(t.LateEdge)})
	shade(sc, frame, ax, even, look{top: t.spanEdge})
	shade(sc, frame, ax, odd, look{top: func(s Severity) color.NRGBA { return withAlpha(t.spanEdge(s), 0x90) }})
	if l.right != nil && len(l.series) == 1 && len(l.right.series) == 1 { // colours say which axis belongs to which line
		colored := *t
		colored.Ink, _ = t.seriesColor(0)
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
	var taken []rect
	var lines []*trace
	if l.stack != nil {
		l.drawStack(sc, t, frame, ax, ty)
	} else {
		lines = l.drawLines(sc, t, frame, ax, ty)
	}
	if l.right != nil && !l.right.spread.empty() {
		ra := l.right.axis(t, frame.h)
		ink := t.Ink
		if len(l.series) == 1 && len(l.right.series) == 1 {
			ink, _ = t.seriesColor(1)
		}
		rightLabels(sc, t, frame, ra, ink)
		lines = append(lines, l.right.drawLines(sc, t, frame, ax, toY(frame, ra))...)
	}
	for _, m := range l.tl.o.Marks {
		if m.At >= ax.t0 && m.At <= ax.t1 {
			sc.dashed(tx(m.At), frame.y, tx(m.At), frame.bottom(), 2, t.MarkLine)
		}
	}
	for _, b := range l.bands() {
		if b.Lo == b.Hi && b.Lo >= va.lo && b.Lo <= va.hi {
			sc.dashed(frame.x, ty(b.Lo), frame.right(), ty(b.Lo), 2, t.spanEdge(b.Severity))
		}
	}
	if l.follows {
		return // the first lane of the panel names the bands
	}
	for _, b := range l.bands() {
		l.labelBand(sc, t, frame, va, ty, b, lines, &taken)
	}
}

func valueLabels(sc *scene, t *Theme, frame rect, va valueAxis, ty func(float64) float64) {
	s := style{regular, t.Text}
	lastTop := math.Inf(1)
	for _, k := range va.ticks {
		base := ty(k.at) + s.size*0.35
		if base-s.ascent()+s.height() > lastTop {
			continue
		}
		if s.width(k.label) > frame.x-t.Text*0.4 {
			continue // a page so small has no room for it, and half a number misleads
		}
		box := sc.textAt(frame.x-t.Text*0.4, base, right, s, t.Ink, k.label)
		lastTop = box.y
	}
}

// rightLabels writes the labels of the axis at the right, with short ticks: the grid belongs to the left one.
func rightLabels(sc *scene, t *Theme, frame rect, va valueAxis, ink color.NRGBA) {
	s := style{regular, t.Text}
	ty := toY(frame, va)
	lastTop := math.Inf(1)
	for _, k := range va.ticks {
		base := ty(k.at) + s.size*0.35
		if base-s.ascent()+s.height() > lastTop {
			continue
		}
		if frame.right()+t.Text*0.4+s.width(k.label) > sc.w {
			continue // as at the left axis
		}
		sc.hline(frame.right(), frame.right()+t.Text*0.25, ty(k.at), 1, t.Rule)
		lastTop = sc.textAt(frame.right()+t.Text*0.4, base, left, s, ink, k.label).y
	}
}

func drawTimeAxis(sc *scene, t *Theme, frame rect, ax timeAxis) {
	tx := toX(frame, ax)
	drawTicksBelow(sc, t, frame, ax.ticks, func(ns float64) float64 { return tx(ax.t0 + int64(ns)) }, ax.title)
}

// drawTicksBelow draws labelled ticks under a frame and a title below them; labels that would touch are left out.
func drawTicksBelow(sc *scene, t *Theme, frame rect, ticks []tick, tx func(float64) float64, title string) {
	s := style{regular, t.Text}
	y := frame.bottom() + tickPad(t)
	lastRight := math.Inf(-1)
	for _, k := range ticks {
		x := tx(k.at)
		sc.vline(x, frame.bottom(), frame.bottom()+t.Text*0.3, 1, t.Rule)
		w := s.width(k.label)
		lx := min(max(x-w/2, 0), sc.w-w-t.Text*0.2)
		if lx < lastRight+s.size*0.3 {
			continue
		}
		lastRight = sc.textAt(lx, y+s.ascent(), left, s, t.Ink, k.label).right()
	}
	sc.textAt(frame.x+frame.w/2, y+s.leading()+s.ascent(), center, s, t.Muted, s.fit(title, frame.w))
}

// drawNoData says in an empty frame that there is nothing, and why.
func drawNoData(sc *scene, t *Theme, frame rect, why string) {
	b, s := style{bold, t.Text}, style{regular, t.Text}
	if frame.h < s.leading()+t.Text*0.4 {
		b, s = style{bold, t.Small * 0.85}, style{regular, t.Small * 0.85}
	}
	room := int((frame.h-t.Text*0.4)/s.leading()) - 1
	text := "no data"
	var lines []string
	switch {
	case frame.h < s.height():
		return
	case room > 0 && why != "":
		lines = s.lines(why, frame.w*0.9, room)
	case why != "":
		text += ": " + why
		b = s
	}
	h := float64(1+len(lines)) * s.leading()
	y := frame.y + (frame.h-h)/2
	sc.textAt(frame.x+frame.w/2, y+b.ascent(), center, b, t.Muted, b.fit(text, frame.w))
	sc.textLines(frame.x+frame.w/2, y+s.leading(), center, s, t.Muted, lines)
}

// allMissing says that none of n values is there.
func allMissing(n int) string {
	if n == 1 {
		return "the only value is missing"
	}
	return "all " + grouped(n) + " values are missing"
}

// drawLines draws the series of a lane, and returns what they cover.
func (l *lane) drawLines(sc *scene, t *Theme, frame rect, ax timeAxis, ty func(float64) float64) (covered []*trace) {
	type line struct {
		*trace
		color  color.NRGBA
		marker int
		slot   int
		ink    float64
	}
	n := int(math.Round(frame.w * sc.scale))
	var lines []line
	for i, s := range l.series {
		r := reduce(s.Start, s.End, s.Y, ax.t0, ax.t1, n)
		if r.empty() {
			continue
		}
		c, m := t.seriesColor(i + l.offset)
		tr := newTrace(r, frame, sc.scale, ty)
		ln := line{tr, c, m, i, tr.ink()}
		covered = append(covered, tr)
		switch {
		case l.tl.o.Style == Spread && r.shown >= leastSpread:
			band, mean := spreadOf(tr, r.shown, s, ax, ty)
			sc.strip(band, withAlpha(c, 0x4c))
			ln.trace = mean
		case l.tl.o.Style == Area:
			sc.strip(tr.areaTo(ty(0)), withAlpha(c, 0x44))
		}
		lines = append(lines, ln)
	}
	// A noisy series covers a quiet one: paint what covers most first.
	sort.SliceStable(lines, func(i, j int) bool { return lines[i].ink > lines[j].ink })
	for _, ln := range lines {
		sc.trace(ln.trace, ln.color, t.Line)
		for _, p := range ln.isolated() {
			sc.disc(p.x, p.y, 3.5, ln.color)
		}
	}
	for _, ln := range lines {
		if ln.marker == 0 {
			continue
		}
		step := max(frame.w/9, markerSize(t)*5)
		for x := frame.x + step*(0.3+0.13*float64(ln.slot%5)); x < frame.right(); x += step {
			if y, ok := ln.at(x); ok {
				sc.marker(ln.marker, x, y, markerSize(t), ln.color, t.Page)
			}
		}
	}
	return covered
}

func (l *lane) drawStack(sc *scene, t *Theme, frame rect, ax timeAxis, ty func(float64) float64) {
	n := int(math.Round(frame.w * sc.scale))
	st := *l.stack
	st.t0, st.t1 = ax.t0, ax.t1
	layers := st.columns(n)
	zero := ty(0)
	area := func(a, b []float64) *strip {
		s := &strip{x0: frame.x, scale: sc.scale, top: make([]float64, n), bot: make([]float64, n)}
		for i := range n {
			s.top[i], s.bot[i] = math.NaN(), math.NaN()
			if !math.IsNaN(a[i]) {
				ya, yb := ty(a[i]), zero
				if b != nil {
					yb = ty(b[i])
				}
				if ya != yb {
					s.top[i], s.bot[i] = min(ya, yb), max(ya, yb)
				}
			}
		}
		return s
	}
	// From the outside in: each layer covers what the next ones do not.
	for i := len(layers) - 1; i >= 0; i-- {
		c, m := t.seriesColor(l.stack.layers[i])
		ly := layers[i]
		sc.strip(area(ly.up, nil), c)
		sc.strip(area(ly.down, nil), c)
		if m > 0 {
			l.stackMarkers(sc, t, frame, layers, i, m, ty)
		}
	}
	// The peaks that averaging within a column hides.
	for i := len(layers) - 1; i >= 0; i-- {
		c, _ := t.seriesColor(l.stack.layers[i])
		ly := layers[i]
		sc.strip(area(ly.upPeak, ly.up), withAlpha(c, 0x70))
		sc.strip(area(ly.downPeak, ly.down), withAlpha(c, 0x70))
	}
	// And the dips of the whole stack, which would leave a column of a thousand samples as high as ever.
	ly := layers[len(layers)-1]
	sc.strip(area(ly.up, ly.upDip), withAlpha(t.Page, 0x70))
	sc.strip(area(ly.down, ly.downDip), withAlpha(t.Page, 0x70))
}

func (l *lane) stackMarkers(sc *scene, t *Theme, frame rect, layers []stackLayer, i, marker int, ty func(float64) float64) {
	step := frame.w / 9
	for x := frame.x + step*(0.3+0.13*float64(i%5)); x < frame.right(); x += step {
		c := int((x - frame.x) * sc.scale)
		if c >= len(layers[i].up) || math.IsNaN(layers[i].up[c]) {
			continue
		}
		hi, lo := ty(layers[i].up[c]), ty(0)
		if i > 0 {
			lo = ty(layers[i-1].up[c])
		}
		if lo-hi > markerSize(t)*1.2 {
			sc.marker(marker, x, (hi+lo)/2, markerSize(t)*0.8, t.Page, t.Ink)
		}
	}
}
