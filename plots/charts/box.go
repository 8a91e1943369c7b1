package charts

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/plots/canvas"
)

// BoxOptions say how distributions are set side by side.
type BoxOptions struct {
	Title  string
	XLabel string // what the values are
	Unit   string
	Log    bool
}

// Box draws one lying box per sample: the quartiles, the median as a line, the mean as a diamond, whiskers to the
// farthest values within 1.5 interquartile ranges of the box (Tukey, 1977), and every value beyond them.
func Box(o BoxOptions, samples ...Sample) (*Plot, error) {
	b := &box{o: o, unit: unitOf(o.Unit), spread: noSpread()}
	for i, s := range samples {
		if s.Name == "" {
			s.Name = fmt.Sprintf("sample %d", i+1)
		}
		r := boxRow{name: s.Name, sorted: make([]float64, 0, len(s.Values))}
		sum := 0.0
		for _, v := range s.Values {
			switch {
			case !canvas.Drawable(v):
				b.missing++
			case o.Log && v < leastLog:
				b.lost++
			default:
				r.sorted = append(r.sorted, v)
				sum += v
			}
		}
		b.total += len(s.Values)
		if n := len(r.sorted); n > 0 {
			sortValues(r.sorted)
			r.measure(sum / float64(n))
			b.spread.add(r.sorted[0])
			b.spread.add(r.sorted[n-1])
		}
		b.rows = append(b.rows, r)
	}
	return New(o.Title, "box", b), nil
}

type box struct {
	o                    BoxOptions
	unit                 unit
	rows                 []boxRow
	spread               spread
	total, missing, lost int
}

// boxRow is one sample with what is drawn of it.
type boxRow struct {
	name              string
	sorted            []float64
	q1, median, q3    float64
	low, high         float64 // ends of the whiskers
	mean              float64
	below, beyondHigh int // how many values lie outside of the whiskers; the sorted values hold them at both ends
}

func (r *boxRow) measure(mean float64) {
	r.mean = mean
	r.q1, r.median, r.q3 = percentile(r.sorted, 25), percentile(r.sorted, 50), percentile(r.sorted, 75)
	reach := 1.5 * (r.q3 - r.q1)
	n := len(r.sorted)
	r.below, _ = slices.BinarySearch(r.sorted, r.q1-reach)
	at, _ := slices.BinarySearch(r.sorted, math.Nextafter(r.q3+reach, math.Inf(1)))
	r.beyondHigh = n - at
	r.low, r.high = r.sorted[min(r.below, n-1)], r.sorted[max(at-1, 0)]
}

// names are those of the rows.
func (b *box) names() []string {
	out := make([]string, len(b.rows))
	for i, r := range b.rows {
		out[i] = r.name
	}
	return out
}

// labelWidth is the width of the names beside the frame.
func (b *box) labelWidth(t *canvas.Theme, width float64) float64 {
	s, w := canvas.Regular.Of(t.Text), 0.0
	for _, n := range b.names() {
		w = max(w, s.Width(canvas.Printable(n)))
	}
	return min(w, width*0.34)
}

// axis is that of the values with about n ticks.
func (b *box) axis(n int) valueAxis {
	if b.o.Log {
		return newLogAxis(b.spread, Range{}, b.unit, n)
	}
	return newValueAxis(b.spread, Range{}, b.unit, n, false)
}

func (b *box) rowHeight(t *canvas.Theme, width float64) float64 {
	lines := canvas.MostLines(canvas.Regular.Of(t.Text).NameLines(b.names(), b.labelWidth(t, width),
		canvas.LinesEach(len(b.rows), 3)))
	return max(t.Text*2.1, canvas.RowNameHeight(t, lines)+t.Text*0.4)
}

func (b *box) Prefer(t *canvas.Theme, width float64) float64 {
	h := newHeader(t, b.o.Title, "", b.heading(""), width).height(t) + topPad(t) + timeAxisHeight(t) +
		b.noteHeight(t, width)
	if b.spread.empty() {
		return h + t.Text*4
	}
	return h + float64(max(len(b.rows), 2))*b.rowHeight(t, width)
}

func (b *box) heading(unit string) string {
	switch {
	case b.o.XLabel != "" && unit != "":
		return canvas.Isolated(b.o.XLabel) + " [" + unit + "]"
	case b.o.XLabel != "":
		return b.o.XLabel
	}
	return unit
}

func (b *box) note() string {
	text :=
		"box: quartiles and median · diamond: mean · whiskers: within 1.5 quartile ranges · marks: every value beyond"
	if b.missing > 0 {
		text += " · " + Grouped(b.missing) + " of " + Grouped(b.total) + " values missing"
	}
	if b.lost > 0 {
		text += " · " + lostOnLog(b.lost)
	}
	if flat := b.spread.flatNote(b.unit); flat != "" {
		text += " · " + flat
	}
	return text
}

func (b *box) noteHeight(t *canvas.Theme, width float64) float64 {
	s := canvas.Regular.Of(t.Small)
	return float64(len(s.Wrap(b.note(), width))) * s.Leading()
}

func (b *box) emptyReason() string {
	if b.total > 0 {
		return allMissing(b.total)
	}
	return "there is nothing to compare"
}

