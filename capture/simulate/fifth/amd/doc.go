// Package amd is a fifth model of Radeons, by an author who had seen neither the other models nor the rules of the
// diagnosis: what GPUPerfAPI's public counters tell of draws and dispatches that a profiler replays one after the other
// (amd-gpa-fifth), and what the amdgpu driver's files, sensors and sampled status registers tell of a running program
// (amd-live-fifth).
//
// # How it simulates
//
// Work is no row of pieces: it flows. A pass has one stream of threads, or one of geometry and one of pixels, and every
// stream asks for so many ns of each of eleven resources and of waiting for memory. Its rate follows from these with a
// soft minimum, so that resources that are nearly as busy disturb each other; the pixels cannot overtake the geometry,
// which cannot be further ahead than what lies between them holds; streams of overlapping passes share a resource in
// proportion. What a stream asks for changes along it (mod), and rates hold until something changes: a part of a stream
// ends, a clock steps, a pass is handed over. Each of these moments is a step of the engine; nothing is drawn in it.
//
// Passes wait on their queue, for each other, for the driver's thread and for the display's picture; the processor waits
// for fences, dates, refreshes and requests. Each event keeps what it waited for (simulate.Path), and within a pass
// what set its rate, so that the walk back from the last frame gives shares that add up. Gains are found by relief.
//
// # What is a fact
//
// Names, units and formulas of counters are those of the catalogues and of ../shared/reference/gpa_rdna_counters.csv: that
// PrimitiveAssemblyBusy is what clipping takes less stalls and less a clock for each primitive that goes on, that
// TexUnitBusy and MemUnitBusy are one program, that CSALUStalledByLDS is what a mean wave waits by the time of the whole
// dispatch, that PostZQuadCount counts the same quads as PreZQuadsSurvivingCount. Places and generations of status bits
// are those of hwio/amdgpu, ticks of /proc/stat and times of readings those of the readers. Sizes and clocks of products
// are their vendor's, rounded.
//
// # What is assumed
//
// What passes ask for (recipes), what of a resource's peak they attain, how power and heat follow the work, and above all
// how surely a block is found busy that only waits, for the next block or for memory (look): nothing public says it, so
// all of it is drawn, wide, with the machine or the pass.
//
// # What is left out
//
// Clocks of memory that change while a program runs, GFXOFF and runtime suspend, the Infinity Cache, tessellation, rays, atomics, the traffic
// of an APU's processor and the power that it shares, threads that spin while they wait, and values that a reader could not get.
package amd
