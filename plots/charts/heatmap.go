package charts

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/plots/canvas"
)

// HeatmapOptions say how rows of cells are drawn.
type HeatmapOptions struct {
	Title string
	Pick  string // what a pixel shows that many samples share: "max" (the default), "min" or "mean" (weighted by time)
	Log   bool   // a logarithmic scale of colours
	Marks []Mark
	From  int64 // with To, the window shown in ns; both 0 is everything
	To    int64
	Range Range // fixes the ends of the scale
}

// Heatmap draws one row of colours per series over time, such as one per shader core, with a scale beside it. Missing
// values are hatched.
func Heatmap(o HeatmapOptions, rows ...Series) (*Plot, error) {
	switch o.Pick {
	case "":
		o.Pick = "max"
	case "max", "min", "mean":
	default:
		return nil, fmt.Errorf("heatmap: unknown choice %q: choose max, min or mean", o.Pick)
	}
	h := &heatmap{o: o, spread: noSpread()}
	t0, t1 := int64(math.MaxInt64), int64(math.MinInt64)
	for i, s := range rows {
		if len(s.Start) != len(s.Y) || len(s.End) != len(s.Y) {
			return nil, fmt.Errorf("heatmap: row %q has %d starts, %d ends and %d values", s.Name, len(s.Start),
				len(s.End), len(s.Y))
		}
		if s.Name == "" {
			s.Name = fmt.Sprintf("row %d", i+1)
		}
		u := unitOf(s.Unit)
		if i == 0 {
			h.unit = u
		}
		if u.symbol != h.unit.symbol {
			return nil, fmt.Errorf("heatmap: row %q is in %q and row %q in %q: one scale of colours holds one unit",
				rows[0].Name, rows[0].Unit, s.Name, s.Unit)
		}
		if u.factor != h.unit.factor {
			y := slices.Clone(s.Y)
			for k := range y {
				y[k] *= u.factor / h.unit.factor
			}
			s.Y, s.Unit = y, h.rows[0].Unit
		}
		if n := len(s.Start); n > 0 {
			t0 = min(t0, s.Start[0])
			t1 = max(t1, slices.Max(s.End), s.Start[n-1])
		}
		if o.Log {
			lost := 0
			s.Y, lost = onLog(s.Y)
			h.lost += lost
		}
		h.rows = append(h.rows, s)
	}
	if o.To > o.From {
		t0, t1 = o.From, o.To
	}
	if t0 > t1 {
		t0, t1 = 0, 1e9
	}
	if t0 == t1 {
		t1++
	}
	if t1-t0 < 0 {
		return nil, fmt.Errorf("heatmap: the time from %d to %d ns is too long to draw", t0, t1)
	}
	h.t0, h.t1 = t0, t1
	for _, s := range h.rows {
		for i, v := range s.Y {
			if s.End[i] < t0 || s.Start[i] >= t1 {
				continue
			}
			h.total++
			if !canvas.Drawable(v) {
				h.missing++
			}
			h.spread.add(v)
		}
	}
	h.o.Marks = numbered(h.o.Marks)
	return New(o.Title, "heatmap", h), nil
}

type heatmap struct {
	o                    HeatmapOptions
	rows                 []Series
	unit                 unit
	spread               spread
	t0, t1               int64
	total, missing, lost int
}

func (h *heatmap) Prefer(t *canvas.Theme, width float64) float64 {
	if h.spread.empty() {
		return t.Text * 8
	}
	row := t.Text * 1.35
	if len(h.rows) <= 12 { // so many have room for names of several lines
		lines := canvas.MostLines(canvas.Regular.Of(t.Text).NameLines(h.names(), h.labelWidth(t, width),
			canvas.LinesEach(len(h.rows), 3)))
		row = max(row, canvas.RowNameHeight(t, lines)+t.Text*0.2)
	}
	return t.Text*3 + timeAxisHeight(t) + float64(len(h.noteLines(t, width)))*canvas.Regular.Of(t.Small).Leading() + min(max(float64(len(h.rows))*row, t.Text*6), t.Text*24)
}

// noteLines are the notes at its marks as lines of a width.
func (h *heatmap) noteLines(t *canvas.Theme, width float64) (out []string) {
	for _, n := range noteTexts(h.o.Marks, h.t0, h.t1) {
		out = append(out, canvas.Regular.Of(t.Small).Wrap(n, width)...)
	}
	return out
}

// names are those of the rows.
func (h *heatmap) names() []string {
	out := make([]string, len(h.rows))
	for i, r := range h.rows {
		out[i] = r.Name
	}
	return out
}

