package modules

import (
	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
)

// All documents the modules, in the order of the reference.
var All = []binding.Documented{&captureModule, &metricsModule, &plotModule, &reportModule, &statsModule, &tableModule,
	&mathModule, &timeModule,
	&jsonModule, &assertModule}

// Predeclared returns the modules that scripts of a run see, by their names. It is cheap: modules make their members
// when they are asked for.
func Predeclared(e *binding.Env) starlark.StringDict {
	d := starlark.StringDict{"math": newMath(e), "time": newTime(e), "json": newJSON(e)}
	for _, t := range []*binding.MethodTable[*binding.Env]{&captureModule, &metricsModule, &plotModule, &reportModule,
		&statsModule, &tableModule} {
		d[t.Name] = &binding.Module{Env: e, Table: t}
	}
	if e.Testing {
		d["assert"] = &binding.Module{Env: e, Table: &assertModule}
	}
	return d
}
