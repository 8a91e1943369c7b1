package analysis

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"astrolabe/capture"
)

// Ranks gives each value its rank from 1; equal values share the mean of theirs.
func Ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(v[i], v[j]) })
	out := make([]float64, len(v))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && v[order[j]] == v[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[order[k]] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}

// leastPairs is with how few pairs of values a correlation is not looked for: an interval from fewer says nothing.
const leastPairs = 8

// Association is how two series move together by their ranks.
type Association struct {
	R         float64 // Spearman's correlation
	Low, High float64 // its confidence interval
	N         int     // pairs of values
}

// rankAssociation is the correlation of the ranks of x and y, which have no missing values and stand in the order of
// time. Of pairs in groups (by the numbers in groups; nil is one group) the ranks are those within the group, so that
// what sets groups apart counts for nothing.
//
// The interval follows from Fisher's transformation with the variance of Bonett and Wright, (1 + r²/2) / (n - 3). Where
// neighbours are alike n is that of as many independent pairs (by the product of the two first autocorrelations), and
// each group beyond the first takes one more away. It is that of quantile standard deviations on both sides. ok is
// false where there are too few pairs or one of the series does not vary.
func rankAssociation(x, y []float64, groups []int32, quantile float64) (a Association, ok bool) {
	rx, ry, parts := centredRanks(x, groups), centredRanks(y, groups), 1
	if groups != nil {
		seen := map[int32]bool{}
		for _, g := range groups {
			seen[g] = true
		}
		parts = len(seen)
	}
	n := len(x) - parts + 1
	a.N = len(x)
	if n < leastPairs {
		return a, false
	}
	var xx, yy, xy float64
	for i := range rx {
		xx += rx[i] * rx[i]
		yy += ry[i] * ry[i]
		xy += rx[i] * ry[i]
	}
	if xx == 0 || yy == 0 {
		return a, false
	}
	a.R = min(max(xy/math.Sqrt(xx*yy), -1), 1)
	alike := firstAutocorrelation(rx, groups, xx) * firstAutocorrelation(ry, groups, yy)
	independent := float64(n) * min(1, (1-alike)/(1+alike))
	if independent <= 4 {
		a.Low, a.High = -1, 1
		return a, true
	}
	z := math.Atanh(min(max(a.R, -1+1e-12), 1-1e-12))
	width := quantile * math.Sqrt((1+a.R*a.R/2)/(independent-3))
	a.Low, a.High = math.Tanh(z-width), math.Tanh(z+width)
	return a, true
}

// centredRanks are the ranks within each group, less their mean and as shares of the group's size.
func centredRanks(v []float64, groups []int32) []float64 {
	out := make([]float64, len(v))
	rank := func(rows []int) {
		part := make([]float64, len(rows))
		for k, i := range rows {
			part[k] = v[i]
		}
		for k, r := range Ranks(part) {
			out[rows[k]] = (r - float64(len(rows)+1)/2) / float64(len(rows))
		}
	}
	by := map[int32][]int{}
	var order []int32
	for i := range v {
		g := int32(0)
		if groups != nil {
			g = groups[i]
		}
		if by[g] == nil {
			order = append(order, g)
		}
		by[g] = append(by[g], i)
	}
	for _, g := range order {
		rank(by[g])
	}
	return out
}

// firstAutocorrelation is the first autocorrelation of centred ranks, within groups; square is the sum of their
// squares.
func firstAutocorrelation(v []float64, groups []int32, square float64) float64 {
	last := map[int32]int{}
	sum := 0.0
	for i := range v {
		g := int32(0)
		if groups != nil {
			g = groups[i]
		}
		if j, ok := last[g]; ok {
			sum += v[i] * v[j]
		}
		last[g] = i
	}
	return min(max(sum/square, -0.99), 0.99)
}

// Mover is a counter beside the lengths of the samples in which it was measured.
type Mover struct {
	Counter *capture.Counter
	Association
}

// MovesOptions say how MovesWithDuration compares.
type MovesOptions struct {
	Within     string  // a label, whose values are compared each by itself; "" for none
	Confidence float64 // that every interval holds; 0 is 0.95
	Most       int     // samples to look at, evenly spread; 0 is 20,000
}

const (
	defaultConfidence = 0.95
	defaultMostPairs  = 20000
)

// MovesWithDuration lists the counters whose value in a sample goes with how long the sample took, by the correlation
// of ranks, the closest first. A counter from a run of its own is compared with the lengths of that run. The intervals
// hold for all of them at once (Bonferroni). A counter that does not vary is not listed, and none is where samples are
// equally long or fewer than eight.
func MovesWithDuration(ctx context.Context, c *capture.Capture, opt MovesOptions) ([]Mover, error) {
	if opt.Confidence == 0 {
		opt.Confidence = defaultConfidence
	}
	if opt.Most == 0 {
		opt.Most = defaultMostPairs
	}
	rows := evenRows(c.Len(), opt.Most)
	var label *capture.Label
	if opt.Within != "" {
		if label = c.Label(opt.Within); label == nil {
			return nil, notComparable("%s has no label %s", nameOf(c), opt.Within)
		}
	}
	type pairsOf struct {
		counter *capture.Counter
		x, y    []float64
		groups  []int32
	}
	var list []pairsOf
	for _, ctr := range c.Counters {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !countsSomething(ctr) {
			continue
		}
		p := pairsOf{counter: ctr}
		values := ctr.Floats()
		lows := [2]float64{math.Inf(1), math.Inf(1)}
		highs := [2]float64{math.Inf(-1), math.Inf(-1)}
		for _, i := range rows {
			x, y := values[i], ctr.Interval(i)
			// A pair lacks both where it lacks one. An infinite value is no measurement, and as a rank it would
			// count as the largest.
			if x != x || y != y || math.IsInf(x, 0) || math.IsInf(y, 0) {
				continue
			}
			p.x, p.y = append(p.x, x), append(p.y, y)
			if label != nil {
				p.groups = append(p.groups, label.Codes[i])
			}
			lows[0], highs[0] = min(lows[0], x), max(highs[0], x)
			lows[1], highs[1] = min(lows[1], y), max(highs[1], y)
		}
		// Lengths that differ by a millionth are those of a timer: ranks would make its rounding as large as any
		// change.
		if lows[0] < highs[0] && highs[1]-lows[1] > 1e-6*highs[1] {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	// Divided by what is listed and not by what the capture has: a counter that could not be compared makes no
	// false claim.
	quantile := distuv.UnitNormal.Quantile(1 - (1-opt.Confidence)/2/float64(len(list)))
	var out []Mover
	for _, p := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if a, ok := rankAssociation(p.x, p.y, p.groups, quantile); ok {
			out = append(out, Mover{p.counter, a})
		}
	}
	slices.SortStableFunc(out, func(a, b Mover) int { return cmp.Compare(math.Abs(b.R), math.Abs(a.R)) })
	return out, nil
}

// countsSomething reports whether the values of a counter are amounts or levels, and no constants, numbers of things or
// bits.
func countsSomething(c *capture.Counter) bool {
	return c.Kind != capture.Constant && c.Unit != "id" && c.Unit != "bits"
}

// evenRows are at most that many of n positions, evenly spread over them.
func evenRows(n, most int) []int {
	out := make([]int, min(n, most))
	for k := range out {
		out[k] = int(int64(k) * int64(n) / int64(len(out)))
	}
	return out
}
