package charts

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"astrolabe/plots/canvas"
)

// CorrelationOptions say how series are compared with each other.
type CorrelationOptions struct {
	Title  string
	Method string // "pearson" (of the values, the default) or "spearman" (of their ranks)
}

// maxCorrelated bounds a correlation matrix: its cells grow with the square.
const maxCorrelated = 64

// Correlation draws the correlation of every pair of samples, which must be equally long: sample i of one belongs to
// sample i of the others. Pairs in which either is missing are left out; a series that does not vary has no
// correlation.
func Correlation(o CorrelationOptions, samples ...Sample) (*Plot, error) {
	switch o.Method {
	case "":
		o.Method = "pearson"
	case "pearson", "spearman":
	default:
		return nil, fmt.Errorf("correlation: unknown method %q: choose pearson or spearman", o.Method)
	}
	if len(samples) > maxCorrelated {
		return nil, fmt.Errorf("correlation: %d series: at most %d have room", len(samples), maxCorrelated)
	}
	c := &correlation{o: o}
	for i, s := range samples {
		if len(s.Values) != len(samples[0].Values) {
			return nil, fmt.Errorf("correlation: %q has %d values and %q %d: resample them to one time axis first",
				samples[0].Name, len(samples[0].Values), s.Name, len(s.Values))
		}
		if s.Name == "" {
			s.Name = fmt.Sprintf("sample %d", i+1)
		}
		c.names = append(c.names, s.Name)
		c.samples = max(c.samples, len(s.Values))
	}
	// Ranks are those among the complete pairs. Where nothing is missing they are the same in every pair.
	values := make([][]float64, len(samples))
	method, whole := o.Method, true
	for i, s := range samples {
		values[i] = s.Values
		whole = whole && allDrawable(s.Values)
	}
	n := len(samples)
	c.r = make([][]float64, n)
	var pairs [][2]int
	for i := range n {
		c.r[i] = make([]float64, n)
		for j := 0; j <= i; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	var centred []centredSeries
	if whole {
		centred = make([]centredSeries, n)
		canvas.Share(n, func(i int) {
			v := values[i]
			if method == "spearman" {
				v = ranks(v)
			}
			centred[i] = centre(v)
		})
	}
	canvas.Share(len(pairs), func(k int) {
		i, j := pairs[k][0], pairs[k][1]
		if whole {
			c.r[i][j] = centred[i].with(centred[j])
		} else {
			c.r[i][j] = correlate(values[i], values[j], method)
		}
	})
	for _, p := range pairs {
		r := c.r[p[0]][p[1]]
		c.r[p[1]][p[0]] = r
		c.any = c.any || r == r
	}
	return New(o.Title, "correlation", c), nil
}

type correlation struct {
	o       CorrelationOptions
	names   []string
	r       [][]float64
	samples int
	any     bool
}

// centredSeries is a series less its mean, so that the work that all pairs share is done once.
type centredSeries struct {
	v       []float64
	squares float64
	flat    bool // it does not vary, or has fewer than three values
}

func centre(v []float64) centredSeries {
	if len(v) < 3 || slices.Min(v) == slices.Max(v) {
		return centredSeries{flat: true}
	}
	// The squares of values near the ends of what a double holds are beyond them; correlation knows no scale.
	scale := 1 / max(math.Abs(slices.Min(v)), math.Abs(slices.Max(v)))
	if !canvas.Drawable(scale) || scale == 0 {
		scale = 1
	}
	mean := 0.0
	for _, x := range v {
		mean += x * scale / float64(len(v))
	}
	out := centredSeries{v: make([]float64, len(v))}
	left := 0.0
	for i, x := range v {
		out.v[i] = x*scale - mean
		left += out.v[i]
	}
	left /= float64(len(v)) // what rounding left of the mean
	for i := range out.v {
		out.v[i] -= left
	}
	out.squares = floats.Dot(out.v, out.v)
	return out
}

// with is the correlation of two series; NaN where one does not vary.
func (a centredSeries) with(b centredSeries) float64 {
	if a.flat || b.flat {
		return math.NaN()
	}
	r := floats.Dot(a.v, b.v) / math.Sqrt(a.squares) / math.Sqrt(b.squares)
	switch {
	case a.squares == b.squares && slices.Equal(a.v, b.v):
		return 1
	case math.IsNaN(r) || math.IsInf(r, 0):
		return math.NaN()
	}
	return min(max(r, -1), 1)
}

// correlate is the correlation over the complete pairs, NaN where fewer than three are left or one side does not vary.
func correlate(a, b []float64, method string) float64 {
	x, y := a, b
	if !allDrawable(a) || !allDrawable(b) {
		x, y = nil, nil
		for i := range a {
			if canvas.Drawable(a[i]) && canvas.Drawable(b[i]) {
				x, y = append(x, a[i]), append(y, b[i])
			}
		}
	}
	if method == "spearman" && len(x) > 0 {
		x, y = ranks(x), ranks(y)
	}
	return centre(x).with(centre(y))
}

func allDrawable(v []float64) bool {
	for _, x := range v {
		if !canvas.Drawable(x) {
			return false
		}
	}
	return true
}

// ranks gives each value its place in order, equal values the mean of theirs.
func ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case v[a] < v[b]:
			return -1
		case v[a] > v[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(v))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && v[order[j]] == v[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[order[k]] = float64(i+j-1)/2 + 1
		}
		i = j
	}
	return out
}

