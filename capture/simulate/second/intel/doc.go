// Package intel is a second model of Intel's GPUs: frames of Kaby Lake GT2 and Tiger Lake GT2 as the hardware's
// observation reports would show them, with what limited them. Its author knew neither the rules that judge captures
// nor the first simulator, so that what both agree on is no habit of one author.
//
// A pass goes through a pipeline of ten stages, from the command streamer to the pixel backend, in steps of a few
// microseconds. Each stage works at the pace of its own units, on draws that differ, and no further than its input and
// the buffers behind it allow. Vertex and pixel shaders share the EUs; all share the memory interface and the memory.
// In the shader stage the times of EUs, samplers, data ports, local memory and L3 overlap as far as a few threads per EU
// let them, and by Little's law the threads that fit, each waiting for its loads, bound the rate as well. Passes have
// fixed times to start and to drain. Around them, an application and a driver on their own threads, a media engine or
// blitter, the display's buffers and a governor of the clock decide when frames begin.
//
// Counters follow from the same steps: what stages move, how long they work, lack input or are held up, how many threads
// are loaded. Candidates' gains come from playing the same frames again with one of them relieved. Shares say what
// the render engine did in each instant, and whom it waited for.
//
// It rests on public facts: the published equations of the metric sets and what their counters count; 24 EUs with seven
// threads in three subslices, or 96 in six pairs; 64 bytes per clock of L3 and local memory per subslice and of reads of
// the memory interface, 32 of writes; four bilinear samples per clock and sampler; the usual rates of triangles and
// pixels; DDR4 and LPDDR at what they carry at best, less a quarter; the kernel's evaluation of busy intervals.
//
// It leaves out tessellation and geometry shaders, stream output, compute beside rendering, the heat of a package over
// time, power as a sum (a limit is a clock that wanders), what the display reads of memory, and other programs' passes
// between a program's own.
package intel
