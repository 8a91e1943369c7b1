// Package capturetest describes captures whose bottleneck is known: what is planted, how heavily, with how much noise,
// idleness and change of clock. One package per family of GPUs below it makes them from a model of the pipeline, so
// that the counters obey the hardware's identities. Only tests and the generator command import it.
package capturetest
