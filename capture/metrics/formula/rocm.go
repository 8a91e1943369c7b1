package formula

import (
	"slices"
	"strings"
)

// rocmFunctions are what rocprof-compute's panels call.
var rocmFunctions = []function{
	{"SUM", OpSum, 1, 1}, {"AVG", OpAvg, 1, 1}, {"MEDIAN", OpMedian, 1, 1}, {"STD", OpStd, 1, 1},
	{"MIN", OpReduceMin, 1, 1}, {"MIN", OpMin, 2, 2}, {"MAX", OpReduceMax, 1, 1}, {"MAX", OpMax, 2, 2},
	{"TO_INT", OpToInt, 1, 1}, {"ROUND", OpRound, 2, 2}, {"ROUND", OpRound, 1, 1}, {"QUANTILE", OpQuantile, 2, 2},
	{"MOD", OpMod, 2, 2}, {"NOISE_CLAMP", OpNoiseClamp, 2, 2}, {"ABS", OpAbs, 1, 1},
}

// rocmMeasured are what rocprofiler's definitions of counters call: one number of the instances of a counter, and a
// level added up over cycles.
var rocmMeasured = map[string][]string{"reduce": {"sum", "max", "min", "avr"},
	"accumulate": {"HIGH_RES", "LOW_RES", "NONE"}}

// looksLikeROCm reports whether a formula has a function of rocprof-compute's panels, or a conditional in words.
func looksLikeROCm(src string) bool {
	for name := range rocmMeasured {
		if strings.Contains(src, name+"(") {
			return true
		}
	}
	for _, f := range rocmFunctions {
		if strings.Contains(src, f.name+"(") {
			return true
		}
	}
	return slices.Index(strings.Fields(src), "if") > 0
}
