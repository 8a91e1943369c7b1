// Package intel is an eighth model of Intel's integrated GPUs: Gen9 GT2 of Skylake and Kaby Lake laptops
// (intel-kbl-gt2-eighth), and Xe2 of Lunar Lake (intel-lnl-eighth). Its author had seen neither the rules nor other models.
//
// # How it simulates
//
// By discrete events in the EUs. The unit of work is a batch: a thread in each EU of a cluster, which is what shares a
// sampler and a data port (a subslice of Gen9, two Xe-cores of Lunar Lake). A batch alternates between instructions,
// which two pipes execute, and messages, which one pipe sends to the sampler, data port, local memory, ray tracing or
// pixel backend. Each serves one after the other. Before each stands a queue of a certain length, and whoever finds it
// full is held up: the pipe that sends, with all messages behind, and before L3 and memory the sampler, port or bank
// itself. Draws come through vertex fetch, vertex threads, clipper, setup, rasterizer, hierarchical and early depth,
// with room for a few items before and behind the clipper; batches wait for free slots (shade.go, threads.go).
//
// A pass is simulated so for its first 150 items; a longer one goes on as its middle does, which is what sampled
// simulation of processors does too. That is done once for each pass, step of the clock and relief (section.go). Frames
// then are a row of sections between synchronisations, with the processor's threads, the display and the clock's
// governor around them (frames.go). Limits are found by relief of each candidate in both (judge.go). Draws of luck are
// functions of a batch's number, so that simulations differ by the relief only.
//
// # Facts, with sources
//
// Numbers of the vendor's papers are from memory of them and were not looked up again. Looked up were: EUs of Gen9 GT2, and of
// Xe2 the Xe-cores, slices, width of vector engines and boxes of ray tracing units.
//
// Gen9 (Intel, The Compute Architecture of Intel Processor Graphics Gen9, 2015): 24 EUs in 3 subslices, 7 threads an EU, two
// SIMD-4 pipes, so that an instruction of a SIMD16 thread takes 4 clocks; both execute floating point, and those of one
// clock come from different threads; a sampler and a data port of 64 bytes a clock in each subslice; local memory of 64
// bytes a clock; L3 of four banks of 64 bytes; 64 bytes a clock from the ring. Clocks of 300 to 1150 MHz, one or two
// channels of DDR4-2133, LPDDR3-1866 or DDR4-2400: ark.intel.com. Four pixels a clock bilinear in a sampler, 16 rasterized and 8
// written: the same paper and its predecessor of Gen8.
//
// Xe2 (Intel, Lunar Lake at Computex 2024): 8 Xe-cores of 8 vector engines, SIMD16 natively, 8 threads each, up to 2.05
// GHz, 8 MB of L2, LPDDR5X-8533 of 128 bits (136.5 GB/s), 2 slices with a rasterizer and pixel backends each, 8 ray tracing
// units of 18 boxes a clock (also tomshardware.com and chipsandcheese.com of 2024). That 32 pixels are written is assumed.
//
// OA reports, metric sets, periods of 2^(e+1) ticks of 12 or 19.2 MHz, properties of the driver: shared/reference,
// hwio/xe and the catalogue, whose equations say which counter holds what. While a stream is open the GPU does not sleep
// (i915_perf.c), so that GPU_TICKS goes on with the clock that the governor leaves. The governor goes up where busy and at
// once where a program waits (intel_rps.c). /proc/stat counts in hundredths of a second.
//
// # Assumed
//
// Attainable shares of memory's bandwidth (0.72 to 0.86) and of pipes' clocks (0.86 to 0.96); lengths of queues; latencies of
// samplers, L3 (160 to 220 clocks) and memory (140 to 260 ns); rates of clipper, setup and vertex fetch, of tests of
// hierarchical depth (8 and 32 quads a clock, a quarter of the rasterizer's cost for what they reject) and early depth;
// eight banks of a line a clock in the L2 of Lunar Lake; hit rates; 900 ns of a draw and 4 to 30 us of a
// synchronisation; how power and heat hold the clock (a third power of it, 120 ms); what programs consist of.
//
// What counters count while something else limits follows from the simulation. The hardware's own definition of some
// is unknown: a bottleneck of a fixed function is the time in which work waits for it, a stall that in which what follows
// takes no more, a sampler's bottleneck that in which messages wait for room. Stalls of Xe2 divide by an assumed key.
//
// # Left out
//
// Hull, domain, geometry and mesh shaders, stream output, the copy and media engines, matrix extensions, page walks,
// instruction caches that miss, divergence, thread dispatch that takes time, barriers that do, L3 bank conflicts in
// detail, contention with the processor's own memory traffic, and frames on request. The time of two passes side by side is that of their
// middles. OA sets without counts of the model are refused.
package intel
