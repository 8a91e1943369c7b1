package charts

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/plots/canvas"
)

// Sample is a set of values whose distribution is drawn. NaN is missing.
type Sample struct {
	Name   string
	Values []float64
}

// HistogramOptions say how distributions are drawn.
type HistogramOptions struct {
	Title  string
	XLabel string // what the values are
	Unit   string
	Bins   int // 0 chooses by the spread and the number of values
	// marked, 0 to 100; nil marks 50, 95 and 99 of a single sample and none of several; empty marks none
	Percentiles []float64
	X           Range
	LogX        bool // bins of equal ratio
	LogY        bool // counts on a logarithmic axis
}

// Histogram counts values by size. Several samples are drawn over each other, in the same bins.
func Histogram(o HistogramOptions, samples ...Sample) (*Plot, error) {
	if o.Bins < 0 || o.Bins > 1<<16 {
		return nil, fmt.Errorf("histogram: %d bins: choose between 1 and %d, or 0 to let the data decide", o.Bins,
			1<<16)
	}
	for _, p := range o.Percentiles {
		if !(p >= 0 && p <= 100) {
			return nil, fmt.Errorf("histogram: percentile %v: choose between 0 and 100", p)
		}
	}
	h := &histogram{o: o, unit: unitOf(o.Unit)}
	for i, s := range samples {
		c := counted{name: s.Name, sorted: make([]float64, 0, len(s.Values))}
		if c.name == "" {
			c.name = fmt.Sprintf("sample %d", i+1)
		}
		for _, v := range s.Values {
			switch {
			case o.LogX && v < leastLog:
				c.lost++
			case canvas.Drawable(v):
				c.sorted = append(c.sorted, v)
			case math.IsNaN(v):
				c.missing++
			default:
				c.infinite++
			}
		}
		sortValues(c.sorted)
		h.samples = append(h.samples, c)
	}
	h.count()
	return New(o.Title, "histogram", h), nil
}

type counted struct {
	name              string
	sorted            []float64
	missing, infinite int
	lost              int // zero or below, on a logarithmic axis
	bins              []int
}

type histogram struct {
	o       HistogramOptions
	unit    unit
	samples []counted
	lo, hi  float64 // of all bins
	whole   bool    // one bin per whole number
	most    int     // in one bin
	beyond  int     // values outside o.X

	flatNote string // says that the values differ too little to tell apart
}

func (h *histogram) empty() bool { return h.most == 0 }

func (h *histogram) keys(t *canvas.Theme) []key {
	if len(h.samples) < 2 {
		return nil
	}
	out := make([]key, len(h.samples))
	for i, s := range h.samples {
		c, m := t.SeriesColor(i)
		out[i] = key{name: fmt.Sprintf("%s (%s)", canvas.Isolated(s.name), counts(len(s.sorted), "value")), color: c,
			marker: m, area: true}
		if h.o.LogX && len(s.sorted) > 0 { // several latencies are compared by their tails
			out[i].name = fmt.Sprintf("%s: p50 %s, p99 %s, max %s (%s)", canvas.Isolated(s.name),
				h.unit.format(percentile(s.sorted, 50)),
				h.unit.format(percentile(s.sorted, 99)), h.unit.format(s.sorted[len(s.sorted)-1]),
				counts(len(s.sorted), "value"))
		}
		if len(s.sorted) == 0 {
			out[i].absent, out[i].name = true, canvas.Isolated(s.name)+" (no data)"
		}
	}
	return out
}

// counts writes how many there are of something.
func counts(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Grouped(n) + " " + what + "s"
}

// Grouped writes a whole number with thousands set apart.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func (h *histogram) Prefer(t *canvas.Theme, width float64) float64 {
	if h.empty() {
		return t.Text * 7
	}
	extra := 0.0
	if keys := h.keys(t); keys != nil {
		extra = legendRows(t, keys, width, 0).height() + t.Text*0.5
	}
	return t.Text*19 + extra
}

// heading says what the bars count.
func (h *histogram) heading() string {
	total, missing, infinite, lost := 0, 0, 0, 0
	for _, s := range h.samples {
		total, missing, infinite, lost = total+len(s.sorted), missing+s.missing, infinite+s.infinite, lost+s.lost
	}
	label := "samples per bin"
	if len(h.samples) == 1 {
		label = counts(total, "sample")
	}
	for _, x := range []struct {
		n    int
		what string
	}{{missing, "missing"}, {infinite, "infinite, not drawn"}, {lost, "zero or below, not on this axis"},
		{h.beyond, "outside of the range shown"}} {
		if x.n > 0 {
			label += fmt.Sprintf(" · %s %s", Grouped(x.n), x.what)
		}
	}
	if h.flatNote != "" {
		label += " · " + h.flatNote
	}
	return label
}

