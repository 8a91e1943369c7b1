package analysis

import (
	"context"
	"math"
	"slices"

	"astrolabe/capture"
)

const (
	// leadingBins is into how many bins a capture is cut to compare its counters, and fewLeadingBins where these are
	// more than manyCounters: what it takes grows with their square.
	leadingBins    = 2000
	fewLeadingBins = 500
	manyCounters   = 300
	// mostCounters bounds the counters that are compared.
	mostCounters = 3000

	// alikeFrom is from which correlation of ranks on counters are said to move alike. Ours.
	alikeFrom = 0.9
	// ownPart is how much of a counter the ones before it must leave unexplained for it to lead. Ours.
	ownPart = 0.5
	// fewPart is the same where there are so few counters that each may lead: more is left than by one that moves
	// alike.
	fewPart = 1 - alikeFrom*alikeFrom
)

// Lead is a counter that stands for others, which move as it does.
type Lead struct {
	Counter *capture.Counter
	Alike   []*capture.Counter // those with a correlation of ranks of 0.9 or more, or -0.9 or less
}

// Leading chooses counters that show best what all of them do: first the one whose ranks explain most of the others',
// then the one that explains most of what that leaves, and so on, at most that many. Deltas are taken per second. Left
// out are counters that stay what they are, that are missing for half of the time, that only rise as a clock does, and
// those of fewer than eight samples.
func Leading(ctx context.Context, c *capture.Capture, most int) ([]Lead, error) {
	var counters []*capture.Counter
	for _, ctr := range c.Counters {
		if countsSomething(ctr) && len(counters) < mostCounters && ctr.Min() != ctr.Max() {
			counters = append(counters, ctr)
		}
	}
	n := float64(leadingBins)
	if len(counters) > manyCounters {
		n = fewLeadingBins
	}
	bins := phaseBins(c.Axis, n)
	if bins.Len() < leastPairs || most <= 0 {
		return nil, nil
	}
	var found []*capture.Counter
	var rows [][]float64
	for _, ctr := range counters {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if row := rankRow(levels(ctr, bins), ctr.Kind == capture.Gauge && slices.Contains(clockUnits, ctr.Unit)); row !=
			nil {
			found, rows = append(found, ctr), append(rows, row)
		}
	}
	// Squares, since a counter that falls where another rises shows the same as one that rises with it.
	squares, err := squaredCorrelations(ctx, rows)
	if err != nil {
		return nil, err
	}
	least := ownPart
	if len(found) <= most {
		least = fewPart
	}
	left := make([]float64, len(found)) // what no leader explains
	taken := make([]bool, len(found))
	for i := range left {
		left[i] = 1
	}
	var out []Lead
	for len(out) < most {
		best, gain := -1, 0.0
		for i := range found {
			if left[i] < least {
				continue
			}
			g := 0.0
			for j, r := range squares[i] {
				g += left[j] * float64(r)
			}
			// Of counters that explain as much, the first of the capture leads: the order of sums must not decide
			// by rounding, or two machines would draw different charts.
			if g > gain*(1+1e-9) {
				best, gain = i, g
			}
		}
		if best < 0 {
			break
		}
		lead := Lead{Counter: found[best]}
		taken[best] = true
		for j, r := range squares[best] {
			// The parts that leaders explain are taken to be independent, which says too little is left of counters
			// that two leaders share. Exact regressions would cost a matrix of all counters for each leader.
			left[j] *= 1 - float64(r)
			if j != best && !taken[j] && r >= alikeFrom*alikeFrom {
				lead.Alike, taken[j] = append(lead.Alike, found[j]), true
			}
		}
		// Of itself nothing is left, whatever rounding made of its correlation: it must not lead twice.
		left[best] = 0
		out = append(out, lead)
	}
	return out, nil
}

// clockUnits are those of a level that is a clock or a running number where it never falls.
var clockUnits = []string{"", "ticks", "ns", "us", "µs", "ms", "s"}

// leastChange is by how much of the largest value values must differ. Ours: a clock's rate wavers by less.
const leastChange = 0.005

// rankRow are the ranks of values, centred and of length 1, 0 where one is missing; nil where they tell nothing: too
// few, hardly different, or those of what may be a clock and never fall.
func rankRow(v []float64, clock bool) []float64 {
	var there []int
	var present []float64
	rises := clock
	low, high := math.Inf(1), math.Inf(-1)
	for i, x := range v {
		if x != x || math.IsInf(x, 0) {
			continue
		}
		if k := len(present); k > 0 && x < present[k-1] {
			rises = false
		}
		low, high = min(low, x), max(high, x)
		there, present = append(there, i), append(present, x)
	}
	if len(present) < leastPairs || 2*len(present) < len(v) || rises ||
		high-low <= leastChange*max(math.Abs(low), math.Abs(high)) {
		return nil
	}
	ranks := Ranks(present)
	square := 0.0
	for k := range ranks {
		ranks[k] -= float64(len(ranks)+1) / 2
		square += ranks[k] * ranks[k]
	}
	if square == 0 {
		return nil
	}
	out := make([]float64, len(v))
	for k, i := range there {
		out[i] = ranks[k] / math.Sqrt(square)
	}
	return out
}

// squaredCorrelations are those of every pair of rows.
func squaredCorrelations(ctx context.Context, rows [][]float64) ([][]float32, error) {
	out := make([][]float32, len(rows))
	for i := range rows {
		out[i] = make([]float32, len(rows))
	}
	for i, a := range rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for j := i; j < len(rows); j++ {
			r := 0.0
			for k, x := range rows[j] {
				r += a[k] * x
			}
			out[i][j] = float32(r * r)
			out[j][i] = out[i][j]
		}
	}
	return out, nil
}
