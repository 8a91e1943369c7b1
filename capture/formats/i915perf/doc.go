// Package i915perf reads and writes the files of i915-perf-recorder, the usual recorder of Intel OA reports.
//
// A file has no magic number: it is a sequence of the records of the kernel's stream (package oa), with records of the
// recorder's own for its version, the device, the topology of the EUs and the correlation of the GPU's clock with the
// CPU's. A dump of the recorder's ring buffer has the same headers and then whatever the ring still held.
//
// A file is mapped and gone through twice: first its records are counted and its correlations collected, then its
// reports become samples, each from one report to the next, on all cores. CPU times are those of the clock that the
// recorder was told to use, CLOCK_MONOTONIC unless told otherwise; the file does not say which.
//
// A capture is written from the raw deltas and the columns of the block "report" (package oa, keep.go), which captures
// read here and recordings of the live reader have. Counters then start at 0, and differences are exact.
package i915perf
