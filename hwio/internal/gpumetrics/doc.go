// Package gpumetrics decodes the binary table that the amdgpu driver shows as gpu_metrics in sysfs: temperatures,
// activity, power, clocks and throttling of the whole GPU, or of an APU with its processor cores.
//
// The table begins with its size and revision. Every revision that the kernel had up to 1.6, 2.4 and 3.0 is known; any
// other is refused, for its fields may lie anywhere. A field with all bits set is one that the GPU does not have: it is
// missing, never 0.
//
// What belongs here: layouts, decoding and units, all pure. Facts are from struct gpu_metrics_v* of the kernel's
// drivers/gpu/drm/amd/include/kgd_pp_interface.h.
package gpumetrics
