// Package gpa reads and writes the CSV that the utility function of AMD's GPUPerfAPI user guide (section 7) saves
// sessions in.
//
// The header is "Identifier, " and the name of each enabled counter followed by ", ". A row is "session: N; sample: M,
// " and each value followed by a comma alone: so both end in a separator, and header cells begin with a blank. Floating
// point values have six decimals, integers none. Session and sample become labels; there are no times. What was read is
// written again byte for byte, line ends and spellings of missing numbers included.
//
// A process writes the header once and appends, even where its counters changed. A row with another number of values
// than its header is an error unless the option skip leaves such rows out. Where a second header follows, as in joined
// files, its rows go to the columns of its names.
//
// The package is used by name ("gpa"): no file name ending selects it. It knows GPA's counters through the catalogue
// only.
package gpa
