package binding

import (
	"fmt"
	"math"
	"math/big"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"astrolabe/capture"
)

// Number boxes one value: None where missing, an int where it is exact, else a float.
func Number(v capture.Value) starlark.Value {
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

// Float boxes a double: None where it is NaN.
func Float(f float64) starlark.Value {
	if math.IsNaN(f) {
		return starlark.None
	}
	return starlark.Float(f)
}

// Integral boxes a double, as an int where it is one.
func Integral(f float64) starlark.Value {
	if f == math.Trunc(f) && !math.IsInf(f, 0) {
		if math.Abs(f) < 1<<62 {
			return starlark.MakeInt64(int64(f))
		}
		b, _ := big.NewFloat(f).Int(nil)
		return starlark.MakeBigInt(b)
	}
	return Float(f)
}

// Seconds boxes a time in ns as seconds.
func Seconds(ns int64) starlark.Value { return starlark.Float(float64(ns) / 1e9) }

// Text boxes a string, None where it is empty.
func Text(s string) starlark.Value {
	if s == "" {
		return starlark.None
	}
	return starlark.String(s)
}

// FrozenList makes an immutable list.
func FrozenList(v []starlark.Value) *starlark.List {
	l := starlark.NewList(v)
	l.Freeze()
	return l
}

func StringList(v []string) *starlark.List {
	out := make([]starlark.Value, len(v))
	for i, s := range v {
		out[i] = starlark.String(s)
	}
	return FrozenList(out)
}

// AsStrings lists the elements of a list of str.
func AsStrings(v starlark.Value) ([]string, error) {
	it, ok := v.(starlark.Iterable)
	if _, str := v.(starlark.String); str || !ok {
		return nil, fmt.Errorf("got %s, want list of str", v.Type())
	}
	if err := RoomFor(it); err != nil {
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

// Struct makes a struct of a test or fit.
func Struct(name string, fields starlark.StringDict) starlark.Value {
	return starlarkstruct.FromStringDict(starlark.String(name), fields)
}

// Each calls f for the elements of a list or tuple, and for v itself where it is neither.
func Each(v starlark.Value, f func(v starlark.Value) error) error {
	if v == starlark.None {
		return nil
	}
	it, ok := v.(starlark.Iterable)
	if !ok {
		return f(v)
	}
	iter := it.Iterate()
	defer iter.Done()
	var x starlark.Value
	for iter.Next(&x) {
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

func NumberOrNaN(v starlark.Value) float64 {
	if f, ok := starlark.AsFloat(v); ok {
		return f
	}
	return math.NaN()
}