// labelWidth is the width of the names beside the frame.
func (h *heatmap) labelWidth(t *canvas.Theme, width float64) float64 {
	s, w := canvas.Regular.Of(t.Text), 0.0
	for _, n := range h.names() {
		w = max(w, s.Width(canvas.Printable(n)))
	}
	return min(w, width*0.3)
}

// notes say what a pixel shows and what it cannot.
func (h *heatmap) notes(columns int) string {
	text := ""
	join := func(s string) {
		if text != "" {
			text += " · "
		}
		text += s
	}
	for _, s := range h.rows {
		if len(s.Y) > columns {
			join(map[string]string{"max": "each pixel shows its largest value",
				"min": "each pixel shows its smallest value", "mean": "each pixel shows its mean"}[h.o.Pick])
			break
		}
	}
	if h.lost > 0 {
		join(lostOnLog(h.lost))
	} else if h.missing > 0 {
		join(significant(float64(h.missing)/float64(h.total)*100, 2) + " % missing")
	}
	if flat := h.spread.flatNote(h.unit); flat != "" && !h.o.Range.set() {
		join(flat)
	}
	return text
}

func (h *heatmap) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	s, ns := canvas.Regular.Of(t.Text), canvas.Regular.Of(t.Small)
	y := newHeader(t, h.o.Title, "", h.notes(int(area.W*sc.Scale)), area.W).draw(sc, t, area.X, area.Y)
	y = sc.TextLines(area.X, y, canvas.Left, ns, t.Muted, h.noteLines(t, area.W))
	if h.spread.empty() {
		y += topPad(t)
		frame := canvas.Box(area.X, y, area.W, area.Bottom()-y)
		if frame.H > t.Text && frame.W > t.Text {
			sc.Frame(frame, 1, t.Rule)
			drawNoData(sc, t, frame, h.emptyReason())
		}
		return
	}
	axis := func(n int) valueAxis {
		if h.o.Log {
			return newLogAxis(h.spread, h.o.Range, h.unit, n)
		}
		return newValueAxis(h.spread, h.o.Range, h.unit, n, false)
	}
	bar := colorBar{ramp: sequential, missing: h.missing > 0 || h.ragged()}
	bar.axis = axis(min(max(int(area.H/(t.Text*4)), 2), 7))
	labelW := h.labelWidth(t, area.W)
	frameW := area.W - labelW - t.Text*0.5 - bar.width(t)
	ax := newTimeAxis(h.t0, h.t1, s, max(frameW, 1))
	var labels []aboveLabel
	tx := toX(canvas.Box(labelW+t.Text*0.5, 0, max(frameW, 1), 1), ax)
	for _, m := range h.o.Marks {
		if m.At >= h.t0 && m.At <= h.t1 {
			labels = append(labels, aboveLabel{anchor: tx(m.At), text: m.Sign(), where: Duration(m.At)})
		}
	}
	placed, above, rest := placeAbove(t, labels, area.W)
	if rest != "" {
		y = sc.TextLines(area.X, y, canvas.Left, ns, t.Muted, ns.Lines(rest, area.W, 2))
	}
	y += above + topPad(t)
	frame := sc.Snapped(canvas.Box(area.X+labelW+t.Text*0.5, y, frameW, area.Bottom()-y-timeAxisHeight(t)))
	if frame.W < 8 || frame.H < 8 {
		return
	}
	h.cells(sc, t, frame, bar)
	sc.Frame(frame, 1, t.Rule)
	rowH := frame.H / float64(len(h.rows))
	last := math.Inf(-1)
	for i, lines := range s.NameLines(h.names(), labelW, canvas.LinesEach(len(h.rows), int(rowH/(t.Text*1.2)))) {
		mid := frame.Y + rowH*(float64(i)+0.5)
		if top := mid - max(canvas.RowNameHeight(t, len(lines))/2, s.Ascent()-s.Size*0.35); top < last ||
			top < frame.Y-t.Text*0.6 {
			continue
		}
		last = canvas.DrawRowName(sc, t, lines, frame.X-t.Text*0.4, mid)
	}
	for _, m := range h.o.Marks {
		if m.At >= h.t0 && m.At <= h.t1 {
			x := toX(frame, ax)(m.At)
			sc.Vline(x, frame.Y, frame.Bottom(), 4, canvas.WithAlpha(t.Page, 0xb0))
			sc.Dashed(x, frame.Y, x, frame.Bottom(), 2, t.Ink)
		}
	}
	for _, l := range placed {
		l.draw(sc, t, area.X, frame.Y)
	}
	drawTimeAxis(sc, t, frame, ax)
	bar.draw(sc, t, frame)
}