func (b *box) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	s, ns := canvas.Regular.Of(t.Text), canvas.Regular.Of(t.Small)
	y := newHeader(t, b.o.Title, "", b.heading(""), area.W).draw(sc, t, area.X, area.Y)
	if notes := ns.Wrap(b.note(), area.W); !b.spread.empty() && float64(len(notes))*ns.Leading() < area.H*0.25 {
		y = sc.TextLines(area.X, y, canvas.Left, ns, t.Muted, notes)
	}
	y += topPad(t)
	if b.spread.empty() {
		frame := canvas.Box(area.X, y, area.W, area.Bottom()-y)
		if frame.H > t.Text && frame.W > t.Text {
			sc.Frame(frame, 1, t.Rule)
			drawNoData(sc, t, frame, b.emptyReason())
		}
		return
	}
	labelW, countW := b.labelWidth(t, area.W), s.Width("median")
	for _, r := range b.rows {
		if len(r.sorted) > 0 {
			countW = max(countW, s.Width(b.unit.format(r.median)))
		}
	}
	countW = min(countW, area.W*0.25)
	frame := sc.Snapped(canvas.Box(area.X+labelW+t.Text*0.5, y+s.Leading(), area.W-labelW-countW-t.Text*1.2,
		area.Bottom()-y-s.Leading()-timeAxisHeight(t)))
	if frame.W < 8 || frame.H < 8 {
		return
	}
	n := int(frame.W / (t.Text * 5.5))
	va := b.axis(n)
	tx := toValueX(frame, va)
	for _, v := range va.minor {
		sc.Vline(tx(v), frame.Y, frame.Bottom(), 1, canvas.WithAlpha(t.Grid, 0x80))
	}
	for _, k := range va.ticks {
		sc.Vline(tx(k.at), frame.Y, frame.Bottom(), 1, t.Grid)
	}
	sc.Frame(frame, 1, t.Rule)
	drawTicksBelow(sc, t, frame, va.ticks, tx, va.unit)
	last := sc.TextAt(frame.Right()+t.Text*0.6, frame.Y-t.Text*0.4, canvas.Left, s, t.Muted, "median").Bottom()
	rowH := frame.H / float64(len(b.rows))
	names := s.NameLines(b.names(), labelW, canvas.LinesEach(len(b.rows), int(rowH/(t.Text*1.2))))
	for i, r := range b.rows {
		mid := frame.Y + rowH*(float64(i)+0.5)
		thick := min(rowH*0.62, t.Text*2)
		b.drawRow(sc, t, r, i, tx, frame, mid, thick)
		base := mid + s.Size*0.35
		if min(base-s.Ascent(), mid-canvas.RowNameHeight(t, len(names[i]))/2) < last {
			continue // the rows are too many for a name each
		}
		text := "no data"
		if len(r.sorted) > 0 {
			text = b.unit.format(r.median)
		}
		sc.TextAt(frame.Right()+t.Text*0.6, base, canvas.Left, s, t.Ink, s.Fit(text, countW))
		last = canvas.DrawRowName(sc, t, names[i], frame.X-t.Text*0.5, mid)
	}
}

func (b *box) drawRow(sc *canvas.Scene, t *canvas.Theme, r boxRow, i int, tx func(float64) float64, frame canvas.Rect,
	mid, thick float64) {
	if len(r.sorted) == 0 {
		return
	}
	if len(b.rows) > len(t.Series) { // colours that repeat would say that rows belong together
		i = 0
	}
	c, _ := t.SeriesColor(i)
	// One mark per device pixel: thousands of outliers cost no more than the frame is wide, and none is lost.
	last := math.Inf(-1)
	for _, list := range [][]float64{r.sorted[:r.below], r.sorted[len(r.sorted)-r.beyondHigh:]} {
		for _, v := range list {
			if x := tx(v); x-last >= 1/sc.Scale {
				sc.Vline(x, mid-thick*0.22, mid+thick*0.22, 1.5, c)
				last = x
			}
		}
	}
	x0, x1 := tx(r.q1), tx(r.q3)
	sc.Hline(tx(r.low), x0, mid, 1.5, t.Ink)
	sc.Hline(x1, tx(r.high), mid, 1.5, t.Ink)
	for _, v := range []float64{r.low, r.high} {
		sc.Vline(tx(v), mid-thick*0.3, mid+thick*0.3, 1.5, t.Ink)
	}
	body := canvas.Box(x0, mid-thick/2, max(x1-x0, 2), thick)
	sc.Fill(body, t.Page)
	sc.Fill(body, canvas.WithAlpha(c, 0x70))
	sc.Frame(body, 1.5, c)
	sc.Vline(tx(r.median), body.Y, body.Bottom(), 3, t.Ink)
	if x := tx(r.mean); x >= frame.X && x <= frame.Right() {
		d := min(thick*0.2, t.Text*0.32)
		sc.Poly(t.Page, canvas.At(x, mid-d*1.6), canvas.At(x+d*1.6, mid), canvas.At(x, mid+d*1.6),
			canvas.At(x-d*1.6, mid))
		sc.Poly(t.Ink, canvas.At(x, mid-d), canvas.At(x+d, mid), canvas.At(x, mid+d), canvas.At(x-d, mid))
	}
}
