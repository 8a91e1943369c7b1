package lint

import (
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins/binding"
	"astrolabe/internal/script/infer"
)

// expressions goes through every expression of the file.
func (c *checker) expressions() {
	syntax.Walk(c.f.Syntax, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.IfStmt:
			c.truth(n.Cond, "if")
		case *syntax.CondExpr:
			c.truth(n.Cond, "if")
		case *syntax.IfClause:
			c.truth(n.Cond, "if")
		case *syntax.WhileStmt:
			c.truth(n.Cond, "while")
		case *syntax.UnaryExpr:
			if n.Op == syntax.NOT {
				c.truth(n.X, "not")
			}
		case *syntax.BinaryExpr:
			c.operator(n)
		case *syntax.CallExpr:
			c.call(n)
		case *syntax.DotExpr:
			c.attribute(n)
		case *syntax.IndexExpr:
			c.index(n)
		}
		return true
	})
}

// truth reports a Counter or Mask where one bool is needed.
func (c *checker) truth(e syntax.Expr, where string) {
	switch t := c.f.Type(e); {
	case t.Is("Mask"):
		c.at(e, codeTruth,
			"%s needs one bool and this Mask has many: use .any() or .all(), or & | ~ in place of and, or, not", where)
		c.reduce(e)
	case t.Is("Counter"):
		c.at(e, codeTruth,
			"%s needs one bool and this Counter has many values: compare .total() or another reduction, or use .gt(x).any()",
			where)
	}
}

// truths reports what any and all would take the truth of: a Counter or Mask itself, and each that a list holds.
func (c *checker) truths(e syntax.Expr, where string) {
	switch x := unparen(e).(type) {
	case *syntax.ListExpr:
		for _, item := range x.List {
			c.truth(item, where)
		}
		return
	case *syntax.TupleExpr:
		for _, item := range x.List {
			c.truth(item, where)
		}
		return
	case *syntax.Comprehension:
		if _, dict := x.Body.(*syntax.DictEntry); !dict {
			c.truth(x.Body, where)
		}
		return
	}
	t := c.f.Type(e)
	switch {
	case t.Is("Counter"):
		c.at(e, codeTruth, "%s takes no Counter: compare it first, such as c.gt(x).any()", where)
		return
	case t.Is("Mask"):
		c.at(e, codeTruth, "%s takes no Mask: use .any() or .all()", where)
		return
	}
	held := append([]*infer.Type{t.Elem}, t.Items...)
	for _, h := range held {
		if h != nil && t.Is("list", "tuple", "set") && h.Is("Counter", "Mask") {
			c.at(e, codeTruth, "%s needs bools and this %s holds a %s, which is many: use .any() or .all() of each",
				where, t.Name, h.Name)
			return
		}
	}
}

func unparen(e syntax.Expr) syntax.Expr {
	for {
		p, ok := e.(*syntax.ParenExpr)
		if !ok {
			return e
		}
		e = p.X
	}
}

// methods are what stands for the operators that compare.
var methods = map[syntax.Token]string{syntax.EQL: "eq", syntax.NEQ: "ne", syntax.LT: "lt", syntax.GT: "gt",
	syntax.LE: "le", syntax.GE: "ge"}

