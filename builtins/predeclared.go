package builtins

import (
	"strings"

	"go.starlark.net/starlark"
)

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

// Printed is how a session shows the value of an expression: text of several lines as it is, other values as they print, and
// nothing so long that it floods the screen.
func Printed(v starlark.Value) string {
	if s, ok := v.(starlark.String); ok && strings.Contains(string(s), "\n") {
		return string(s)
	}
	if l, ok := v.(starlark.Sequence); ok {
		switch v.(type) {
		case *starlark.List, starlark.Tuple, *starlark.Set:
			if l.Len() > printedElements {
				return shortened(l)
			}
		}
	}
	return v.String()
}

// printedElements is the most elements of a list that a session shows.
const printedElements = 100

func shortened(l starlark.Sequence) string {
	var parts []string
	iter := l.Iterate()
	defer iter.Done()
	var x starlark.Value
	for i := 0; iter.Next(&x) && i < printedElements; i++ {
		parts = append(parts, x.String())
	}
	return "[" + strings.Join(parts, ", ") + ", … " + starlark.MakeInt(l.Len()-printedElements).String() + " more]"
}
