// Package formula is astrolabe's expression language: the formulas of vendors' guides and of users, parsed from each
// vendor's dialect into one tree, compiled into one program and evaluated over blocks of samples.
//
// The walk is Parse (text to Expr), Bind (Exprs and the counters of a capture to a Program) and Program.Derivation
// (a capture.Derivation that makes a derived Counter) or Program.evalAll. Bind shares common subexpressions among all
// formulas bound together, folds constants, and evaluation reads each input once per block and allocates only its
// outputs.
//
// Missing values are NaN. Anything divided by zero is missing (unless Options.ZeroIsZero), and a missing value survives
// arithmetic, comparisons, max, min, clamps and the condition of an if: an idle 0/0 sample never prints as 100 %.
//
// Over more than one sample operands are aggregated first and the formula is evaluated on the aggregates, using only
// the samples in which every delta operand of the formula is present, so a total of a ratio is a ratio of totals over
// the same samples. The reductions of the ROCm dialect (SUM, AVG, one-argument MIN and so on) reduce over those
// samples.
//
// Integer operations, which Intel's equations have, keep whole numbers exact however large they grow; see exact.go.
//
// The package knows no catalogue, no file format and no Starlark.
package formula
