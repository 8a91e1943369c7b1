package values

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

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

// IncomparableError is the refusal to compare a Counter or Mask by an operator.
type IncomparableError struct {
	op     syntax.Token
	v      starlark.Value
	inside bool // v was met inside a list, tuple or dict
}

// Incomparable refuses a Counter or Mask; it is nil for anything else.
func Incomparable(op syntax.Token, v starlark.Value) error {
	switch v.(type) {
	case *Counter, *Mask:
		return &IncomparableError{op: op, v: v}
	}
	return nil
}

// Within is the refusal of a comparison of what holds the value.
func (e *IncomparableError) Within(op syntax.Token) error { return &IncomparableError{op, e.v, true} }

func (e *IncomparableError) Error() string {
	where := ""
	if e.inside {
		where = " inside a list, tuple or dict"
	}
	if c, ok := e.v.(*Counter); ok {
		m := comparisonMethod(e.op)
		return fmt.Sprintf(
			"a Counter%s does not compare with %s: write c.%s(x), which gives a Mask; c.%s(x).any() is one bool (Counter %s)",
			where, e.op, m, m, c.Counter.Name)
	}
	return fmt.Sprintf(
		"a Mask%s does not compare with %s: m.any() and m.all() test it, and (a ^ b).any() says whether two masks differ",
		where, e.op)
}
