// Package mali is a seventh model of two Mali GPUs: the Mali-G720 of the 5th generation (command streams, deferred
// vertex shading) and the Mali-G57 of Valhall (job manager), with the phones around them. Its author had seen neither
// the rules of the diagnosis nor the other models.
//
// # How it simulates
//
// A shader core is a closed network of queues. Groups of warps go around: they are served by the arithmetic pipes, the
// texture unit, the varying unit, the load/store cache, the ray tracing unit, L2 and memory, wait for answers beside each
// other, and where they are in no core they are free slots, for which the rasterizer, or the tiler, has to make work.
// Mean value analysis (Schweitzer's approximation) says how fast a part of a pass goes, how often each station serves
// and how many groups wait there, also where parts of several queues share the stations. No efficiency of overlap is
// assumed: it follows from how few groups there are. Waits for memory that nobody hides follow by Little's law.
//
// Between events (a part of a pass ends, the processor submits, the governor looks) everything goes at a constant speed,
// so that a simulation steps from event to event. A pass is a row of parts that ask for different things, and ends with
// one in which only some cores still have tasks. Counters of work are what parts ask for, times how much of them lies in
// a sample. Counters of cycles come from the network: a core is active while a group is in it (the number of groups
// in it is taken as Poisson distributed), the execution engine starves while there are warps and the arithmetic pipes
// serve none (each of four units that fetch counts for itself), the buffer before them is empty only while the rasterizer
// does not keep up, the buffer of positions is full while the tiler waits for vertices, and the bus stalls by how much of
// memory is in use. What limits a case is found by simulating it again with one thing relieved; nothing asserts it.
//
// # Facts and their sources
//
//   - Names, blocks, units, and formulas of counters: Arm's counter database (libGPUCounters), as this repository's
//     catalogue has it. From its formulas: a G57 issues an FMA and a CVT instruction in a clock and an SFU instruction in
//     four; a G720 two FMA instead, of which CVT and SFU take the place; textures give 4 and 8 samples in a clock, the
//     varying unit 1 and 4 slots; warps have 16 threads, tiles 16 and 32 pixels a side, tasks 32 and 64; vertices are
//     shaded four at a time; a beat has 16 bytes, a line of L2 64.
//   - A Valhall core blends and writes two pixels in a clock, interpolates 32 bits for each thread of a warp, holds 1024
//     threads, half of them with more than 32 registers, and reads a line of its load/store cache in a clock: Arm, "The
//     Valhall Shader Core" (102203) and the GPU datasheet. Four pixels of the G720: the datasheet.
//   - A quad is rasterized, a line looked up by each slice, a primitive assembled in a clock; the bus of a slice has 128
//     bits: as this repository's limits of counters have it.
//   - G720 with 6 to 9 cores: Arm's table of products. Clocks of 0.6 to 0.95 and 0.85 to 1.35 GHz, G57 with 1 to 5 cores:
//     phones that are sold. Linux tells times of processors in hundredths of a second: proc(5).
//   - What counters of waits count, and that compute and geometry of a G720 wait until the shared endpoints are empty of each
//     other: the same database's counter references.
//   - A device's driver (kbase) resolves dependencies between job slots in software, after an interrupt. Some hold them in
//     the slot: both are drawn.
//
// # Assumed
//
// Everything else, such as how much of its peak a station reaches without any rival (82 to 97 percent, L2 70 to 85); 4 to 9
// warps that run alongside and wait together; 24 groups' worth of warps of positions in the tiler's buffer; 1 to 3 clocks more
// for a visible primitive; bandwidths of 24 to 46 and 6 to 24 GB/s that the GPU gets; 70 to 130 ns to L2 and 120 to 230
// more to memory; 4 to 30 us to start a job, 2 to 9 to clean L2 behind it, 25 to 90 until the processor knows of its
// end; latencies log-normal with sigma 0.35, reads under way with 0.5; how stalls of the bus rise with its use; how a command
// stream's cycles divide into execution and waits; how caches of pages hit; that power goes with the third power of the
// clock; what the passes of each kind of content ask for.
//
// # Left out
//
// Several processes at once, protected mode, virtualization (stage 2), the reserved queue, snoops from outside, a memory
// clock that changes, a shader clock other than the GPU's, multisampling as such (it is more work of the pixel backend),
// coarse shading, blocks that are sampled at slightly different times.
package mali
