package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
)

// BarSeries is one bar per label; several series stand side by side. NaN is missing.
type BarSeries struct {
	Name     string
	Values   []float64
	Severity []Severity // colours single bars; nil colours by series
}

// BarOptions say how bars are drawn.
type BarOptions struct {
	Title    string
	YLabel   string // what the values are, "" to leave it out
	Unit     string
	Labels   []string // one per bar
	Stacked  bool     // the series of a label lie behind each other, as parts of a whole
	Vertical bool     // bars stand, as long as their labels fit below them; else they lie
	Bands    []Band   // Lo equal to Hi is a threshold line
	Y        Range
}

// Bar compares values by label. Lying bars have room for long labels, so they are the default.
func Bar(o BarOptions, series ...BarSeries) (*Plot, error) {
	b := &bar{o: o, series: series, unit: unitOf(o.Unit), spread: noSpread()}
	for i, s := range series {
		if len(s.Values) != len(o.Labels) {
			return nil, fmt.Errorf("bar: series %d (%q) has %d values for %d labels", i+1, s.Name, len(s.Values), len(o.Labels))
		}
		if s.Severity != nil && len(s.Severity) != len(s.Values) {
			return nil, fmt.Errorf("bar: series %d (%q) has %d severities for %d values", i+1, s.Name, len(s.Severity), len(s.Values))
		}
		for _, v := range s.Values {
			b.spread.add(v)
		}
	}
	if o.Stacked {
		if err := b.stacked(); err != nil {
			return nil, err
		}
	}
	if !b.spread.empty() {
		for _, d := range o.Bands {
			if d.Lo == d.Hi {
				b.spread.add(d.Lo)
			}
		}
	}
	return &Plot{Title: o.Title, Kind: "bar", body: b}, nil
}

type bar struct {
	o      BarOptions
	series []BarSeries
	unit   unit
	spread spread
}

func (b *bar) keys(t *Theme) []key {
	if len(b.series) < 2 {
		return nil
	}
	out := make([]key, len(b.series))
	for i, s := range b.series {
		c, m := t.seriesColor(i)
		out[i] = key{name: s.Name, color: c, marker: m, area: true}
	}
	return out
}

// labelStyle is that of the labels beside the bars.
func labelStyle(t *Theme) style { return style{regular, t.Text} }

// rowHeight is the height that one label with its bars prefers.
func (b *bar) rowHeight(t *Theme, label string, labelW float64) float64 {
	lines := float64(len(labelStyle(t).wrap(label, labelW)))
	return max(float64(b.beside())*t.Text*1.15, lines*t.Text*1.2) + t.Text*0.5
}

// beside is how many bars of a label stand beside each other.
func (b *bar) beside() int {
	if b.o.Stacked {
		return 1
	}
	return max(1, len(b.series))
}

func (b *bar) labelWidth(t *Theme, width float64) float64 {
	w := 0.0
	for _, l := range b.o.Labels {
		w = max(w, labelStyle(t).width(printable(l)))
	}
	return min(w, width*0.38)
}

func (b *bar) prefer(t *Theme, width float64) float64 {
	h := newHeader(t, b.o.Title, "", b.heading(""), width).height(t) + topPad(t) + timeAxisHeight(t)
	if keys := b.keys(t); keys != nil {
		h += legendRows(t, keys, width, 0).height() + t.Text*0.5
	}
	switch {
	case b.spread.empty():
		return h + t.Text*4
	case b.standing(t, width):
		return h + t.Text*13
	}
	lw := b.labelWidth(t, width)
	for _, l := range b.o.Labels {
		h += b.rowHeight(t, l, lw)
	}
	return h
}

