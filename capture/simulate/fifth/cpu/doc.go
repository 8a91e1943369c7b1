// Package cpu is a fifth model of programs on Linux CPUs, made without sight of the others or of the rules.
//
// Time goes from event to event: threads run operations (code, locks, semaphores, barriers, requests to a disk, dates)
// on CPUs under a scheduler with time slices, and between two events every running thread has a constant rate. The rate
// follows from what an instruction of its code costs: cycles of the core, of wrong guesses and of fetching, and ns of
// memory, which hide behind the cycles as the code allows. All threads share one memory whose latency rises with the sum
// of their demands, so that rates are found together. As time is a homogeneous function of its costs, Euler's theorem
// divides it among them without rest, and the path gets these parts.
//
// Facts and where they are from:
//   - Slots, their four sorts and how they are counted: Yasin, "A Top-Down Method", ISPASS 2014; Intel's SDM
//     (PERF_METRICS); Linux, tools/perf/pmu-events (PipelineL1 and L2 of Zen 4). After a wrong guess a part of the cost
//     shows as slots without operations, on Zen a larger one.
//   - What cache_references and cache_misses count: on Intel the last level; on Zen requests to the second level and its
//     misses (arch/x86/events/amd/core.c); with Arm's PMUv3 the first level of data and its refills
//     (drivers/perf/arm_pmuv3.c), which is what its L1_dcache events count too. Zen has no LLC events there, and its dTLB_loads
//     are what the first level of TLBs misses; Arm's dTLB_load_misses are those.
//   - /proc/stat in steps of 10 ms, accounted exactly or at ticks (CONFIG_VIRT_CPU_ACCOUNTING_GEN, _TICK); iowait is idle
//     time of the CPU where a task that waits for a disk ran last. A switch to and from the idle task counts as well.
//   - Events take turns every 4 ms where there are more than counters (perf_event_mux_interval_ms), and what they counted is
//     scaled as the recorder perfevent scales it.
//   - Pressure: per CPU, weighted by the time that it was not idle (kernel/sched/psi.c).
//
// Assumed: all numbers of costs, the shape of queueing at memory (u^3/(1-u)), the cubic law of power, one clock for all
// cores, a first-in first-out queue of threads that are ready, locks that are handed to the longest waiter. Where no heat
// or power holds the clock a quarter of the machines has a turbo that all cores do not reach.
//
// Relief: cycles and latencies times 2/3, capacity of memory times 1.5, locks that exclude nobody, requests that take 2/3,
// two more frames between threads that needlessly work in turn, the clock at its highest.
//
// Other programs run beside: with dates of their own, and sometimes without a pause, mostly at a low priority, from which
// threads that wake take their CPU. Next to such a program, which often has more of the CPUs than the one in question, the
// recorder counts the events of the one in question alone: those of the machine would tell of the other.
//
// Left out: threads that share a core (SMT), contention for the last level, NUMA, page faults that wait, networks, memory
// pressure, governors that are slow to raise the clock, cgroups.
package cpu
