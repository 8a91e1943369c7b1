// Package capture is astrolabe's data model: what was measured, when, and how far it can be trusted.
//
// A Capture holds one time axis and one column per counter instance. A sample is a half-open interval
// [start, end) in nanoseconds since the start of the capture, on one named clock. Values are exact unsigned
// integers or doubles; a missing value is never zero and can say why it is missing. Every operation
// (slice, where, resample, group, concat) returns a new Capture that shares what it can: columns are loaded,
// sliced and re-binned only when something reads them.
//
// Aggregation is of counters first, then of formulas: a derived Counter evaluates its formula on aggregated
// inputs (Counter.Aggregate), so a total of a ratio is the ratio of totals.
//
// The package imports nothing of astrolabe and knows no vendor, no file format and no Starlark.
package capture
