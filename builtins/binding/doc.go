// Package binding is what ties Go to a script: the run (Env), the method table that documents a type or module and
// finds its members, the call whose arguments are bound to a signature, and values of the language made of Go's and
// back. It knows no value of ours.
package binding
