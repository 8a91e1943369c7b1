// Package mali is an independent model of programs on Arm GPUs of two generations, Mali-G710 and Mali-G720, and of what
// a recorder would have counted. Its author knew neither the rules of the diagnosis nor the other simulators.
//
// # What is modelled
//
// A frame is a list of passes on the three queues of the command-stream front end: binning (vertex and tiler), compute
// and fragment. A queue works on one pass at a time, in order. A pass has a fixed time to start, and then chunks of
// work: at first and at last few of the cores have something to do, in between the mixture of work changes as meshes,
// sky and smoke do. What a chunk does are quantities that the hardware counts: instructions, messages to the texture
// unit, interpolated slots, quads, primitives, beats. From them follows how long each of eleven resources would take
// alone; a norm of these times is the time of the chunk, so that units overlap well but not wholly. Passes of several
// queues that run at once share each resource. Between two events all rates are constant, and the simulation goes from
// event to event.
//
// Latency binds where warps wait for reads and too few reads can be in flight. Reads take longer where memory is nearly
// full. Memory has its own clock; all units have the GPU's. Its clock follows the kernel's governor, settings, and
// limits for heat or power that go up and down every 100 ms. The application's thread and the driver's make frames one
// after the other, or in one thread, and wait for buffers of the display, for dates, for requests, for frames that are
// too far ahead, or for results of the GPU.
//
// # Truth
//
// The gain of a candidate is found by simulating the program again without that limit, with the same draws. Shares come
// from a walk back from the last frame shown, from each event to the one that it waited for last. The time of a pass
// belongs to the resources that it took most of, moment by moment; the part of it that a lower clock adds belongs to
// who lowered the clock.
//
// # Facts
//
// Rates per core and cycle are those that Arm's public formulas of metrics imply: eight texture samples, two or four
// interpolated slots, a quarter of an SFU instruction, two FMA instructions on the G720, beats of 16 bytes, tiles of 32 x
// 32 pixels, fragment tasks of 64 x 64 on the G720, warps of 16 threads, four threads in a task of vertices. Four pixels
// blended per cycle are Arm's data sheet's. Clocks, numbers of cores and bandwidths are in the range of phones sold with
// these GPUs. How fast the tiler and the rasterizer are is not public; theirs are assumptions.
//
// # What is left out
//
// Counters of address translation, snoops, instruction caches' details and the total task cycles of the front end; one
// value per counter, not one per core or slice; sharing of a core's registers between fragment and other warps; other
// programs on the GPU; protected mode; a GPU's power states.
package mali