// percentiles are the labels and positions to mark.
func (h *histogram) percentiles() (at []float64, labels []string) {
	ps := h.o.Percentiles
	if h.empty() || len(h.samples) != 1 && ps == nil {
		return nil, nil
	}
	if ps == nil {
		ps = []float64{50, 95, 99}
		if h.o.LogX {
			ps = []float64{50, 90, 99, 99.9, 100}
		}
	}
	for _, s := range h.samples {
		if len(s.sorted) == 0 {
			continue
		}
		of := ""
		if len(h.samples) > 1 {
			of = canvas.Isolated(canvas.Printable(s.name)) + " "
		}
		for _, p := range ps {
			v := percentile(s.sorted, p)
			if !(v >= h.lo && v <= h.hi) {
				continue
			}
			at = append(at, v)
			name := "p" + strconv.FormatFloat(p, 'f', -1, 64)
			if p == 100 {
				name = "max"
			}
			labels = append(labels, of+name+" "+h.unit.format(v))
		}
	}
	return at, labels
}

func (h *histogram) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	y := newHeader(t, h.o.Title, "", h.heading(), area.W).draw(sc, t, area.X, area.Y)
	bottom := area.Bottom()
	if keys := h.keys(t); keys != nil {
		lg := legendRows(t, keys, area.W, area.H*0.35)
		bottom -= lg.heightWithNote(t)
		lg.draw(sc, t, area.X, bottom)
		bottom -= t.Text * 0.5
	}
	if h.empty() {
		frame := canvas.Box(area.X, y+topPad(t), area.W, bottom-y-topPad(t))
		if frame.H > t.Text && frame.W > t.Text {
			sc.Frame(frame, 1, t.Rule)
			drawNoData(sc, t, frame, h.emptyReason())
		}
		return
	}
	s := canvas.Regular.Of(t.Text)
	// The frame is not known before the labels above it, which need the axis below, which needs the width that
	// these labels leave: the number of ticks is chosen by a guess of the height, and the frame by what is left.
	room := bottom - y - timeAxisHeight(t) - t.Text*2
	va := h.countsAxis(min(max(int(room/(t.Text*2.6)), 1), 8))
	gutter := 0.0
	for _, k := range va.ticks {
		gutter = max(gutter, s.Width(k.label))
	}
	gutter += t.Text * 0.6
	frame := canvas.Box(area.X+gutter, 0, area.W-gutter, 0)
	xa := h.valuesAxis(min(max(int(frame.W/(t.Text*6)), 1), 12))
	toX := toValueX(frame, xa)

	at, texts := h.percentiles()
	var labels []aboveLabel
	for i, v := range at {
		labels = append(labels, aboveLabel{anchor: toX(v) - area.X, text: texts[i]})
	}
	placed, above, rest := placeAbove(t, labels, area.W)
	if rest != "" {
		ns := canvas.Regular.Of(t.Small)
		y = sc.TextLines(area.X, y, canvas.Left, ns, t.Muted, ns.Lines(rest, area.W, 2))
	}
	y += above + topPad(t)
	frame = sc.Snapped(canvas.Box(frame.X, y, frame.W, bottom-timeAxisHeight(t)-y))
	if frame.W < 8 || frame.H < 8 {
		return
	}
	ty := toY(frame, va)
	toX = toValueX(frame, xa)
	for _, v := range xa.minor {
		sc.Vline(toX(v), frame.Y, frame.Bottom(), 1, canvas.WithAlpha(t.Grid, 0x80))
	}
	for _, v := range va.minor {
		sc.Hline(frame.X, frame.Right(), ty(v), 1, canvas.WithAlpha(t.Grid, 0x80))
	}
	for _, k := range va.ticks {
		sc.Hline(frame.X, frame.Right(), ty(k.at), 1, t.Grid)
	}
	sc.Frame(frame, 1, t.Rule)
	valueLabels(sc, t, frame, va, ty)
	// Data over the grid, percentiles over data: a line through a bar must be seen, a grid through one is noise.
	for i := range h.samples {
		c, _ := t.SeriesColor(i)
		h.drawBins(sc, t, frame, h.samples[i].bins, c, ty)
	}
	for _, v := range at {
		sc.Dashed(toX(v), frame.Y, toX(v), frame.Bottom(), 2, t.MarkLine)
	}
	for _, l := range placed {
		l.draw(sc, t, area.X, frame.Y)
	}
	title := h.title()
	if xa.unit != "" && title != "" {
		title = canvas.Isolated(title) + " [" + xa.unit + "]"
	} else if xa.unit != "" {
		title = xa.unit
	}
	drawTicksBelow(sc, t, frame, xa.ticks, toX, title)
}

