package repl

import (
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// captureName is the variable that a session binds to the capture it was given.
const captureName = "cap"

// needs reports whether a statement uses a name that it does not bind itself, in the scope where it stands: not where
// the name is a parameter, or a variable of a comprehension.
func (s *Session) needs(stmt syntax.Stmt, name string) bool {
	found := false
	file := &syntax.File{Stmts: []syntax.Stmt{stmt}, Options: s.opts}
	_ = resolve.File(file, func(n string) bool { // an error is found again when the statement runs
		found = found || n == name
		return true
	}, starlark.Universe.Has)
	return found
}

// boundNames lists the names that a statement binds at the top level of a session, in order, without duplicates.
func boundNames(stmt syntax.Stmt) []*syntax.Ident {
	b := binder{seen: map[string]bool{}}
	b.stmt(stmt)
	return b.names
}

type binder struct {
	names []*syntax.Ident
	seen  map[string]bool
}

func (b *binder) stmts(list []syntax.Stmt) {
	for _, s := range list {
		b.stmt(s)
	}
}

func (b *binder) stmt(stmt syntax.Stmt) {
	switch s := stmt.(type) {
	case *syntax.AssignStmt:
		b.target(s.LHS)
	case *syntax.DefStmt:
		b.name(s.Name)
	case *syntax.ForStmt:
		b.target(s.Vars)
		b.stmts(s.Body)
	case *syntax.WhileStmt:
		b.stmts(s.Body)
	case *syntax.IfStmt:
		b.stmts(s.True)
		b.stmts(s.False)
	case *syntax.LoadStmt:
		for _, id := range s.To {
			b.name(id)
		}
	}
}

// target takes the left side of an assignment.
func (b *binder) target(x syntax.Expr) {
	switch x := x.(type) {
	case *syntax.Ident:
		b.name(x)
	case *syntax.ParenExpr:
		b.target(x.X)
	case *syntax.TupleExpr:
		for _, e := range x.List {
			b.target(e)
		}
	case *syntax.ListExpr:
		for _, e := range x.List {
			b.target(e)
		}
	}
}

func (b *binder) name(id *syntax.Ident) {
	if !b.seen[id.Name] {
		b.seen[id.Name] = true
		b.names = append(b.names, id)
	}
}
