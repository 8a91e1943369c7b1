package builtins

import (
	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/modules"
)

// Predeclared returns the names that every script of a run sees. The dict is the caller's.
func Predeclared(e *binding.Env) starlark.StringDict {
	d := modules.Predeclared(e)
	d["args"] = binding.StringList(e.Args)
	for _, en := range functions.Entries() {
		d[en.Name], _ = functions.Attr(e, e, en.Name)
	}
	return d
}