// title names what the values are, where the title of the chart does not.
func (h *histogram) title() string {
	title := h.o.XLabel
	if title == "" && len(h.samples) == 1 {
		title = h.samples[0].name
	}
	if title == h.o.Title {
		title = ""
	}
	return title
}

// countsAxis is the axis of the heights of bars with about n ticks.
func (h *histogram) countsAxis(n int) valueAxis {
	heights := spread{0, float64(h.most)}
	if h.o.LogY {
		va := newLogAxis(heights, Range{0.7, max(float64(h.most)*1.4, 2)}, unit{"", plainUnit, 1}, n)
		va.ticks = slices.DeleteFunc(va.ticks, func(k tick) bool { return k.at < 1 || k.at != math.Round(k.at) })
		va.minor = slices.DeleteFunc(va.minor, func(v float64) bool { return v < 1 })
		return va
	}
	va := newValueAxis(heights, Range{}, unit{"", plainUnit, 1}, n, true)
	va.ticks = slices.DeleteFunc(va.ticks, func(k tick) bool { return k.at != math.Round(k.at) })
	if h.most < 10 { // of such counts the labels have digits for the steps that were left out
		for i := range va.ticks {
			va.ticks[i].label = strconv.Itoa(int(va.ticks[i].at))
		}
	}
	return va
}

// valuesAxis is the axis of the values with about n ticks.
func (h *histogram) valuesAxis(n int) valueAxis {
	if h.o.LogX {
		return newLogAxis(spread{h.lo, h.hi}, Range{h.lo, h.hi}, h.unit, n)
	}
	xa := newValueAxis(spread{h.lo, h.hi}, Range{h.lo, h.hi}, h.unit, n, false)
	if h.whole {
		xa.ticks = slices.DeleteFunc(xa.ticks, func(k tick) bool { return math.Abs(k.at-math.Round(k.at)) > 1e-6 })
		for i := range xa.ticks {
			xa.ticks[i].label = strings.TrimSuffix(xa.ticks[i].label, ".0")
		}
	}
	return xa
}

func (h *histogram) emptyReason() string {
	n, lost := 0, 0
	for _, s := range h.samples {
		n += s.missing + s.infinite + s.lost + len(s.sorted)
		lost += s.lost
	}
	if lost > 0 && lost == n {
		return lostOnLog(lost)
	}
	if n == 0 {
		return "there are no values"
	}
	if h.beyond > 0 {
		return "no value lies in the range shown"
	}
	return allMissing(n)
}

// drawBins draws one sample as an outline over a tint; more bins than device columns keep the highest of each column.
func (h *histogram) drawBins(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, bins []int, c color.NRGBA,
	ty func(float64) float64) {
	if bins == nil {
		return
	}
	n := int(math.Round(frame.W * sc.Scale))
	st := &canvas.Strip{X0: frame.X, Scale: sc.Scale, Top: make([]float64, n), Bot: make([]float64, n)}
	y0 := ty(0)
	for i := range n {
		b0 := i * len(bins) / n
		b1 := max((i+1)*len(bins)/n, b0+1)
		most := slices.Max(bins[b0:b1])
		st.Top[i], st.Bot[i] = math.NaN(), math.NaN()
		if most > 0 {
			st.Top[i], st.Bot[i] = min(ty(float64(most)), y0-1/sc.Scale), y0
		}
	}
	fill := uint8(0xd8)
	if len(h.samples) > 1 {
		fill = 0x50
	}
	sc.Strip(st, canvas.WithAlpha(c, fill))
	outline := &canvas.Trace{X0: frame.X, Scale: sc.Scale, Top: frame.Y, Bot: frame.Bottom(),
		Cols: make([]canvas.Tcol, n)}
	for i := range n {
		y := y0
		if !math.IsNaN(st.Top[i]) {
			y = st.Top[i]
		}
		outline.Cols[i] = canvas.Tcol{First: y, Last: y, Lo: y, Hi: y, Present: true, Joined: i > 0}
	}
	if len(h.samples) > 1 || float64(len(bins)) > frame.W/4 {
		sc.Trace(outline, c, 1.5)
		return
	}
	// Thin gaps tell wide bins apart.
	for i := 1; i < len(bins); i++ {
		if bins[i-1] > 0 || bins[i] > 0 {
			x := frame.X + frame.W*float64(i)/float64(len(bins))
			sc.Vline(x, ty(float64(max(bins[i-1], bins[i]))), y0, 1, t.Page)
		}
	}
}
