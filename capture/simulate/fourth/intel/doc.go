// Package intel is a fourth model of Intel's GPUs, by an author who had seen neither the other models nor the rules of
// the diagnosis: the GT2 graphics of Kaby Lake, which share memory and last-level cache with the processor, and an Arc
// A770 with memory of its own.
//
// # What is modelled
//
// A pass is cut into 40 strips, which go through eleven stages one after the other: command streamer, vertex fetch,
// vertex shaders, clipper, setup, rasterizer, hierarchical depth, early depth, shader cores, pixel backend, memory. Between
// stages is room for one or two strips; a stage whose follower is full holds what it has done (blocking after service).
// Geometry and pixels vary from strip to strip each by itself, so that stages starve and fill up as they do when meshes
// and surfaces alternate. A dispatch or pass that needs the one before begins when that has drained, after a gap.
//
// In the shader cores a strip takes the fourth or eighth root of the sum of such powers of the times of arithmetic,
// samplers, data ports, shared local memory, ray tracing units, L3, memory and latency: near the longest where the
// threads can overlap, longer where several are alike. Latency is what the requests of the loaded threads take, and
// rises with the load of memory.
//
// Two queues work beside each other (rendering, and compute or copies); where together they need more of a unit than
// there is, both slow down. An application and a driver feed them, with frames ahead, batches, and waits for results. A
// governor sets the clock from how busy the GPU was, below a ceiling that moves with heat or follows a budget of power.
// Frames are shown at once, at a refresh, or at a variable one; limits on the rate and requests set dates.
//
// # Truth
//
// Everything is simulated again with each candidate's time reduced to two thirds, a needless wait removed, or the clock
// held at what the other limits allow. Shares are those of the path back from the last frame over what each stretch of
// time waited for, through the strips of each pass too. Time that a pass takes longer than at the highest clock is the
// clock's.
//
// # Facts
//
// Counters, sets and formulas are those of the catalogue; A0 counts the engines that feed EUs, and not those of copies or
// video (published for Ivy Bridge: not while the render engine is idle and others work); report and clock rates those of the kernel's interface. Intel's
// white papers on the compute architecture of Gen9 and on Xe-HPG: numbers of EUs and threads, two pipes of four lanes
// or one of eight, a sampler and a data port for a subslice or Xe-core with 64 bytes a clock, a block of 2x2 texels a
// clock (Gen9) or two (Xe-HPG), local memory, a ray tracing unit for an Xe-core; 64 bytes read and 32 written a clock at
// the ring. Slices rasterize and write two blocks of 2x2 pixels a clock on Gen9, four on Xe-HPG. Memories by their data
// sheets: two channels of DDR3L or DDR4, and 512 to 560 GB/s of GDDR6.
//
// # Assumptions
//
// That memory reaches 74 to 88 % of its peak; latencies of 110 to 380 ns beyond L3; 3 to 10 µs between launches, in part
// of the machines with the engine idle; rates of vertex fetch, clipper, setup and coarse depth of one, half, half and
// one a clock and slice, or near that on Xe-HPG; that a stage counts as bottleneck mostly while what follows it has
// room. When a sampler counts as busy or as bottleneck is made up, too.
//
// # Left out
//
// Tessellation, geometry shaders and stream output, which count nothing. Video engines. Contexts and preemption. The
// power that the processor takes from the graphics. Sets of registers that no formula of the modelled sets reads.
package intel
