package plots

import "math"

// trace is a reduced series in a frame: one column per device pixel, values mapped to logical y.
type trace struct {
	x0    float64 // left edge of the first column, in logical pixels
	scale float64 // device pixels per logical pixel
	top   float64 // of the frame, for clipping
	bot   float64
	cols  []tcol
}

// tcol is a column in logical y, which grows downwards: lo is the higher value and the smaller y.
type tcol struct {
	first, last float64
	lo, hi      float64
	present     bool
	joined      bool
	hiFirst     bool // the minimum, at hi, came first
}

func newTrace(r *reduction, frame rect, scale float64, toY func(float64) float64) *trace {
	t := &trace{x0: frame.x, scale: scale, top: frame.y, bot: frame.bottom(), cols: make([]tcol, len(r.cols))}
	for i := range r.cols {
		if c := &r.cols[i]; c.present {
			t.cols[i] = tcol{first: toY(c.first), last: toY(c.last), lo: toY(c.max), hi: toY(c.min),
				present: true, joined: c.joined, hiFirst: c.minFirst}
		}
	}
	return t
}

// x is the centre of column i.
func (t *trace) x(i int) float64 { return t.x0 + (float64(i)+0.5)/t.scale }

// ink estimates the painted area, so that the trace which covers most can be painted first.
func (t *trace) ink() float64 {
	sum := 0.0
	for i := range t.cols {
		if c := &t.cols[i]; c.present {
			sum += c.hi - c.lo + 2
		}
	}
	return sum
}

// paths returns the line as polylines in time order, with runs of equal height merged. Each ends at the right edge of
// its last column, so that a single sample still has a length.
func (t *trace) paths() [][]point {
	var out [][]point
	var p []point
	half := 0.5 / t.scale
	add := func(x, y float64) {
		if n := len(p); n >= 2 {
			a, b := p[n-2], p[n-1]
			if (a.y == b.y && b.y == y) || (a.x == b.x && b.x == x && (b.y-a.y)*(y-b.y) >= 0) {
				p[n-1] = point{x, y}
				return
			}
		}
		if n := len(p); n > 0 && p[n-1] == (point{x, y}) {
			return
		}
		p = append(p, point{x, y})
	}
	flush := func(end float64) {
		if len(p) > 0 {
			add(end, p[len(p)-1].y)
			out = append(out, p)
			p = nil
		}
	}
	for i := range t.cols {
		c := &t.cols[i]
		if !c.present {
			flush(t.x(i) - half)
			continue
		}
		x := t.x(i)
		if c.joined && len(p) > 0 {
			add(x, p[len(p)-1].y)
		} else {
			flush(x - half)
			add(x-half, c.first)
		}
		add(x, c.first)
		if c.hiFirst {
			add(x, c.hi)
			add(x, c.lo)
		} else {
			add(x, c.lo)
			add(x, c.hi)
		}
		add(x, c.last)
	}
	if n := len(t.cols); n > 0 {
		flush(t.x(n-1) + half)
	}
	return out
}

// isolated lists the centres of stretches so short that their line alone would be overlooked.
func (t *trace) isolated() []point {
	const short, most = 3, 400
	var out []point
	for i := 0; i < len(t.cols); {
		if !t.cols[i].present {
			i++
			continue
		}
		j := i + 1
		for j < len(t.cols) && t.cols[j].present {
			j++
		}
		if j-i <= short && len(out) < most {
			c := &t.cols[(i+j-1)/2]
			out = append(out, point{(t.x(i) + t.x(j-1)) / 2, (c.lo + c.hi) / 2})
		}
		i = j
	}
	return out
}

// at is the height of the trace in the column nearest to x, false where there is none.
func (t *trace) at(x float64) (y float64, ok bool) {
	i := int(math.Floor((x - t.x0) * t.scale))
	if i < 0 || i >= len(t.cols) || !t.cols[i].present {
		return 0, false
	}
	return t.cols[i].last, true
}

// strip is the area of one stacked layer in a frame, a top and a bottom per device column.
type strip struct {
	x0, scale float64
	top, bot  []float64 // logical y, NaN where the layer is absent
}

func (s *strip) x(i int) float64 { return s.x0 + float64(i)/s.scale }

// polygons returns the area as closed outlines, with steps of equal height merged.
func (s *strip) polygons() [][]point {
	var out [][]point
	n := len(s.top)
	for i := 0; i < n; {
		if math.IsNaN(s.top[i]) {
			i++
			continue
		}
		j := i
		for j < n && !math.IsNaN(s.top[j]) {
			j++
		}
		var p []point
		for k := i; k < j; k++ {
			if k == i || s.top[k] != s.top[k-1] {
				p = append(p, point{s.x(k), s.top[k]})
			}
			if k+1 == j || s.top[k+1] != s.top[k] {
				p = append(p, point{s.x(k + 1), s.top[k]})
			}
		}
		for k := j - 1; k >= i; k-- {
			if k == j-1 || s.bot[k] != s.bot[k+1] {
				p = append(p, point{s.x(k + 1), s.bot[k]})
			}
			if k == i || s.bot[k-1] != s.bot[k] {
				p = append(p, point{s.x(k), s.bot[k]})
			}
		}
		out = append(out, p)
		i = j
	}
	return out
}

// areaTo is the area between the trace and a height, such as that of zero.
func (t *trace) areaTo(y0 float64) *strip {
	s := &strip{x0: t.x0, scale: t.scale, top: make([]float64, len(t.cols)), bot: make([]float64, len(t.cols))}
	for i := range t.cols {
		s.top[i], s.bot[i] = math.NaN(), math.NaN()
		if c := &t.cols[i]; c.present && (c.lo != y0 || c.hi != y0) {
			s.top[i], s.bot[i] = min(c.lo, y0), max(c.hi, y0)
		}
	}
	return s
}
