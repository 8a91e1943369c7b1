// Package modules holds the predeclared modules, one file for each and more for those with many members. Their
// functions read arguments, call a package to the left and wrap what it gives in a value.
package modules
