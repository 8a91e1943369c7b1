// Package openmetrics writes the samples of a capture as OpenMetrics text, version 1.0.0, with the times that they were
// taken at: what promtool makes blocks of a Prometheus of (tsdb create-blocks-from openmetrics).
//
// Events are counters: their running sums, from 0 at the first start, each at the end of its sample. Levels, constants
// and metrics are gauges, at the end of the sample that they are of. A value that is missing has no sample, and the HELP
// says why. A Prometheus keeps milliseconds, so samples that end in the same one are refused. A label that names the
// samples, such as kernels that were put together, is a label of every value; others are families of their own (info),
// which say what they were at each time.
//
// What else there is about names, units and instances is as in package prometheus, which writes totals.
package openmetrics
