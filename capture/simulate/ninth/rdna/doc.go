// Package rdna is a ninth model of Radeons, by an author who has seen neither the rules of the diagnosis nor the other
// models: kernels of RDNA 4 as rocprofv3 records them (gfx1201-ninth), and draws and dispatches of RDNA 2 and 3 with the
// public counters of GPUPerfAPI (amd-gpa-ninth). Programs are drawn from short texts of numbers and ranges.
//
// It follows the waves of one work-group processor, the one with the most of them, through rounds of loads, arithmetic,
// local memory, stores and a barrier. Each step waits for its server (one of four SIMDs, one of two local memories, one
// of two L0 caches), and what L0 lacks goes on to the processor's share of GL1, GL2 and of what is behind, whose queues
// hold up L0 where they are long. Which level answers a load is drawn from the shares of misses. A wave starts where the
// registers of another, or of a whole work-group, are free. In a draw, vertex waves are fed by the fetch of indices,
// their primitives are set up in order and rasterized into units of 64 pixels, which are tested, wait for room, are
// shaded and leave through the color blocks. Of large jobs some turns are followed, and the time from one turn to the
// next is taken for the others. Every wave remembers what it waited for, itself and before it the wave whose room it
// took, so that the last one knows what set the pace. What limits is found by relief of one thing after the other with
// the same random numbers.
//
// Facts: work-group processors, shader engines, clocks, widths and sizes of memory and caches, color blocks of the
// products are from AMD's product pages and the whitepapers of RDNA; the rates of issue (one vector instruction of 32
// lanes in a SIMD and clock, doubles and matrices at a sixteenth, transcendentals at a quarter beside others), of L0
// (128 bytes and one tag in a clock), of filters (four bilinear texels) and of local memory (32 banks of each of two
// arrays) from the whitepapers and instruction set guides; the five clocks until a result can be used and latencies
// of caches from published measurements of Chips and Cheese, rounded. What a counter counts is from the catalogue,
// whose sources are rocprof-compute and the programs of GPUPerfAPI: MemUnitBusy and TexUnitBusy are one counter, and
// the quads that are left after the early test and those before the late one are as well. Counters of the fabric are
// taken before the Infinity Cache, so that their traffic can pass what DRAM can do.
//
// Assumed: shares of peaks that are reached (see machine.go), depths of queues, 1.5 clocks of a shader engine for a
// wave, rates of geometry (two culled primitives or one kept in a clock and engine, vertices at a little less than one),
// the rate of Infinity Cache, compression, the units that are busy while something is in them by Poisson's law, 900 ns
// that the profiler's packets take beside a dispatch, one arbiter to memory for each of 16 channels, and every number of
// programs. On RDNA 4, GL1 gathers requests and keeps hardly any data. SQC_LDS_IDX_ACTIVE counts both arrays of local
// memory, as the panels of rocprof-compute take it; rocprofiler's LdsUtil would then reach 200 percent. For that doubt
// SQ_INST_CYCLES_VALU, whose unit no source states, is not recorded. With clocks left to the driver the counters of L0
// read 0 with some recorders.
//
// Recorders choose blocks of counters, which take as many runs as the slots of the hardware make necessary; runs differ
// in time and misses, and the first dispatch is slower. Withheld are the counters of package telling, and a few more.
//
// Left out: several queues, tessellation, mesh shaders, ray counters, images in compute, partial waves, instruction
// cache misses as a limit, clocks that change within a dispatch, stale GRBM counters, and variation between engines.
package rdna
