package guards

import (
	"errors"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins/values"
)

// Starlark asks a value what == means only where both sides have one type: c == 5 would be False without a word, and a
// script that tests so would find nothing and end well. Rewrite therefore changes == and != in the syntax tree of
// everything that runs, before it is compiled, so that an operand goes through one of the two values below. They are
// operators: "guard ^ x" costs half of what a call does.
//
// An expression is compiled in one of three forms.
//
//	x == None              as it is: whether there is a counter at all has one answer. So is what cannot hold a counter on either side.
//	(guard | x) == 5       where one side is plain and the order of evaluation stays: guard | x is x, or the error.
//	(guard ^ x) ^ y        everything else: guard ^ x holds x until y is there, then both are compared.

// equality is the guard of one of the operators == and !=. No script can name it.
type equality struct{ op syntax.Token }

// equalityGuards are the guards by the names that guardEquality gives them in a syntax tree.
var equalityGuards = map[syntax.Token]*equality{syntax.EQL: {syntax.EQL}, syntax.NEQ: {syntax.NEQ}}

// Nameable reports whether a script can write a predeclared name, which the guards of Add are not.
func Nameable(name string) bool { return name != "" && name[0] != '=' && name[0] != '!' }

var _ starlark.HasBinary = (*equality)(nil)

func (g *equality) String() string        { return g.op.String() }
func (g *equality) Type() string          { return "equality" }
func (g *equality) Freeze()               {}
func (g *equality) Truth() starlark.Bool  { return true }
func (g *equality) Hash() (uint32, error) { return 0, errors.New("unhashable: equality") }

// Binary takes the left operand with ^, and the only operand to look at with |.
func (g *equality) Binary(op syntax.Token, x starlark.Value, side starlark.Side) (starlark.Value, error) {
	switch {
	case side != starlark.Left:
		return nil, nil
	case op == guardBoth:
		return &openEquality{op: g.op, x: x}, nil
	case op == guardOne:
		if err := values.Incomparable(g.op, x); err != nil {
			return nil, err
		}
		return x, nil
	}
	return nil, nil
}

// The operators of the rewritten trees. They must not be +, which the compiler folds where both operands are literals.
const (
	guardOne  = syntax.PIPE
	guardBoth = syntax.CIRCUMFLEX
	// guardRight is of what is multiplied in place, of memoryGuard only.
	guardRight = syntax.AMP
)

// openEquality is a comparison whose right operand is still to come.
type openEquality struct {
	op syntax.Token
	x  starlark.Value
}

var _ starlark.HasBinary = (*openEquality)(nil)

func (c *openEquality) String() string        { return "open equality" }
func (c *openEquality) Type() string          { return "open equality" }
func (c *openEquality) Freeze()               { c.x.Freeze() }
func (c *openEquality) Truth() starlark.Bool  { return true }
func (c *openEquality) Hash() (uint32, error) { return 0, errors.New("unhashable: open equality") }

// Binary compares.
func (c *openEquality) Binary(_ syntax.Token, y starlark.Value, _ starlark.Side) (starlark.Value, error) {
	eq, err := Equal(c.op, c.x, y, starlark.CompareLimit)
	if err != nil {
		return nil, err
	}
	return starlark.Bool(eq == (c.op == syntax.EQL)), nil
}

// Equal is Starlark's ==, but it refuses where it meets a Counter or a Mask and anything other than None: in the
// operands and, as deep as the comparison looks, in the lists, tuples and dicts that they are.
func Equal(op syntax.Token, x, y starlark.Value, depth int) (bool, error) {
	switch x := x.(type) {
	case starlark.NoneType:
		return y == starlark.None, nil
	case *starlark.List:
		if y, ok := y.(*starlark.List); ok {
			return equalItems(op, x, y, depth)
		}
	case starlark.Tuple:
		if y, ok := y.(starlark.Tuple); ok {
			return equalItems(op, x, y, depth)
		}
	case *starlark.Dict:
		if y, ok := y.(*starlark.Dict); ok {
			return equalDicts(op, x, y, depth)
		}
	}
	if y == starlark.None {
		return false, nil
	}
	if err := values.Incomparable(op, x); err != nil {
		return false, err
	}
	if err := values.Incomparable(op, y); err != nil {
		return false, err
	}
	return starlark.EqualDepth(x, y, depth)
}

func equalItems(op syntax.Token, x, y starlark.Indexable, depth int) (bool, error) {
	n := x.Len()
	if y.Len() != n {
		return false, nil
	}
	for i := range n {
		if eq, err := equalInside(op, x.Index(i), y.Index(i), depth); !eq || err != nil {
			return false, err
		}
	}
	return true, nil
}

func equalDicts(op syntax.Token, x, y *starlark.Dict, depth int) (bool, error) {
	if x.Len() != y.Len() {
		return false, nil
	}
	for k, v := range x.Entries() {
		other, found, err := y.Get(k)
		if !found || err != nil {
			return false, err
		}
		if eq, err := equalInside(op, v, other, depth); !eq || err != nil {
			return false, err
		}
	}
	return true, nil
}

// equalInside compares what a container holds.
func equalInside(op syntax.Token, x, y starlark.Value, depth int) (bool, error) {
	if depth <= 1 {
		return false, errors.New("comparison exceeded maximum recursion depth")
	}
	eq, err := Equal(op, x, y, depth-1)
	if refused, ok := err.(*values.IncomparableError); ok {
		return false, refused.Within(op)
	}
	return eq, err
}
