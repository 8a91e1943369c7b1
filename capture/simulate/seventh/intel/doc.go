// Package intel is a seventh model of Intel's GPUs, of Tiger Lake (Gen12, Xe-LP) and of DG2 (Alchemist, Xe-HPG), by an
// author who had seen neither the rules of the diagnosis nor the other models.
//
// It simulates in another way than the engine of package simulate does: as a fluid with queues. A pass is a fluid that
// runs through the stages of the 3D pipe, each of which is somewhere between 0 and 1 of it. In a step, which is a
// fortieth of the pass or less, a stage goes on as far as its rate, what the stage before has made and the room in front
// of the stage behind allow; so back-pressure, waiting for input and a pipe that fills and drains come out by
// themselves. The rate of a stage of threads follows from approximate mean value analysis (Schweitzer, 1979): so many
// threads as the EUs hold go round between EUs, samplers, data ports, local memory, ray tracing units, banks of L3 and
// channels of memory, each with queues, and a wait that nothing shortens but a lower latency. Vertex and pixel threads
// share the EUs, and so do render and compute engines and the copy engine's requests at memory. The processor, the
// display and the clock's governor are events beside that. Nothing is drawn while a simulation runs: it differs from
// another of the same case by what is relieved and by nothing else. Limits are always found by relief (judge.go).
//
// What counters count:
//   - EU active is either pipe or a message going out, EU stall is a thread there and none of that, both added over EUs;
//     occupancy comes from Little's law where the pipe makes fewer threads than there is room for.
//   - A sampler is busy as long as it works on what it was asked for, which takes longer than a clock for a block where
//     it filters more; its bottleneck is that its queue is full, of a geometric number of waiters with the mean of the
//     analysis. The same holds for banks of L3, data ports held up by these, and the queues to memory.
//   - A stage of the pipe is a neck when it works, the one before cannot hand on and the one behind waits; a tenth of its
//     other work shows too, because signals are not that clean. It is stalled when it cannot hand on.
//   - GPU busy is render or compute with a pass, with its start and barriers. The copy engine is not in it.
//
// Facts, with their sources:
//   - Formulas of metrics, sets, formats of reports, 7 threads to an EU of Tiger Lake and 8 of DG2, what A0 to A37 count,
//     that a report's time is the hardware's timer with 2^(exponent+1) ticks: igt-gpu-tools and Intel's manual, as kept in
//     shared/reference/intel_families.md and intel-oa-hwio.md. Peaks of 64 bytes a clock to memory (512 on DG2), of 64 to
//     the data port and 128 to local memory of a dual subslice: the sets' peaks.
//   - 96 or 80 EUs in 6 or 5 dual subslices, 48 texels and 24 pixels a clock, 3.8 MB of L3, up to 1.35 GHz: Intel's
//     Architecture Day and Hot Chips 2020 (Xe-LP). LPDDR4X-4267 has 68 GB/s, two channels of DDR4-3200 51 GB/s.
//   - Up to 8 slices of 4 Xe-cores with 16 vector engines, 8 texels a clock of a Xe-core, 16 pixels and one rasterizer to
//     a slice, 16 MB of L2, GDDR6 of 512 to 560 GB/s, 2.0 to 2.4 GHz: Intel's Architecture Day 2021 (Xe-HPG), data sheets.
//   - Waits of 170 to 260 ns for memory and of 150 to 220 clocks for L3 on Tiger Lake, of 230 to 330 ns and 180 to 260
//     clocks on DG2: near what public microbenchmarks of pointers (Chips and Cheese) show; the exact values are assumed.
//   - While a stream of reports is open the driver keeps the GPU from RC6 (intel-oa-hwio.md, section 3). One case in eight
//     sleeps all the same, as with other recorders: clocks stand still after 120 us without work, and 45 us pass at the
//     next. Both times are assumed.
//   - SLPC and RPS set the clock by busy time in windows of 5 to 10 ms, and raise it for a program that waits (i915's
//     waitboost). Thresholds of 80 to 93 % and 50 to 68 %, and steps, are assumed; power goes with the third power of the
//     clock, half of it with the EUs and samplers at work.
//   - /proc/stat has units of 10 ms (proc(5)).
//
// Assumed: rates of vertex fetch, clipper, setup, rasterizer and depth tests; that 3 to 16 % of each rate are never
// reached, and some more of memory's; buffers between stages; barriers of 4 to 15 us between kernels, 3 to 25 us to
// start a pass, 8 to 40 us to tell the processor; how full queues must be to hold up (6, 10 at memory); weights and
// shares of the archetypes; an upload to DG2 goes at 11 to 24 GB/s.
//
// Left out: tessellation, geometry shaders, stream output, media engines, contexts that interrupt each other, differences
// between slices beyond a few percent, thread dispatch as a limit of its own, and sets of DG2 beyond those that are public
// (RenderBasic, TestOa).
package intel
