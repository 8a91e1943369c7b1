// Package simulate is a simulator of time in GPUs and in what feeds them: application threads, a driver, hardware
// queues, passes whose work flows through shared units with limited buffers, a memory with a bandwidth and a latency,
// a clock with a governor, and a display that takes frames at its own dates. It generates captures with the raw
// counters that real recordings have, and it knows what limited them.
//
// It knows no rule of diagnosis: what limits a case is found by relieving one thing after the other and simulating
// again (Truth), and which thing set the pace at each moment is read off the simulation itself, by walking back from
// the last frame over what each event waited for.
//
// The engine is event-driven. The unit of work is a chunk: a few dozen of them make a pass, such as a strip of tiles
// with the warps that shade them. A chunk goes through the front stages of its stream, takes a slot in the shader
// cores, is served by all units of the core at the same time as far as they are free, and leaves through the back
// stages. Times are whole nanoseconds, so that shares add up exactly.
//
// Everything is drawn from a seed before a simulation begins, and nothing during it: two simulations of one case
// differ by what was relieved and by nothing else. The package imports the data model and nothing else of ours;
// families in the folders below it map work to counters.
//
// Tests look at a few cases of each kind. ASTROLABE_SIMULATE_TIMES=30 go test ./capture/simulate/... looks at 30 times
// as many, thousands in all; where the machine changes what is drawn, or counters, it is worth the minutes.
package simulate
