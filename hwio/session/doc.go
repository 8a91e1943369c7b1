// Package session measures counters in passes, after the model of AMD's GPUPerfAPI (GPA), for every source.
//
// More counters can be enabled than the hardware counts at once. A scheduler packs them into passes by the block limits
// of a GPU generation, or by a limit of the caller's, and never splits a counter that fits one pass. The work to be
// measured is repeated once per pass; samples are matched across passes by their number.
//
// A Context is made over a Backend: what it can count, and how one sample of one pass is measured. OverSources measures
// with the readers of package hwio, OverResults replays hardware results that were stored before. A context holds the
// enabled counters and a ring of sessions; a session has passes, and a pass has samples. Each call fails under the
// conditions of the GPA user guide, in its order, with an *Error that wraps the Status of the guide's name. Contexts
// that share a Log tell it of their calls.
//
// A context is in one of four phases: the table steps says how it moves between them, and Context.reach which call may
// follow which. Context.Run and Context.Capture are what most callers want. A Context is used by one goroutine at a
// time. Nothing here knows a driver or Starlark.
package session
