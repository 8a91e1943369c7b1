package charts

import (
	"fmt"
	"math"
	"slices"

	"astrolabe/plots/canvas"
)

// stack holds what is needed to draw series on top of each other: positive values upwards from zero, negative ones
// downwards. A sample in which any of the stacked series is missing has no total, so the whole stack breaks there.
type stack struct {
	series []Series
	layers []int // indices of the series that have any value
	t0, t1 int64
	spread spread
}

func newStack(series []Series, t0, t1 int64) (*stack, error) {
	st := &stack{series: series, t0: t0, t1: t1, spread: noSpread()}
	for i, s := range series {
		if hasValue(s) {
			st.layers = append(st.layers, i)
		}
	}
	base := series[st.layers[0]]
	for _, i := range st.layers[1:] {
		s := series[i]
		if !sameTimes(base.Start, s.Start) || !sameTimes(base.End, s.End) {
			return nil, fmt.Errorf(
				"timeline: stacked series %q and %q have different time axes; resample them to one first",
				base.Name, s.Name)
		}
	}
	st.spread.add(0)
	for i := range base.Y {
		if base.End[i] < t0 || base.Start[i] >= t1 {
			continue
		}
		up, down := 0.0, 0.0
		for _, k := range st.layers {
			v := series[k].Y[i]
			up, down = up+max(v, 0), down+min(v, 0)
		}
		if canvas.Drawable(up) && canvas.Drawable(down) {
			st.spread.add(up)
			st.spread.add(down)
		}
	}
	return st, nil
}

func sameTimes(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	return len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b)
}

// stackLayer is one layer in the columns of a frame: the outer edge of the stack up to and including it. mean is
// weighted by time; peak is the farthest that any sample in the column reaches, dip the nearest to zero. NaN where the
// stack is absent.
type stackLayer struct {
	up, upPeak, upDip       []float64
	down, downPeak, downDip []float64
}

// columns sums the layers sample by sample and reduces each edge to n columns. It returns the layers from the bottom.
func (st *stack) columns(n int) []stackLayer {
	layers := make([]stackLayer, len(st.layers))
	weight := make([]float64, n)
	for i := range layers {
		l := &layers[i]
		for _, edge := range []*[]float64{&l.up, &l.upPeak, &l.upDip, &l.down, &l.downPeak, &l.downDip} {
			*edge = make([]float64, n)
		}
	}
	base := st.series[st.layers[0]]
	k := float64(n) / float64(st.t1-st.t0)
	for i, s := range base.Start {
		x0 := float64(s-st.t0) * k
		x1 := float64(base.End[i]-st.t0) * k
		if x1 < 0 || x0 >= float64(n) || !st.whole(i) {
			continue
		}
		c0 := min(max(int(x0), 0), n-1)
		c1 := min(max(int(math.Ceil(x1))-1, c0), n-1)
		for c := c0; c <= c1; c++ {
			w := max(min(x1, float64(c+1))-max(x0, float64(c)), 1e-9)
			first := weight[c] == 0
			weight[c] += w
			up, down := 0.0, 0.0
			for j, idx := range st.layers {
				v := st.series[idx].Y[i]
				up, down = up+max(v, 0), down+min(v, 0)
				l := &layers[j]
				l.up[c] += w * up
				l.down[c] += w * down
				l.upPeak[c], l.downPeak[c] = max(l.upPeak[c], up), min(l.downPeak[c], down)
				if first {
					l.upDip[c], l.downDip[c] = up, down
				} else {
					l.upDip[c], l.downDip[c] = min(l.upDip[c], up), max(l.downDip[c], down)
				}
			}
		}
	}
	for i := range layers {
		l := &layers[i]
		for c, w := range weight {
			if w == 0 {
				l.up[c], l.upPeak[c], l.upDip[c] = math.NaN(), math.NaN(), math.NaN()
				l.down[c], l.downPeak[c], l.downDip[c] = math.NaN(), math.NaN(), math.NaN()
				continue
			}
			l.up[c] /= w
			l.down[c] /= w
		}
	}
	return layers
}

// whole reports whether every layer has a finite value in sample i.
func (st *stack) whole(i int) bool {
	for _, idx := range st.layers {
		if v := st.series[idx].Y[i]; !canvas.Drawable(v) {
			return false
		}
	}
	return true
}
