// Package notation is how values are written for people and read from them: quantities with units, durations, formats,
// and texts of other people's files in the cells of a terminal. It knows no run and no value of a script beyond those
// of the language.
package notation
