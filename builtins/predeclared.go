package builtins

import "go.starlark.net/starlark"

// Predeclared returns the names that every script sees. The dict is the caller's. It is cheap: modules make their members when
// they are asked for.
func (e *Env) Predeclared() starlark.StringDict {
	module := func(t *methodTable[*Env]) *Module { return &Module{env: e, table: t} }
	d := starlark.StringDict{
		"capture": module(&captureModule),
		"metrics": module(&metricsModule),
		"plot":    module(&plotModule),
		"report":  module(&reportModule),
		"stats":   module(&statsModule),
		"table":   module(&tableModule),
		"math":    newMath(e),
		"time":    newTime(e),
		"json":    newJSON(e),
		"args":    stringList(e.Args),
	}
	if e.Testing {
		d["assert"] = module(&assertModule)
	}
	for _, en := range functions.Entries() {
		d[en.Name], _ = functions.attr(e, e, en.Name)
	}
	return d
}
