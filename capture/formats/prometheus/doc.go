// Package prometheus writes the totals of a capture in the text form that a Prometheus scrapes (version 0.0.4), such as
// node_exporter's collector of text files takes it: without times, which say when it was scraped.
//
// Events are counters: their totals over the capture. Levels, constants and metrics are gauges: the mean over time, or
// what they are of the whole. Where a label names the samples, such as kernels that were put together, there is a value
// for each, with that label. A counter with instances has one sample for each, with the label id, and none for their
// sum, which would count twice. The label capture names the capture in every sample; device and block stand where they
// are known. Times are in seconds, the base unit; every other unit is spelled with letters and underscores and ends the
// name. A value that is missing has no sample, and its HELP says why. astrolabe_capture_info holds what was measured.
package prometheus
