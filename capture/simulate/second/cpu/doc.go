// Package cpu is a second model of programs on the processors of a Linux machine, for judging diagnoses. Its author
// knew neither the rules of the diagnosis nor the first simulator.
//
// A program is threads that work through frames: items of work such as a batch of requests, a step of a solver, a file
// to compile. A frame has stages, which end when all their threads have arrived, or in which threads work one after the
// other. Threads compute with a mix of instructions, take locks, read and write storage, and wait for each other and for
// dates. Between two events everything is fluid. A core's time per instruction is the sum of what execution,
// mispredicted branches, the front end and cache misses take, where the window of instructions hides a part of a miss
// and misses overlap as far as the program allows. Streams that are prefetched run beside that, limited by lines in
// flight and by bandwidth; the latency of memory grows with its load (an M/M/1 curve), found as a fixed point for all
// running threads. Sibling threads share a core, more threads than processors take turns, locks are handed over through
// the kernel and wake-ups take time, a storage device has a number of commands in flight and a bandwidth. The clock
// follows the turbo table, a power limit (running average), the heat of the package with its own inertia, or a governor.
//
// What the generic events count is from the event maps of Linux (Intel: last level, with prefetches; AMD: accesses to
// level 2 and its misses; Arm: level 1); how slots are told apart from Yasin, "A Top-Down Method" (ISPASS 2014) and the
// pipeline metrics of Zen 4; the columns and their grain from the readers perfevent and procfs: counts of a program to
// the period, /proc every 200 ms in units of 10 ms. Widths, windows, penalties, latencies and bandwidths of Skylake, Ice
// Lake, Golden Cove, Zen 2 to 4 and Neoverse N1 are about what vendors and measurers publish. They were written down
// from memory, and not each was looked up; memory and penalties vary from case to case by up to 10 %.
//
// A recording is of both readers, of one in seven of perfevent alone; some may not measure the kernel, some have events
// beside the default ones, virtual machines have neither clocks nor temperatures. Counts of a thread are spread over the
// time between its samples, as the reader does. Programs with dates wait for a timer or for requests.
//
// What limits is found by simulating the same draws again: execution, penalties, latency and storage at 2/3, bandwidth
// at 3/2, a third of every critical section outside its lock, needless turns at once, the clock without its cap.
//
// The share of a cause in the time is that on the path: of each stage the thread that arrives last.
//
// Left out: the start of a program, NUMA, big and little cores, networks, swapping, huge pages as such, processors that
// the host takes away, and placement of threads beyond a home processor with rare migrations.
package cpu
