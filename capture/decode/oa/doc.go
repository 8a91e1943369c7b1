// Package oa decodes what the Observation Architecture of Intel GPUs (Gen8 and later) measures: reports, the records of
// a stream that carry them, and the recorder's own records beside those. It opens nothing and knows no system call, so
// that the live reader, the reader and writer of recording files and the reader of raw dumps share it.
//
// A Decoder takes a stream apart into records; an Accumulator turns the reports among them into rows of a
// capture.Batch, one row from each report to the next: raw deltas of every counter, context and reason as labels, clock
// ratios as gauges, and in the block "report" what is needed to make the reports again (see keep.go). Formulas are the
// catalogues' business.
//
// Sources: Intel Kaby Lake PRM volume 14 (Observability), the kernel's i915_drm.h, and the layout that driver, IGT and
// Mesa agree on where the PRM gives none.
package oa