func (c *correlation) Prefer(t *canvas.Theme, _ float64) float64 {
	if !c.any {
		return t.Text * 8
	}
	return t.Text*6 + float64(len(c.names))*t.Text*1.9
}

// heading says what the numbers are.
func (c *correlation) heading() string {
	label := "of the values (Pearson)"
	if c.o.Method == "spearman" {
		label = "of the ranks (Spearman)"
	}
	if c.samples > 0 {
		label = "correlation " + label + " over " + counts(c.samples, "sample")
	}
	return label
}

// emptyReason is why there is no number.
func (c *correlation) emptyReason() string {
	if len(c.names) == 0 {
		return "there is nothing to compare"
	}
	return "give at least two series with three pairs of values that vary"
}

func (c *correlation) Draw(sc *canvas.Scene, t *canvas.Theme, area canvas.Rect) {
	y := newHeader(t, c.o.Title, "", c.heading(), area.W).draw(sc, t, area.X, area.Y) + topPad(t)
	if !c.any {
		frame := canvas.Box(area.X, y, area.W, area.Bottom()-y)
		if frame.H > t.Text && frame.W > t.Text {
			sc.Frame(frame, 1, t.Rule)
			drawNoData(sc, t, frame, c.emptyReason())
		}
		return
	}
	n := float64(len(c.names))
	steps := 4
	if n*t.Text*1.9 < t.Text*7 { // a low scale has room for its ends and its middle
		steps = 2
	}
	bar := colorBar{ramp: diverging(t),
		axis: newValueAxis(spread{-1, 1}, Range{-1, 1}, unit{"", fixedUnit, 1}, steps, false)}
	frame, ok := squareFrame(sc, t, area, y, c.names, bar.width(t), t.Text*8, t.Text*4)
	if !ok {
		return
	}
	// Numbers are written where all fit: some cells with and some without would look like a difference of the data.
	// The widest of them decides, which is negative.
	cell, high := frame.W/n, frame.H/n
	cs := canvas.Regular.Of(min(t.Text, high*0.62))
	decimals := 2
	if cs.Width("−0.00") > cell*0.94 {
		decimals = 1
	}
	written := cs.Width("−0.00"[:len("−0.00")-2+decimals]) <= cell*0.96 && cs.Size >= t.Text*0.6
	for i := range c.names {
		for j := range c.names {
			// From the frame and not from the cell before: added widths would leave a gap of pixels at the last of
			// sixty.
			b := canvas.Box(frame.X+frame.W*float64(j)/n, frame.Y+frame.H*float64(i)/n, frame.W/n, frame.H/n)
			b = sc.Snapped(b)
			r := c.r[i][j]
			if math.IsNaN(r) {
				img := canvas.NewImage(sc, b)
				for k := 0; k < len(img.Pix)/4; k++ {
					t.Hatch(img.Pix[4*k:4*k+4], k%img.Rect.Dx(), k/img.Rect.Dx(), sc.Scale)
				}
				sc.Image(b.X, b.Y, img)
				continue
			}
			fill := bar.ramp.at(bar.axis.frac(r))
			sc.Fill(b, fill)
			if written {
				text := minus(strconv.FormatFloat(r, 'f', decimals, 64))
				if i == j {
					text = "1"
				}
				sc.TextAt(b.X+b.W/2, b.Y+b.H/2+cs.Size*0.35, canvas.Center, cs, inkOn(fill), text)
			}
		}
	}
	for i := range c.names {
		at := float64(i) / n
		sc.Hline(frame.X, frame.Right(), frame.Y+frame.H*at, 1, t.Page)
		sc.Vline(frame.X+frame.W*at, frame.Y, frame.Bottom(), 1, t.Page)
	}
	sc.Frame(frame, 1, t.Rule)
	squareLabels(sc, t, area, frame, c.names)
	bar.draw(sc, t, frame)
}
