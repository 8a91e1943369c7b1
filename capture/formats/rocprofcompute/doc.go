// Package rocprofcompute reads the workloads that rocprof-compute (Omniperf) records on AMD GPUs: a folder, or one of
// its files.
//
// A sample is a dispatch, with what all runs have measured of it. Samples are ordered by the start of the dispatch, in
// the run that was measured first where every run has times of its own; time 0 is the start of its first dispatch.
// Dispatches and GPUs are numbered from 0 in the labels dispatch and gpu; where the files number them otherwise their
// numbers are the labels dispatch_id and gpu_id.
//
// A workload is one file of all runs, pmc_perf.csv, or files of single runs, or both (see layout). The long form has
// one row for each run, dispatch and counter. GUID names the run; without it runs are told apart by the start and end
// times of a dispatch, and the same set of counters in two dispatches is one run. The wide form has one row for each
// dispatch: its numbered wave_size columns show where the counters of the next run begin.
//
// Dispatches of two tables are the same only where package pairing proves it, since files count from 0, from 1, or what
// a filter has left. Times are those of the same row. They are joined from timestamps.csv only where a file has none of
// its own, or has another kernel's. Where the file of all runs holds means over the runs and the files of the runs are
// there, the counters have the times of their run.
//
// A counter that several runs measured has the value of one of them: the last in a long file, as in AMD's tool, and
// that of pmc_perf.csv in a wide one. The values of every other run are a counter of their own,
// GRBM_COUNT@SQ_LEVEL_WAVES, with the durations of that run. SQ_ACCUM_PREV_HIRES of the file SQ_LEVEL_WAVES.csv is the
// counter SQ_LEVEL_WAVES_ACCUM. TCC_HIT[3] is instance 3 of TCC_HIT.
//
// The option duration picks the measuring time of every counter: "pass" is that of its own run, "median" the median
// over all rows of the dispatch (so that a run with many counters weighs more in a long file), "first" that of the
// dispatch's first row.
//
// sysinfo.csv gives the properties, the device and the GPU. The package knows AMD's file layouts and counter names, and
// evaluates nothing.
package rocprofcompute
