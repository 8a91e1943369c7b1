package charts

import (
	"math"
	"strconv"

	"astrolabe/plots/canvas"
)

// newLogAxis makes a logarithmic axis for data of a spread, all of it above zero, with about n labels. The labels carry
// their own prefixes, because an axis of several decades has no common one.
func newLogAxis(data spread, fixed Range, u unit, n int) valueAxis {
	lo, hi := data.lo*u.factor, data.hi*u.factor
	if data.empty() {
		lo, hi = 1, 10
	}
	if fixed.set() && fixed.Lo > 0 {
		lo, hi = fixed.Lo*u.factor, fixed.Hi*u.factor
	}
	// Away from the ends of doubles, so that padding, ticks one decade beyond and their prefixes neither overflow
	// nor fall among the subnormals, where digits are lost.
	lo = min(max(lo, 1e-295), 1e305)
	hi = min(max(hi, lo), 1e305)
	flat := (spread{lo, hi}).flat()
	if !fixed.set() || flat {
		pad := max((math.Log10(hi)-math.Log10(lo))*0.03, 0.02)
		if flat { // one value: half a decade to both sides
			pad = 0.5
		}
		lo, hi = max(lo*math.Pow(10, -pad), 1e-305), min(hi*math.Pow(10, pad), 1e306)
	}
	a := valueAxis{lo: lo / u.factor, hi: hi / u.factor, log: true}
	if u.class != symbolUnit && u.class != binaryUnit {
		a.unit = u.symbol
	}
	first, last := int(math.Floor(math.Log10(lo)))-1, int(math.Ceil(math.Log10(hi)))
	decades := a.decades()
	every := max(1, int(math.Ceil(decades/float64(max(n, 1)))))
	mantissas := []float64{1}
	switch {
	case decades*9 <= float64(n) || decades < 0.7:
		mantissas = []float64{1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9}
	case decades*3 <= float64(n)*1.2:
		mantissas = []float64{1, 2, 5}
	}
	inside := func(v float64) bool { return v >= lo*(1-1e-9) && v <= hi*(1+1e-9) }
	if u.class == binaryUnit { // powers of two: sizes of caches and blocks are
		lb := math.Log2(lo)
		step := max(1, math.Ceil((math.Log2(hi)-lb)/float64(max(n, 1))))
		for _, s := range []float64{2, 4, 5, 10, 20} {
			if step > 1 && step <= s {
				step = s
				break
			}
		}
		for e := math.Ceil(lb/step-1e-9) * step; inside(math.Exp2(e)); e += step {
			a.ticks = append(a.ticks, tick{math.Exp2(e) / u.factor, logLabel(math.Exp2(e), u)})
		}
		first = last + 1
	}
	for e := first; e <= last; e++ {
		if every == 1 {
			for m := 2.0; m <= 9; m++ {
				if v := m * pow10(e); inside(v) {
					a.minor = append(a.minor, v/u.factor)
				}
			}
		}
		// Go's remainder is negative below zero: decades of 1e-3 and 1e3 must be left out by the same rule.
		if ((e%every)+every)%every != 0 {
			continue
		}
		for _, m := range mantissas {
			if v := m * pow10(e); inside(v) {
				a.ticks = append(a.ticks, tick{v / u.factor, logLabel(v, u)})
			}
		}
	}
	if len(a.ticks) < 2 { // less than a step of the mantissas: even steps, on their places of the logarithmic axis
		lin := newValueAxis(spread{a.lo, a.hi}, Range{a.lo, a.hi}, u, max(n, 3), false)
		a.ticks, a.unit = lin.ticks, lin.unit
	}
	return a
}

// pow10 is exact where a power of ten has an exact double.
func pow10(e int) float64 {
	v, _ := strconv.ParseFloat("1e"+strconv.Itoa(e), 64)
	return v
}

// logLabel writes a value of the base unit.
func logLabel(v float64, u unit) string {
	p, ok := u.prefixFor(v)
	switch {
	case !ok:
		return minus(strconv.FormatFloat(v, 'g', 3, 64))
	case u.class == symbolUnit || u.class == binaryUnit:
		return significant(v/p.factor, 3) + " " + p.symbol + u.symbol
	}
	return significant(v/p.factor, 3) + p.symbol
}

// decades is the length of a logarithmic axis. The ratio of its ends may be beyond any double.
func (a valueAxis) decades() float64 { return math.Log10(a.hi) - math.Log10(a.lo) }

// frac is the place of a value between the ends of the axis: 0 at lo, 1 at hi. It is not clipped.
func (a valueAxis) frac(v float64) float64 {
	if a.log {
		if v <= 0 {
			return -1
		}
		return (math.Log10(v) - math.Log10(a.lo)) / a.decades()
	}
	return (v - a.lo) / (a.hi - a.lo)
}

// toValueX maps values into a frame from left to right, clipped at its edges.
func toValueX(frame canvas.Rect, a valueAxis) func(float64) float64 {
	return func(v float64) float64 {
		return min(max(frame.X+a.frac(v)*frame.W, frame.X), frame.Right())
	}
}

// leastLog is the smallest value on a logarithmic axis: it leaves room for units and margins before doubles lose their
// digits.
const leastLog = 1e-290

// onLog returns the values that a logarithmic axis can show; the others become missing, and are counted.
func onLog(y []float64) (out []float64, lost int) {
	for _, v := range y {
		if v < leastLog {
			lost++
		}
	}
	if lost == 0 {
		return y, 0
	}
	out = make([]float64, len(y))
	for i, v := range y {
		if v < leastLog {
			v = math.NaN()
		}
		out[i] = v
	}
	return out, lost
}

// lostOnLog says how many values a logarithmic axis cannot show.
func lostOnLog(n int) string {
	if n == 1 {
		return "1 value is zero or below and has no place on a logarithmic axis"
	}
	return Grouped(n) + " values are zero or below and have no place on a logarithmic axis"
}
