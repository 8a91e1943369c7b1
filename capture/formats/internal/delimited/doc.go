// Package delimited reads delimited text (CSV and its relatives) into columns, for the formats that are made of it.
//
// It knows delimiters, quotes, line ends, byte order marks, comment lines, decimal commas and numbers, and nothing
// of time axes, counters or vendors. Large files are read once, in chunks that end at row ends, by all cores, into packed
// columns: the cost beside the columns is a buffer and a run of rows for each core. Only where there are quotes, from the
// first one on, rows are looked for before they are read. Every error names the file and the line.
//
// It imports capture for its column types only.
package delimited
