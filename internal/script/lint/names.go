package lint

import (
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/internal/script/infer"
)

// resolved reports what keeps the file from running at all.
func (c *checker) resolved() {
	code := codeUndefined
	if c.f.Syntax == nil {
		code = codeSyntax
	}
	known := append(c.f.Predeclared().Keys(), starlark.Universe.Keys()...)
	for _, id := range c.f.Globals() {
		known = append(known, id.Name)
	}
	for _, e := range c.f.Errors {
		msg, end, undefined := e.Msg, e.Pos, ""
		if name, ok := strings.CutPrefix(msg, "undefined: "); ok && !strings.Contains(name, " ") {
			undefined = name
			msg += near(name, known)
			if name == "assert" {
				msg = "undefined: assert is for test files, whose names end in _test.star"
			}
			end.Col += int32(len([]rune(name)))
		}
		c.span(e.Pos, end, code, "%s", msg)
		if found, ok := nearest(undefined, known); ok && undefined != "" && undefined != "assert" {
			c.fix(changeTo(found), e.Pos, end, found)
		}
	}
}

// loads reports load statements that would fail.
func (c *checker) loads() {
	syntax.Walk(c.f.Syntax, func(n syntax.Node) bool {
		s, ok := n.(*syntax.LoadStmt)
		if !ok {
			return true
		}
		m, err := c.f.Load(s)
		if err != nil {
			c.at(s.Module, codeLoad, "cannot load %s: %v", s.ModuleName(), err)
			return false
		}
		if m.Syntax == nil {
			c.at(s.Module, codeLoad, "cannot load %s: %s: %s", s.ModuleName(), m.Errors[0].Pos, m.Errors[0].Msg)
			return false
		}
		var names []string
		for _, id := range m.Globals() {
			names = append(names, id.Name)
		}
		for _, from := range s.From {
			if m.Global(from.Name) == nil {
				c.at(from, codeLoad, "%s has no %s%s", m.Source.Name, from.Name, near(from.Name, names))
				c.rename(from, names)
			}
		}
		return false
	})
}

// unused reports variables that are bound and never read.
func (c *checker) unused() {
	for _, s := range c.f.Syntax.Stmts {
		load, ok := s.(*syntax.LoadStmt)
		if !ok {
			continue
		}
		for i, to := range load.To {
			if first := infer.First(to); first != nil && len(c.f.Uses(first)) == 0 {
				c.at(to, codeUnLoad, "%s is loaded and not used", load.From[i].Name)
				c.unload(load, i)
			}
		}
	}
	c.assigned(c.f.Syntax.Stmts, nil)
}

// assigned goes through the statements of a function, or of the file where def is nil.
func (c *checker) assigned(list []syntax.Stmt, def *syntax.DefStmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *syntax.DefStmt:
			if def != nil {
				c.leftOver(s.Name, true)
			}
			c.assigned(s.Body, s)
		case *syntax.IfStmt:
			c.assigned(s.True, def)
			c.assigned(s.False, def)
		case *syntax.ForStmt:
			c.assigned(s.Body, def)
		case *syntax.WhileStmt:
			c.assigned(s.Body, def)
		case *syntax.AssignStmt:
			if id, ok := s.LHS.(*syntax.Ident); ok && s.Op == syntax.EQ {
				c.leftOverValue(id, s.RHS, def != nil)
			}
		case *syntax.ExprStmt:
			c.statement(s)
		}
	}
}

func (c *checker) leftOverValue(id *syntax.Ident, value syntax.Expr, local bool) {
	first := infer.First(id)
	if first == nil || len(c.f.Uses(first)) > 0 || strings.HasPrefix(id.Name, "_") {
		return
	}
	if c.f.Type(value).Is("Capture") {
		c.at(id, codeCapture, "the capture %s is not used", id.Name)
		return
	}
	c.leftOver(id, local)
}

// leftOver reports a variable of a function. Those of a file may be loaded by others.
func (c *checker) leftOver(id *syntax.Ident, local bool) {
	first := infer.First(id)
	if local && first != nil && len(c.f.Uses(first)) == 0 && !strings.HasPrefix(id.Name, "_") {
		c.at(id, codeVariable, "%s is never read", id.Name)
	}
}

// statement reports calls whose result is dropped although it is all that they do.
func (c *checker) statement(s *syntax.ExprStmt) {
	call, ok := s.X.(*syntax.CallExpr)
	if !ok {
		return
	}
	fn := c.f.Type(call.Fn)
	if fn.Kind != infer.Function {
		return
	}
	switch t := c.f.Type(call); {
	case t.Is("Capture") && fn.Recv != nil && fn.Recv.Kind == infer.Module && fn.Entry.Name != "record":
		c.at(call, codeCapture, "the capture is not used")
	case t.Is("Capture", "Counter", "Mask", "Metric") && fn.Recv != nil && fn.Recv.Kind == infer.Value &&
		fn.Recv.Name != "Session":
		c.at(call, codeResult, "the %s that %s returns is not used: values never change, a method gives a new one",
			t.Name, fn.Entry.Name)
	}
}
