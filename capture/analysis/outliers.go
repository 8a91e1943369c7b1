package analysis

import (
	"math"
	"slices"
)

// Side says which values can be outliers.
type Side uint8

const (
	high Side = iota // values above the others, such as frames that took longer
	low
	both
)

// ParseSide reads "high", "low" or "both".
func ParseSide(s string) (Side, bool) {
	i := slices.Index([]string{"high", "low", "both"}, s)
	return Side(max(i, 0)), i >= 0
}

// Outlier is a value far from the median of all.
type Outlier struct {
	Index int
	Score float64 // distance from the median in robust standard deviations, negative below it
}

const (
	// DefaultOutlierScore is the score from which on a value is an outlier.
	DefaultOutlierScore = 5
	// leastSpread is the least robust deviation, relative to the median. Ours: with the default score nothing is an
	// outlier that is less than a tenth from the median, however little the others differ.
	leastSpread = 0.02
)

// Outliers returns the values whose distance from the median is more than k robust standard deviations, in order. That
// deviation is the median absolute deviation times 1.4826 (what makes it that of a normal distribution), and where this
// is 0 the mean absolute deviation times 1.2533; it is at least leastSpread of the median. Missing values are skipped.
func Outliers(values []float64, k float64, side Side) []Outlier {
	most := 0.0
	for _, x := range values {
		if x == x {
			most = max(most, math.Abs(x))
		}
	}
	if most == 0 || math.IsInf(most, 0) {
		return nil
	}
	v := make([]float64, 0, len(values))
	for _, x := range values {
		if x == x {
			v = append(v, x/most)
		}
	}
	m := median(v)
	mean := 0.0
	for i, x := range v {
		v[i] = math.Abs(x - m)
		mean += v[i] / float64(len(v))
	}
	spread := 1.4826 * median(v)
	if spread == 0 {
		spread = 1.2533 * mean
	}
	spread = max(spread, leastSpread*math.Abs(m))
	if spread == 0 {
		return nil
	}
	var out []Outlier
	for i, x := range values {
		score := (x/most - m) / spread
		if (side != low && score > k) || (side != high && score < -k) {
			out = append(out, Outlier{i, score})
		}
	}
	return out
}

// median sorts v, which has a value.
func median(v []float64) float64 {
	slices.Sort(v)
	n := len(v)
	if n%2 == 1 {
		return v[n/2]
	}
	return v[n/2-1]/2 + v[n/2]/2
}
