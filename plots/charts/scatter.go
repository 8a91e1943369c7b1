package charts

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"astrolabe/plots/canvas"
)

// ScatterOptions say how points are drawn.
type ScatterOptions struct {
	Title          string
	XLabel, YLabel string
	XUnit, YUnit   string
	Fit            bool // the straight line of least squares; on logarithmic axes the curve that is straight there
	LogX, LogY     bool

	// Color holds one number per point, shown by a scale; Groups one name per point, shown by a legend. At most one of
	// them.
	Color      []float64
	ColorLabel string
	ColorUnit  string
	Groups     []string
}

// maxGroups is the most groups with a colour of their own; the rest share one.
const maxGroups = 7

// Scatter draws y over x, one point per pair. Pairs in which either is missing are counted and not drawn.
func Scatter(o ScatterOptions, x, y []float64) (*Plot, error) {
	if len(x) != len(y) {
		return nil, fmt.Errorf("scatter: %d values of x and %d of y: give as many of each", len(x), len(y))
	}
	if o.Color != nil && len(o.Color) != len(x) {
		return nil, fmt.Errorf("scatter: %d colours for %d points", len(o.Color), len(x))
	}
	if o.Groups != nil && len(o.Groups) != len(x) {
		return nil, fmt.Errorf("scatter: %d groups for %d points", len(o.Groups), len(x))
	}
	if o.Color != nil && o.Groups != nil {
		return nil, fmt.Errorf("scatter: colours by number and by group at once")
	}
	s := &scatter{o: o, xu: unitOf(o.XUnit), yu: unitOf(o.YUnit), xs: noSpread(), ys: noSpread(),
		cs: noSpread(), total: len(x)}
	for i := range x {
		switch {
		case !canvas.Drawable(x[i]) || !canvas.Drawable(y[i]):
			s.missing++
			continue
		case (o.LogX && x[i] < leastLog) || (o.LogY && y[i] < leastLog):
			s.lost++
			continue
		}
		s.xs.add(x[i])
		s.ys.add(y[i])
		s.index = append(s.index, int32(i))
		if o.Color != nil {
			s.cs.add(o.Color[i])
		}
	}
	s.x, s.y = x, y
	if o.Groups != nil {
		s.group()
	}
	if o.Fit {
		s.fit()
	}
	return New(o.Title, "scatter", s), nil
}

type scatter struct {
	o             ScatterOptions
	xu, yu        unit
	x, y          []float64
	index         []int32 // of the points that are drawn
	xs, ys, cs    spread
	total         int
	missing, lost int
	names         []string // of groups, the greatest first
	slot          []int32  // group of each drawn point

	fitted       bool
	alpha, beta  float64 // intercept and slope, of the logarithms where an axis has them
	r2           float64
	whyNoFit     string
	restOfGroups int
}

// group gives the greatest groups a colour each.
func (s *scatter) group() {
	counts := map[string]int{}
	var order []string
	for _, i := range s.index {
		g := s.o.Groups[i]
		if counts[g] == 0 {
			order = append(order, g)
		}
		counts[g]++
	}
	canvas.SortByCount(order, counts)
	at := map[string]int32{}
	for k, g := range order {
		if len(order) > maxGroups && k >= maxGroups-1 {
			at[g] = maxGroups - 1
			s.restOfGroups++
			continue
		}
		at[g] = int32(k)
		name := g
		if name == "" {
			name = "(no label)"
		}
		s.names = append(s.names, fmt.Sprintf("%s (%s)", canvas.Isolated(name), Grouped(counts[g])))
	}
	if s.restOfGroups > 0 {
		s.names = append(s.names, fmt.Sprintf("%d others", s.restOfGroups))
	}
	s.slot = make([]int32, len(s.index))
	for k, i := range s.index {
		s.slot[k] = at[s.o.Groups[i]]
	}
}

// fit finds the line of least squares in the coordinates of the axes.
func (s *scatter) fit() {
	axis := func(v []float64, log bool) []float64 {
		out := make([]float64, len(s.index))
		for k, i := range s.index {
			out[k] = v[i]
			if log {
				out[k] = math.Log10(v[i])
			}
		}
		return out
	}
	switch {
	case len(s.index) < 3:
		s.whyNoFit = "no fit: it takes at least 3 points"
		return
	case s.xs.lo == s.xs.hi:
		s.whyNoFit = "no fit: every x is the same"
		return
	}
	x, y := axis(s.x, s.o.LogX), axis(s.y, s.o.LogY)
	s.alpha, s.beta = stat.LinearRegression(x, y, nil, false)
	s.r2 = stat.RSquared(x, y, nil, s.alpha, s.beta)
	if s.fitted = canvas.Drawable(s.alpha) && canvas.Drawable(s.beta); !s.fitted {
		s.whyNoFit = "no fit: the values are too large"
	}
}

