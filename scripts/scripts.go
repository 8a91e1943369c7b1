// Package scripts holds the Starlark library that astrolabe ships: load("@astrolabe//triage/cpu.star", "analyze").
// It imports nothing; the command line hands the file tree to the interpreter.
package scripts

import "embed"

//go:generate go run astrolabe/internal/script/compile

// Library is the root of "@astrolabe//".
//
//go:embed lib tables triage compiled
var Library embed.FS
