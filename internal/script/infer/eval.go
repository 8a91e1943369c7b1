package infer

import (
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/syntax"

	"astrolabe/builtins"
	"astrolabe/builtins/binding"
)

const (
	maxDepth = 200     // of variables that depend on variables
	maxSteps = 200_000 // of one file; what is asked beyond is Unknown
)

// Type is what is known of an expression of the file.
func (f *File) Type(e syntax.Expr) *Type {
	if t := f.types[e]; t != nil {
		return t
	}
	t, whole := f.once(e, func() *Type { return f.eval(e) })
	if whole && f.scope == nil {
		f.types[e] = t
	}
	return t
}

// once works out what is known of an expression: nothing within itself, and unknown where too much was asked. whole is
// false where a cycle cut it short.
func (f *File) once(e syntax.Expr, find func() *Type) (t *Type, whole bool) {
	if f.busy[e] {
		f.cycles++
		return nothing, false
	}
	if f.steps++; f.steps > maxSteps || len(f.busy) > maxDepth {
		f.cycles++
		return unknown, false
	}
	f.busy[e] = true
	before := f.cycles
	t = find()
	delete(f.busy, e)
	return t, f.cycles == before
}

// Variable is what is known of a variable, by its First.
func (f *File) Variable(first *syntax.Ident) *Type {
	if t := f.vars[first]; t != nil {
		return t
	}
	t, whole := f.once(first, func() *Type {
		if len(f.sources[first]) == 0 {
			return unknown
		}
		t := nothing
		for _, get := range f.sources[first] {
			t = join(t, get())
		}
		return t
	})
	if whole {
		f.vars[first] = t
	}
	return t
}

func (f *File) eval(e syntax.Expr) *Type {
	switch e := e.(type) {
	case *syntax.Ident:
		return f.ident(e)
	case *syntax.ParenExpr:
		return f.Type(e.X)
	case *syntax.Literal:
		return literal(e)
	case *syntax.ListExpr:
		elem := nothing
		for _, x := range e.List {
			elem = join(elem, f.Type(x))
		}
		return listOf(elem)
	case *syntax.TupleExpr:
		t := value("tuple")
		t.Items = make([]*Type, len(e.List))
		for i, x := range e.List {
			t.Items[i] = f.Type(x)
		}
		return t
	case *syntax.DictExpr:
		t := value("dict")
		t.Elem = nothing
		for _, x := range e.List {
			if d, ok := x.(*syntax.DictEntry); ok {
				t.Elem = join(t.Elem, f.Type(d.Value))
			}
		}
		return t
	case *syntax.Comprehension:
		t := value("list")
		body := e.Body
		if d, ok := body.(*syntax.DictEntry); ok {
			t, body = value("dict"), d.Value
		}
		t.Elem = f.Type(body)
		return t
	case *syntax.CondExpr:
		return join(f.Type(e.True), f.Type(e.False))
	case *syntax.DotExpr:
		return f.attribute(f.Type(e.X), e.Name.Name)
	case *syntax.IndexExpr:
		return f.indexed(e)
	case *syntax.SliceExpr:
		if t := f.Type(e.X); t.Is("Capture", "Counter", "list", "str", "tuple", "bytes") {
			out := *t
			out.Items = nil
			return &out
		}
	case *syntax.UnaryExpr:
		return f.unary(e)
	case *syntax.BinaryExpr:
		return f.binary(e.Op, f.Type(e.X), f.Type(e.Y))
	case *syntax.CallExpr:
		return f.call(e)
	}
	return unknown
}

func literal(e *syntax.Literal) *Type {
	switch e.Token {
	case syntax.STRING:
		return value("str")
	case syntax.BYTES:
		return value("bytes")
	case syntax.INT:
		return value("int")
	case syntax.FLOAT:
		return value("float")
	}
	return unknown
}

func (f *File) ident(id *syntax.Ident) *Type {
	if first := First(id); first != nil {
		return f.Variable(first)
	}
	if id.Binding == nil {
		for _, fn := range f.scope {
			for _, b := range fn.Locals {
				if b.First.Name == id.Name {
					return f.Variable(b.First)
				}
			}
		}
		if f.scope != nil {
			if first := f.top(id.Name); first != nil {
				return f.Variable(first)
			}
		}
	}
	return f.named(id.Name)
}

// named is a predeclared or universal name.
func (f *File) named(name string) *Type {
	switch name {
	case "None":
		return none
	case "True", "False":
		return value("bool")
	case "args":
		return listOf(value("str"))
	}
	v, ok := f.predeclared[name]
	if !ok {
		return unknown
	}
	if m, ok := v.(*binding.Module); ok {
		return &Type{Kind: Module, Name: m.Name(), Table: builtins.DocOf(m)}
	}
	if en := builtins.EntryOf(v); en != nil {
		return &Type{Kind: Function, Name: "function", Entry: en}
	}
	return unknown
}

// attribute is what x.name is. Names that the type does not have are Unknown.
func (f *File) attribute(x *Type, name string) *Type {
	if x.Kind == Nothing {
		return nothing
	}
	if x.Table == nil || x.Kind != Value && x.Kind != Module {
		return unknown
	}
	en := x.Table.Entry(name)
	if en == nil {
		return unknown
	}
	if en.Sig != nil {
		return &Type{Kind: Function, Name: "function", Entry: en, Recv: x}
	}
	return f.declared(en.Type, x.Name+"."+name).of(x)
}

