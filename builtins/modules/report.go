package modules

import (
	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
)

var reportModule = binding.MethodTable[*binding.Env]{
	Name: "report",
	Doc:  "Reports of several panels for a bug ticket.",
	Methods: []binding.Method[*binding.Env]{
		{Sig: "new(title: str, capture: Capture=None) -> Report", Doc: "An empty report about a capture.",
			Example: "report.new(\"Frame 12\", capture=cap)",
			Run: func(e *binding.Env, c *binding.Call) (starlark.Value, error) {
				cap, _ := c.Arg("capture").(*values.Capture)
				return values.NewReport(e, c.Str("title", ""), cap), nil
			}},
	},
}
