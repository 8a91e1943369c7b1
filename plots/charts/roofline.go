package charts

import (
	"fmt"
	"math"

	"astrolabe/plots/canvas"
)

// Roof is a limit of a roofline: a bandwidth in bytes/s or a rate of operations per second.
type Roof struct {
	Name  string
	Value float64
}

// RoofPoint is something that ran: Intensity in operations per byte, Rate in operations per second. Either may be NaN.
type RoofPoint struct {
	Name            string
	Intensity, Rate float64
}

// RooflineOptions are the limits of a machine.
type RooflineOptions struct {
	Title     string
	Bandwidth []Roof // bytes/s, such as those of memory and caches
	Compute   []Roof // operations/s, such as those of vector and matrix units
	Unit      string // of operations, "FLOP" if empty
}

// Roofline shows how near work comes to what the memory and the arithmetic units of a machine can do (Williams,
// Waterman and Patterson, Communications of the ACM 52(4), 2009): rate over arithmetic intensity, both axes
// logarithmic.
func Roofline(o RooflineOptions, points ...RoofPoint) (*Plot, error) {
	if len(o.Bandwidth) == 0 || len(o.Compute) == 0 {
		return nil, fmt.Errorf("roofline: give at least one bandwidth and one compute limit")
	}
	for _, list := range [][]Roof{o.Bandwidth, o.Compute} {
		for _, r := range list {
			if !(r.Value > 0) || !canvas.Drawable(r.Value) {
				return nil, fmt.Errorf("roofline: the limit %q is %v: a limit is above zero", r.Name, r.Value)
			}
		}
	}
	if o.Unit == "" {
		o.Unit = "FLOP"
	}
	r := &roofline{o: o, points: points, xs: noSpread(), ys: noSpread()}
	low, high := math.Inf(1), 0.0
	for _, b := range o.Bandwidth {
		r.fastest = max(r.fastest, b.Value)
	}
	for _, c := range o.Compute {
		r.peak = max(r.peak, c.Value)
		for _, b := range o.Bandwidth { // the ridges, with room at both sides
			low, high = min(low, c.Value/b.Value), max(high, c.Value/b.Value)
		}
	}
	r.xs.add(max(low/12, 1e-290))
	r.xs.add(high * 6)
	r.ys.add(r.peak * 1.6)
	for _, p := range points {
		if !r.shown(p) {
			r.missing++
			continue
		}
		r.xs.add(p.Intensity / 1.5)
		r.xs.add(p.Intensity * 1.5)
		r.ys.add(p.Rate / 2)
		r.ys.add(p.Rate * 1.5)
	}
	slowest := r.fastest
	for _, b := range o.Bandwidth {
		slowest = min(slowest, b.Value)
	}
	r.ys.add(max(r.xs.lo*slowest, r.peak*1e-5))
	return New(o.Title, "roofline", r), nil
}

type roofline struct {
	o             RooflineOptions
	points        []RoofPoint
	xs, ys        spread
	peak, fastest float64
	missing       int
}

func (r *roofline) shown(p RoofPoint) bool {
	return p.Intensity >= leastLog && p.Rate >= leastLog && canvas.Drawable(p.Intensity) && canvas.Drawable(p.Rate)
}

// reach says how near a point comes to the lowest limit that is not below it.
func (r *roofline) reach(p RoofPoint) string {
	best, name := math.Inf(1), ""
	consider := func(limit float64, n string) {
		if limit >= p.Rate*(1-1e-9) && limit < best {
			best, name = limit, n
		}
	}
	for _, b := range r.o.Bandwidth {
		consider(b.Value*p.Intensity, b.Name)
	}
	for _, c := range r.o.Compute {
		consider(c.Value, c.Name)
	}
	if name == "" {
		return "above every limit"
	}
	return significant(p.Rate/best*100, 2) + " % of " + canvas.Isolated(name)
}

func (r *roofline) keys(t *canvas.Theme) []key {
	var out []key
	for i, p := range r.points {
		c, m := t.SeriesColor(i)
		k := key{name: p.Name, color: c, marker: m + 1, dot: true}
		if r.shown(p) {
			k.name = canvas.Isolated(k.name) + ": " + unitOf(r.o.Unit+"/s").format(p.Rate) + ", " + r.reach(p)
		} else {
			k.absent, k.name = true, canvas.Isolated(p.Name)+" (no data)"
		}
		out = append(out, k)
	}
	return out
}

func (r *roofline) Prefer(t *canvas.Theme, width float64) float64 {
	return planeHeight(t, r.keys(t), width) + t.Text*5
}

