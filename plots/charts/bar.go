package charts

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"astrolabe/plots/canvas"
)

// BarSeries is one bar per label; several series stand side by side. NaN is missing.
type BarSeries struct {
	Name     string
	Values   []float64
	Severity []canvas.Severity // colours single bars; nil colours by series
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
			return nil, fmt.Errorf("bar: series %d (%q) has %d values for %d labels", i+1, s.Name,
				len(s.Values), len(o.Labels))
		}
		if s.Severity != nil && len(s.Severity) != len(s.Values) {
			return nil, fmt.Errorf("bar: series %d (%q) has %d severities for %d values", i+1, s.Name,
				len(s.Severity), len(s.Values))
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
	return New(o.Title, "bar", b), nil
}

type bar struct {
	o       BarOptions
	series  []BarSeries
	unit    unit
	spread  spread
	account *Account // whose parts the series are, in its colours; nil where they are none
}

// seriesColor is that of a series, and the marker that tells it from others of that colour.
func (b *bar) seriesColor(t *canvas.Theme, i int) (color.NRGBA, int) {
	if b.account != nil {
		return b.account.color(t, b.series[i].Name), 0
	}
	return t.SeriesColor(i)
}

func (b *bar) keys(t *canvas.Theme) []key {
	if len(b.series) < 2 {
		return nil
	}
	out := make([]key, len(b.series))
	for i, s := range b.series {
		c, m := b.seriesColor(t, i)
		out[i] = key{name: s.Name, color: c, marker: m, area: true}
	}
	return out
}

// labelStyle is that of the labels beside the bars.
func labelStyle(t *canvas.Theme) canvas.Style { return canvas.Regular.Of(t.Text) }

// rowHeight is the height that one label with its bars prefers.
func (b *bar) rowHeight(t *canvas.Theme, label string, labelW float64) float64 {
	lines := float64(len(labelStyle(t).Wrap(label, labelW)))
	return max(float64(b.beside())*t.Text*1.15, lines*t.Text*1.2) + t.Text*0.5
}

// beside is how many bars of a label stand beside each other.
func (b *bar) beside() int {
	if b.o.Stacked {
		return 1
	}
	return max(1, len(b.series))
}

func (b *bar) labelWidth(t *canvas.Theme, width float64) float64 {
	w := 0.0
	for _, l := range b.o.Labels {
		w = max(w, labelStyle(t).Width(canvas.Printable(l)))
	}
	return min(w, width*0.38)
}

func (b *bar) Prefer(t *canvas.Theme, width float64) float64 {
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
		parts[0] = canvas.Isolated(b.o.YLabel) + " [" + unit + "]"
	case b.o.YLabel == "":
		parts[0] = unit
	}
	for _, d := range b.o.Bands {
		switch {
		case d.Label == "":
		case d.Lo == d.Hi:
			parts = append(parts, "dashed: "+canvas.Isolated(d.Label))
		default:
			parts = append(parts, "shaded: "+canvas.Isolated(d.Label))
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " · ")
}

// standing reports whether the bars stand: wanted, and every label fits below its bar.
func (b *bar) standing(t *canvas.Theme, width float64) bool {
	if !b.o.Vertical || len(b.o.Labels) == 0 {
		return false
	}
	slot := (width - t.Text*4) / float64(len(b.o.Labels))
	for _, l := range b.o.Labels {
		if labelStyle(t).Width(canvas.Printable(l)) > slot-t.Text*0.4 && len([]rune(l)) > 5 {
			return false
		}
	}
	return true
}

func (b *bar) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	stand := b.standing(t, area.W)
	va := newValueAxis(b.spread, b.o.Y, b.unit, 5, true)
	label := b.heading("")
	if stand {
		label = b.heading(va.unit)
	}
	y := newHeader(t, b.o.Title, "", label, area.W).draw(sc, t, area.X, area.Y) + topPad(t)
	bottom := area.Bottom()
	if keys := b.keys(t); keys != nil {
		lg := legendRows(t, keys, area.W, area.H*0.35)
		bottom -= lg.heightWithNote(t)
		lg.draw(sc, t, area.X, bottom)
		bottom -= t.Text * 0.5
	}
	if b.spread.empty() {
		frame := canvas.Box(area.X, y, area.W, bottom-y)
		if frame.H > t.Text && frame.W > t.Text {
			sc.Frame(frame, 1, t.Rule)
			drawNoData(sc, t, frame, b.emptyReason())
		}
		return
	}
	if stand {
		b.drawStanding(sc, t, canvas.Box(area.X, y, area.W, bottom-y))
	} else {
		b.drawLying(sc, t, canvas.Box(area.X, y, area.W, bottom-y))
	}
}

func (b *bar) emptyReason() string {
	if len(b.o.Labels) == 0 || len(b.series) == 0 {
		return "there is nothing to compare"
	}
	return allMissing(len(b.o.Labels) * len(b.series))
}

