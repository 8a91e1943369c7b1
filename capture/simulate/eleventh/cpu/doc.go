// Package cpu simulates programs on processors without a GPU, and what our recorder reads of them from Linux: perf
// events, /proc and /sys. It is a judge of its own, made without a look at other models or at the rules of diagnosis.
//
// How it simulates: by events. Threads follow scripts (run code, ask the disk, take a lock, wait for a turn, for the team or for a
// date) and are placed on CPUs by a scheduler with a run queue and time slices. Code runs in chunks of at most 200 µs. What a chunk
// takes follows interval analysis (Eyerman, Karkhanis and others): a stack of cycles for execution, front end,
// mispredicted branches, second-level hits and page faults at the core's clock, and ns behind it for the last level and for memory,
// divided by how many misses are under way together. Memory is one server that takes requests in order: a chunk ends no earlier than its bytes
// are served, and a loaded memory answers later. The clock is decided upon every 4 ms: the least of what a governor, a
// heat with one time constant and a power budget leave. Everything is drawn before, or follows from the number of
// thread, step and round, so that relief changes nothing else.
//
// Truth: each candidate is relieved and all is simulated again for the same frames. Shares come from a walk back from
// the last frame. A wait that relief would end counts for itself; a wait for a team goes on with the thread that came
// last; a date that was kept makes the time since the date before the timer's. What a clock below its highest costs is
// the share of the limit that holds it.
//
// Facts are from public documents: widths and clocks of Arrow Lake, Zen 5, Neoverse V2 and Cortex-A76, which generic events
// their kernels count (stalled cycles of both sides on Arm, of the front end on Zen, slots on Intel), what Linux's generic
// cache events mean on each, 10 ms steps of /proc/stat. Assumed: latencies, attainable rates, costs of faults and flushes,
// watts, heat, all contents; about a quarter of a wrong guess's slots are empty rather than wasted. Events that the kernel has
// no generic name for stand under the names that a person gives them (name=…), as the catalogue knows them.
//
// Left out: SMT (switched off), private caches that threads share or dirty, several sockets, turns of events on too few
// counters (no set is larger than the hardware holds) and thus counter_coverage, the recorder's own columns, interrupts'
// time, spinning at locks, swapping, throttled timers, slots of the E cores. Idle cores of a team that waits at a barrier
// sleep at once. A board with a power budget stands for one whose supply is weak. Options.Noise and Host say nothing here: there are no passes, and no GPU. Options.Sets neither.
package cpu
