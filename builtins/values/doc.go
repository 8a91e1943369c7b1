// Package values holds the types that scripts work with, one file for each and one for its method table. A value wraps
// one of a package to the left, which a field of the same name gives to the modules; whoever reads it must not change
// it.
package values