// mirrored is the method of the right side.
var mirrored = map[string]string{"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}

func (c *checker) operator(n *syntax.BinaryExpr) {
	if n.Op == syntax.AND || n.Op == syntax.OR {
		c.truth(n.X, n.Op.String())
		if n.Op == syntax.AND || !c.mayBeValue(n.X) {
			c.truth(n.Y, n.Op.String())
		}
		return
	}
	if n.Op == syntax.IN || n.Op == syntax.NOT_IN {
		c.membership(n)
		return
	}
	method := methods[n.Op]
	if method == "" {
		return
	}
	x, y := c.f.Type(n.X), c.f.Type(n.Y)
	if x.Kind == infer.None || y.Kind == infer.None {
		return // whether there is a counter at all
	}
	left := true
	t := x
	if !x.Is("Counter", "Mask") {
		t, method, left = y, mirrored[method], false
	}
	switch {
	case t.Is("Counter"):
		hint := "c." + method + "(x)"
		if name, ok := plainName(n.X, left, n.Y); ok {
			hint = name + "." + method + "(…)"
		}
		c.span(n.OpPos, endOf(n), codeCompare, "%s of a Counter fails: write %s, which gives a Mask", n.Op, hint)
		x, y := n.X, n.Y
		if !left {
			x, y = y, x
		}
		start, end := infer.Span(n)
		c.fix("Use ."+method+"()", start, end, c.receiver(x)+"."+method+"("+c.text(y)+")")
	case t.Is("Mask"):
		c.span(n.OpPos, endOf(n), codeCompare, "%s of a Mask fails: use ^, & and ~", n.Op)
	}
}

// membership reports a Counter or Mask that is looked for among numbers: Starlark answers False without a word, also
// when the script runs.
func (c *checker) membership(n *syntax.BinaryExpr) {
	t, in := c.f.Type(n.X), c.f.Type(n.Y)
	if !in.Is("list", "tuple") || holdsSeries(in) {
		return
	}
	switch {
	case t.Is("Counter"):
		c.span(n.OpPos, endOf(n), codeCompare,
			"%s compares no values of a Counter and is always %s: write c.eq(x) | c.eq(y), which gives a Mask",
			n.Op, answerOf(n.Op))
	case t.Is("Mask"):
		c.span(n.OpPos, endOf(n), codeCompare,
			"%s compares no samples of a Mask and is always %s: use .any() or .all()", n.Op, answerOf(n.Op))
	}
}

func answerOf(op syntax.Token) string {
	if op == syntax.IN {
		return "False"
	}
	return "True"
}

// holdsSeries reports whether what is known of the items of a sequence includes a Counter or Mask, which stops the run.
func holdsSeries(t *infer.Type) bool {
	for _, item := range append([]*infer.Type{t.Elem}, t.Items...) {
		if item != nil && item.Is("Counter", "Mask") {
			return true
		}
	}
	return false
}

// mayBeValue reports whether x in "x or y" may be None, so that y is only a value to fall back on.
func (c *checker) mayBeValue(x syntax.Expr) bool { return c.f.Type(x).Kind != infer.Value }

func plainName(x syntax.Expr, left bool, y syntax.Expr) (string, bool) {
	if !left {
		x = y
	}
	id, ok := x.(*syntax.Ident)
	if !ok {
		return "", false
	}
	return id.Name, true
}

func endOf(n syntax.Node) syntax.Position {
	_, end := infer.Span(n)
	return end
}

// attribute reports what a type or module of ours does not have.
func (c *checker) attribute(n *syntax.DotExpr) {
	x := c.f.Type(n.X)
	var names []string
	switch {
	case x.Kind == infer.Module:
		v, ok := c.f.Predeclared()[x.Name].(starlark.HasAttrs)
		if !ok {
			return
		}
		names = v.AttrNames()
	case x.Kind == infer.Value && x.Table != nil:
		for _, en := range x.Table.Entries() {
			names = append(names, en.Name)
		}
	default:
		return
	}
	for _, have := range names {
		if have == n.Name.Name {
			return
		}
	}
	what := x.Name
	if x.Kind == infer.Value {
		what = "a " + what
	}
	c.at(n.Name, codeAttribute, "%s has no %s%s", what, n.Name.Name, near(n.Name.Name, names))
	c.rename(n.Name, names)
}

// call checks the arguments of functions of ours, and of bool.
func (c *checker) call(n *syntax.CallExpr) {
	if id, ok := n.Fn.(*syntax.Ident); ok && infer.First(id) == nil && len(n.Args) == 1 {
		switch id.Name {
		case "bool":
			c.truth(n.Args[0], "bool()")
		case "any", "all":
			c.truths(n.Args[0], id.Name+"()")
		}
	}
	fn := c.f.Type(n.Fn)
	if fn.Kind != infer.Function {
		return
	}
	c.arguments(n, fn)
	c.named(n, fn)
}

func (c *checker) arguments(n *syntax.CallExpr, fn *infer.Type) {
	sig := fn.Entry.Sig
	given := map[string]bool{}
	positional, spread := 0, false
	var tooMany syntax.Expr
	room := 0
	for _, p := range sig.Params {
		if !p.Keyword {
			room++
		}
	}
	for _, a := range n.Args {
		switch a := a.(type) {
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
				spread = true
				continue
			}
		case *syntax.BinaryExpr:
			if id, ok := a.X.(*syntax.Ident); ok && a.Op == syntax.EQ {
				c.keyword(id, fn.Entry, given)
				continue
			}
		}
		if positional < room {
			for i, p := 0, 0; p < len(sig.Params); p++ {
				if sig.Params[p].Keyword {
					continue
				}
				if i == positional {
					given[sig.Params[p].Name] = true
				}
				i++
			}
		} else if sig.Rest == nil && !spread && tooMany == nil {
			tooMany = a
		}
		positional++
	}
	if tooMany != nil {
		c.at(tooMany, codeArguments, "%s takes at most %d positional arguments: %s", fn.Entry.Name, room, sig.Call())
	}
	if spread {
		return
	}
	for _, p := range sig.Params {
		if p.Default == "" && !given[p.Name] {
			c.at(n.Fn, codeArguments, "%s needs an argument for %s: %s", fn.Entry.Name, p.Name, sig.Call())
			return
		}
	}
}

// keyword checks one argument that is given by name.
func (c *checker) keyword(id *syntax.Ident, en *binding.Entry, given map[string]bool) {
	for _, p := range en.Sig.Params {
		if p.Name == id.Name {
			if given[id.Name] {
				c.at(id, codeArguments, "%s gets two values for %s", en.Name, id.Name)
			}
			given[id.Name] = true
			return
		}
	}
	if en.Sig.Extra == "" {
		c.at(id, codeArguments, "%s has no parameter %s%s: %s", en.Name, id.Name, near(id.Name, en.Sig.Keywords()),
			strings.TrimSpace(en.Sig.Call()))
		c.rename(id, en.Sig.Keywords())
	}
}
