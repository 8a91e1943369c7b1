// Package intel simulates programs on Intel's Battlemage (Arc B580 and B570) and makes captures with the raw counters
// that the driver xe delivers for one public metric set. It was written apart from what reads such captures.
//
// # How it simulates
//
// Time goes from event to event: threads of the application and of the driver, hardware queues of render, compute and
// copies, a display, a governor that looks every 5 ms. Between two events nothing changes, and what runs is in a steady
// state, which is not simulated but solved (network.go): the threads that vector engines hold are the customers of a
// closed queueing network whose stations are the arithmetic pipes, samplers, data ports, local memory, ray tracing units,
// L3 and memory; the time that a thread waits for answers without a queue is the latency. Approximate mean value analysis
// (Schweitzer's) gives how fast threads leave, how many are where, and how much two queues hinder each other, as two
// classes of customers that share the thread slots. Threads come in bursts, which softens the limits. Stages of fixed
// function (vertex fetch, clipper, setup, rasterizer, hierarchical depth, early depth, pixel backend) work on a draw in a
// row with finite buffers between them: times combine by a norm of the fifth power. A pass is a few chunks whose mixture
// of work differs, and frames differ slowly. Attainable rates are 68 to 94 % of the peaks.
//
// # Truth
//
// Every candidate is relieved in turn and the same frames are simulated again. What set the pace is read off the
// simulation: from the last frame back over what each event waited for. Within a chunk the time is divided by
// elasticities, how much a station that is a little faster would quicken the chunk. These add up to 1, because a machine
// with everything twice as fast takes half the time. With a clock below its highest, the part of core-bound time that the
// highest would have saved is the clock's. Where a wait that no data demand kept a queue, or the application, from
// working, the time that it could have worked then is the wait's. Launch overhead is relieved to 1 % of it.
//
// # Where facts are from
//
// Metric sets, which counter of a report counts which event, the units over which counters add up, GUIDs, the format of
// reports: igt-gpu-tools by way of the project's tables. Numbers of Xe-cores, slices and vector engines, clocks, board
// power and memory bandwidth: Intel's public data of the two cards. The names of columns, labels, properties, gaps and
// warnings are those of the project's recorder.
//
// # Assumed
//
// Peak rates of fixed function per slice and clock (1.5 vertices, 1 primitive in the clipper and 7 more clocks for one
// that a plane cuts, 0.75 in setup, 1 block of up to 32 samples in the rasterizer, 2 depth pipes that take 1 clock for
// a block, and 2 more where it fails, 16 samples of early depth, 16 pixels), 2 blocks of 2x2 texels, 2 accesses of 64
// bytes, 128 bytes of local memory and 3 steps of rays per Xe-core and clock, one access of 64 bytes per L3 bank and
// clock; 24 or 20 banks in nodes of four with a channel of memory each; latencies; that INPUT_AVAILABLE counts work
// waiting or being worked on, that OUTPUT_READY of a stage is high as well where the next stage holds it up, and that
// stages before one that limits are held up most of the time; how stalls divide into reasons; that XVE_..._CS counts
// kernels of the render engine and ASYNC_CS those of the compute engine; that the OA unit's clock has 19.2 MHz and the
// core clock goes on when idle.
//
// # Left out
//
// Video engines and media sets; Ice Lake; the set TestOa; tessellation, mesh shaders, stream output, coarse pixel shading
// (their counters are 0); the PCI Express bus as a limit; preemption and several programs at once; columns that the
// recorder keeps only to write files of other tools. In rounds of several sets each has its own stretch of one run,
// rather than a run of its own. The hardware samples by itself, so that a late sample is one before which a report was
// lost.
package intel
