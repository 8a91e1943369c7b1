// Package cpu is a fourth model of programs on processors, as perf events, /proc and /sys show them. Its author had seen
// neither the other models nor the rules of the diagnosis. It imports the data model, the vocabulary of the simulator
// and package telling, and must never import another model.
//
// # What is modelled
//
// A program is a set of threads, each with a script that it repeats: runs of instructions of some mix, sections under a
// lock, accesses to a device, tokens passed to and taken from other threads, barriers, and sleeps until dates. Events
// are the ends of these; between events every thread that runs has a speed, which follows from its mix (cycles of the
// core's units, of wrong branches, of the front end), from the clock, and from memory: its latency, and a wait that
// grows with the load on its bus as in a queue, so that all threads together never get more than the bus can carry.
// Threads share processors where there are more of them. Firmware moves the clock every few milliseconds by heat or by
// power; heat follows power with a delay.
//
// # Truth
//
// Relief makes the work of the core's units, the cost of a wrong branch, the bubbles of the front end, latency, the
// service of devices, or what is done under locks and their hand-over two thirds as long, widens the bus by half, lets
// threads go ahead that wait needlessly, or lets the clock be at its highest. The same work then runs again. Shares of
// the pace follow the gains; in programs that wait for dates, the dates have what is left.
//
// # Facts
//
// What events count: perf_event_open(2); Intel's manual on PERF_METRICS, and Yasin's top-down method; Linux's metrics of
// Zen 4; proc(5): times in ticks of 10 ms. Orders of magnitude of rates of instructions, branches and misses are those of
// published characterizations of SPEC, of web and database servers, and of streams of memory; 14 to 20 cycles for a
// wrong branch and 70 to 130 ns to memory are in optimization guides and public measurements.
//
// # Assumptions
//
// Costs per instruction of a mix add up, where real cores overlap some of them. Slots of the top-down method are these
// costs times the width, off by a factor that each program draws. A lock costs its owner's section and the waking of the
// next; spinning is not modelled. Turns of events on scarce counters scale with an error and lose nothing.
//
// # Left out
//
// Simultaneous multithreading, several memory nodes, big and little cores, swapping, guests, deadline scheduling, and
// caches that threads take from each other.
package cpu