// ragged reports whether rows cover unlike stretches of time, so that some cells have no sample.
func (h *heatmap) ragged() bool {
	for _, s := range h.rows {
		if len(s.Y) == 0 || s.Start[0] > h.t0 || s.End[len(s.End)-1] < h.t1 {
			return true
		}
		for i := range s.Start[1:] {
			if s.Start[i+1] > s.End[i] {
				return true
			}
		}
	}
	return false
}

func (h *heatmap) emptyReason() string {
	for _, s := range h.rows {
		if s.Why != "" {
			return s.Why
		}
	}
	switch {
	case len(h.rows) == 0:
		return "there is no series to draw"
	case h.total == 0:
		return "the capture has no samples here"
	case h.lost == h.total:
		return lostOnLog(h.lost)
	}
	return allMissing(h.total)
}

// cells paints the rows into one picture. Where there are more rows than device pixels, neighbours share one by the
// same rule as samples do.
func (h *heatmap) cells(sc *canvas.Scene, t *canvas.Theme, frame canvas.Rect, bar colorBar) {
	img := canvas.NewImage(sc, frame)
	w, hgt := img.Rect.Dx(), img.Rect.Dy()
	line := make([]float64, w)
	merged := make([]float64, w)
	done := 0 // device rows painted
	for i := range merged {
		merged[i] = math.NaN()
	}
	for i, s := range h.rows {
		h.columns(s, line)
		for x, v := range line {
			merged[x] = h.pick(merged[x], v)
		}
		end := (i + 1) * hgt / len(h.rows)
		if end <= done {
			continue // further rows fall into the same pixel
		}
		for y := done; y < end; y++ {
			row := img.Pix[img.PixOffset(0, y):]
			// A hairline of the page tells rows apart where they are high enough.
			if y == done && y > 0 && (end-done) >= int(8*sc.Scale) {
				for x := range w {
					canvas.SetPixel(row[4*x:], t.Page)
				}
				continue
			}
			for x, v := range merged {
				if math.IsNaN(v) {
					t.Hatch(row[4*x:4*x+4], x, y, sc.Scale)
				} else {
					canvas.SetPixel(row[4*x:4*x+4], bar.ramp.at(bar.axis.frac(v)))
				}
			}
		}
		done = end
		for x := range merged {
			merged[x] = math.NaN()
		}
	}
	sc.Image(frame.X, frame.Y, img)
}

// pick decides between two values that share a pixel; NaN gives way.
func (h *heatmap) pick(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	case h.o.Pick == "min":
		return min(a, b)
	case h.o.Pick == "mean": // of rows: the larger, because a mean of means would hide a busy instance among idle ones
		return max(a, b)
	}
	return max(a, b)
}

// columns reduces a row to device columns, NaN where no sample has a value.
func (h *heatmap) columns(s Series, out []float64) {
	for i := range out {
		out[i] = math.NaN()
	}
	if h.o.Pick == "mean" {
		copy(out, columnMeans(s.Start, s.End, s.Y, h.t0, h.t1, len(out)))
		return
	}
	r := canvas.Reduce(s.Start, s.End, s.Y, h.t0, h.t1, len(out))
	for i := range r.Cols {
		switch c := &r.Cols[i]; {
		case !c.Present:
		case h.o.Pick == "min":
			out[i] = c.Min
		default:
			out[i] = c.Max
		}
	}
}

// columnMeans is the mean in each of n columns, weighted by the time that a sample shares with the column; NaN where
// none has a value.
func columnMeans(start, end []int64, y []float64, t0, t1 int64, n int) []float64 {
	out, weight := make([]float64, n), make([]float64, n)
	k := float64(n) / float64(t1-t0)
	for i, v := range y {
		if !canvas.Drawable(v) || end[i] < t0 || start[i] >= t1 {
			continue
		}
		x0, x1 := float64(start[i]-t0)*k, float64(end[i]-t0)*k
		c0 := min(max(int(x0), 0), n-1)
		c1 := min(max(int(math.Ceil(x1))-1, c0), n-1)
		for c := c0; c <= c1; c++ {
			w := max(min(x1, float64(c+1))-max(x0, float64(c)), 1e-9)
			weight[c] += w
			out[c] += w * v
		}
	}
	for c, w := range weight {
		if w == 0 {
			out[c] = math.NaN()
		} else {
			out[c] /= w
		}
	}
	return out
}
