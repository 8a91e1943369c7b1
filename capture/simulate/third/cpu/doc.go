// Package cpu is a third model of Linux machines of 4 to 32 CPUs, x86 and Arm, on which one program runs and a recorder
// counts. Its author knew neither the rules that judge captures nor the other simulators.
//
// A program is threads with lists of steps, all drawn beforehand: work of some kind of code, locks, storage, waits for
// other threads, and dates. Between two events of any thread the state of the machine stays. It follows from what runs:
// the clock, from the number of busy cores and the limits of power and cooling; the share of a CPU that each thread has;
// and the load of memory, as the one fixed point of what the threads ask for and how long requests then queue. The time of
// an instruction is a sum over intervals: what dependencies and ports take, wrong guesses times the penalty, cycles
// without instructions, and waits for caches and memory divided by the requests that are under way at once. Locks are
// handed over in the order of arrival, by the kernel or by spinning; storage serves some requests at once; a thread that
// wakes up does so some microseconds late.
//
// Truths are found by simulating again with one thing relieved: the rate of ports, of recovery or of fetching, or the
// bandwidth 1.5 times as large; latency of caches and memory, or of storage, 2/3; locks held for 2/3 of what they are; a
// needless wait made as loose as a buffer allows; no limit of power or of heat. Shares of time follow the path that led
// to each frame's end.
//
// Where what limits is a lock at which threads spin, no limiter is clear: a thread that spins takes a CPU, completes
// instructions and never gives the CPU away, as one that works, so that no event of the processor and no file of /proc
// tells them apart: it takes a profile of the functions that run.
//
// Public facts that it rests on: interval analysis (Eyerman, Eeckhout, Karkhanis and Smith, "A Mechanistic Performance
// Model for Superscalar Out-of-Order Processors"); Yasin's "A Top-Down Method for Performance Analysis"; penalties,
// widths and latencies from the vendors' optimization guides; what the kernel maps its generic events to in
// arch/x86/events and drivers/perf (Intel the last level, AMD the second, Arm the first level of data); proc(5) and PSI.
// Programs are what published profiles of databases, compilers, interpreters, encoders, solvers, stores of keys and
// values, language models and others show.
//
// Left out: clusters of unlike cores, several nodes of memory, caches that threads share or steal from each other, the
// scheduler's order where threads are more than CPUs (all get a like share), waits for networks and for quotas of control
// groups, counters that take turns, and the cost of writes beyond their lines.
package cpu
