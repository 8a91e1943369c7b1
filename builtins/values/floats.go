package values

import (
	"fmt"
	"math"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
)

// AsFloats reads a Counter or a list of numbers and None; missing values are NaN. The result may be shared.
func AsFloats(v starlark.Value) ([]float64, error) {
	if c, ok := v.(*Counter); ok {
		return binding.AwaitValues(c.env.Context(), c.Counter, func() ([]float64, error) { return c.Counter.Floats(), nil })
	}
	it, ok := v.(starlark.Iterable)
	if _, str := v.(starlark.String); str || !ok {
		return nil, fmt.Errorf("got %s, want Counter or list of numbers", v.Type())
	}
	if err := binding.RoomFor(it); err != nil {
		return nil, err
	}
	var out []float64
	iter := it.Iterate()
	defer iter.Done()
	var x starlark.Value
	for iter.Next(&x) {
		switch x := x.(type) {
		case starlark.NoneType:
			out = append(out, math.NaN())
		case starlark.Int, starlark.Float:
			f, _ := starlark.AsFloat(x)
			out = append(out, f)
		default:
			return nil, fmt.Errorf("element %d is %s, want a number or None", len(out), x.Type())
		}
	}
	return out, nil
}
