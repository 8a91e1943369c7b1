// Package kbase reads the counters of Mali GPUs through Arm's own kernel driver, as phones and vendor kernels have it,
// on /dev/mali0. It speaks both of the driver's interfaces, kinstr_prfcnt and the older hardware counter reader
// (vinstr), and to all versions of the driver since Midgard.
//
// Numbers, structures and rules are those of the driver's public headers; every size that the kernel tells is taken
// from it.
package kbase
