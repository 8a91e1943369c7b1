// Package builtins is what a Starlark script sees: the values (Capture, Counter, Mask, Sample, Span, Metric, Plot,
// Report, Table) and the modules (capture, metrics, plot, report, stats, table and the smaller ones).
//
// Each type and module has one table of methods and attributes. The table checks arguments, feeds help and completion, and
// is written out as the reference in docs; a test runs every example in it. Algorithms are not here: they live in the
// packages to the left, and a file of this package only turns Starlark values into theirs and back.
//
// Every value is immutable. Columns stay columns until a script asks for .values.
package builtins
