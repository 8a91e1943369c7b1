// Package guards stands between a script and what Starlark would do without a word: compare a Counter with ==, or take
// memory that the machine does not have. Rewrite changes the syntax tree before it is compiled, Add adds the names that
// the rewritten tree uses, and Recover makes errors of what a guard stopped.
package guards
