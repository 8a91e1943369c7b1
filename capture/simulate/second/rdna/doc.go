// Package rdna is a second model of compute kernels on Strix Halo (gfx1151, RDNA 3.5), as rocprof-compute measures
// them: one sample per dispatch, counters from ten runs of the program. Its author knew neither the rules of the
// diagnosis nor the first simulator.
//
// It is an event model of one workgroup processor (WGP) with its share of what all have in common. Waves run programs
// of vector and scalar arithmetic, LDS accesses, loads, stores, atomics, waits and barriers. SIMDs, LDS halves,
// texture addressers, GL2, the fabric with its memory-side cache, DRAM and the launcher of waves are servers that
// take one after the other; registers, LDS and wave slots bound how many waves are resident, and each L0 how many
// requests are under way. So latency limits where waves and their loads run out, and nothing else is asserted. The
// truth is found by running the kernels again with one thing made better. Shares come from the critical path through
// the events.
//
// Facts it rests on: a public capture of vcopy on a Radeon 8050S (which counters there are and in which run, units
// and proportions: requests of 64 and 128 bytes, 5 DRAM requests per line, 16 clocks of GL1 per cycle, counters of
// GL0 that read 0 behind a gated clock, stale GRBM counters), AMD's RDNA 3 instruction set manual (wave32, counters
// to wait for, LDS of 128 KiB and 2 x 32 banks per WGP, transcendentals at a quarter of the rate), the product's data
// sheet (32 or 40 CUs, 2.8 to 2.9 GHz, 2 MiB GL2, 32 MiB memory-side cache, LPDDR5X-8000 of 256 bits), and
// latencies of the order that is known of RDNA 3. How fast GL2 and the launcher are, and how many requests are under
// way below GL0, is fitted to that capture, which the model meets to some 20 percent.
//
// Left out: one WGP stands for all, so that none ends before the others (what they have in common serves bursts of
// one as fast as if the others were out of step), address translation, instruction cache misses beyond a kernel's
// first ones (as in the real capture, whose counters of that cache are 0 afterwards), dual issue as a rate of its
// own, the way DRAM turns between reads and writes, clocks that change while a kernel runs, the processor's own
// columns, which no such capture has, and graphics. Counters of levels that are busy or stalled follow the load of
// the model's servers; a few of the command processor's are constants of the real capture with noise.
package rdna
