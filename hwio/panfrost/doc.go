// Package panfrost reads the counters of job-manager Mali GPUs through panfrost, the mainline kernel's driver, and says
// what is missing where the mainline driver of newer GPUs, panthor, is bound instead.
//
// Panfrost's counter requests are behind its module parameter unstable_ioctls, serve one program at a time, and answer
// with 32-bit increments since the previous dump.
package panfrost
