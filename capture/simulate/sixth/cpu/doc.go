// Package cpu is a sixth model of programs on Linux machines, as a recorder of /proc and of perf events sees them. Its
// author has seen neither the rules of the diagnosis nor the other models.
//
// # How it simulates
//
// Threads go through rounds of steps (program.go): run code, take a lock, read, wait for an answer, meet at a barrier,
// hand something on, wait for a date. Between two events every thread on a CPU makes progress at a rate, so that time
// goes from event to event and not in steps (sim.go). The rate is that of an interval model of the core (code.go): the
// time of an instruction is its operations by the width, what dependencies and busy units add, wrong guesses times the
// penalty, fetching and decoding, and waits for data, which work hides in part. Misses are Little's law: latency by the
// lines that the code and the core let be on their way. All threads together decide how much of their sets the last level
// holds and how long misses wait at memory: the wait grows with load/(1-load) until traffic and wait agree (share.go). So
// cores slow each other down, and bandwidth limits without a switch from one formula to another. Two threads of a core
// share its slots by how much each asks for.
//
// The scheduler (sched.go) has a queue for each CPU, turns of 3 ms, wake-ups that prefer an idle core, balancing, costs of
// switches and of moves, and cores that take time to wake up. On phones busy threads move to fast cores. Locks wake
// sleepers, who try again, so that a running thread may come first, as futexes do; some locks spin for a while or for ever.
// Disks serve several accesses at once and share a bus. Clocks (clock.go) follow load, a limit on power, heat, a share that
// somebody set, or how many cores are busy.
//
// Everything that varies belongs to an act of a thread, whatever happened before it, so that a relieved simulation does the
// same work.
//
// # What limits
//
// Judging (judge.go) simulates for a time, counts units of work, and compares how long the same units take when one thing is
// relieved. Core: operations and what dependencies and units add. Branch, front end: their times. Latency: of the second
// level, the last level, translations and memory, not what the load on memory adds; bandwidth is what does that. Lock: no
// lock excludes anybody. I/O: disks and answers of other machines, which look alike to a program and unlike to the kernel.
// In turn: threads may be 12 pieces of work or steps ahead of each other where only room or a barrier keeps them. Clock: all
// clocks at the highest that the kernel tells of. Dates of timers and requests from outside are both "timer": a program
// that waits for either has nothing to do. Threads that spin for a fifth of their time make a case that no recording can tell.
//
// The path behind Part.Shares is a simplification: a thread's wait for its CPU is that of who ran there, what a run took is
// split by what made up its instructions at its end.
//
// # Facts
//
//   - /proc/stat: proc(5); hundredths of a second; iowait is idle time of a CPU on which a task that waits ran last
//     (kernel/sched/cputime.c). procs_blocked counts tasks in io_schedule, so that reads by rings, syncs of a journal and
//     network waits are in neither.
//   - Pressure: per CPU, averaged by how many whole ticks each CPU had any task (kernel/sched/psi.c,
//     collect_percpu_times). A page that comes back from disk counts as memory and as I/O.
//   - Generic cache events (arch/x86/events/intel/core.c, amd/core.c, drivers/perf/arm_pmuv3.c): Intel counts the last
//     level, prefetches among them; Zen what goes to the second level and misses there; Arm the first level and its refills.
//     Stalled cycles: both on Arm, the front end on Zen from 2 on, none on Intel after Ivy Bridge.
//   - Slots: Intel from Ice Lake on as a register that adds up to all slots, with memory from Sapphire Rapids on (SDM volume
//     3B, PERF_METRICS); before as events of issue and retirement (A. Yasin, "A top-down method", ISPASS 2014). Zen 4 and 5:
//     slots to dispatch in, 6 and 8 (PPR for family 19h; perf's pipeline.json), without those that the other thread took.
//     After a wrong guess the slots until operations arrive count as the front end's in part (same paper: branch resteers).
//   - Widths, penalties, latencies of levels: the vendors' optimization guides; A. Fog, "The microarchitecture of Intel, AMD
//     and VIA CPUs"; chipsandcheese.com. Bandwidths are those of the memory's data sheets times 0.72 to 0.86; latencies are
//     what lmbench and Intel's Memory Latency Checker show. Lines in flight: line fill buffers and what prefetchers add.
//   - The shape of an interval model: S. Eyerman and others, "A mechanistic performance model for superscalar out-of-order
//     processors" (2009). What servers ask for: S. Kanev and others, "Profiling a warehouse-scale computer" (2015).
//   - schedutil asks for 1.25 times the use; use halves in 32 ms (kernel/sched/cpufreq_schedutil.c, pelt.c; here 20 ms).
//   - perf changes groups every 4 ms where they need more counters than there are (perf_event_mux_interval_ms).
//
// # Assumed
//
// Costs of switches (1.2 to 7 µs), of a move (25 µs), of waking up; the numbers of each kind of code but for their order of
// magnitude; the wait at memory (0.11 of its latency times load/(1-load)); how two threads share a core; power as the
// square and third power of the clock; the time constants of heat; how far program threads vary; stolen time as an even
// part; that a wrong guess is 72 % bad speculation and 28 % front end; who has which counters.
//
// # Left out
//
// NUMA, huge pages, quotas of control groups, writeback and reclaim beyond pages that come back, real-time classes,
// instructions that lower the clock, cores of two kinds on Intel, hardware that fails. A program's threads are few: at most
// some forty. /proc/schedstat has no counters in the catalogue.
package cpu
