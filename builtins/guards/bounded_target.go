package guards

import (
	"fmt"

	"go.starlark.net/starlark"
)

// In x[y] *= z the interpreter asks x and y once, reads x[y], asks z, multiplies, and assigns. A target stands for x:
// what is read of it is the left operand of an operator that asks for room, and what is assigned goes to x.

// guardedTarget is a target for x, or x itself where nothing can be read of it.
func guardedTarget(g *memoryGuard, x starlark.Value) starlark.Value {
	switch x.(type) {
	case starlark.Mapping, starlark.Indexable:
		return &indexTarget{x, g}
	case starlark.HasAttrs:
		return &fieldTarget{x, g}
	}
	return x
}

func (g *memoryGuard) open(x starlark.Value) starlark.Value {
	if x == nil {
		return nil
	}
	return &openOperator{memoryGuard: g, x: x}
}

// indexTarget is x in x[y] *= z and x.name *= z.
type indexTarget struct {
	starlark.Value
	guard *memoryGuard
}

var (
	_ starlark.HasSetKey = (*indexTarget)(nil)
	_ starlark.HasAttrs  = (*indexTarget)(nil)
)

// Get reads x[y] as the interpreter does.
func (t *indexTarget) Get(y starlark.Value) (v starlark.Value, found bool, err error) {
	switch x := t.Value.(type) {
	case starlark.Mapping:
		v, found, err = x.Get(y)
		return t.guard.open(v), found, err
	case starlark.Indexable:
		i, err := place(x, y)
		if err != nil {
			return nil, false, err
		}
		return t.guard.open(x.Index(i)), true, nil
	}
	return nil, false, nil
}

// SetKey assigns x[y] as the interpreter does.
func (t *indexTarget) SetKey(y, v starlark.Value) error {
	switch x := t.Value.(type) {
	case starlark.HasSetKey:
		return x.SetKey(y, v)
	case starlark.HasSetIndex:
		i, err := place(x, y)
		if err != nil {
			return err
		}
		return x.SetIndex(i, v)
	}
	return fmt.Errorf("%s value does not support item assignment", t.Type())
}

// place is the position that an index means, from the end where it is negative.
func place(x starlark.Indexable, y starlark.Value) (int, error) {
	i, err := starlark.AsInt32(y)
	n := x.Len()
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s index: %w", x.Type(), err)
	case i >= n || i < -n:
		if n == 0 {
			return 0, fmt.Errorf("index %d out of range: empty %s", i, x.Type())
		}
		return 0, fmt.Errorf("%s index %d out of range [%d:%d]", x.Type(), i, -n, n-1)
	case i < 0:
		i += n
	}
	return i, nil
}

func (t *indexTarget) Attr(name string) (starlark.Value, error) {
	return attrOf(t.guard, t.Value, name)
}
func (t *indexTarget) AttrNames() []string { return attrNamesOf(t.Value) }

// fieldTarget is x in x.name *= z where x cannot be indexed.
type fieldTarget struct {
	starlark.Value
	guard *memoryGuard
}

var _ starlark.HasAttrs = (*fieldTarget)(nil)

func (t *fieldTarget) Attr(name string) (starlark.Value, error) {
	return attrOf(t.guard, t.Value, name)
}
func (t *fieldTarget) AttrNames() []string { return attrNamesOf(t.Value) }

// attrOf reads a field. No value has one that can be assigned, which the interpreter says when all is computed.
func attrOf(g *memoryGuard, x starlark.Value, name string) (starlark.Value, error) {
	if x, ok := x.(starlark.HasAttrs); ok {
		v, err := x.Attr(name)
		return g.open(v), err
	}
	return nil, nil
}

func attrNamesOf(x starlark.Value) []string {
	if x, ok := x.(starlark.HasAttrs); ok {
		return x.AttrNames()
	}
	return nil
}
