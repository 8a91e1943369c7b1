// Package chrometrace reads Chrome traces of other programs, and writes captures as such: the JSON object form of the
// Trace Event Format, which chrome://tracing, Perfetto and speedscope open.
//
// Each device is a process. A counter is a counter event ("C") at the start of each sample, with one argument for each
// instance, so that viewers stack them; regions, gaps and late spans are complete events ("X") on threads of their own,
// one for each lane of regions that do not overlap. Times are microseconds with three decimals, so nanoseconds are
// exact; so are integers in the file, though viewers read them as doubles. A missing value is left out, and an infinite
// one, for which JSON has no number. Units, groups and documentation stand in the object "counters" beside the events,
// which viewers skip.
//
// What is read: counter events, whose values hold until the next one of the same process, name, id and argument; slices
// of threads, asynchronous slices and marks, as regions; otherData. The text is taken apart event by event, so that only
// the longest event must fit into memory, and it may break off after any of them. The object "counters" of this
// package's own traces says of what kind their counters are, and gaps end samples.
package chrometrace
