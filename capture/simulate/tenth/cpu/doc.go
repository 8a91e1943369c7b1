// Package cpu models programs on processors without a GPU, as the recorder reads them from Linux. It is a judge of the
// diagnosis, written without a look at it.
//
// # How it simulates
//
// By events, in whole nanoseconds. Threads follow scripts: work of so many instructions of some code, page faults, waits
// for a device, for a lock, for a semaphore, for a date. A scheduler gives them CPUs: the fastest that is idle, the one
// where a thread ran last among equals, slices of 2.8 ms by least time had where there are more threads than CPUs, and of
// hybrid processors a fast core as soon as one is free. Work is cut into chunks of about 0.24 ms. How long a chunk takes
// is known when it begins: from the core's cycles for operations, fetching and wrong guesses at the clock of the moment,
// from the latency of the last cache and of memory with the loads that the code has under way together, and from when
// memory, which serves the bytes of all chunks in the order in which they were booked, is done with its own. Memory is so
// one station of a closed network, and its latency grows with what is booked. Three tenths of the shorter of the core's
// time and the latency are hidden.
//
// Clocks are decided every 4 ms for each row of equal cores: the least of what the governor asks for, what a limit of
// power allows (power grows with the clock to the power of 2.5), and what heat allows (one time constant of 90 ms, which
// is that of a die with its plate; heat sinks are slower than a capture is long, so cases begin as warm as their load makes
// them).
//
// An iteration of a program ("frame" in the truth, and in marks) is one round of its script. Programs fork stages to
// workers and wait for the slowest, hand items from thread to thread, or are paced by a timer or by requests.
//
// # The truth
//
// By relief: 1.5 times as fast for core (operations, dependencies, dividers), front end, branches, latency and
// bandwidth; none of it for I/O, locks, page faults, other programs and needless turns; the clock's limit gone for
// governor, power and heat. All that is drawn is drawn before. Shares are read off by walking back from the end of the
// last iteration: a wait for a semaphore goes on with who signalled it, a date is set by the date before. A chunk's time
// is divided by its parts; what its clocked parts take longer than at the highest clock belongs to what holds the clock.
// A wait for a CPU belongs to other programs where there are any, else to the core. In the shares of queues a thread is a
// queue (a role, where several do the same), and the time in which another waited for its needless turn is "in turn".
// Whole relieves all work of threads on the CPUs.
//
// # Machines
//
// Core Ultra 7 258V (4 P, 4 E cores) and 265H (6 P, 8 E; its two cores of low power are left out), Ryzen 5 9600X and
// Ryzen 7 9700X with one thread per core (SMT off, because the model has no shared cores), 8 or 16 Neoverse V2, and the
// four Cortex-A76 of a Raspberry Pi 5. Widths, highest clocks, numbers of cores, widths of memory and temperature
// limits are those that the vendors publish; penalties, latencies, attainable bandwidth (70 to 90 % of the data sheet's)
// and power of a core are round numbers near published measurements, from memory, and not exact.
//
// # Counters
//
// Names, titles, units, aliases and properties are those of a recording made with the recorder on this machine, and of
// its source (packages hwio/perfevent, hwio/procfs, hwio/internal/topology). The recorder's own choice of hardware events
// is one of the sets; others are named by a person with the event's own name (name=), as the catalogue knows it. What is
// accessed by which generic event follows the catalogue: cache_references is the last cache on Intel, the second on AMD,
// the first on Arm. Prefetches are a part of the misses (0.6 of the second cache's, 0.5 of the last one's lines; assumed).
// Slots: those of operations, of wrong guesses, of fetching, and the rest is the back end's; 0.6 of the slots of a wrong
// guess were filled with what is thrown away, 0.4 were empty and count with the front end's where the hardware cannot
// tell (Zen, Neoverse). With more events than the hardware holds, two groups take turns and values are estimates.
//
// CPU times come in steps of 10 ms per CPU, and are read every 20 to 400 ms and spread over samples, as the recorder
// does; with /proc alone, at every sample. Some recordings are of a command (its events without instances, /proc of the
// machine), some have no pressure, no clocks or no temperatures.
//
// # Left out
//
// SMT, NUMA, huge pages, contention for the lock of an address space, major faults, spinning, false sharing beyond a
// count, devices with queues, networks, the ramp of voltage, frequency by number of active cores, groups of events that
// the kernel rotates at periods below 8 ms (samples without a value), the sampling of CPU times by ticks, and the coarser
// rows of idle CPUs and of a command's short threads. What idle CPUs do beside the program is added to the counters
// afterwards and takes no time in the simulation. The zeroing of pages takes memory's time, which delays others, but not
// the fault itself.
package cpu
