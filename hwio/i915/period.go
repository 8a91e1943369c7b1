package i915

import "astrolabe/hwio/intel"

// defaultMaxRate is the kernel's default of dev.i915.oa_max_sample_rate, in Hz.
const defaultMaxRate = 100_000

// slowestAllowed is the exponent, or the next larger one, that gives at most maxRate reports a second.
func slowestAllowed(exponent int, frequency, maxRate uint64) int {
	for exponent < intel.MaxExponent && frequency>>(exponent+1) > maxRate {
		exponent++
	}
	return exponent
}
