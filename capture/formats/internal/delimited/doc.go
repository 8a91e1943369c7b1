// Package delimited reads delimited text (CSV and its relatives) into columns, for the formats that are made of it.
//
// It knows delimiters, quotes, line ends, byte order marks, comment lines, decimal commas and numbers, and nothing
// of time axes, counters or vendors. Large files are read in chunks that end at row ends, by all cores, straight into
// the final columns: the cost beside the columns is one buffer for each core. Every error names the file and the line.
//
// It imports capture for its column types only.
package delimited
