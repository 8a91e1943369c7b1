// Package table makes captures of tables that other programs wrote, whatever format brought them: delimited text,
// Parquet, Arrow.
//
// It finds out what each column is for (time, counter, label; in the long form names and values), makes the time axis,
// and hangs instances below their counters. The rules are those of package csv's documentation and the same for every
// format, so that one table gives one capture. A format describes its columns (Column), and then hands out their values
// as they are asked for (Values).
//
// The package knows no vendor's names; what the catalogues know is added to every capture when it is opened.
package table
