package values

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins/binding"
	"astrolabe/capture"
)

// Counter is one series: a hardware counter, one instance of it, or a metric derived from several.
type Counter struct {
	env     *binding.Env
	Counter *capture.Counter
	From    *capture.Capture // where it came from; nil of a counter that a script computed
}

var (
	_ starlark.HasAttrs   = (*Counter)(nil)
	_ starlark.Sliceable  = (*Counter)(nil)
	_ starlark.Sequence   = (*Counter)(nil)
	_ starlark.HasBinary  = (*Counter)(nil)
	_ starlark.HasUnary   = (*Counter)(nil)
	_ starlark.Comparable = (*Counter)(nil)
)

// NewCounter makes a counter visible to scripts.
func NewCounter(env *binding.Env, c *capture.Counter) *Counter { return &Counter{env: env, Counter: c} }

func (c *Counter) Type() string { return "Counter" }
func (c *Counter) Freeze()      {}
func (c *Counter) Hash() (uint32, error) {
	return 0, fmt.Errorf("unhashable: Counter; use its name as the key")
}
func (c *Counter) AttrNames() []string { return CounterTable.AttrNames() }

func (c *Counter) Attr(name string) (starlark.Value, error) { return CounterTable.Attr(c.env, c, name) }

// Truth stops the statement: a series has no single truth value, and c == 5 or "if c" is a mistake worth an error.
func (c *Counter) Truth() starlark.Bool {
	c.env.Stop(
		"a Counter is not true or false: compare with a method, such as c.gt(5).any(), or test one value, such as c.total() > 5 (Counter %s)",
		c.Counter.Name)
	return false
}

// CompareSameType refuses: comparisons of counters are methods that give a Mask.
func (c *Counter) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	return false, &IncomparableError{op: op, v: c}
}

// Len, Index, Slice and Iterate make a counter a sequence of its values.
func (c *Counter) Len() int { return c.Counter.Len() }

func (c *Counter) Index(i int) starlark.Value { return binding.Number(c.Counter.Value(i)) }

// Slice returns the counter of samples [start, end). With a step other than 1 there is no time axis left, so it is a
// list of values.
func (c *Counter) Slice(start, end, step int) starlark.Value {
	if step == 1 {
		return c.with(c.Counter.Slice(start, end, c.Counter.Axis.Slice(start, end)))
	}
	var out []starlark.Value
	for i := start; step > 0 && i < end || step < 0 && i > end; i += step {
		out = append(out, binding.Number(c.Counter.Value(i)))
	}
	return binding.FrozenList(out)
}

func (c *Counter) Iterate() starlark.Iterator { return &counterIterator{c: c} }

type counterIterator struct {
	c *Counter
	i int
}

func (it *counterIterator) Next(p *starlark.Value) bool {
	if it.i >= it.c.Len() {
		return false
	}
	*p = it.c.Index(it.i)
	it.i++
	return true
}

func (it *counterIterator) Done() {}

// with wraps a counter computed from c. Warnings that are new are shown.
func (c *Counter) with(out *capture.Counter) *Counter {
	for _, w := range out.Warnings {
		if !slices.Contains(c.Counter.Warnings, w) {
			c.env.Warnf("%s: %s", out.Name, w)
		}
	}
	return &Counter{env: c.env, Counter: out}
}

// values boxes every value.
func (c *Counter) values() starlark.Value {
	out := make([]starlark.Value, c.Len())
	for i := range out {
		out[i] = binding.Number(c.Counter.Value(i))
	}
	return binding.FrozenList(out)
}

func (c *Counter) instances() *starlark.List {
	out := make([]starlark.Value, len(c.Counter.Instances))
	for i, in := range c.Counter.Instances {
		out[i] = &Counter{env: c.env, Counter: in, From: c.From}
	}
	return binding.FrozenList(out)
}

// inputs are the names of what a derived counter reads, the one of a measured counter none.
func (c *Counter) inputs() []string {
	if len(c.Counter.Inputs) > 0 || c.Counter.Der == nil {
		return c.Counter.Inputs
	}
	var out []string
	for _, o := range c.Counter.Der.Operands() {
		if o != nil && !slices.Contains(out, o.Name) {
			out = append(out, o.Name)
		}
	}
	return out
}

func (c *Counter) expr() string {
	if c.Counter.Expr == "" && c.Counter.Der != nil {
		return c.Counter.Der.Expr()
	}
	return c.Counter.Expr
}

func (c *Counter) warnings() []string {
	out := slices.Clone(c.Counter.Doubts())
	if c.Counter.Der != nil {
		for _, w := range c.Counter.Der.Warnings() {
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}
