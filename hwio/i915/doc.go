// Package i915 measures Intel's Kaby Lake GPUs through the performance interface of Linux's i915 driver: the GPU's OA
// unit writes reports of all its counters at a fixed period, and the driver hands them out. Package oa decodes and
// accumulates them; this package finds the GPU, makes it count a metric set, reads, and puts the GPU's clock in line
// with the CPU's.
//
// It may import hwio, capture and the catalogue, and nothing of the emulated kernel except in tests.
package i915
