// Package perfstat reads what Linux's perf stat prints: CSV (-x SEP), JSON lines (-j) and the text for people, whole or
// in intervals (-I), and per CPU, core, die, socket, node, thread or control group (-A, --per-core and so on).
//
// A time stamp of -I is the end of its interval, and the first begins at 0. Without intervals there is one sample; its
// length is what the event duration_time counted, else what the CPUs utilized that perf printed say. Where nothing tells
// it is drawn as long as the longest time that an event ran, and the property capture.ElapsedUnknown says so. Output that
// --append added goes on where the one before it ended. Of whole CPUs the property capture.Counted says so; clocks.go
// says how they are told from tasks, and how tasks get a task-clock that was not counted.
//
// In the text for people counts are exact too, whatever the locale puts between thousands; times and scaled values are
// rounded to two digits, and a warning says so. Its sample is as long as the elapsed time that it prints, and the
// seconds of user and system become user_time and system_time.
//
// Counts are exact, in the unit that perf prints. "<not counted>" and "<not supported>" are missing values with that
// reason. perf scales up the counts of events that shared a hardware counter: where any ran for less than all of its
// time, a counter EVENT:running holds the percentages, and the event carries a warning. EVENT:noise holds the relative
// deviation over the runs of -r. Events of GPUs' drivers become counters of the catalogue intel-live, see drivers.go. Metrics that perf computed are left out, with a warning: they follow from the counts.
package perfstat
