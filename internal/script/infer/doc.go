// Package infer says what the expressions of a script are without running it, as far as that can be told: that cap is a
// Capture of a mali-g615, that c is a Counter, that m is a Mask. It reads the method tables of builtins, so whatever
// they document is known here too. Lint, completion and hover build on it.
//
// What is not sure is Unknown, and nothing is ever said about it: a warning must be right, and a script may do
// anything.
package infer
