// Package intel is a third model of Intel's GPUs with OA metric sets: Kaby Lake GT2 and Tiger Lake's Iris Xe. Its author
// knew neither the rules of the diagnosis nor the other simulators, so that frames of it judge both.
//
// A pass is cut into chunks of draws that go through the stages of the pipeline: command streamer, vertex fetch, clipper,
// setup, rasterizer, hierarchical depth, early depth, shading, pixel backend. Each stage takes one chunk at a time, and
// buffers of two chunks let stages block those before them. Shading is a closed queueing network: as many threads as
// registers and local memory let reside go around between EUs, sampler, data port, SLM, L3 and memory, with a delay for the
// latency of the round trips that depend on each other; mean value analysis gives throughput, use and waits. Passes
// begin with a flush of fixed cost. Frames are a graph of moments (application, driver, another engine, passes, display)
// in which each waits for others: buffers, read-backs, needless dependencies, caps, refreshes, requests. A governor looks
// at how busy the GPU was every 10 to 30 ms; power and heat hold the clock below its highest. Gains are found by running
// all that again with the same draws; shares by walking back along what each moment waited for.
//
// It rests on public facts: numbers of EUs, threads, subslices and their ports, 4 and 8 texels per clock of a sampler,
// 64 bytes per clock of L3 banks, data ports and the GT interface, fills of 8 and 24 pixels per clock, DDR4, LPDDR3 and
// LPDDR4X (Intel's programmer's reference manuals and its papers on the compute architecture of Gen9 and Gen11), and
// what the OA unit counts (the same manuals, and the metric sets of the open drivers). Reports have the hardware's
// periods; the recorder keeps the GPU awake, so that its clock is counted while it idles. Where no number is public
// (rates of clipper and setup, costs of flushes, efficiencies) plausible ones stand in.
//
// Left out: geometry shaders and streamed output, typed surfaces, the instruction cache, TLBs, stalls between vertex and
// pixel threads beyond sharing the EUs, other contexts on the same engine, and the processor's use of memory but as a
// lower bandwidth. Counters of what is left out are not in the captures. Subslices and L3 banks are nearly alike.
package intel
