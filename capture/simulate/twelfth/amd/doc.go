// Package amd is a twelfth model of Radeon cards and APUs whose draws and dispatches are profiled with the public counters of
// GPUPerfAPI, one after the other: family "amd-gpa-twelfth".
//
// A draw is 28 chunks that go through a line of stages (geometry engine, vertex waves, primitive assembly, rasterizer, depth,
// pixel waves, color blocks; a dispatch has waves only) with little room between them, so that a slow stage holds up those before
// it. It is a recursion over starts and ends, without events: a chunk starts when its stage is free, the stage before it is done and
// the one behind has room. Waves have slots; a chunk of them ends with the last of vector units, texture addressers, local memory,
// caches, memory, and of what a wave takes alone: loads that wait for each other, and instructions. Shared units keep gaps that
// other stages may fill. Units of like load lose time where their phases collide.
//
// Relief makes a candidate's work half as fast again, in all draws, with the same random numbers. Shares are a walk back from
// each draw's end over what it waited for.
//
// Public: compute units, engines, color blocks, clocks, bandwidths and caches of 15 products (RDNA 2, 3 and 4), what units
// do in a clock, GPA's formulas (local memory's conflicts are over all SIMDs, assembly's busy clocks lack stalls and primitives
// sent on, texture and memory unit are the same addresser), which counters exist on which generation with which API.
//
// Assumed, and drawn: latencies, the cache behind L2, efficiencies, how much of a wait counters see (addresser, stalls, depth
// pipe, waves that wait for exports), the busiest instance above the mean, time before a draw's first work, hit rates, and
// all content. Values of different blocks come from different runs of the draw, which differ.
//
// Left out: Vega, tessellation and geometry shaders (their counters are 0), several queues at once, dependence of clocks on
// load (without the profiler's stable clocks they wander), counters that GPA offers as streams only, and hulls of ray tracing: rays are tested
// on the texture path.
package amd
