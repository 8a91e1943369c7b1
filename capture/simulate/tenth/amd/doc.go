// Package amd is a model of compute kernels on AMD's Strix Halo (gfx1151) under rocprofv3: what its counters say of each
// dispatch, and what limited the program.
//
// # How it simulates
//
// Waves are simulated one by one, by events. A kernel is a short program of a wave: rows of vector instructions, of
// instructions of local memory, loads, stores, waits for loads, barriers, in a prologue, a loop and an epilogue. A
// workgroup processor with its part of the machine is a closed network of servers that serve in order: the launcher of
// waves, four SIMDs, two addressers with their L0, two halves of the local memory, and its part of GL1, GL2, the way to
// the memory with the cache in front of it, and DRAM. Between servers only time passes. A wave waits where its program
// says so, an addresser's queue is finite, a wave ends when its stores are under way, a workgroup starts when registers,
// wave slots and local memory are free for all of it. So the number of waves limits how much latency is hidden.
//
// A few generations of workgroups are simulated. A larger grid goes on as the middle of them did, in time and in every
// count; its beginning and its end, which are not full, are simulated once. A loop may be a number of times as long as
// simulated, and then time and counts are multiplied. Dispatches of a kernel differ by a drift, by noise, and by being
// the first ones; between them lie the profiler's gaps, which belong to nobody.
//
// # Truth
//
// Each kernel is simulated again with one part 1.5 times as fast: the rate of a unit together with the time from an
// instruction to its result in that unit; GL1 and GL2; the memory and the way to it; all latencies from L0 on and that
// of the scalar cache. Launch overhead, from a dispatch's start to its first wave and after its last, becomes none.
// What is drawn for a wave depends on its number and step alone, so that nothing else changes. Shares come from another
// source than gains: from the end of a simulation a walk goes back over what each step waited for, the wave's own step
// before or the one ahead of it in a queue.
// Start and End of parts are times of dispatches without the gaps, and frames are dispatches.
//
// # Where facts are from
//
// Names, units, and which counters exist: the catalogue gfx1151. What counters count for a request, from the public
// capture of a vector copy (gfx1151-vcopy): a line of 128 bytes is one read of GL1 and GL2 and two writes, L0 counts 64
// bytes, GL2 counts a line's second write as a hit, arbiters are busy for a clock for each request, GL1 has 16 counting
// banks and GL2 8 channels, wave cycles are single clocks, internal instructions are about as many as there. Registers
// for counters by block, counters of L0 that stay 0 at power level auto, and the noise between runs:
// shared/reference/amd-hwio.md. 40 or 32 compute units, 256 GB/s, from AMD's product pages.
//
// # What is assumed
//
// Attainable shares of rates, all latencies, the launcher's rate (one wave in 1.3 to 2.4 clocks and shader engine, which
// the vector copy does not contradict), and the cache in front of the memory as a share of requests for each kernel.
// Waits for a vector result count in SQ_WAIT_ANY. Waiting for local memory's queue counts for 0.6 as ready and not
// issued, the rest as a wait for results. TCP_REQ_MISS counts reads only. Stalls of L0 and GL1, and of the arbiters, are
// rough: they follow the queues of the simulation with factors that are
// drawn for each machine. A read's latency between GL1 and GL2 is counted up to a window of 0.5 to 1.3 us of waiting behind
// GL2: what waits longer is taken to wait before it. The clock is constant for a case.
// In half of the cases every run counts GRBM_GUI_ACTIVE again.
//
// # What is left out
//
// Queues beside each other, instruction cache misses, scratch, atomics, images, address translation, traffic of
// processors and display in the memory that they share, power limits, and imbalance between workgroup processors
// other than the last round of workgroups. Counters that are stale in the public capture are not recorded. The second
// family that was thought of, draws under GPUPerfAPI, is not here.
package amd
