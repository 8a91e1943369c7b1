package builtins

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/capture"
)

// Counter is one series: a hardware counter, one instance of it, or a metric derived from several.
type Counter struct {
	env *Env
	c   *capture.Counter
	cap *capture.Capture // where it came from; nil of a counter that a script computed
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
func NewCounter(env *Env, c *capture.Counter) *Counter { return &Counter{env: env, c: c} }

// Counter returns the counter behind the value.
func (c *Counter) Counter() *capture.Counter { return c.c }

func (c *Counter) Type() string { return "Counter" }
func (c *Counter) Freeze()      {}
func (c *Counter) Hash() (uint32, error) {
	return 0, fmt.Errorf("unhashable: Counter; use its name as the key")
}
func (c *Counter) AttrNames() []string { return counterTable.attrNames() }

func (c *Counter) Attr(name string) (starlark.Value, error) { return counterTable.attr(c.env, c, name) }

// Truth stops the statement: a series has no single truth value, and c == 5 or "if c" is a mistake worth an error.
func (c *Counter) Truth() starlark.Bool {
	c.env.stop("a Counter is not true or false: compare with a method, such as c.gt(5).any(), or test one value, such as c.total() > 5 (Counter %s)", c.c.Name)
	return false
}

// CompareSameType refuses: comparisons of counters are methods that give a Mask.
func (c *Counter) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	return false, &incomparableError{op: op, v: c}
}

// comparisonMethod is the method that does what the operator would.
func comparisonMethod(op syntax.Token) string {
	switch op {
	case syntax.EQL:
		return "eq"
	case syntax.NEQ:
		return "ne"
	case syntax.LT:
		return "lt"
	case syntax.LE:
		return "le"
	case syntax.GT:
		return "gt"
	}
	return "ge"
}

// Len, Index, Slice and Iterate make a counter a sequence of its values.
func (c *Counter) Len() int { return c.c.Len() }

func (c *Counter) Index(i int) starlark.Value { return number(c.c.Value(i)) }

// Slice returns the counter of samples [start, end). With a step other than 1 there is no time axis left, so it is a list of values.
func (c *Counter) Slice(start, end, step int) starlark.Value {
	if step == 1 {
		return c.with(c.c.Slice(start, end, c.c.Axis.Slice(start, end)))
	}
	var out []starlark.Value
	for i := start; step > 0 && i < end || step < 0 && i > end; i += step {
		out = append(out, number(c.c.Value(i)))
	}
	return frozenList(out)
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
		if !slices.Contains(c.c.Warnings, w) {
			c.env.warn("%s: %s", out.Name, w)
		}
	}
	return &Counter{env: c.env, c: out}
}

// values boxes every value.
func (c *Counter) values() starlark.Value {
	out := make([]starlark.Value, c.Len())
	for i := range out {
		out[i] = number(c.c.Value(i))
	}
	return frozenList(out)
}

func (c *Counter) instances() *starlark.List {
	out := make([]starlark.Value, len(c.c.Instances))
	for i, in := range c.c.Instances {
		out[i] = &Counter{env: c.env, c: in, cap: c.cap}
	}
	return frozenList(out)
}

// inputs are the names of what a derived counter reads, the one of a measured counter none.
func (c *Counter) inputs() []string {
	if len(c.c.Inputs) > 0 || c.c.Der == nil {
		return c.c.Inputs
	}
	var out []string
	for _, o := range c.c.Der.Operands() {
		if o != nil && !slices.Contains(out, o.Name) {
			out = append(out, o.Name)
		}
	}
	return out
}

func (c *Counter) expr() string {
	if c.c.Expr == "" && c.c.Der != nil {
		return c.c.Der.Expr()
	}
	return c.c.Expr
}

func (c *Counter) warnings() []string {
	out := slices.Clone(c.c.Doubts())
	if c.c.Der != nil {
		for _, w := range c.c.Der.Warnings() {
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}
