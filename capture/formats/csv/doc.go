// Package csv reads and writes captures as delimited text, one counter in each column (wide) or in each row (long).
//
// The time column is found by its name (time, timestamp, t, start and end, with or without a unit, as in "Time (ns)",
// "t [ms]" and "time_us"). Its unit is the one in the header, else seconds; whole numbers of 1e11 and more without a
// unit are nanoseconds. A single time column holds the START of each sample, and a sample ends where the next one
// starts; the last is as long as the one before it, or as its own frame_time_ms says where that
// of all others is the time to the next. The option time="end" says that it holds the ends, time="length"
// that it holds how long each row took, so that rows follow each other, as they do where there is no time but a column
// such as "GpuTime[ns]" or "duration_us". Times beyond 1e6 seconds, or given as dates, are moved so that the first
// sample starts at 0; others stay as they are.
//
// A header such as "GPU active (cycles)" or "Bandwidth [MB/s]" carries a unit, and "TCC_HIT[3]" is instance 3 of
// TCC_HIT. Parentheses hold a unit only if it is a known one; square brackets after a blank always do. Columns of text
// are labels, and so are columns named kernel, dispatch, pass, session, frame, region, pid, tid, process or thread, and
// "NAME (label)".
//
// The kind of a counter is that in braces behind its unit, as in "used (MiB) {gauge}", which Write adds where nothing
// else says it. Else it is found as for every format (see formats.Registry.Open): by the catalogue, by the unit, and
// otherwise it is a count, and guessed.
//
// Options of open: delimiter, decimal, time ("start", "end" or "length"), time_column, time_unit, period, labels
// (names), shape ("wide" or "long").
//
// What the columns of a table mean is package table's knowledge, which Parquet and Arrow files of other programs share.
//
// The package knows no vendor's names and no hardware, but how VTune calls the metrics of a task of the GPU, and in what units one program that watches
// GPUs (amd-smi) writes memory; what columns of programs that watch a machine mean is package machine's knowledge.
package csv
