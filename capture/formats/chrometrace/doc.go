// Package chrometrace writes captures as Chrome traces: the JSON object form of the Trace Event Format, which
// chrome://tracing, Perfetto and speedscope open.
//
// Each device is a process. A counter is a counter event ("C") at the start of each sample, with one argument for each
// instance, so that viewers stack them; regions, gaps and late spans are complete events ("X") on threads of their own,
// one for each lane of regions that do not overlap. Times are microseconds with three decimals, so nanoseconds are
// exact; so are integers in the file, though viewers read them as doubles. A missing value is left out, and an infinite
// one, for which JSON has no number. Units, groups and documentation stand in the object "counters" beside the events,
// which viewers skip.
package chrometrace
