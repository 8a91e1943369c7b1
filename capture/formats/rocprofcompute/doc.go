// Package rocprofcompute reads the workloads that rocprof-compute records on AMD GPUs: a folder with pmc_perf.csv, or that file.
//
// A sample is a logical dispatch, all its measuring passes merged: rows are grouped by Dispatch_ID, Kernel_Name, Grid_Size, Workgroup_Size,
// LDS_Per_Workgroup and GPU_ID. Samples are ordered by the start of the dispatch in the pass that was measured first, which also gives the time
// axis; time 0 is the start of its first dispatch. Dispatches and GPUs are numbered from 0 in the labels dispatch and gpu; where the file
// numbers them otherwise its numbers are the labels dispatch_id and gpu_id.
//
// The long form has one row for each pass, dispatch and counter. GUID names the pass; without it passes are told apart by the start and end
// times of a dispatch, and the same set of counters in two dispatches is one pass. The older wide form has one row for each dispatch: its
// numbered wave_size columns show where the counters of the next pass begin, but only one pass's times are kept. Where timestamps.csv
// exists the times come from there. The wide form's SQ_*.csv files are passes of their own; SQ_ACCUM_PREV_HIRES of the file
// SQ_LEVEL_WAVES.csv is the counter SQ_LEVEL_WAVES_ACCUM, as rocprof-compute calls it, and their other columns are read where
// pmc_perf.csv does not have them; a warning names those left out.
//
// A counter that was measured in several passes has the value of the last one, with a warning. TCC_HIT[3] is instance 3 of TCC_HIT.
// The option duration picks the measuring time of every counter: "pass" is that of its own pass, "median" the median over all rows of the
// dispatch (so that a pass with many counters weighs more), "first" that of the dispatch's first row in the file.
//
// sysinfo.csv gives the properties, the device and the GPU. The package knows AMD's file layouts and counter names, and evaluates nothing.
package rocprofcompute
