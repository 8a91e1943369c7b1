// Package parquet reads and writes captures as Parquet files, the exchange form for data lakes and query engines.
//
// # What is written
//
// The same columns as in the native Arrow files (see package arrow, layout 1): start and end in ns since the start of
// the capture, then one column per counter and counter instance, labels, and the times of measuring passes. Types are
// those that Spark's documentation lists without a condition:
//
//	times             INT64
//	integers          INT64, which holds every count below 2^63; a column with a larger value is DECIMAL(20,0), the type to which
//	                  Spark itself maps unsigned 64-bit columns, in 9 bytes
//	doubles           DOUBLE
//	labels            BYTE_ARRAY with the logical type STRING, dictionary coded
//
// A missing value is null. Pages are of version 1 and compressed with Snappy, Spark's default. Names of columns are
// unique without regard to case, and the characters that Spark and Hive refuse in them (blank , ; { } ( ) = tab and
// line ends) become underscores; the original is in the metadata.
//
// The key-value metadata holds "astrolabe.layout" and "astrolabe.capture" as an Arrow file does, and
// "astrolabe.columns": for each column what Arrow files say in the metadata of its field (unit, kind, block, instance,
// pass, device, reasons of missing values and so on). So a capture that went through Parquet is what it was; only
// dictionary entries of labels that no sample uses are lost.
//
// # What is read
//
// Flat columns of numbers, text and time of any Parquet file, read as package table reads the tables of other programs;
// the schema that Arrow's libraries leave in the metadata says more of their columns. Options of open for such files:
// time_column, time_unit, time, period, labels, shape.
//
// A folder of files, in folders KEY=VALUE or not, is one capture too (see openSet): what WritePartitioned took apart,
// or one table of another program.
//
// parquet-go loses LZ4 data, which is therefore unpacked here (lz4.go).
//
// Columns are read when first used, one at a time. The file is opened for each and closed again; if it was replaced in
// the meantime the column is missing and says so.
package parquet
