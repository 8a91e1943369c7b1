// Package notices holds the copyright notices and licences of what is in the programs and was made by others: modules,
// Go itself, fonts and data of vendors. Their licences ask that the notices travel with the binaries.
package notices

import _ "embed"

// Text are the notices as plain text. go generate writes them from the module cache and from data.txt; a test checks
// that they are current.
//
//go:embed notices.txt
var Text string