func (r *roofline) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	rate := unitOf(r.o.Unit + "/s")
	if rate.class == plainUnit {
		rate.class = symbolUnit
	}
	p := planeParts{title: r.o.Title, label: "rate of operations, " + r.o.Unit + "/s",
		xtitle: "arithmetic intensity [" + r.o.Unit + "/byte]", keys: r.keys(t),
		xaxis: func(n int) valueAxis { return newLogAxis(r.xs, Range{}, unit{"", plainUnit, 1}, n) },
		yaxis: func(n int) valueAxis { return newLogAxis(r.ys, Range{}, rate, n) }}
	if len(r.points) == 0 {
		p.notes = []string{"no work to place: only the limits are drawn"}
	}
	pl, ok := p.draw(sc, t, area)
	if !ok {
		return
	}
	var taken []canvas.Rect
	ridge := func(b Roof) float64 { return pl.xa.frac(r.peak / b.Value) }
	top := pl.ya.frac(r.peak)
	for _, b := range r.o.Bandwidth {
		x := ridge(b)
		slope := pl.xa.decades() / pl.ya.decades() // of every bandwidth, in fractions of the axes
		pl.line(sc, x-2, top-2*slope, x, top, t.Line*1.2, false, t.MarkLine)
	}
	for _, c := range r.o.Compute {
		// A lower limit of computing starts where the fastest memory reaches it.
		pl.line(sc, pl.xa.frac(c.Value/r.fastest), pl.ya.frac(c.Value), 1, pl.ya.frac(c.Value), t.Line*1.2,
			c.Value < r.peak, t.MarkLine)
	}
	var dots []canvas.Rect
	for _, q := range r.points {
		if r.shown(q) {
			d := markerSize(t) * 1.3
			dots = append(dots, canvas.Box(pl.tx(q.Intensity)-d/2, pl.ty(q.Rate)-d/2, d, d))
		}
	}
	taken = append(taken, dots...)
	r.labels(sc, t, pl, &taken)
	for i, q := range r.points {
		if r.shown(q) {
			c, m := t.SeriesColor(i)
			sc.Marker(m+1, pl.tx(q.Intensity), pl.ty(q.Rate), markerSize(t)*1.3, c, t.Page)
		}
	}
}

// labels writes the names of the limits at their lines, where they cover neither each other nor a point.
func (r *roofline) labels(sc *canvas.Scene, t *canvas.Theme, pl plane, taken *[]canvas.Rect) {
	s := canvas.Regular.Of(t.Small)
	put := func(text string, candidates func(w, h float64) []canvas.Point) {
		text = s.Fit(text, pl.frame.W*0.5)
		w, h := s.Width(text)+8, s.Height()+2
		for _, q := range candidates(w, h) {
			b := canvas.Box(q.X, q.Y, w, h)
			if !pl.frame.Contains(b) || overlapsAny(b, *taken) {
				continue
			}
			*taken = append(*taken, b)
			sc.Fill(b, canvas.WithAlpha(t.Page, 0xd8))
			sc.TextAt(b.X+4, b.Y+1+s.Ascent(), canvas.Left, s, t.Ink, text)
			return
		}
	}
	for _, c := range r.o.Compute {
		put(canvas.Isolated(c.Name)+" "+unitOf(r.o.Unit+"/s").format(c.Value), func(w, h float64) []canvas.Point {
			y := pl.ty(c.Value)
			var out []canvas.Point
			for _, f := range []float64{1, 0.8, 0.6} {
				x := pl.frame.X + pl.frame.W*f - w - 4
				out = append(out, canvas.At(x, y-h-3), canvas.At(x, y+4))
			}
			return out
		})
	}
	slowest := math.Inf(1)
	for _, b := range r.o.Bandwidth {
		slowest = min(slowest, b.Value)
	}
	for _, b := range r.o.Bandwidth {
		put(canvas.Isolated(b.Name)+" "+unitOf("B/s").format(b.Value), func(w, h float64) []canvas.Point {
			var leftOf, rightOf []canvas.Point
			for f := 0.88; f > 0.1; f -= 0.08 { // from below the ridge downwards, left of the line or right of it
				x1 := pl.tx(r.peak / b.Value)
				x := pl.frame.X + (x1-pl.frame.X)*f
				v := pl.xa.lo * math.Pow(10, pl.xa.decades()*(x-pl.frame.X)/pl.frame.W)
				y := pl.ty(v * b.Value)
				leftOf, rightOf = append(leftOf, canvas.At(x-w-6, y-h-2)), append(rightOf, canvas.At(x+8, y+4))
			}
			if b.Value == slowest { // nothing but points lies to the right of it
				return append(rightOf, leftOf...)
			}
			return append(leftOf, rightOf...)
		})
	}
}