// color is that of one bar.
func (b *bar) color(t *canvas.Theme, series, i int) color.NRGBA {
	if s := b.series[series].Severity; s != nil && s[i] != canvas.None {
		return t.Severity(s[i])
	}
	c, _ := b.seriesColor(t, series)
	return c
}

// valueText is what stands at the end of a bar.
func (b *bar) valueText(v float64) string { return b.unit.format(v) }

// squeezed is the style of labels for so many rows in a height: smaller where rows are low, as far as it can be read, so that
// none goes without its name.
func squeezed(t *canvas.Theme, rows int, height float64) canvas.Style {
	s := labelStyle(t)
	return canvas.Regular.Of(min(s.Size, max(s.Size*leastLabel, height/float64(max(1, rows))/lineHeight)))
}

// Lines of labels, in their size, and the least size of labels, in the usual one.
const lineHeight, leastLabel = 1.2, 0.65

func (b *bar) drawLying(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	s := squeezed(t, len(b.o.Labels), area.H-timeAxisHeight(t))
	lw := b.labelWidth(t, area.W)
	valueW := 0.0
	for _, sr := range b.series {
		for _, v := range sr.Values {
			valueW = max(valueW, s.Width(b.valueText(v)))
		}
	}
	if b.o.Stacked {
		for i := range b.o.Labels {
			valueW = max(valueW, s.Width(b.valueText(b.sum(i))))
		}
	}
	valueW = min(valueW+t.Text*0.6, area.W*0.3)
	frame := sc.Snapped(canvas.Box(area.X+lw+t.Text*0.5, area.Y, area.W-lw-t.Text*0.5-valueW, area.H-timeAxisHeight(t)))
	if frame.W < 8 || frame.H < 8 {
		return
	}
	va := newValueAxis(b.spread, b.o.Y, b.unit, int(frame.W/(t.Text*5)), true)
	k := frame.W / (va.hi - va.lo)
	tx := func(v float64) float64 { return min(max(frame.X+(v-va.lo)*k, frame.X), frame.Right()) }
	b.drawBands(sc, t, frame, va, tx, false)
	b.valueAxisBelow(sc, t, frame, va, tx)

	want, sum := make([]float64, len(b.o.Labels)), 0.0
	for i, l := range b.o.Labels {
		want[i] = b.rowHeight(t, l, lw)
		sum += want[i]
	}
	y, lastLabel := frame.Y, math.Inf(-1)
	room := make([]int, len(want)) // lines beside each bar
	for i, w := range want {
		room[i] = max(1, int(w*frame.H/sum/(s.Size*lineHeight)))
	}
	names := s.NameLines(b.o.Labels, lw, room)
	for i := range b.o.Labels {
		h := want[i] * frame.H / sum
		n := float64(b.beside())
		thick := min((h-min(t.Text*0.4, h*0.25))/n, max(h*0.6/n, t.Text*1.3), t.Text*2.6)
		top := y + (h-thick*n)/2
		if b.o.Stacked {
			b.drawStackedBar(sc, t, frame, tx, i, canvas.Box(0, top, valueW, thick))
		}
		for j, sr := range b.series {
			if b.o.Stacked {
				break
			}
			b.drawLyingBar(sc, t, frame, tx, sr.Values[i], b.color(t, j, i),
				canvas.Box(0, top+float64(j)*thick, valueW, thick))
		}
		lines := names[i]
		if ty := y + (h-float64(len(lines))*s.Size*lineHeight)/2; ty >= lastLabel {
			for _, line := range lines {
				lastLabel = sc.TextAt(frame.X-t.Text*0.5, ty+s.Ascent(), canvas.Right, s, t.Ink, line).Bottom()
				ty += s.Size * lineHeight
			}
		}
		y += h
	}
	sc.Vline(tx(0), frame.Y, frame.Bottom(), 1.5, t.MarkLine)
}

func (b *bar) drawLyingBar(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, tx func(float64) float64, v float64,
	c color.NRGBA, at canvas.Rect) {
	s := squeezed(t, 1, at.H*lineHeight)
	x0, x1 := tx(0), tx(0)
	ink := t.Muted
	if canvas.Drawable(v) {
		x1 = tx(v)
		gap := min(2, at.H*0.15)
		sc.Fill(canvas.Box(min(x0, x1), at.Y+gap/2, max(math.Abs(x1-x0), 1), at.H-gap), c)
		ink = t.Ink
	}
	if at.H < s.Size*0.95 {
		return // the axis has to do
	}
	// The value stands behind the end of the bar; that of a negative one on the free side of zero.
	x, text := max(x0, x1)+t.Text*0.3, b.valueText(v)
	text = s.Fit(text, at.W+frame.Right()-x)
	// A threshold, a grid line or the frame may run through the text.
	sc.Fill(canvas.Box(x-2, at.Y+at.H/2-s.Size*0.5, s.Width(text)+4, s.Size), canvas.WithAlpha(t.Page, 0xd8))
	sc.TextAt(x, at.Y+at.H/2+s.Size*0.35, canvas.Left, s, ink, text)
}

