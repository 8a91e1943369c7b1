// Package builtins is the top of what a Starlark script sees: the predeclared functions, help, the reference, and
// Predeclared, which puts all names of a run together. What they are made of stands in rooms, each of which may import
// those before it only:
//
//	notation   how numbers, units, durations and texts are written and read
//	mistakes   what to write instead of what another language or library calls it
//	binding    a run (Env), the method table of a type or module, a call whose arguments are bound by a signature, values of Go and of Starlark
//	values     Capture, Counter, Mask, Sample, Span, Metric, Plot, Report, Table, Session, Account
//	guards     what stands between a script and a comparison that means nothing, or memory that is not there
//	modules    capture, metrics, plot, report, stats, table, and those of the language
//
// Each type and module has one table of methods and attributes. The table checks arguments, feeds help and completion,
// and is written out as the reference in docs; a test runs every example in it. Algorithms are not here: they live in
// the packages to the left, and a file of these packages only turns Starlark values into theirs and back.
//
// Every value is immutable. Columns stay columns until a script asks for .values.
package builtins
