// Package amd is a third, independent model of Radeon GPUs of RDNA 2 and RDNA 3. Its author knew neither the rules of the
// diagnosis nor the other simulators: what is here rests on public descriptions of the hardware alone.
//
// Draws and dispatches are cut into pieces that pass through the geometry engine, primitive assembly, the scan converter,
// the depth blocks, the launcher of waves, rounds of vector instructions, local memory and address units, and the colour
// blocks, in an event model. Every station serves one piece after the other at its rate; accesses go through three levels
// of cache, the last level and memory, each with its bandwidth, and take the latency of where they hit. Pieces that fit
// into the compute units, misses that a cache can have on their way and room between geometry and the scan converter
// bound what is in flight, so that latency limits where requests run out. The path of what waited for what, walked back
// from the end, says what set the pace; gains are those of the same pieces simulated again with one rate, latency or cost
// changed.
//
// The family amd-gpa-third is a frame whose draws were measured one by one, as GPUPerfAPI does, which drains the pipeline
// between them; its counters are those that the part's generation has, computed by their public definitions, each from
// a pass of its own. The family amd-live-third plays frames of such works on two queues, between an application's thread,
// a driver's thread and a display, with a governor and limits of power and heat, and records what the amdgpu driver tells
// every user: status bits found set at random moments, and the firmware's slow sensors.
//
// Facts: numbers of units, clocks, bandwidths and sizes of caches from AMD's pages; latencies of levels and rates of
// geometry and pixels as independent measurements published them; definitions of counters from GPUPerfAPI 4; bits from the
// kernel's headers. LocalVidMemBytes counts requests in front of the last level, so that it may be above what memory can
// give. Shapes of content are of how engines publish their frames.
//
// Left out: tessellation, mesh shaders, video engines, system DMA, paging, dual issue, the instruction cache's misses as a
// cause of waiting, address translation, unequal memory channels, and clocks of the memory that change. Compute units
// share one server per kind, so differences between them are only in the counters that take the busiest.
package amd
