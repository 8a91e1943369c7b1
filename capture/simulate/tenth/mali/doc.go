// Package mali simulates programs on an Arm Mali-G78 in a phone, to examine what reads its counters.
//
// # How it simulates
//
// A simulation is a closed queueing network whose events are worked off one by one: nothing advances in fixed steps. A
// frame is a list of passes, which are jobs of one of the two job slots, fragment and non-fragment. A job waits for its
// submission, for the job before it in its slot and for the passes whose results it needs; then it is launched, hands out
// its tasks, and flushes. A task is a bundle of warps. So many of a slot's tasks are on their way at a time; each goes
// from station to station: the rasterizer and the varying unit, then twice around load/store unit, texture unit, L2,
// memory, a wait for memory's latency and the arithmetic unit, and out through blending and tile write, or through the
// tiler. A station serves all tasks of both slots in the order in which they come, and each with work of its own noise. So a
// station is never full while tasks are few, pipelines fill and drain at each job, and the latency limits where tasks
// are few and wait long.
//
// The application's thread and the driver's work on frames one after the other, the driver hands over passes as it goes,
// and holds on where no buffer is free. The display takes frames at its refreshes, or at once where it is adaptive. A
// governor decides on the clock at its own ticks, from the load; so do a budget of heat, with a temperature that
// follows power, and a budget of power that the processors' cores share. A slower clock makes every station of the GPU slower, the
// bus to memory only where it becomes narrower than memory, and latency in part.
//
// # How the truth is found
//
// Judge simulates again with one thing relieved: rates of units, of L2, of memory and of threads times 1.5, latency
// divided by 1.5, no launches, no needless waits, no governor and no budget. Everything random is drawn before a
// simulation begins. Gains compare the times at which the GPU was done with frames. What set the pace is read off one
// simulation: each stretch of time knows what it waited for last, and the way back from the last frame shown passes
// every moment once. Of a stretch on a lower clock, what the clock added is the clock's. Time in which only a needless wait
// kept a queue, or the application, from going on is that wait's, whatever else worked meanwhile.
//
// Candidates that the way back met for less than 0.4 % of the time are not simulated and gain nothing.
//
// # Facts and assumptions
//
// Names, blocks and places of counters are those of mali_family_counters.csv for the layout Mali-G78, and of our
// recorder. Widths (16 threads in a warp, 16 bytes in a beat, tasks of 32 x 32 pixels, tiles of 16 x 16, one issue of each
// pipe in a cycle, four cycles of the SFU pipe) are those that the formulas of Arm's metrics have. Core counts and clocks are
// those of phones that were sold.
//
// Assumed, because nobody publishes it: a quad in a cycle for the rasterizer of each core; two fragments of 32 bits per pixel in a
// cycle for blending; a cycle of the tiler for a primitive that is culled and two for a visible one; 32 bytes in a
// cycle from each slice of L2; 190 to 290 ns to memory; efficiencies of 76 to 95 %; 13 to 42 us around a job.
//
// # Left out
//
// Shader cores share all work evenly but for two per cent. Bundles of warps are not warps: their number is that
// of slots, not of registers. Memory is the GPU's alone: the processors take no bandwidth. Writes are waited for like reads. Virtual
// machines, protected mode, the third job slot and power gating do nothing; their counters are 0. Counters of caches follow the
// work that passes state, no cache is simulated line by line. Options.Noise has nothing to multiply, and
// Options.Sets nothing to choose: the counters of a Mali are all measured at once.
package mali
