// Package budget judges captures by limits: a TOML file says what every counter or metric may be, in total, per frame,
// per region, per sample or per value of a label, and Judge says of each limit whether a capture keeps it, by how much
// not, and where.
//
// What cannot be judged is never kept: a missing value is a verdict of its own, with its reason. docs/budget.md
// describes the file.
//
// The package opens no captures and prints nothing.
package budget