// declared is a type as signatures and tables write it; key says where, for what lists hold.
func (f *File) declared(text, key string) *Type {
	t := nothing
	for name := range strings.SplitSeq(strings.ReplaceAll(text, " or ", "|"), "|") {
		switch name = strings.TrimSpace(name); name {
		case "":
			return unknown
		case "None":
			t = join(t, none)
		default:
			t = join(t, value(name))
		}
	}
	if elem := elements[key]; elem != "" && t.Is("list", "dict") {
		t.Elem = value(elem)
	}
	if key == "CounterMap.items" {
		pair := value("tuple")
		pair.Items = []*Type{value("str"), value("Counter")}
		t.Elem = pair
	}
	return t
}

// elem is what going through a value gives.
func (f *File) elem(t *Type) *Type {
	if t.Kind == Nothing {
		return nothing
	}
	if name := iterated[t.Name]; t.Kind == Value && name != "" {
		return value(name).of(t)
	}
	switch {
	case t.Is("list", "set") && t.Elem != nil:
		return t.Elem
	case t.Is("tuple"):
		out := nothing
		for _, x := range t.Items {
			out = join(out, x)
		}
		if out.Kind != Nothing {
			return out
		}
	}
	return unknown
}

func (f *File) indexed(e *syntax.IndexExpr) *Type {
	x, key := f.Type(e.X), f.Type(e.Y)
	switch {
	case x.Kind == Nothing:
		return nothing
	case x.Is("Capture") && key.Is("str"):
		return value("Counter").of(x)
	case x.Is("Capture") && key.Is("int"):
		return value("Sample").of(x)
	case x.Is("CounterMap"):
		return value("Counter").of(x)
	case x.Is("Counter", "Sample"):
		t := *value("number")
		t.Optional = true
		return &t
	case x.Is("str"):
		return value("str")
	case x.Is("list", "dict") && x.Elem != nil && x.Elem.Kind != Nothing:
		return x.Elem
	case x.Is("tuple"):
		if lit, ok := e.Y.(*syntax.Literal); ok {
			if i, ok := lit.Value.(int64); ok && i >= 0 && int(i) < len(x.Items) {
				return x.Items[i]
			}
		}
		return f.elem(x)
	}
	return unknown
}

func (f *File) unary(e *syntax.UnaryExpr) *Type {
	if e.Op == syntax.NOT {
		return value("bool")
	}
	if e.X == nil {
		return unknown
	}
	t := f.Type(e.X)
	if t.isNumber() || t.Is("Counter") && e.Op == syntax.MINUS || t.Is("Mask") && e.Op == syntax.TILDE {
		return t
	}
	return unknown
}

func (f *File) augmented(s *syntax.AssignStmt) *Type {
	op := s.Op - syntax.PLUS_EQ + syntax.PLUS
	return f.binary(op, f.Type(s.LHS), f.Type(s.RHS))
}

func (f *File) binary(op syntax.Token, x, y *Type) *Type {
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE, syntax.IN, syntax.NOT_IN:
		return value("bool")
	case syntax.AND, syntax.OR:
		return join(x, y)
	case syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT:
		return arithmetic(op, x, y)
	case syntax.PIPE, syntax.AMP, syntax.CIRCUMFLEX:
		if x.Is("Mask") && y.Is("Mask") || x.Is("dict") && y.Is("dict") {
			return join(x, y)
		}
	}
	if x.Kind == Nothing || y.Kind == Nothing {
		return nothing
	}
	return unknown
}

func arithmetic(op syntax.Token, x, y *Type) *Type {
	switch {
	case x.Is("Counter") && (y.isNumber() || y.Is("Counter")):
		return plain(x)
	case y.Is("Counter") && x.isNumber():
		return plain(y)
	case x.isNumber() && y.isNumber():
		switch {
		case op == syntax.SLASH || x.Is("float") || y.Is("float"):
			return value("float")
		case x.Is("int") && y.Is("int"):
			return value("int")
		}
		return value("number")
	case x.Is("str") && op == syntax.PERCENT:
		return value("str")
	case x.Is("str") && y.Is("str") && op == syntax.PLUS:
		return value("str")
	case x.Is("list") && y.Is("list") && op == syntax.PLUS:
		return join(x, y)
	case x.Kind == Nothing || y.Kind == Nothing:
		return nothing
	}
	return unknown
}

// plain is a counter that is no longer the one of its name.
func plain(t *Type) *Type {
	out := *t
	out.Optional = false
	return &out
}

// TypeAt is what an expression, given as text, would be at a place of the file: inside the functions of path.
func (f *File) TypeAt(text string, path []syntax.Node) *Type {
	x, err := f.Source.ParseExpr(text)
	if err != nil {
		return unknown
	}
	f.scope = scopes(path)
	defer func() { f.scope = nil }()
	return f.Type(x)
}

// scopes lists the functions of a path, innermost first, and the file's own block. It is never nil.
func scopes(path []syntax.Node) []*resolve.Function {
	out := []*resolve.Function{}
	for i := len(path) - 1; i >= 0; i-- {
		switch n := path[i].(type) {
		case *syntax.DefStmt:
			if fn, ok := n.Function.(*resolve.Function); ok {
				out = append(out, fn)
			}
		case *syntax.LambdaExpr:
			if fn, ok := n.Function.(*resolve.Function); ok {
				out = append(out, fn)
			}
		}
	}
	return out
}
