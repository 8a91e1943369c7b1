package guards

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins/binding"
	"astrolabe/capture/memory"
)

// Methods of texts and lists, the operators * and %, and the stars of calls cannot be hidden behind names. Rewrite
// changes them in the syntax tree as guardEquality does, so that an operand goes through one of the values below:
//
//	(guard | x).replace(…)   of a method in boundedMethods
//	(guard ^ x) ^ y          of x * y and x % y, unless numbers are written there
//	f(*(guard | x))          and a += guard | x, a |= guard | x
//	x ^= guard & y           of x *= y and x %= y, whatever x is

// Add adds what the trees of Rewrite use to the names that a program sees, and functions of the language that ask for
// memory.
func Add(env *binding.Env, names starlark.StringDict) {
	for op, g := range equalityGuards {
		names[op.String()] = g
	}
	for _, role := range []memoryRole{ofMethod, ofSequence, ofProduct, ofFormat} {
		names[string(role)] = &memoryGuard{role, bounds{env}}
	}
	addBounded(bounds{env}, names)
}

// Rewrite changes a syntax tree before it is compiled: comparisons by guardEquality, and what can take any amount of
// memory. names are those that the program sees when it runs, with those of Add.
func Rewrite(tree syntax.Node, names starlark.StringDict) {
	plain := findPlainNames(tree, func(name string) bool {
		v, ok := names[name]
		if !ok {
			return false
		}
		_, same := v.(*bounded) // means what it means in the language
		return !same
	})
	guardEquality(tree, plain)
	guardMemory(tree, plain)
}

// memoryRole is what a memoryGuard looks at, and its name, which no script can write.
type memoryRole string

const (
	ofMethod   memoryRole = "=."
	ofSequence memoryRole = "=seq"
	ofProduct  memoryRole = "=*"
	ofFormat   memoryRole = "=%"
)

// guardMemory rewrites what takes memory. Positions stay, and so does what is evaluated, when and how often.
func guardMemory(tree syntax.Node, plain *plainNames) {
	guarded := func(role memoryRole, how syntax.Token, operand syntax.Expr) syntax.Expr {
		start, _ := operand.Span()
		return &syntax.BinaryExpr{X: &syntax.Ident{NamePos: start, Name: string(role)}, OpPos: start,
			Op: how, Y: operand}
	}
	binary := func(e *syntax.BinaryExpr) {
		switch {
		case e.Op == syntax.STAR && !writtenNumber(e.X, syntax.FLOAT) && !writtenNumber(e.Y, syntax.FLOAT):
			e.X, e.Op = guarded(ofProduct, guardBoth, e.X), guardBoth
		case e.Op == syntax.PERCENT && !writtenNumber(e.X, syntax.INT, syntax.FLOAT) &&
			!writtenNumber(e.Y, syntax.INT, syntax.FLOAT):
			e.X, e.Op = guarded(ofFormat, guardBoth, e.X), guardBoth
		}
	}
	// The interpreter reads and assigns the left side, so that it is bound and asked once as ever; only what is done with
	// the two values is the guard's.
	inPlace := func(n *syntax.AssignStmt, role memoryRole) {
		n.Op, n.RHS = syntax.CIRCUMFLEX_EQ, guarded(role, guardRight, n.RHS)
	}
	var products []*syntax.BinaryExpr
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryExpr:
			products = append(products, n)
		case *syntax.DotExpr:
			if boundedMethods[n.Name.Name] {
				n.X = guarded(ofMethod, guardOne, n.X)
			}
		case *syntax.CallExpr:
			for _, a := range n.Args {
				if star, ok := a.(*syntax.UnaryExpr); ok && star.Op == syntax.STAR && star.X != nil {
					star.X = guarded(ofSequence, guardOne, star.X)
				}
			}
		case *syntax.AssignStmt:
			switch {
			case n.Op == syntax.PLUS_EQ || n.Op == syntax.PIPE_EQ:
				if plain.plainness(n.LHS) < isPlain { // to numbers and texts nothing long is added
					n.RHS = guarded(ofSequence, guardOne, n.RHS)
				}
			case n.Op == syntax.STAR_EQ:
				inPlace(n, ofProduct)
			case n.Op == syntax.PERCENT_EQ:
				inPlace(n, ofFormat)
			}
		}
		return true
	})
	for _, e := range products {
		binary(e)
	}
}

