// Package rocprofv3 reads what ROCm's rocprofv3 writes: the counter-collection CSV (one row per dispatch and counter), the kernel-trace CSV, folders of them
// with one sub-folder per pass, and the rocpd SQLite database.
//
// A sample is a kernel dispatch, ordered by its start; regions are the kernels. A run is one file and process, or one GUID of a database. Runs of the
// same work that measured different counters are passes: their dispatches are matched by number, kernel, agent and sizes, and every counter knows
// the run that measured it with that run's own durations. A run that measured the same counters again is other work: its dispatches are samples of
// their own, told apart by the label process. Several values of one counter in one dispatch are its instances.
//
// Only tables of a database are read, no views, so that a file cannot make its reader run queries of its own. The package knows rocprofv3's layouts and
// evaluates nothing.
package rocprofv3
