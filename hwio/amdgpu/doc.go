// Package amdgpu measures AMD GPUs through what the amdgpu kernel driver tells every user: no ROCm, no debugger, no
// root. It asks the driver about sensors and memory (DRM_IOCTL_AMDGPU_INFO), reads sysfs, hwmon, the gpu_metrics table
// and the clients' engine times in /proc, and samples the status registers of the graphics pipe some thousand times a
// second.
//
// A status bit that was set in k of n samples says that its block was busy for about k/n of the time: an estimate in
// wall time, with a standard error, and no counter of cycles. Both k and n are recorded, so that longer stretches are
// computed from all their samples; the catalogue amd-live makes percents of them. Reading a register keeps the GPU from
// switching itself off.
//
// Values that the driver makes with the help of the GPU's firmware are slow: a thread of their own reads them about
// every 100 ms and a sample holds the latest. What cannot be read is missing with the reason, or left out with a
// warning where it never can be.
//
// What belongs here: finding the GPUs, asking, decoding, explaining refusals. Only kernel_linux.go makes device
// requests. Facts are from include/uapi/drm/amdgpu_drm.h, Documentation/gpu/amdgpu and
// Documentation/gpu/drm-usage-stats.rst of the kernel.
package amdgpu
