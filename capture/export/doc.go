// Package export makes of a capture the one that other programs are to see: which metrics and counters, over which
// stretches of time. The result holds values only, as every format can write them.
//
// Samples are put together first and formulas evaluated on what came of it, so that a metric over a stretch is the ratio
// of its totals and never a mean of ratios. A metric that has been evaluated is a count where its values add up, else a level:
// whoever averages that again gets a mean of ratios, which its warning says.
package export
