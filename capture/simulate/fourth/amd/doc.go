// Package amd is a fourth model of AMD's Radeons, in two families: amd-gpa-fourth is what GPUPerfAPI tells of draws and
// dispatches that a profiler runs one after the other, amd-live-fourth what the driver's files and the sampled status
// registers tell of a program that runs. Its author had seen neither the rules of the diagnosis nor the other models.
//
// # What is modelled
//
// A pass is counts of work: primitives, quads, waves, their instructions, requests and what the caches answer of them
// (work.go). It is cut into up to 28 packets, which go through the pipe in a simulation of events (pipe.go): geometry
// engine, vertex waves, primitive assembly, rasterizer, depth blocks, pixel waves, colour blocks, memory. Servers work
// on one packet at a time, in the order in which packets come. Pools of few places stand between them, so that what is upstream
// waits when what is downstream is full; waves take turns between arithmetic, local memory, texture addressers, L2, memory
// and the latency of it. So units work for 70 to 95 percent of the time even where they limit, by fill, drain, uneven
// packets, and an efficiency that is drawn for each.
//
// A profiler holds the clock and waits between draws, so its cases are the passes as they are (draws.go), and counters
// are the sums of what the packets did (counters.go).
//
// A live program is frames (frames.go) of an application thread, a driver that may have a thread of its own, two queues
// of the GPU (gpu.go), and a display, a cap or requests. Jobs of the two queues that run at a time slow each other by
// what they ask of the same servers. Firmware sets the clock every 4 ms: by a limit of power, by heat, by a level that
// someone set, or by the load. The status registers are read some thousand times a second, and find the bits of a job with
// the shares of time that its pass has work in a block (status.go); sensors and firmware are read ten times a second (live.go).
//
// # The truth
//
// Each candidate is relieved and everything simulated again: services and latencies take two thirds of their time, a
// needless dependency or a wait for results is left out, the clock is the highest. Shares are read off the events: from
// the last one back over what each had waited for.
//
// # Facts and their sources
//
// Products: AMD's pages of specifications (compute units, clocks, memory, last cache, board power). Rates: AMD's RDNA
// whitepapers and instruction set guides: a SIMD issues an instruction of a wave of 32 a clock, a compute unit filters 4
// texels a clock, a channel of L2 gives 64 bytes a clock, a colour block's pixel of 4 bytes takes a clock of one of its
// outputs, 16 waves a SIMD. Counters: the public tables of GPUPerfAPI 4.3. Status bits: the kernel's register headers.
//
// # Assumptions
//
// Latencies (some 110 clocks in L0 to 300 ns more to memory), that a busy bit is an OR over 1.2 to 2.4 instances that
// know nothing of each other, what share of the power passes draw, how much of colour and depth stays in L2, and every
// range in content.go are invented or remembered, not measured. Power follows the clock with 2.4.
//
// # Left out
//
// Draws that overlap without a barrier, several programs that share a GPU beyond a compositor, copies and evictions, video
// engines, the time to wake from GFXOFF, and clocks of memory that follow the load.
package amd