// heading is the muted text beside the title: what the values are, and what lines and bands mean.
func (b *bar) heading(unit string) string {
	parts := []string{b.o.YLabel}
	switch {
	case b.o.YLabel != "" && unit != "":
		parts[0] = isolated(b.o.YLabel) + " [" + unit + "]"
	case b.o.YLabel == "":
		parts[0] = unit
	}
	for _, d := range b.o.Bands {
		switch {
		case d.Label == "":
		case d.Lo == d.Hi:
			parts = append(parts, "dashed: "+isolated(d.Label))
		default:
			parts = append(parts, "shaded: "+isolated(d.Label))
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " · ")
}

// standing reports whether the bars stand: wanted, and every label fits below its bar.
func (b *bar) standing(t *Theme, width float64) bool {
	if !b.o.Vertical || len(b.o.Labels) == 0 {
		return false
	}
	slot := (width - t.Text*4) / float64(len(b.o.Labels))
	for _, l := range b.o.Labels {
		if labelStyle(t).width(printable(l)) > slot-t.Text*0.4 && len([]rune(l)) > 5 {
			return false
		}
	}
	return true
}

func (b *bar) draw(sc *scene, t *Theme, area rect) {
	stand := b.standing(t, area.w)
	va := newValueAxis(b.spread, b.o.Y, b.unit, 5, true)
	label := b.heading("")
	if stand {
		label = b.heading(va.unit)
	}
	y := newHeader(t, b.o.Title, "", label, area.w).draw(sc, t, area.x, area.y) + topPad(t)
	bottom := area.bottom()
	if keys := b.keys(t); keys != nil {
		lg := legendRows(t, keys, area.w, area.h*0.35)
		bottom -= lg.heightWithNote(t)
		lg.draw(sc, t, area.x, bottom)
		bottom -= t.Text * 0.5
	}
	if b.spread.empty() {
		frame := rect{area.x, y, area.w, bottom - y}
		if frame.h > t.Text && frame.w > t.Text {
			sc.frame(frame, 1, t.Rule)
			drawNoData(sc, t, frame, b.emptyReason())
		}
		return
	}
	if stand {
		b.drawStanding(sc, t, rect{area.x, y, area.w, bottom - y})
	} else {
		b.drawLying(sc, t, rect{area.x, y, area.w, bottom - y})
	}
}

func (b *bar) emptyReason() string {
	if len(b.o.Labels) == 0 || len(b.series) == 0 {
		return "there is nothing to compare"
	}
	return allMissing(len(b.o.Labels) * len(b.series))
}

// color is that of one bar.
func (b *bar) color(t *Theme, series, i int) color.NRGBA {
	if s := b.series[series].Severity; s != nil && s[i] != None {
		return t.severity(s[i])
	}
	c, _ := t.seriesColor(series)
	return c
}

// valueText is what stands at the end of a bar.
func (b *bar) valueText(v float64) string { return b.unit.format(v) }

func (b *bar) drawLying(sc *scene, t *Theme, area rect) {
	s := labelStyle(t)
	lw := b.labelWidth(t, area.w)
	valueW := 0.0
	for _, sr := range b.series {
		for _, v := range sr.Values {
			valueW = max(valueW, s.width(b.valueText(v)))
		}
	}
	if b.o.Stacked {
		for i := range b.o.Labels {
			valueW = max(valueW, s.width(b.valueText(b.sum(i))))
		}
	}
	valueW = min(valueW+t.Text*0.6, area.w*0.3)
	frame := sc.snapped(rect{area.x + lw + t.Text*0.5, area.y, area.w - lw - t.Text*0.5 - valueW, area.h - timeAxisHeight(t)})
	if frame.w < 8 || frame.h < 8 {
		return
	}
	va := newValueAxis(b.spread, b.o.Y, b.unit, int(frame.w/(t.Text*5)), true)
	k := frame.w / (va.hi - va.lo)
	tx := func(v float64) float64 { return min(max(frame.x+(v-va.lo)*k, frame.x), frame.right()) }
	b.drawBands(sc, t, frame, va, tx, false)
	b.valueAxisBelow(sc, t, frame, va, tx)

	want, sum := make([]float64, len(b.o.Labels)), 0.0
	for i, l := range b.o.Labels {
		want[i] = b.rowHeight(t, l, lw)
		sum += want[i]
	}
	y, lastLabel := frame.y, math.Inf(-1)
	room := make([]int, len(want)) // lines beside each bar
	for i, w := range want {
		room[i] = max(1, int(w*frame.h/sum/(t.Text*1.2)))
	}
	names := s.nameLines(b.o.Labels, lw, room)
	for i := range b.o.Labels {
		h := want[i] * frame.h / sum
		n := float64(b.beside())
		thick := min((h-min(t.Text*0.4, h*0.25))/n, max(h*0.6/n, t.Text*1.3), t.Text*2.6)
		top := y + (h-thick*n)/2
		if b.o.Stacked {
			b.drawStackedBar(sc, t, frame, tx, i, rect{0, top, valueW, thick})
		}
		for j, sr := range b.series {
			if b.o.Stacked {
				break
			}
			b.drawLyingBar(sc, t, frame, tx, sr.Values[i], b.color(t, j, i), rect{0, top + float64(j)*thick, valueW, thick})
		}
		lines := names[i]
		if ty := y + (h-float64(len(lines))*t.Text*1.2)/2; ty >= lastLabel {
			for _, line := range lines {
				lastLabel = sc.textAt(frame.x-t.Text*0.5, ty+s.ascent(), right, s, t.Ink, line).bottom()
				ty += t.Text * 1.2
			}
		}
		y += h
	}
	sc.vline(tx(0), frame.y, frame.bottom(), 1.5, t.MarkLine)
}

func (b *bar) drawLyingBar(sc *scene, t *Theme, frame rect, tx func(float64) float64, v float64, c color.NRGBA, at rect) {
	s := labelStyle(t)
	x0, x1 := tx(0), tx(0)
	ink := t.Muted
	if drawable(v) {
		x1 = tx(v)
		gap := min(2, at.h*0.15)
		sc.fill(rect{min(x0, x1), at.y + gap/2, max(math.Abs(x1-x0), 1), at.h - gap}, c)
		ink = t.Ink
	}
	if at.h < s.size*0.95 {
		return // the axis has to do
	}
	// The value stands behind the end of the bar; that of a negative one on the free side of zero.
	x, text := max(x0, x1)+t.Text*0.3, b.valueText(v)
	text = s.fit(text, at.w+frame.right()-x)
	// A threshold, a grid line or the frame may run through the text.
	sc.fill(rect{x - 2, at.y + at.h/2 - s.size*0.5, s.width(text) + 4, s.size}, withAlpha(t.Page, 0xd8))
	sc.textAt(x, at.y+at.h/2+s.size*0.35, left, s, ink, text)
}

// valueAxisBelow draws a value axis under a frame, with its unit.
func (b *bar) valueAxisBelow(sc *scene, t *Theme, frame rect, va valueAxis, tx func(float64) float64) {
	sc.frame(frame, 1, t.Rule)
	drawTicksBelow(sc, t, frame, va.ticks, tx, va.unit)
}

// drawBands draws grid lines, bands and thresholds behind the bars; standing says which way the values run.
func (b *bar) drawBands(sc *scene, t *Theme, frame rect, va valueAxis, to func(float64) float64, standing bool) {
	for _, d := range b.o.Bands {
		if !(d.Lo < d.Hi) || d.Hi < va.lo || d.Lo > va.hi {
			continue
		}
		lo, hi := to(max(d.Lo, va.lo)), to(min(d.Hi, va.hi))
		r := rect{lo, frame.y, hi - lo, frame.h}
		if standing {
			r = rect{frame.x, hi, frame.w, lo - hi}
		}
		sc.fill(r, t.tint(d.Severity, t.BandFill))
	}
	for _, k := range va.ticks {
		if standing {
			sc.hline(frame.x, frame.right(), to(k.at), 1, t.Grid)
		} else {
			sc.vline(to(k.at), frame.y, frame.bottom(), 1, t.Grid)
		}
	}
	for _, d := range b.o.Bands {
		if d.Lo != d.Hi || d.Lo < va.lo || d.Lo > va.hi {
			continue
		}
		if standing {
			sc.dashed(frame.x, to(d.Lo), frame.right(), to(d.Lo), 2, t.spanEdge(d.Severity))
		} else {
			sc.dashed(to(d.Lo), frame.y, to(d.Lo), frame.bottom(), 2, t.spanEdge(d.Severity))
		}
	}
}

func (b *bar) drawStanding(sc *scene, t *Theme, area rect) {
	s := labelStyle(t)
	n := float64(len(b.o.Labels))
	va := newValueAxis(b.spread, b.o.Y, b.unit, min(max(int(area.h/(t.Text*3)), 1), 8), true)
	gutter := 0.0
	for _, k := range va.ticks {
		gutter = max(gutter, s.width(k.label))
	}
	gutter += t.Text * 0.6
	frame := sc.snapped(rect{area.x + gutter, area.y, area.w - gutter, area.h - tickPad(t) - s.leading()})
	if frame.w < 8 || frame.h < 8 {
		return
	}
	ty := toY(frame, va)
	b.drawBands(sc, t, frame, va, ty, true)
	sc.frame(frame, 1, t.Rule)
	valueLabels(sc, t, frame, va, ty)
	slot := frame.w / n
	lastRight := math.Inf(-1)
	for i, l := range b.o.Labels {
		x := frame.x + slot*float64(i)
		thick := slot * 0.76 / float64(len(b.series))
		for j, sr := range b.series {
			b.drawStandingBar(sc, t, frame, ty, sr.Values[i], b.color(t, j, i), x+slot*0.12+thick*float64(j), thick)
		}
		w := s.width(printable(l))
		if lx := x + slot/2 - w/2; lx >= lastRight+t.Text*0.3 && lx >= area.x && lx+w <= area.right() {
			lastRight = sc.textAt(lx, frame.bottom()+tickPad(t)+s.ascent(), left, s, t.Ink, l).right()
		}
	}
	sc.hline(frame.x, frame.right(), ty(0), 1.5, t.MarkLine)
}

func (b *bar) drawStandingBar(sc *scene, t *Theme, frame rect, ty func(float64) float64, v float64, c color.NRGBA, x, w float64) {
	s := labelStyle(t)
	text := b.valueText(v)
	if !drawable(v) {
		if s.width(text) < w {
			sc.textAt(x+w/2, ty(0)-t.Text*0.3, center, s, t.Muted, text)
		}
		return
	}
	y := ty(v)
	sc.fill(rect{x + 0.5, min(y, ty(0)), w - 1, max(math.Abs(y-ty(0)), 1)}, c)
	if s.width(text) > w {
		return
	}
	base := min(y, ty(0)) - t.Text*0.3
	if base-s.ascent() < frame.y { // no room above: write into the bar
		sc.textAt(x+w/2, min(y, ty(0))+s.ascent()+2, center, s, t.OnAccent, text)
		return
	}
	sc.textAt(x+w/2, base, center, s, t.Ink, text)
}
