// Package amd is a second model of Radeon GPUs of RDNA 2 and RDNA 3, and of what feeds them, with which the diagnosis is
// judged. Its author knew neither the rules of the diagnosis nor the first simulator: only the data model of captures,
// the catalogues of counters, and what AMD and others have published of the hardware.
//
// A draw or dispatch is a row of some dozens of batches that flow through servers with a queue each: geometry engine,
// primitive assembly, scan converter, depth and color blocks; in the shaders vector arithmetic, texture addressers
// (which buffer loads go through as well) and local memory; L2 and memory. Shader stages are rounds of arithmetic and
// accesses of which each needs the one before, and end in a latency that other batches hide as far as wave slots last.
// Parameter caches, wave slots and the FIFO before the color blocks are room that batches take and give back, through
// which pressure goes back up the pipeline. Every visit remembers whose end let it begin; the way back from the last
// one is what set the pace.
//
// A capture of GPUPerfAPI (amd-gpa-second) runs each draw of a frame alone, as a profiler does. A live capture
// (amd-live-second) puts the draws of a frame one behind the other, at a clock that the firmware may hold down, beside
// a thread of the application and one of the driver, in front of a display that may refresh, with two or three buffers;
// it reads status registers ten thousand times a second, and what firmware and kernel say every 100 ms. Reliefs are
// further runs with the same draws.
//
// Facts: rates per clock, bandwidths and compute units of data sheets and of AMD's white paper of RDNA; latencies and
// rates of caches from public measurements; programs of public counters from GPUPerfAPI, such as that the assembler is
// busy less what it outputs and what the scan converter holds up, or that bank conflicts are per SIMD; status bits from
// the kernel's headers: a bit is that of all instances together.
//
// Left out are tessellation, mesh shaders and ray tracing units, instruction and scalar caches, wave limits other than
// a number of slots, passes of one queue that overlap (but for their start), page faults and evictions, other programs
// on the GPU, and clocks that change from frame to frame. The infinity cache is a share of traffic that memory is
// spared. Captures of GPUPerfAPI have no columns of the processor, whatever is asked for.
package amd
