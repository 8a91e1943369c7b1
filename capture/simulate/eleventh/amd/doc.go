// Package amd makes cases of two recorders of AMD hardware that measure one piece of work at a time: "amd-gpa-eleventh",
// draws and dispatches on cards with RDNA 2 and RDNA 3 as GPUPerfAPI measures them and its utility function saves them,
// and "gfx1151-eleventh", compute kernels on Strix Halo as rocprofv3 counts them under ROCm's compute profiler. Neither
// has a display, and nothing paces them but their own work.
//
// # How it simulates
//
// A sample is a closed network of queues, driven by events. A draw or dispatch is cut into some seventy tokens, each a
// slice of its waves. A draw's token takes one of a few slots of the geometry side, is served by the geometry engine,
// by the vector units for its vertex shader, by primitive assembly, by the rasterizer and the depth unit, takes one of
// the slots of pixel waves, goes through rounds of texture, load and store, L2 cache, memory, a wait for the answer and
// arithmetic, and leaves through the late depth test and the colour unit. A dispatch has one pool of slots and rounds
// that use local memory too. Every server takes tokens first come first served, at the rate that this very device
// attains; filters and plain accesses share the unit that makes addresses. The command processor works before a draw, and
// flushes after the last; some samples of GPUPerfAPI hold many draws with a barrier between any two. So fill and drain,
// back pressure from the pixel side to primitive assembly, and latency with few waves come out by themselves.
//
// Times of tokens vary around their means by numbers that depend on the seed, the sample, the token and the step, never on
// what is relieved. What set the pace is read by walking back from the last event of a sample over what each waited
// for, so that shares add up to the picosecond. Judge makes one class of work faster by half (for the latency, shorter
// waits; of launches, none) and simulates all samples again. The time of a case is that of its samples: gaps are the
// profiler's.
//
// Content says how much of a base time each unit would need by itself; quantities such as pixels, instructions and bytes
// follow from that and from rates, and shares are raised where one unit's work makes work for another (a pixel that is
// written was rastered, tested, and its bytes went through the L2 cache).
//
// # Counters
//
// Those of GPUPerfAPI are computed from the outcome as its public formulas compute them from hardware counters: busy and
// stalled clocks of the busiest instance, shares of the clocks in which the command processor was busy,
// PrimitiveAssemblyBusy without the clocks in which primitives are handed on, no arithmetic on GFX11. Each hardware block is a pass
// of its own that replays the same work with other clocks. A CSV of GPUPerfAPI has no times and no GPU: samples follow
// each other, each as long as its GPUTime; half of the captures have a session for each frame, some state generation,
// API and compute units as a user would. Raw counters of Strix Halo come in six runs with durations of their own; in half of
// the captures those of the L0 cache are 0, as clock gating has it in the real recording. Recorders now and then leave
// out the counters of a block or a run, and lose single samples.
//
// # Where facts are from
//
// Names, units and formulas of counters, and on which generation they exist: /work/shared/reference/gpa_rdna_counters.csv
// and the catalogues. Layout of Strix Halo's recording, sizes of requests (reads of 128 bytes, writes of 64), numbers
// of instances that add up, constants of the device, and that TA is busy while memory is what limits: the real
// recording gfx1151-vcopy. Compute units, engines, colour pixels in a clock and bandwidth of the cards: public
// specifications.
//
// # What is assumed
//
// Attained rates (55 to 96 % of what is possible), one vertex and one primitive in a clock and engine, 0.2 to 0.35
// waves of a dispatch in a clock and engine on Strix Halo, four depth samples for each colour pixel, latencies of 280 to
// 420 ns from memory and 120 to 190 ns from the L2 cache, 1.6 to 5 microseconds for a launch and 3.5 times that where a
// draw waits for the one before. How much of a wait behind the L0 cache the counters show as stalled or as busy is drawn for each device,
// as are clocks, which stay as they are while counters are read: the driver pins them. The cache behind the L2 (Infinity Cache) is a
// bandwidth of the memory that differs between devices.
//
// # What is left out
//
// Asynchronous compute, as a profiled sample runs alone; instances one by one; dual issue; the scalar unit and the
// instruction cache as limits; barriers within a group; ray units as a limit; page faults. A token uses a whole unit's
// rate while it is served, so that too few waves to fill a unit do not slow it down, but only wait longer for memory.
// Options for periods, host counters, late samples and metric sets mean nothing to these recorders.
package amd
