package i915

import (
	"math/bits"
	"time"
)

const (
	maxExponent = 31
	// defaultMaxRate is the kernel's default of dev.i915.oa_max_sample_rate, in Hz.
	defaultMaxRate = 100_000
)

// periodOf is the time between two reports in nanoseconds: 2^(exponent+1) ticks of the timestamp.
func periodOf(exponent int, frequency uint64) float64 {
	return float64(uint64(2)<<exponent) * 1e9 / float64(frequency)
}

// periodText is the period of an exponent for people.
func periodText(exponent int, frequency uint64) string {
	return time.Duration(periodOf(exponent, frequency)).Round(time.Nanosecond).String()
}

// exponentFor chooses the exponent with the longest period that is no longer than the one asked for: a recording never
// has fewer samples than wanted, and less than twice as many. Shorter ones than the shortest give exponent 0.
func exponentFor(period time.Duration, frequency uint64) int {
	hi, lo := bits.Mul64(uint64(max(period, 0)), frequency)
	if hi >= 1e9 {
		return maxExponent
	}
	ticks, _ := bits.Div64(hi, lo, 1e9)
	return min(maxExponent, max(0, bits.Len64(ticks)-2))
}

// slowestAllowed is the exponent, or the next larger one, that gives at most maxRate reports a second.
func slowestAllowed(exponent int, frequency, maxRate uint64) int {
	for exponent < maxExponent && frequency>>(exponent+1) > maxRate {
		exponent++
	}
	return exponent
}
