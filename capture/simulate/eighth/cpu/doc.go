// Package cpu is an eighth model of programs on Linux, as perf events and /proc tell of them, by someone who has seen
// neither the other models nor the rules of the diagnosis.
//
// # How it simulates
//
// Threads run on CPUs under a scheduler; between two events all go on at constant rates (a fluid simulation with discrete
// events). A unit of work (a request, a transaction, a step, a picture) has stages; parts of a stage go to threads of a
// group, and a thread goes through segments: wait for storage, take the lock, execute so many instructions, give the lock
// back. How fast it executes is an interval model of its core (Karkhanis and Smith 2004, Eyerman et al. 2009): a base rate
// and what each kind of miss adds. Misses come from the reuse distances of its data and the size of its code; the last
// level of cache, the two threads of a core and the memory's bus are shared by whoever runs. The clock follows a policy,
// heat (one mass, one resistance) and the firmware's limit of power. Counters are rates of the same model, added up by CPU
// and sample, and say what the makers' documents say that they count while something else limits.
//
// The truth is found by relief, each with a simulation of its own: core, branch, front_end: their part of the interval
// model takes 2/3; memory latency: latencies of L2, last level, memory and page walks x 2/3; bandwidth x 1.5; faults and
// io: the kernel's work, and storage's time, x 2/3; lock: nobody waits for it; in_turn: the units under way are as many as
// the stages and one more; others: other programs do 2/3 of their work, and have 2/3 of the half that is theirs where they
// want more than that (of a host, 2/3 of what it takes); clock: all cores at their highest. Shares of a part are where
// threads spent their time, not a critical path.
//
// # Facts
//
// Widths, windows, caches and latencies of cores: Intel's Optimization Reference Manual, AMD's Software Optimization
// Guides for 19h, Arm's Software Optimization Guides (N1, V1, A76, A55), and measurements by 7-cpu.com and Chips and Cheese.
// Peaks of memory: channels times transfers of the product. Programs reach 62 to 85 % (STREAM). What generic events are on
// each maker: arch/x86/events/intel/core.c and amd/core.c (cache-references is L2 on AMD since 17h, LLC events do not
// exist, ref-cycles only since Zen 4), drivers/perf/arm_pmuv3.c (cache-references is L1D_CACHE, no ref-cycles). Slots: Intel's TMA (Yasin 2014), AMD's pipeline utilization of
// Zen 4 (PPR, events 0x0AA, 0x1A0, 0x0D6), Arm's STALL_FRONTEND and STALL_BACKEND. The weight of nice 19 and the base slice:
// kernel/sched. schedutil's factor 1.25: Documentation/scheduler/schedutil.rst. /proc/stat in USER_HZ of 10 ms: proc(5).
//
// Instruction mixes and misses per 1000 instructions are of the order that SPEC CPU2017 characterizations (Panda et al.
// 2018; Limaye and Adegbija 2018), "Profiling a warehouse-scale computer" (Kanev et al. 2015) and CloudSuite (Ferdman et
// al. 2012) print: services with 20 to 40 misses of L1I, OLTP with 5 to 10 of the last level, interpreters with IPC 1.5 to 2.
//
// # Assumed
//
// All constants of stackOf and counts that are not latencies: how much of a miss fetching ahead and the window hide (0.45 to
// 0.75 of code's, 35 % of the window's drain), 28 lines under way by prefetchers, 60 % slower base beside a busy second
// thread (25 % more of both together), waiting 30 ns x load^4/(1 - load) for the bus, wrong-path operations of 60 % of the
// window at most, shares of stalls that counters see (0.84 to 0.95). 1,700 cycles and 900 instructions of a page fault; 2,600
// instructions of a wake-up. Power by clock to the third. Distributions of programs, threads, machines and of how people record.
//
// # Left out
//
// Turbo steps by number of cores, NUMA, huge pages, write-back, network, locks that spin, migration costs beyond
// instructions, interrupts of idle CPUs, SMT of VMs, major faults, memory pressure, turns of multiplexed events as columns of their own.
package cpu