// equation writes the fit in the units as they were measured.
func (s *scatter) equation() string {
	n := func(v float64) string { return minus(fmt.Sprintf("%.4g", v)) }
	plus := func(v float64) string {
		if v < 0 {
			return " − " + n(-v)
		}
		return " + " + n(v)
	}
	var text string
	switch {
	case s.o.LogX && s.o.LogY:
		text = "y = " + n(math.Pow(10, s.alpha)) + " · x^" + n(s.beta)
	case s.o.LogX:
		text = "y = " + n(s.beta) + " · log10(x)" + plus(s.alpha)
	case s.o.LogY:
		text = "y = " + n(math.Pow(10, s.alpha)) + " · 10^(" + n(s.beta) + " · x)"
	default:
		text = "y = " + n(s.beta) + " · x" + plus(s.alpha)
	}
	if !math.IsNaN(s.r2) && !math.IsInf(s.r2, 0) {
		text += ", R² = " + significant(s.r2, 3)
	}
	var units []string
	if u := strings.TrimSpace(s.o.XUnit); u != "" {
		units = append(units, "x in "+u)
	}
	if u := strings.TrimSpace(s.o.YUnit); u != "" {
		units = append(units, "y in "+u)
	}
	if len(units) > 0 {
		text += " (" + strings.Join(units, ", ") + ")"
	}
	return "fit: " + text
}

func (s *scatter) notes() []string {
	var out []string
	text := counts(len(s.index), "point")
	if s.missing > 0 {
		what := " pairs with a missing value"
		if s.missing == 1 {
			what = " pair with a missing value"
		}
		text += " · " + Grouped(s.missing) + what
	}
	if s.lost > 0 {
		text += " · " + lostOnLog(s.lost)
	}
	out = append(out, text)
	if s.fitted {
		out[0] += " · " + s.equation()
	} else if s.whyNoFit != "" && len(s.index) > 0 {
		out[0] += " · " + s.whyNoFit
	}
	for _, a := range []struct {
		name string
		data spread
		unit unit
	}{{"x", s.xs, s.xu}, {"y", s.ys, s.yu}, {"colour", s.cs, unitOf(s.o.ColorUnit)}} {
		if flat := a.data.flatNote(a.unit); flat != "" {
			out = append(out, a.name+": "+flat)
		}
	}
	return out
}

func (s *scatter) keys(t *canvas.Theme) []key {
	var out []key
	for i, n := range s.names {
		c, m := t.SeriesColor(i)
		out = append(out, key{name: n, color: c, marker: m, area: true})
	}
	return out
}

func (s *scatter) Prefer(t *canvas.Theme, width float64) float64 {
	if len(s.index) == 0 {
		return t.Text * 8
	}
	return planeHeight(t, s.keys(t), width)
}

func axisOf(sp spread, u unit, log bool) func(int) valueAxis {
	return func(n int) valueAxis {
		if log {
			return newLogAxis(sp, Range{}, u, n)
		}
		return newValueAxis(sp, Range{}, u, n, false)
	}
}

func (s *scatter) emptyReason() string {
	if s.total == 0 {
		return "there are no values"
	}
	return "no pair of values is complete"
}

func (s *scatter) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	p := planeParts{title: s.o.Title, label: s.o.YLabel, unitInLabel: true, notes: s.notes(), xtitle: s.o.XLabel,
		keys:  s.keys(t),
		xaxis: axisOf(s.xs, s.xu, s.o.LogX), yaxis: axisOf(s.ys, s.yu, s.o.LogY),
		empty: len(s.index) == 0, why: s.emptyReason()}
	if s.o.Color != nil && !s.cs.empty() {
		p.bar = &colorBar{ramp: sequential, axis: newValueAxis(s.cs, Range{}, unitOf(s.o.ColorUnit), 5, false)}
		if s.o.ColorLabel != "" {
			p.notes = append(p.notes, "colour: "+canvas.Isolated(s.o.ColorLabel))
		}
	}
	pl, ok := p.draw(sc, t, area)
	if !ok {
		return
	}
	cl := canvas.NewCloud(sc, pl.frame, len(s.index))
	cl.Opaque = p.bar != nil
	for k, i := range s.index {
		c := cl.Paint(func() color.NRGBA { return s.color(t, p.bar, k, int(i)) }, s.slot != nil || p.bar != nil)
		cl.Add(pl.xa.frac(s.x[i]), pl.ya.frac(s.y[i]), c)
	}
	cl.Draw(sc, t)
	if s.fitted {
		height := func(f float64) float64 { // of the fit at a place of the horizontal axis
			x := pl.xa.lo + f*(pl.xa.hi-pl.xa.lo)
			if s.o.LogX {
				x = math.Log10(pl.xa.lo) + f*pl.xa.decades()
			}
			y := s.alpha + s.beta*x
			if s.o.LogY {
				return (y - math.Log10(pl.ya.lo)) / pl.ya.decades()
			}
			return pl.ya.frac(y)
		}
		from, to := pl.xa.frac(s.xs.lo), pl.xa.frac(s.xs.hi) // what lies beyond the data is not known
		pl.line(sc, from, height(from), to, height(to), t.Line*1.5+3, false, t.Page)
		pl.line(sc, from, height(from), to, height(to), t.Line*1.5, false, t.Ink)
	}
}

// color is that of one point.
func (s *scatter) color(t *canvas.Theme, bar *colorBar, k, i int) color.NRGBA {
	switch {
	case bar != nil:
		if v := s.o.Color[i]; canvas.Drawable(v) {
			return bar.ramp.at(bar.axis.frac(v))
		}
		return t.Rule
	case s.slot != nil:
		c, _ := t.SeriesColor(int(s.slot[k]))
		return c
	}
	c, _ := t.SeriesColor(0)
	return c
}
