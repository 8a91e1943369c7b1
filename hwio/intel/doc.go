// Package intel is what the readers of both of Intel's drivers, i915 and xe, need: what names mean to a metric set, the
// period of the hardware, and why the kernel refuses.
package intel
