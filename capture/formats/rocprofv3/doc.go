// Package rocprofv3 reads what ROCm's rocprofv3 writes: CSV files of counters, kernels, calls of APIs, markers, copies
// and allocations, rocpd databases, and folders of them, such as one for each host, pass or rank.
//
// A sample is a kernel dispatch, ordered by its start. A run is one file and process, or one GUID of a database. Runs
// of the same work that measured different counters are passes: package pairing proves which of their dispatches are
// the same, and every counter knows the run that measured it with that run's own durations. Of a counter that several
// passes have the first counts, and the others are counters named after their runs. A run that measured all that
// another did, or nothing else, is other work: its dispatches are samples of their own, told apart by the label process.
// Several values of one counter in one dispatch are its instances. Counters of older releases have no times: they are those of
// the kernel trace of the same run.
//
// Kernels, calls, markers, copies and allocations of the first run are regions. Their track is the queue, or the domain
// and thread; calls and markers of a thread nest, and what overlaps without nesting has a track of its own. Without
// kernels and counters the calls are the samples.
//
// The files of a run begin with the same words (HOST/PID_). Where a database was written, the CSV files of the same run
// are left out. The package knows rocprofv3's layouts and evaluates nothing.
package rocprofv3
