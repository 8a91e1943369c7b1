// Package rocprofiler measures AMD GPUs through the device counting service of rocprofiler-sdk, the library of ROCm 6.3
// and newer: hardware counters of every block, by instance, of all that runs on the GPU, without serializing it.
//
// The library lives in another process, astrolabe-vendorlib (see hwio/internal/vendorproc): it can be set up once per
// process, so that process is started afresh for every question and every recording. Values are cumulative since the
// start; this package makes the differences between consecutive samples of them. It opens no device itself.
package rocprofiler
