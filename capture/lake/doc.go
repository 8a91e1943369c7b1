// Package lake keeps what is known of many captures as tables that query engines read: a lake is a folder with three
// tables of Parquet files, each in folders build=VALUE/device=VALUE as Hive, Spark, DuckDB, pandas and polars know
// them.
//
//	captures  a row for each capture: what it is of, its labels, what it was computed by
//	metrics   a row for each counter and metric of a capture, a kernel, a region, the mean frame, a frame or a phase
//	findings  a row for each finding of its report
//
// # One capture, once
//
// A capture is known by the SHA-256 of its content and has one file in each table, which is named after it. It is in
// the lake if it is in captures: its file there takes its name last, after those of the other two are on the disk. A
// writer that ended before leaves rows of metrics that belong to no capture; adding the capture again writes the same
// files. What catalogues and scripts make of a capture is not a part of its identity: two rows for one measurement
// would count it twice. The rows say which version computed them instead, and what another one would compute takes the
// place of the old only where that is asked for (Entry.Replace).
//
// # Writers
//
// Files are written in a folder of their writer below _tmp and then renamed. What is read before and renamed after is
// held together by a lock on the file _lock, which a writer that ends lets go, however it ends. There is no list of the
// files: who reads the folders knows all.
//
// # Compaction
//
// Engines take every file of a folder, so files cannot be replaced by their union one after the other without a moment
// at which rows are missing or there twice. The union is written into a new folder instead, which then changes places
// with the old one in one step (renameat2 with RENAME_EXCHANGE). Where a system cannot do that, compaction is refused.
//
// # What a table holds
//
// The sum of the rows of a file stands in its footer: it is the same in whatever order they are. Verify reads every row
// and compares.
package lake
