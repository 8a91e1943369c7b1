// Package cases draws whole cases for families that render frames: a device, content for it, the processor's side,
// pacing, a clock, and how all of that is recorded. Families say what their device is, turn content into work for its
// units, and make counters of a recorded simulation.
package cases
