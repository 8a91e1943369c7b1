// Package amdgputop reads what amdgpu_top prints with -J (--json): an object in each line, with what it read of every AMD GPU.
//
// Its values become the counters of the catalogue amd-live. Of a status bit amdgpu_top prints how many of 100 readings in a
// period found it set, in percent: these are the counts, exactly. Engine times of programs are rounded to percent of the
// period, and memory to MiB. The period of each object is the time since amdgpu_top began; a log of a version that prints the
// length of the period instead reads as well. What is null is missing.
//
// Where a log is of several GPUs the busiest is read, or the one that the option card names.
package amdgputop
