package repl

import (
	"encoding/json"

	starlarkjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
)

// encodeJSON is a value as one line of JSON. A value that has none, such as a plot or a module, is its text.
func encodeJSON(v starlark.Value) (string, error) {
	out, err := starlark.Call(new(starlark.Thread), starlarkjson.Module.Members["encode"], starlark.Tuple{v}, nil)
	if err == nil {
		text, _ := starlark.AsString(out)
		return text, nil
	}
	_, listed := v.(starlark.Iterable)
	if _, number := v.(starlark.Float); listed || number {
		return "", err
	}
	text, err := json.Marshal(v.String())
	return string(text), err
}
