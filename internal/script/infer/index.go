package infer

import (
	"strings"

	"go.starlark.net/syntax"
)

// index notes what is assigned to each variable, and where it is read.
func (f *File) index() {
	var def *syntax.DefStmt
	f.stmts(f.Syntax.Stmts, def)
}

func (f *File) stmts(list []syntax.Stmt, def *syntax.DefStmt) {
	for _, s := range list {
		f.stmt(s, def)
	}
}

func (f *File) stmt(s syntax.Stmt, def *syntax.DefStmt) {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		f.expr(s.RHS)
		if s.Op != syntax.EQ {
			f.expr(s.LHS)
			f.bind(s.LHS, func() *Type { return f.augmented(s) })
			return
		}
		f.target(s.LHS)
		f.bind(s.LHS, func() *Type { return f.Type(s.RHS) })
	case *syntax.DefStmt:
		f.parents[s] = def
		f.set(s.Name, func() *Type { return &Type{Kind: Def, Name: "function", Def: s, File: f} })
		f.params(s)
		f.stmts(s.Body, s)
	case *syntax.ExprStmt:
		f.expr(s.X)
	case *syntax.IfStmt:
		f.expr(s.Cond)
		f.stmts(s.True, def)
		f.stmts(s.False, def)
	case *syntax.ForStmt:
		f.expr(s.X)
		f.target(s.Vars)
		f.bind(s.Vars, func() *Type { return f.elem(f.Type(s.X)) })
		f.stmts(s.Body, def)
	case *syntax.WhileStmt:
		f.expr(s.Cond)
		f.stmts(s.Body, def)
	case *syntax.ReturnStmt:
		if s.Result != nil {
			f.expr(s.Result)
		}
	case *syntax.LoadStmt:
		for i, to := range s.To {
			from := s.From[i].Name
			if first := First(to); first != nil {
				f.loaded[first] = loadedName{s, from}
			}
			f.set(to, func() *Type { return f.loadedType(s, from) })
		}
	}
}

// loadedType is what a name of another module is.
func (f *File) loadedType(s *syntax.LoadStmt, name string) *Type {
	m, err := f.Load(s)
	if err != nil {
		return unknown
	}
	first := m.Global(name)
	if first == nil {
		return unknown
	}
	return m.Variable(first)
}

// target walks the parts of the left side of an assignment that are read: c in c[0] = 1.
func (f *File) target(lhs syntax.Expr) {
	switch x := lhs.(type) {
	case *syntax.Ident:
	case *syntax.ParenExpr:
		f.target(x.X)
	case *syntax.TupleExpr:
		for _, e := range x.List {
			f.target(e)
		}
	case *syntax.ListExpr:
		for _, e := range x.List {
			f.target(e)
		}
	default:
		f.expr(lhs)
	}
}

// bind notes what the variables on the left side of an assignment become.
func (f *File) bind(lhs syntax.Expr, get func() *Type) {
	switch x := lhs.(type) {
	case *syntax.Ident:
		f.set(x, get)
	case *syntax.ParenExpr:
		f.bind(x.X, get)
	case *syntax.TupleExpr:
		f.unpack(x.List, get)
	case *syntax.ListExpr:
		f.unpack(x.List, get)
	}
}

func (f *File) unpack(list []syntax.Expr, get func() *Type) {
	for i, e := range list {
		f.bind(e, func() *Type {
			t := get()
			if len(t.Items) == len(list) {
				return t.Items[i]
			}
			if t.Items != nil {
				return unknown
			}
			return f.elem(t)
		})
	}
}

func (f *File) set(id *syntax.Ident, get func() *Type) {
	if first := First(id); first != nil {
		f.sources[first] = append(f.sources[first], get)
	}
}

// params notes what the parameters of a function may be: what the file calls it with, and their defaults.
func (f *File) params(def *syntax.DefStmt) {
	for i, p := range def.Params {
		var id *syntax.Ident
		var fallback syntax.Expr
		switch p := p.(type) {
		case *syntax.Ident:
			id = p
		case *syntax.BinaryExpr:
			id, _ = p.X.(*syntax.Ident)
			fallback = p.Y
			f.expr(p.Y)
		case *syntax.UnaryExpr: // *args, **kwargs
			if rest, ok := p.X.(*syntax.Ident); ok {
				name := "tuple"
				if p.Op == syntax.STARSTAR {
					name = "dict"
				}
				f.set(rest, func() *Type { return value(name) })
			}
			continue
		}
		if id == nil {
			continue
		}
		f.set(id, func() *Type { return f.param(def, i, id.Name, fallback) })
	}
}

// param is what a parameter is. Of a function that only this file can call, and only calls, the calls tell.
func (f *File) param(def *syntax.DefStmt, i int, name string, fallback syntax.Expr) *Type {
	first := First(def.Name)
	calls := f.calls[first]
	if local := strings.HasPrefix(def.Name.Name, "_") || f.parents[def] != nil; local && len(calls) > 0 &&
		len(calls) == len(f.uses[first]) {
		t := nothing
		for _, call := range calls {
			t = join(t, f.argument(call, i, name, fallback))
		}
		if t.Kind != Unknown && t.Kind != Nothing {
			return t
		}
	}
	if name == captureName {
		return value("Capture").of(&Type{GPU: f.GPU})
	}
	return unknown
}

// argument is what a call gives a parameter.
func (f *File) argument(call *syntax.CallExpr, i int, name string, fallback syntax.Expr) *Type {
	n := 0
	for _, a := range call.Args {
		switch a := a.(type) {
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
				return unknown
			}
		case *syntax.BinaryExpr:
			if id, ok := a.X.(*syntax.Ident); ok && a.Op == syntax.EQ {
				if id.Name == name {
					return f.Type(a.Y)
				}
				continue
			}
		}
		if n == i {
			return f.Type(a)
		}
		n++
	}
	if fallback != nil {
		return f.Type(fallback)
	}
	return unknown
}

// expr notes the variables that an expression reads, and those that it binds.
func (f *File) expr(e syntax.Expr) {
	if e == nil {
		return
	}
	syntax.Walk(e, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Ident:
			if first := First(n); first != nil {
				f.uses[first] = append(f.uses[first], n)
			}
		case *syntax.DotExpr:
			f.expr(n.X)
			return false // the attribute's name is no variable
		case *syntax.LambdaExpr:
			for _, p := range n.Params {
				if b, ok := p.(*syntax.BinaryExpr); ok {
					f.expr(b.Y)
				}
				if id, ok := p.(*syntax.Ident); ok && id.Name == captureName {
					f.set(id, func() *Type { return value("Capture").of(&Type{GPU: f.GPU}) })
				}
			}
			f.expr(n.Body)
			return false
		case *syntax.Comprehension:
			for _, c := range n.Clauses {
				switch c := c.(type) {
				case *syntax.ForClause:
					f.expr(c.X)
					f.target(c.Vars)
					f.bind(c.Vars, func() *Type { return f.elem(f.Type(c.X)) })
				case *syntax.IfClause:
					f.expr(c.Cond)
				}
			}
			f.expr(n.Body)
			return false
		case *syntax.CallExpr:
			f.expr(n.Fn)
			if id, ok := n.Fn.(*syntax.Ident); ok && First(id) != nil {
				f.calls[First(id)] = append(f.calls[First(id)], n)
			}
			for _, a := range n.Args {
				if b, ok := a.(*syntax.BinaryExpr); ok && b.Op == syntax.EQ {
					f.expr(b.Y) // the keyword is no variable
					continue
				}
				f.expr(a)
			}
			return false
		}
		return true
	})
}
