// Package perfetto writes captures as Perfetto traces and reads the counters of Perfetto traces.
//
// # What is written
//
// A stream of TracePackets that the Perfetto UI and trace_processor open. One track stands for the capture; below it is
// a track for each device and hardware block, below those a counter track for each counter, and for counters with
// instances a track with a counter track for each instance (they share a scale). Regions, labels, gaps and late spans
// are slices on tracks of their own. Units are the schema's where it has them (bytes, ns, counts), else a name.
//
// A value is written at the start of its sample and Perfetto draws it until the next one. A missing value is not
// written, so Perfetto draws the one before it on: the slices of the track "gaps" say where there was no data, those of
// "late" where one sample covers the time of several. Integers are exact up to 2^63-1; greater ones are rounded to
// doubles, and Doubts says so.
//
// A mark "capture" on the uppermost track says what a trace has no place for: the GPU, the device, constants, warnings,
// and of each counter its description and the reasons of missing values. What a pass measured in which time is not
// kept.
//
// # What is read
//
// GpuCounterEvent with its specs (names, units, groups, description), whether inline or interned, and counters of
// TrackEvent with their units and the tracks above them as groups. A GPU counter's value belongs to the time since its
// previous one, unless its spec says that it looks forward; the first one, which has no beginning, is left out. Units
// such as percent, hertz and watt and anything per something are levels, all else are events. Counters of TrackEvent
// are levels that hold until the next value; those that this package wrote are what they were, with their regions,
// labels, gaps and late spans.
//
// Counters that are messages of their own (probes.go): the kernel's events of GPU frequency, memory and periods of
// work, of clocks, of temperatures and the counters that processes and drivers write into its trace; what files of the
// system showed; power rails and batteries. GPU render stages are regions, and the time that they took is a counter of
// each queue. Running totals, such as the energy of a rail, become what was added between two of them. States, such as
// that a CPU idles, are no counters.
//
// Times join by clock snapshots, of machines by RemoteClockSync. A clock or a machine that none relates to the others
// is left out, and a warning counts what.
//
// The samples of the capture are cut wherever a counter has a value. Where counters have values at different times, a
// level counts in every sample that it covers. Events of GPU counters count in the last of them; the others are missing
// and say so. What a running total or a period of work says is spread evenly over the samples that it covers, in whole
// numbers that add up.
//
// Field numbers are those of the protos in github.com/google/perfetto, protos/perfetto; testdata/schema.txt lists the
// ones that are used, and a test takes what is written apart by it.
package perfetto
