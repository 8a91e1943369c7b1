// Package gfx1151 simulates compute kernels on AMD's RDNA 3.5 (Radeon 8050S and 8060S) as rocprof-compute measures
// them: the program is run again and again, each run counts what fits into the blocks' counters at once, and a kernel
// takes another time in every run.
//
// How many compute units, caches and channels there are, what requests are how wide and which counters are measured
// together are facts of AMD's documentation and of the real capture that the project has. How long a kernel takes to
// start, how much of its time lies outside of its timestamps, and how clocks differ between runs are invented and
// said so where they stand.
package gfx1151
