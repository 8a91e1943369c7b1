// Package mali models programs on two GPUs by Arm, a small one of 2018 with a job manager (Mali-G52, Bifrost) and a large
// one of 2025 with command streams (Mali G1-Ultra, 5th generation), by an author who knew neither the other models nor
// the rules of the diagnosis.
//
// # How it simulates
//
// A shader core is a closed network of queues: a core has so many places for warps, and the warp in each goes round the
// stations (rasterizer or tiler that feed it, arithmetic, texture, varying, load/store, ray tracing, pixel backend, L2
// cache, external bus) and waits for memory in between, which holds up no station. Mean value analysis (network.go; Schweitzer 1979,
// Bard 1979) finds how fast warps go round, how long each queue is and how busy each station. So a unit hides
// behind another only as far as there are warps, two units of about the same demand both cost time, and where few
// places are taken latency limits. Queues that run at the same time are classes of one network and slow each other.
//
// A pass is a few segments whose warps are alike. Time goes in steps from one change to the next (run.go): a segment or a job
// ends, the driver hands over a job, a frame begins, the governor changes the clock. Between changes everything flows
// at constant rates, and so do counters (counts.go, memory.go, frontend.go), which whole.go turns into whole numbers that keep the sums and
// bounds of Arm's documents in every sample. Nothing is drawn while it runs. judge.go relieves one thing after the other.
//
// # Facts
//
// From Arm's counter database (libGPUCounters 4ea7c01, in the shared reference) and the metrics catalogue: the counters of each layout,
// warps of 8 and 16 threads, tiles of 16 and 32 pixels, tasks of 32 and 64 pixels and of 4 and 16 vertices,
// 2 and 8 texture samples and 1 and 4 interpolation slots in a clock, 16 bytes in a beat inside, scaled counters (16 for
// the tiler's caches, 4 for fragment threads), special functions that take a processing unit four clocks, two arithmetic slots
// on G1, one processing unit of a core counted for all. From Arm's product pages: G52 has 2 or 3 engines of 8 lanes in a core and writes 2 pixels a clock; G1-Ultra
// has 10 cores or more, 128 multiply-adds a clock each. From the chips' data sheets: RK3566 (1 core, 800 MHz, LPDDR4 of
// 32 bit), Helio G85 (2, 1 GHz), S922X (800 MHz, 32 bit of DDR4), T618 (2, 850 MHz), Dimensity 9500 (12 cores, LPDDR5X of 85 GB/s). From Arm's
// guides: what a core's stall and backpressure counters count, that fragments of a frame run beside the geometry of the next, and
// that barriers which are too strict end this. From proc(5): times of processors come in ticks of 10 ms.
//
// # Assumed
//
//   - Peaks that nobody publishes: clocks of the tiler for a primitive (visible: 2.4 to 3.6 on G52, about 1.1 on G1; a
//     culled one takes a third), one rasterized quad a clock, two clocks of an L2 slice for a line on G52 and one on G1, the
//     box tests of the ray unit (four rays a clock), its cache (1 in 20 nodes missed), time to fill the texture cache.
//   - Attainable shares of peaks: 0.78 to 0.96 by unit and chip, of memory 0.45 to 0.72, the rest being the display's and the processors'.
//   - Latency of memory without load 170 to 330 ns; a warp's next instruction follows three clocks after the one before.
//   - Time to start and end a job: 16 to 38 us with the job manager, 7 to 16 us with command streams, interrupts 20 to 90 us.
//   - The buffers behind queue lengths in backpressure and stall counters (a queue of 8 half fills a unit's input); the
//     spread of latencies (log-normal, 0.38) and 48 reads in flight for each slice.
//   - While a job runs, tasks wait for cores that are full in 0.88 of the time (fragments; 0.6 of other work), which the
//     counter of a job slot's issue waits counts by Arm's description: work that waits because all processors are busy.
//   - The tiler's buffer of positions is full for 0.45 of the time too where the tiler itself is slow.
//   - Which command stream feeds which queue, and that a stream waits for most of its own work.
//   - All of styles and programs in passes.go and programs.go: instructions, samples, overdraw, triangles, misses.
//
// # Left out
//
// Protected mode, virtual machines, tiles that are unchanged (a constant 2 %), sparse core masks, a power limit (these
// chips are held by heat), hardware that pauses a queue for another, counter sets other than the primary one, and the difference between
// the top-level clock and that of the cores. Cores are alike but for 2 % of their work.
package mali
