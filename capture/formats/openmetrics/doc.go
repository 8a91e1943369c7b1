// Package openmetrics writes the summary of a capture as OpenMetrics text, version 1.0.0, for Prometheus and what reads
// its formats.
//
// Events are counters: their totals over the capture. Levels and constants are gauges: their mean over time. A counter
// with instances has one sample for each, with the label id, and none for their sum, which would count twice. The label
// capture names the capture in every sample; device and block stand where they are known. Times are in seconds, the
// base unit that the specification asks for; every other unit is spelled with letters and underscores and ends the name
// of its family, as the specification demands. A total that is missing has no sample, and its HELP says why. The family
// astrolabe_capture holds what was measured.
package openmetrics
