// Package rdna is a fifth model of compute kernels on Strix Halo (gfx1151) under AMD's profiler, made without sight of the
// others or of the rules.
//
// A kernel's waves are the customers of a closed network: in every turn of its loop a wave visits the SIMD, local memory,
// the vector cache, GL1, GL2 and memory, which are servers with queues, and waits for latencies, which are not. The rate at
// which as many waves are under way as there are solves the network (network.go). Workgroups enter at the rate of the
// launchers while there is room, all waves in the GPU make the same progress, and groups leave after their turns (run.go),
// so that kernels fill and drain. Before and after there is overhead.
//
// Facts and where they are from:
//   - 32 or 40 CUs with two SIMDs of 16 waves of 32 lanes, 16 GL1 and 8 GL2 counters, the assignment of counters to runs,
//     units and sizes of requests, SPI_BUSY as long as there are waves, counters that read 0 (TCP_REQ of a gated clock,
//     SPI_CSN_WAVE) or repeat a value (GRBM_SPI_BUSY), six digits of large values: a real capture of a Radeon 8050S
//     (testdata/captures/gfx1151-vcopy), with which a test compares the model.
//   - What counters mean and how they are divided: the catalogue gfx1151, from rocprof-compute's panels.
//   - A quarter of the rate for transcendental instructions; 64 bytes a cycle and CU in the vector cache; memory of 256 bits
//     LPDDR5X-8000 with 32 MB of cache before it, which the real capture's 16 MB reach at near 1 TB/s.
//
// Assumed: queues grow as U^2/(1-U); latencies; double precision at a sixteenth; a launcher's time for a wave and a
// workgroup; how much of a full unit is felt one level up (drawn per machine). Time at a unit, with its queue, is time that
// it set the pace; while launchers have room for waves they set it.
//
// Relief: rates times 1.5, latencies and overhead times 2/3. The truth is at the highest clock; runs of the profiler have
// clocks of their own, as firmware lets them.
//
// Left out: textures, ray tracing, kernels beside each other, counters of the command processor beyond some, address
// translation, caches whose hits depend on how many waves there are.
package rdna