func withoutBrackets(e syntax.Expr) syntax.Expr {
	for {
		p, ok := e.(*syntax.ParenExpr)
		if !ok {
			return e
		}
		e = p.X
	}
}

func writtenNumber(e syntax.Expr, kinds ...syntax.Token) bool {
	number, ok := withoutBrackets(e).(*syntax.Literal)
	return ok && slices.Contains(kinds, number.Token)
}

// memoryGuard is the left operand that Rewrite puts before what it watches.
type memoryGuard struct {
	role memoryRole
	env  bounds
}

var _ starlark.HasBinary = (*memoryGuard)(nil)

func (g *memoryGuard) String() string        { return string(g.role) }
func (g *memoryGuard) Type() string          { return "guard" }
func (g *memoryGuard) Freeze()               {}
func (g *memoryGuard) Truth() starlark.Bool  { return true }
func (g *memoryGuard) Hash() (uint32, error) { return 0, errors.New("unhashable: guard") }

func (g *memoryGuard) Binary(op syntax.Token, x starlark.Value, side starlark.Side) (starlark.Value, error) {
	switch {
	case side != starlark.Left:
		return nil, nil
	case op == guardRight:
		return &rightOperand{g, x}, nil
	}
	switch g.role {
	case ofSequence:
		if it, ok := x.(starlark.Iterable); ok {
			if err := binding.RoomFor(it); err != nil {
				return nil, err
			}
		}
		return x, nil
	case ofMethod:
		switch x.(type) {
		case starlark.String, starlark.Bytes, *starlark.List, *starlark.Dict, *starlark.Set:
			return &methodsOf{x, g.env}, nil
		}
		return x, nil
	}
	return &openOperator{memoryGuard: g, x: x}, nil
}

// openOperator is an operation whose right operand is still to come.
type openOperator struct {
	*memoryGuard
	x starlark.Value
}

func (o *openOperator) Binary(_ syntax.Token, y starlark.Value, _ starlark.Side) (starlark.Value, error) {
	return o.operate(o.x, y)
}

// rightOperand is that of an operation whose left operand is still to come: in place, by ^=. No value of the language
// takes it for one of its own.
type rightOperand struct {
	*memoryGuard
	y starlark.Value
}

func (o *rightOperand) Binary(_ syntax.Token, x starlark.Value, _ starlark.Side) (starlark.Value, error) {
	return o.operate(x, o.y)
}

// operate computes x * y or x % y where there is room for it.
func (g *memoryGuard) operate(x, y starlark.Value) (starlark.Value, error) {
	if g.role == ofFormat {
		if s, ok := x.(starlark.String); ok {
			if err := g.env.roomForText(uint64(len(s)), starlark.Tuple{y}, nil); err != nil {
				return nil, err
			}
		}
		return starlark.Binary(syntax.PERCENT, x, y)
	}
	if err := productRoom(x, y); err != nil {
		return nil, err
	}
	return starlark.Binary(syntax.STAR, x, y)
}

// productRoom asks for room for x * y.
func productRoom(x, y starlark.Value) error {
	a, first := x.(starlark.Int)
	b, second := y.(starlark.Int)
	switch {
	case first && second:
		_, small := a.Int64()
		_, short := b.Int64()
		if small && short {
			return nil
		}
		if bits := a.BigInt().BitLen() + b.BigInt().BitLen(); bits > mostBits {
			return fmt.Errorf("the product is an integer of %d bits; the most are %d", bits, mostBits)
		}
		return nil
	case first:
		x, b = y, a
	case !second:
		return nil
	}
	size := uint64(0)
	switch x := x.(type) {
	case starlark.String:
		size = uint64(len(x))
	case starlark.Bytes:
		size = uint64(len(x))
	case *starlark.List:
		size = uint64(x.Len()) * binding.ElementBytes
	case starlark.Tuple:
		size = uint64(len(x)) * binding.ElementBytes
	}
	times, ok := b.Int64()
	if times <= 0 || !ok || size == 0 { // nothing is made, or the language refuses
		return nil
	}
	if size = binding.Product(size, uint64(times)); size < 1<<20 {
		return nil
	}
	if err := memory.Room(size); err != nil {
		return fmt.Errorf("%s times %d: %w", x.Type(), times, err)
	}
	return nil
}

