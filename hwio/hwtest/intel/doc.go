// Package intel models the OA units of Intel GPUs for the emulated kernel: the silicon, its clock and what runs on it,
// what counters count, reports, and the account of what was delivered. Models of the drivers, packages i915 and xe of
// this folder, put their interfaces in front of it.
//
// Everything here is a reading of what is public of the hardware. It imports nothing of astrolabe but hwtest: a decoder
// shared with the readers would hide the mistakes of both.
//
// Reports come from a workload with known truth: a frame of a sixtieth of a second in which two or three contexts run
// and the GPU then idles. True counters have 64 bits and are a function of the device's clock, so nothing needs to be
// computed before it is read; a report holds as many of their bits as its format has. Truth says what was delivered.
package intel
