package builtins

import (
	"fmt"
	"math"
	"math/big"

	"go.starlark.net/starlark"

	"astrolabe/capture"
)

// number boxes one value: None where missing, an int where it is exact, else a float.
func number(v capture.Value) starlark.Value {
	switch {
	case v.Missing():
		return starlark.None
	case v.IsInt():
		if u, ok := v.Uint64(); ok {
			return starlark.MakeUint64(u)
		}
		return starlark.MakeBigInt(v.Big())
	}
	return starlark.Float(v.Float())
}

// float boxes a double: None where it is NaN.
func float(f float64) starlark.Value {
	if math.IsNaN(f) {
		return starlark.None
	}
	return starlark.Float(f)
}

// integral boxes a double, as an int where it is one.
func integral(f float64) starlark.Value {
	if f == math.Trunc(f) && !math.IsInf(f, 0) {
		if math.Abs(f) < 1<<62 {
			return starlark.MakeInt64(int64(f))
		}
		b, _ := big.NewFloat(f).Int(nil)
		return starlark.MakeBigInt(b)
	}
	return float(f)
}

// seconds boxes a time in ns as seconds.
func seconds(ns int64) starlark.Value { return starlark.Float(float64(ns) / 1e9) }

// text boxes a string, None where it is empty.
func text(s string) starlark.Value {
	if s == "" {
		return starlark.None
	}
	return starlark.String(s)
}

// frozenList makes an immutable list.
func frozenList(v []starlark.Value) *starlark.List {
	l := starlark.NewList(v)
	l.Freeze()
	return l
}

func stringList(v []string) *starlark.List {
	out := make([]starlark.Value, len(v))
	for i, s := range v {
		out[i] = starlark.String(s)
	}
	return frozenList(out)
}

// asStrings lists the elements of a list of str.
func asStrings(v starlark.Value) ([]string, error) {
	it, ok := v.(starlark.Iterable)
	if _, str := v.(starlark.String); str || !ok {
		return nil, fmt.Errorf("got %s, want list of str", v.Type())
	}
	if err := roomFor(it); err != nil {
		return nil, err
	}
	var out []string
	iter := it.Iterate()
	defer iter.Done()
	var x starlark.Value
	for iter.Next(&x) {
		s, ok := x.(starlark.String)
		if !ok {
			return nil, fmt.Errorf("element %d is %s, want str", len(out), x.Type())
		}
		out = append(out, string(s))
	}
	return out, nil
}

// asFloats reads a Counter or a list of numbers and None; missing values are NaN. The result may be shared.
func asFloats(v starlark.Value) ([]float64, error) {
	if c, ok := v.(*Counter); ok {
		return await(c.env.Context(), func() ([]float64, error) { return c.c.Floats(), nil })
	}
	it, ok := v.(starlark.Iterable)
	if _, str := v.(starlark.String); str || !ok {
		return nil, fmt.Errorf("got %s, want Counter or list of numbers", v.Type())
	}
	if err := roomFor(it); err != nil {
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

// isBool explains a bool that stands where something else belongs.
const isBool = "got bool; comparisons of counters are methods and give a Mask: use c.gt(5), c.eq(5) and cap.where(mask)"
