// Package rdna simulates compute kernels on AMD's RDNA as rocprof-compute measures them: the program is run again and
// again, each run counts what fits into the blocks' counters at once, and a kernel takes another time in every run.
// The GPUs are gfx1151 (RDNA 3.5, Radeon 8050S and 8060S) and gfx1201 (RDNA 4, Radeon RX 9070 and its siblings).
//
// How many compute units, caches and channels there are, what requests are how wide and which counters are measured
// together are facts of AMD's documentation and, of gfx1151, of the real capture that the project has. No capture of
// RDNA 4 is public: its counters are those that AMD's panels of it read, measured together as those of gfx1151 are.
// How long a kernel takes to start, how much of its time lies outside of its timestamps, how clocks differ between
// runs and how much of a kernel is matrix instructions are invented and said so where they stand.
package rdna
