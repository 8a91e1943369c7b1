// Package arrow is astrolabe's native storage: captures as Arrow IPC files, which pandas, polars, DuckDB and R open
// directly.
//
// # Forms
//
// A recording is in the IPC file form from its first byte: the magic, a schema message, then one record batch per
// Writer.Write, each handed to the kernel in one system call. A recorder that is killed loses at most the batch it was
// writing; what it leaves opens here, and from byte 8 on elsewhere as a stream. Close appends the footer, and Repair
// does so later. Pipes get the stream form. Format.Encode writes any capture in the file form, in batches of up to
// 64 MiB. Format.Open reads both, and what other programs write.
//
// A file has each dictionary once, and not every reader takes one that grows (polars does not), so labels of a
// recording are plain text; Encode codes them.
//
// # Layout 1
//
// Columns, told apart by the field metadata "role":
//
//	start, end            int64, ns since the start of the capture
//	covered, count        int64 and float64, only where capture.Axis has them
//	counter, instance     uint64 or float64; null is a missing value, a float64 has NaN beneath it
//	label                 dictionary of int32 to utf8, or utf8
//	pass_start,           uint64 or float64, the samples' own times in one measuring pass
//	pass_duration
//
// The field metadata of a counter holds its capture.Meta, pass, missing reasons and warnings. The schema metadata holds
// "astrolabe.layout" (the version of this layout) and "astrolabe.capture" (JSON: everything else of capture.Config).
// What arises during a recording (gaps, late spans, regions, warnings, missing reasons) is custom metadata of its
// record batch ("astrolabe.notes", JSON), which other readers skip. Path and format are not stored: they are those of
// the file.
//
// # Files of other programs
//
// A file without the time axis of layout 1 is a table of another program, read as package table does. Where a file has
// a footer, that says what the schema is and where the messages lie: some writers put the schema nowhere else.
//
// # Mapping
//
// On Unix a large file is mapped and its columns are slices of the mapping: opening touches the metadata, the time axis
// and the labels, and every other column when first read. Such slices travel through every derived capture, and nothing
// tracks them, so a mapping is never removed once a capture has been opened from it; it costs address space, and its
// pages belong to the page cache, which drops them under pressure. A file that is opened again shares the mapping it
// has. A file that fails to open is unmapped. Small files are read into memory instead. astrolabe never overwrites a
// file in place, it renames a new one over it, and shortens one only behind its last whole batch; should another
// program shorten a mapped file, reading the lost part ends the process, as with every mapping.
package arrow
