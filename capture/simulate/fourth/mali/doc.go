// Package mali is a fourth model of two Malis: one of the 5th generation with command streams (mali-g720-fourth) and one
// of early Valhall with a job manager (mali-g57-fourth). Its author had seen neither the other models nor the rules of the
// diagnosis.
//
// # Model
//
// A program draws frames. An application's thread and a driver work on them, the same thread or two; the driver gives
// jobs to queues bit by bit: geometry and fragments of each render pass, and dispatches. A queue runs one job after the
// other, each after those that it depends on, and a job begins when the front end has launched it. Geometry of a pass
// runs beside fragments of passes and frames before it.
//
// A job is some segments, each with amounts of work for every unit of the GPU, its cache and memory. Work flows: units
// work at the same time, and a segment takes the power mean of what they need (the 4th to the 16th power), so that one
// that limits is busy for 70 to 95 percent, less where others need nearly as much. Latency is one more need: lines that
// are waited for, by the reads that a core can have under way. It rises with the load of memory. Jobs that run at once
// share what there is. The last segment of a job fills only a part of the cores.
//
// Units reach only a share of what their counters could count in a cycle, which is drawn, as are the costs of primitives,
// lookups of the cache per cycle, what memory gives beside processors and display, times of launches and interrupts, and
// whether cores have a slower clock of their own.
//
// A governor sets the clock every 8 to 32 ms by the load, or keeps it low by policy; heat and power put a ceiling on it.
// The display takes frames at its refresh, at every second one, or waits for them (variable refresh); an application may
// cap its rate, or draw on request; or nothing shows frames.
//
// # Truth
//
// Relief: the program is simulated again with a rate times 1.5, with times of latency, launches and processors times 2/3,
// without a needless dependency, or with a clock that nothing holds. The gain is the reduction of the time per frame.
// Shares follow what each event waited for, back from the last frame. Of a segment they are the parts of the power mean; a
// clock below its highest has the part of it that it lengthens. Where the application waits for the GPU, or one queue for
// another without need, that wait has the time from when it could have begun.
//
// # Facts and where they are from
//
//   - Counters, their meaning, formulas, and which of them sum to others: Arm's open counter database (libGPUCounters) and
//     the printed guides, as in the catalogue.
//   - Warps of 16, tiles of 32 x 32 (early Valhall 16 x 16), tasks of 64 x 64 (32 x 32), 8 (4) texture samples and 4 (1)
//     interpolation slots in a cycle: the same database. 4 (2) pixels and 2 (1) FMA warps in a core's cycle: Arm's data
//     sheets of the GPUs.
//   - A job manager's slot for fragments and one for all else, which holds a job's dependencies on the other slot in the
//     driver; command streams with an iterator for each kind of work: the kernel's drivers (kbase, panfrost, panthor).
//   - Memory of telephones: 17 to 34 GB/s of LPDDR4X, 51 to 77 of LPDDR5, of which a GPU gets a half to two thirds.
//   - /proc/stat counts in units of 10 ms.
//
// # Assumed
//
// That overlap is well described by a power mean and its power; the shares of programs' shaders, drawn over a magnitude;
// what a slice of the cache gives; that the endpoint stalls of a queue are short unless another queue has the cores; the
// shape of the histograms of latency; that a job manager's hardware rarely sees dependencies between slots.
//
// # Left out
//
// Address translation as a limit, cores that are powered off, several programs at once but for the system's composition,
// protected content, the prepass of later GPUs, memory whose clock changes.
package mali