// valueAxisBelow draws a value axis under a frame, with its unit.
func (b *bar) valueAxisBelow(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, va valueAxis,
	tx func(float64) float64) {
	sc.Frame(frame, 1, t.Rule)
	drawTicksBelow(sc, t, frame, va.ticks, tx, va.unit)
}

// drawBands draws grid lines, bands and thresholds behind the bars; standing says which way the values run.
func (b *bar) drawBands(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, va valueAxis, to func(float64) float64,
	standing bool) {
	for _, d := range b.o.Bands {
		if !(d.Lo < d.Hi) || d.Hi < va.lo || d.Lo > va.hi {
			continue
		}
		lo, hi := to(max(d.Lo, va.lo)), to(min(d.Hi, va.hi))
		r := canvas.Box(lo, frame.Y, hi-lo, frame.H)
		if standing {
			r = canvas.Box(frame.X, hi, frame.W, lo-hi)
		}
		sc.Fill(r, t.Tint(d.Severity, t.BandFill))
	}
	for _, k := range va.ticks {
		if standing {
			sc.Hline(frame.X, frame.Right(), to(k.at), 1, t.Grid)
		} else {
			sc.Vline(to(k.at), frame.Y, frame.Bottom(), 1, t.Grid)
		}
	}
	for _, d := range b.o.Bands {
		if d.Lo != d.Hi || d.Lo < va.lo || d.Lo > va.hi {
			continue
		}
		if standing {
			sc.Dashed(frame.X, to(d.Lo), frame.Right(), to(d.Lo), 2, t.SpanEdge(d.Severity))
		} else {
			sc.Dashed(to(d.Lo), frame.Y, to(d.Lo), frame.Bottom(), 2, t.SpanEdge(d.Severity))
		}
	}
}

func (b *bar) drawStanding(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	s := labelStyle(t)
	n := float64(len(b.o.Labels))
	va := newValueAxis(b.spread, b.o.Y, b.unit, min(max(int(area.H/(t.Text*3)), 1), 8), true)
	gutter := 0.0
	for _, k := range va.ticks {
		gutter = max(gutter, s.Width(k.label))
	}
	gutter += t.Text * 0.6
	frame := sc.Snapped(canvas.Box(area.X+gutter, area.Y, area.W-gutter, area.H-tickPad(t)-s.Leading()))
	if frame.W < 8 || frame.H < 8 {
		return
	}
	ty := toY(frame, va)
	b.drawBands(sc, t, frame, va, ty, true)
	sc.Frame(frame, 1, t.Rule)
	valueLabels(sc, t, frame, va, ty)
	slot := frame.W / n
	lastRight := math.Inf(-1)
	for i, l := range b.o.Labels {
		x := frame.X + slot*float64(i)
		thick := slot * 0.76 / float64(len(b.series))
		for j, sr := range b.series {
			b.drawStandingBar(sc, t, frame, ty, sr.Values[i], b.color(t, j, i), x+slot*0.12+thick*float64(j), thick)
		}
		w := s.Width(canvas.Printable(l))
		if lx := x + slot/2 - w/2; lx >= lastRight+t.Text*0.3 && lx >= area.X && lx+w <= area.Right() {
			lastRight = sc.TextAt(lx, frame.Bottom()+tickPad(t)+s.Ascent(), canvas.Left, s, t.Ink, l).Right()
		}
	}
	sc.Hline(frame.X, frame.Right(), ty(0), 1.5, t.MarkLine)
}

func (b *bar) drawStandingBar(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, ty func(float64) float64, v float64,
	c color.NRGBA, x, w float64) {
	s := labelStyle(t)
	text := b.valueText(v)
	if !canvas.Drawable(v) {
		if s.Width(text) < w {
			sc.TextAt(x+w/2, ty(0)-t.Text*0.3, canvas.Center, s, t.Muted, text)
		}
		return
	}
	y := ty(v)
	sc.Fill(canvas.Box(x+0.5, min(y, ty(0)), w-1, max(math.Abs(y-ty(0)), 1)), c)
	if s.Width(text) > w {
		return
	}
	base := min(y, ty(0)) - t.Text*0.3
	if base-s.Ascent() < frame.Y { // no room above: write into the bar
		sc.TextAt(x+w/2, min(y, ty(0))+s.Ascent()+2, canvas.Center, s, t.OnAccent, text)
		return
	}
	sc.TextAt(x+w/2, base, canvas.Center, s, t.Ink, text)
}
