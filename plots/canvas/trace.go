package canvas

import "math"

// Trace is a reduced series in a frame: one column per device pixel, values mapped to logical y.
type Trace struct {
	X0    float64 // left edge of the first column, in logical pixels
	Scale float64 // device pixels per logical pixel
	Top   float64 // of the frame, for clipping
	Bot   float64
	Cols  []Tcol
}

// Tcol is a column in logical y, which grows downwards: lo is the higher value and the smaller y.
type Tcol struct {
	First, Last float64
	Lo, Hi      float64
	Present     bool
	Joined      bool
	hiFirst     bool // the minimum, at hi, came first
}

func NewTrace(r *reduction, frame Rect, scale float64, toY func(float64) float64) *Trace {
	t := &Trace{X0: frame.X, Scale: scale, Top: frame.Y, Bot: frame.Bottom(), Cols: make([]Tcol, len(r.Cols))}
	for i := range r.Cols {
		if c := &r.Cols[i]; c.Present {
			t.Cols[i] = Tcol{First: toY(c.First), Last: toY(c.Last), Lo: toY(c.Max), Hi: toY(c.Min),
				Present: true, Joined: c.Joined, hiFirst: c.MinFirst}
		}
	}
	return t
}

// x is the centre of column i.
func (t *Trace) x(i int) float64 { return t.X0 + (float64(i)+0.5)/t.Scale }

// Ink estimates the painted area, so that the trace which covers most can be painted first.
func (t *Trace) Ink() float64 {
	sum := 0.0
	for i := range t.Cols {
		if c := &t.Cols[i]; c.Present {
			sum += c.Hi - c.Lo + 2
		}
	}
	return sum
}

// Paths returns the line as polylines in time order, with runs of equal height merged. Each ends at the right edge of
// its last column, so that a single sample still has a length.
func (t *Trace) Paths() [][]Point {
	var out [][]Point
	var p []Point
	half := 0.5 / t.Scale
	add := func(x, y float64) {
		// A point on the way between its neighbours adds nothing: on level stretches this leaves two points of
		// thousands. It must lie between them, or the peak of a line that goes up and back would be lost.
		if n := len(p); n >= 2 {
			a, b := p[n-2], p[n-1]
			if (a.Y == b.Y && b.Y == y) || (a.X == b.X && b.X == x && (b.Y-a.Y)*(y-b.Y) >= 0) {
				p[n-1] = Point{x, y}
				return
			}
		}
		if n := len(p); n > 0 && p[n-1] == (Point{x, y}) {
			return
		}
		p = append(p, Point{x, y})
	}
	flush := func(end float64) {
		if len(p) > 0 {
			add(end, p[len(p)-1].Y)
			out = append(out, p)
			p = nil
		}
	}
	for i := range t.Cols {
		c := &t.Cols[i]
		if !c.Present {
			flush(t.x(i) - half)
			continue
		}
		x := t.x(i)
		// A gap is never bridged: the line of the next column begins at its own left edge.
		if c.Joined && len(p) > 0 {
			add(x, p[len(p)-1].Y)
		} else {
			flush(x - half)
			add(x-half, c.First)
		}
		add(x, c.First)
		// In the order in which the column had them, so that the line does not cross itself between a peak and a
		// trough.
		if c.hiFirst {
			add(x, c.Hi)
			add(x, c.Lo)
		} else {
			add(x, c.Lo)
			add(x, c.Hi)
		}
		add(x, c.Last)
	}
	if n := len(t.Cols); n > 0 {
		flush(t.x(n-1) + half)
	}
	return out
}

// Isolated lists the centres of stretches so short that their line alone would be overlooked.
func (t *Trace) Isolated() []Point {
	const short, most = 3, 400
	var out []Point
	for i := 0; i < len(t.Cols); {
		if !t.Cols[i].Present {
			i++
			continue
		}
		j := i + 1
		for j < len(t.Cols) && t.Cols[j].Present {
			j++
		}
		if j-i <= short && len(out) < most {
			c := &t.Cols[(i+j-1)/2]
			out = append(out, Point{(t.x(i) + t.x(j-1)) / 2, (c.Lo + c.Hi) / 2})
		}
		i = j
	}
	return out
}

// At is the height of the trace in the column nearest to x, false where there is none.
func (t *Trace) At(x float64) (y float64, ok bool) {
	i := int(math.Floor((x - t.X0) * t.Scale))
	if i < 0 || i >= len(t.Cols) || !t.Cols[i].Present {
		return 0, false
	}
	return t.Cols[i].Last, true
}

// Strip is the area of one stacked layer in a frame, a top and a bottom per device column.
type Strip struct {
	X0, Scale float64
	Top, Bot  []float64 // logical y, NaN where the layer is absent
}

func (s *Strip) x(i int) float64 { return s.X0 + float64(i)/s.Scale }

// polygons returns the area as closed outlines, with steps of equal height merged.
func (s *Strip) polygons() [][]Point {
	var out [][]Point
	n := len(s.Top)
	for i := 0; i < n; {
		if math.IsNaN(s.Top[i]) {
			i++
			continue
		}
		j := i
		for j < n && !math.IsNaN(s.Top[j]) {
			j++
		}
		var p []Point
		for k := i; k < j; k++ {
			if k == i || s.Top[k] != s.Top[k-1] {
				p = append(p, Point{s.x(k), s.Top[k]})
			}
			if k+1 == j || s.Top[k+1] != s.Top[k] {
				p = append(p, Point{s.x(k + 1), s.Top[k]})
			}
		}
		for k := j - 1; k >= i; k-- {
			if k == j-1 || s.Bot[k] != s.Bot[k+1] {
				p = append(p, Point{s.x(k + 1), s.Bot[k]})
			}
			if k == i || s.Bot[k-1] != s.Bot[k] {
				p = append(p, Point{s.x(k), s.Bot[k]})
			}
		}
		out = append(out, p)
		i = j
	}
	return out
}

// AreaTo is the area between the trace and a height, such as that of zero.
func (t *Trace) AreaTo(y0 float64) *Strip {
	s := &Strip{X0: t.X0, Scale: t.Scale, Top: make([]float64, len(t.Cols)), Bot: make([]float64, len(t.Cols))}
	for i := range t.Cols {
		s.Top[i], s.Bot[i] = math.NaN(), math.NaN()
		if c := &t.Cols[i]; c.Present && (c.Lo != y0 || c.Hi != y0) {
			s.Top[i], s.Bot[i] = min(c.Lo, y0), max(c.Hi, y0)
		}
	}
	return s
}
