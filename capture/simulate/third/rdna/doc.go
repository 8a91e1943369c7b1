// Package rdna is a third model of an RDNA 3.5 GPU (gfx1151, Strix Halo) that runs HIP kernels one at a time under a
// profiler that replays them, as rocprof-compute does. Its author knew neither the rules of the diagnosis nor the other
// simulators.
//
// The model is one of events. A representative work-group processor runs its waves operation by operation, in order:
// scalar loads, vector arithmetic, loads that are waited for when needed or some iterations later, stores, atomics,
// LDS accesses and barriers. Servers with a rate stand for the wave launcher, each SIMD, the address units with GL0 of
// either compute unit, the LDS, this processor's part of GL1 and GL2, and of the fabric with the Infinity Cache and
// DRAM behind it. A cache has a limited number of lines under way, so that latency binds where these run out or where
// waves are few. Registers, LDS and slots limit the waves. Every interval remembers what it waited for: walking back
// from the last wave gives the time that each resource set the pace. Long grids are continued from their steady state.
//
// It rests on public facts: 16 work-group processors with 4 SIMDs of 32 lanes, 1536 vector registers and 16 slots each;
// LDS of 128 KiB in two halves of 32 banks; GL2 of 2 MiB in 8 channels, with 128 bytes read or 64 written each cycle;
// 32 MiB of Infinity Cache; LPDDR5X-8000 of 256 bits; transcendentals at a quarter and doubles at a sixteenth of the
// rate; and on the public capture of vcopy, whose three dispatches, ten passes and counters the recorder imitates:
// passes with many counters have long gaps, after which the clock is low and the cache emptier; counters of GL0 are
// gated unless the clock is held; two GRBM counters are stale; GUI_ACTIVE holds the profiler's own cycles. The model takes 17.5
// us where vcopy took 17.3 to 17.7, 66 at the low clock (56 to 84), 39 when cold (31 to 38); most counts agree within 10 %.
//
// Relief makes a rate half as high again, or takes a third off a time: of arithmetic and LDS with their pipelines, of the
// memory's latency at all levels, of the launch of waves with the cycles until a wave's first instruction, of the start
// and end of a kernel. The fabric and DRAM are one candidate. Draws belong to a wave's operation, so that relief
// keeps them.
//
// The time axis is that of the first pass. Gaps between dispatches are the profiler's: a part's shares are of the
// durations of its dispatches, and its end is its start on the capture's time plus their sum.
//
// Cycles of LDS are those of both halves of a processor's, as AMD's formula for its bandwidth needs. GL1 passes on all that
// GL0 misses. What options say of marks, of the processor's counters and of sets has no meaning here.
//
// It leaves out: differences between processors, address translation but for the first dispatch, instruction fetch but
// for its misses, divergence but as the lines that lanes touch, copies by the host, and other clients of the memory.
package rdna
