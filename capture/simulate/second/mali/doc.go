// Package mali is a second, independent simulator of programs on Arm Mali GPUs with a command stream front end (Mali-G720
// and Mali-G615), by which the diagnosis is judged. Its author knew neither the rules of the diagnosis nor the first
// simulator.
//
// What is modelled: a program's frames go from the application's thread over the driver's to three queues (compute,
// binning, main phase), which each work through their jobs in order and next to each other. A render pass is a job of
// binning and one of the main phase. A job starts (a fixed time), fills the cores, works and drains; its next one may
// start while it drains. It is a fluid: each stretch of it needs so much of eleven resources (arithmetic, texture,
// varying, load/store and ray tracing units, rasterizer and tile buffer of the cores, the tiler, lookups of the L2
// cache, bytes of the memory, and the time that warps wait for loads in the limited room for warps). Alone it takes the
// norm of what each resource alone would take, because units overlap only in part; jobs at the same time share each
// resource until it is used up. Reads take longer where many are under way. Frames are shown as they are done, at the
// display's refreshes, or at dates. A governor chooses the clock by the share of busy time, below what heat, power or a
// setting allows.
//
// The truth is found by running the same draws again with one thing relieved. What set the pace is found by going back
// from the last frame, always to what was waited for last.
//
// Facts it rests on: Arm's public performance counter guides of the two products and libGPUCounters' database (what
// counts what, 16 threads of a warp, eight samples and four slots of varyings per cycle, two multiply pipes, tiles of
// 32 x 32, tasks of 64 x 64 or 32 x 32 pixels, beats of 16 bytes, clock domains, the defect of GPU_ACTIVE on the G615),
// deferred vertex shading of the fifth generation, the kernel's kinstr interface (periods, merged samples), devfreq's
// way to choose a clock, and /proc/stat's units of 10 ms.
//
// What it leaves out: contents of caches (rates of misses are drawn), tiles one by one, variable-rate shading, other
// users of the memory, protected mode, snoops, a shader clock apart from the top-level one, changes of the memory's
// clock, and the processor's clock and scheduler.
package mali
