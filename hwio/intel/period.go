package intel

import (
	"math/bits"
	"time"
)

// MaxExponent is the largest that the hardware has.
const MaxExponent = 31

// PeriodOf is the time between two reports in nanoseconds: 2^(exponent+1) ticks of the timestamp.
func PeriodOf(exponent int, frequency uint64) float64 {
	return float64(uint64(2)<<exponent) * 1e9 / float64(frequency)
}

// PeriodText is the period of an exponent for people.
func PeriodText(exponent int, frequency uint64) string {
	return time.Duration(PeriodOf(exponent, frequency)).Round(time.Nanosecond).String()
}

// ExponentFor chooses the exponent with the longest period that is no longer than the one asked for: a recording never
// has fewer samples than wanted, and less than twice as many. Shorter ones than the shortest give exponent 0.
func ExponentFor(period time.Duration, frequency uint64) int {
	hi, lo := bits.Mul64(uint64(max(period, 0)), frequency)
	if hi >= 1e9 {
		return MaxExponent
	}
	ticks, _ := bits.Div64(hi, lo, 1e9)
	return min(MaxExponent, max(0, bits.Len64(ticks)-2))
}
