package charts

import (
	"math"

	"astrolabe/plots/canvas"
)

// leastSpread is how many samples a series needs to be drawn as mean and spread; fewer are a line.
const leastSpread = 200

// spreads reports whether any series of the lane is drawn as mean and spread.
func (l *lane) spreads() bool {
	if l.tl.o.Style != Spread {
		return false
	}
	for _, s := range l.series {
		if len(s.Y) >= leastSpread {
			return true
		}
	}
	return false
}

// spreadOf turns the trace of a noisy series into a tint from its smallest to its largest value, and a line through the
// means of short stretches. The tint holds every value, also a single spike; both break where the series does.
func spreadOf(tr *canvas.Trace, shown int, s Series, ax timeAxis,
	ty func(float64) float64) (*canvas.Strip, *canvas.Trace) {
	n := len(tr.Cols)
	// A stretch holds some eight samples, and is neither too narrow to see nor so wide that it hides a change.
	wide := min(max(int(math.Ceil(8*float64(n)/float64(shown))), int(math.Ceil(3*tr.Scale))), max(n/40, 1))
	band := &canvas.Strip{X0: tr.X0, Scale: tr.Scale, Top: make([]float64, n), Bot: make([]float64, n)}
	half := wide / 2
	for i := range tr.Cols {
		band.Top[i], band.Bot[i] = math.NaN(), math.NaN()
		if !tr.Cols[i].Present {
			continue
		}
		lo, hi := tr.Cols[i].Lo, tr.Cols[i].Hi
		for j := max(i-half, 0); j <= min(i+half, n-1); j++ {
			if c := &tr.Cols[j]; c.Present {
				lo, hi = min(lo, c.Lo), max(hi, c.Hi)
			}
		}
		band.Top[i], band.Bot[i] = lo, hi
	}
	bins := max(n/wide, 1)
	means := columnMeans(s.Start, s.End, s.Y, ax.t0, ax.t1, bins)
	mean := &canvas.Trace{X0: tr.X0, Scale: tr.Scale, Top: tr.Top, Bot: tr.Bot, Cols: make([]canvas.Tcol, n)}
	for i := range tr.Cols {
		if !tr.Cols[i].Present {
			continue
		}
		v := between(means, (float64(i)+0.5)/float64(n)*float64(bins)-0.5)
		if math.IsNaN(v) {
			continue
		}
		y := ty(v)
		mean.Cols[i] = canvas.Tcol{First: y, Last: y, Lo: y, Hi: y, Present: true, Joined: i > 0 &&
			mean.Cols[i-1].Present && tr.Cols[i].Joined}
	}
	return band, mean
}

// between interpolates in a list at a fractional place, without reaching across missing values.
func between(v []float64, at float64) float64 {
	at = min(max(at, 0), float64(len(v)-1))
	i := int(at)
	j := min(i+1, len(v)-1)
	f := at - float64(i)
	switch {
	case math.IsNaN(v[i]) || math.IsNaN(v[j]):
		if f < 0.5 {
			return v[i]
		}
		return v[j]
	}
	return v[i]*(1-f) + v[j]*f
}
