// Package cli is the command line: one file per subcommand, each of which only turns flags into calls and results into
// text.
//
// Standard output is for results: tables, values, and the path of every file written. Everything else is on standard
// error. Exit statuses are 0, 1 where something failed, 2 for a command line that makes no sense, and 130 after Ctrl-C.
package cli
