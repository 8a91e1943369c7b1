// Package recording is what every program that records has in common: the flags that say what is measured and where it
// goes, the files that it is written into, and what is said of a recording and of a machine.
//
// It knows no formulas, no scripts and no charts: the program that is brought to devices is made of it.
package recording