// boundedMethods are the methods of values of the language that can make far more than they are given, or walk what
// they are given.
var boundedMethods = map[string]bool{
	"replace": true, "join": true, "format": true, "split": true, "rsplit": true, "splitlines": true,
	"extend": true, "update": true, "union": true, "intersection": true, "difference": true,
	"symmetric_difference": true,
	"issubset":             true, "issuperset": true,
}

// methodsOf stands for a value where one of its methods is asked for.
type methodsOf struct {
	starlark.Value
	env bounds
}

var _ starlark.HasAttrs = (*methodsOf)(nil)

func (m *methodsOf) AttrNames() []string { return m.Value.(starlark.HasAttrs).AttrNames() }

func (m *methodsOf) Attr(name string) (starlark.Value, error) {
	v, err := m.Value.(starlark.HasAttrs).Attr(name)
	if b, ok := v.(*starlark.Builtin); ok {
		return m.env.boundMethod(b), err
	}
	return v, err
}

// boundMethod is a method of a value of the language that asks for room.
func (e bounds) boundMethod(b *starlark.Builtin) starlark.Value {
	if !boundedMethods[b.Name()] {
		return b
	}
	run := e.watching(b, binding.ElementBytes)
	text, isText := starlark.AsString(b.Receiver())
	check := func(starlark.Tuple, []starlark.Tuple) error { return nil }
	if isText {
		switch b.Name() {
		case "replace":
			check = func(args starlark.Tuple, _ []starlark.Tuple) error { return e.largeText(replacedSize(text, args)) }
		case "format":
			check = func(args starlark.Tuple, kwargs []starlark.Tuple) error { return e.formatRoom(text, args, kwargs) }
		case "split", "rsplit", "splitlines":
			check = func(args starlark.Tuple, _ []starlark.Tuple) error { return e.largeText(splitSize(text, args)) }
		case "join":
			check = func(args starlark.Tuple, _ []starlark.Tuple) error {
				if len(args) == 1 && len(text) > 0 {
					return e.largeText(binding.Product(uint64(len(text)), uint64(max(0, starlark.Len(args[0])))))
				}
				return nil
			}
		}
	}
	return newBounded(b.Name(), func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
		kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := check(args, kwargs); err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		return run(thread, nil, args, kwargs)
	}).BindReceiver(b.Receiver())
}

// replacedSize is how long a text is after its method replace.
func replacedSize(text string, args starlark.Tuple) uint64 {
	if len(args) < 2 {
		return 0
	}
	old, _ := starlark.AsString(args[0])
	now, _ := starlark.AsString(args[1])
	if len(now) <= len(old) {
		return uint64(len(text))
	}
	if len(now)*(len(text)+1) < 1<<20 {
		return 0
	}
	return uint64(len(text)) + binding.Product(uint64(strings.Count(text, old)), uint64(len(now)-len(old)))
}

// splitSize is what the list of the parts of a text takes.
func splitSize(text string, args starlark.Tuple) uint64 {
	if len(text) < 1<<16 {
		return 0
	}
	const part = 3 * binding.ElementBytes
	if len(args) > 0 {
		if sep, ok := starlark.AsString(args[0]); ok && sep != "" {
			return binding.Product(uint64(strings.Count(text, sep)+1), part)
		}
	}
	return binding.Product(uint64(len(text)/2), part) // lines and words: at most every other byte begins one
}
