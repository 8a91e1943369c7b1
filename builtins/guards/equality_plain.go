package guards

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// plainness is what is known of an expression without running it.
type plainness int

const (
	isUnknown  plainness = iota
	isNone               // the None of the language
	isPlain              // a number, text or bool
	isConstant           // one that no call of a function is needed for
)

// plainNames knows the names of a program that hold nothing but numbers, texts and bools, so that comparisons of loop
// variables and of counts cost nothing. It takes a name for the same in all scopes, and looks at every place that binds
// it.
type plainNames struct {
	predeclared func(name string) bool
	sites       map[string][]syntax.Expr // what each bound name is given; nil stands for what is not known
	plain       map[string]bool
}

// maxPlainRounds bounds how long a chain of names, each made of the next, is followed.
const maxPlainRounds = 10

func findPlainNames(tree syntax.Node, predeclared func(name string) bool) *plainNames {
	p := &plainNames{predeclared: predeclared, sites: map[string][]syntax.Expr{}, plain: map[string]bool{}}
	p.collect(tree)
	for name := range p.sites {
		p.plain[name] = !predeclared(name) // until a site says otherwise
	}
	for range maxPlainRounds {
		changed := false
		for name, sites := range p.sites {
			for _, site := range sites {
				if p.plain[name] && (site == nil || p.plainness(site) < isPlain) {
					p.plain[name], changed = false, true
				}
			}
		}
		if !changed {
			return p
		}
	}
	clear(p.plain)
	return p
}

// collect finds where names are bound.
func (p *plainNames) collect(tree syntax.Node) {
	bind := func(target syntax.Expr, value syntax.Expr) {
		if id, ok := target.(*syntax.Ident); ok {
			p.sites[id.Name] = append(p.sites[id.Name], value)
			return
		}
		syntax.Walk(target, func(n syntax.Node) bool { // of x[i] = v neither is bound, but that is rare
			if id, ok := n.(*syntax.Ident); ok {
				p.sites[id.Name] = append(p.sites[id.Name], nil)
			}
			return true
		})
	}
	params := func(list []syntax.Expr) {
		for _, param := range list {
			if b, ok := param.(*syntax.BinaryExpr); ok {
				param = b.X // and Y is its default
			}
			bind(param, nil)
		}
	}
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignStmt: // also n += 1: of a plain n and a plain operand it makes a plain value
			bind(n.LHS, n.RHS)
		case *syntax.DefStmt:
			bind(n.Name, nil)
			params(n.Params)
		case *syntax.LambdaExpr:
			params(n.Params)
		case *syntax.ForStmt:
			bind(n.Vars, p.element(n.X))
		case *syntax.ForClause:
			bind(n.Vars, p.element(n.X))
		case *syntax.LoadStmt:
			for _, id := range n.To {
				bind(id, nil)
			}
		}
		return true
	})
}

// element is what a loop over an expression gives its variable: the call of range stands for its numbers, nil for
// anything else.
func (p *plainNames) element(x syntax.Expr) syntax.Expr {
	if call, ok := x.(*syntax.CallExpr); ok {
		if f, ok := call.Fn.(*syntax.Ident); ok && f.Name == "range" {
			return call
		}
	}
	return nil
}

// plainFunctions are functions of the language whose result is a number, text or bool whatever they are given. Range
// stands for what it counts: a range itself equals no counter, but it holds none either.
var plainFunctions = map[string]bool{"all": true, "any": true, "bool": true, "chr": true, "float": true,
	"hasattr": true, "hash": true, "int": true,
	"len": true, "ord": true, "range": true, "repr": true, "str": true, "type": true}

// plainness of an expression; where it is in doubt it is unknown.
func (p *plainNames) plainness(e syntax.Expr) plainness {
	switch e := e.(type) {
	case *syntax.Literal:
		return isConstant
	case *syntax.ParenExpr:
		return p.plainness(e.X)
	case *syntax.Ident:
		switch {
		case p.plain[e.Name]:
			return isConstant
		case !p.universal(e.Name):
		case e.Name == "None":
			return isNone
		case e.Name == "True" || e.Name == "False":
			return isConstant
		}
	case *syntax.UnaryExpr:
		if e.Op == syntax.NOT {
			return isPlain
		}
		if e.X != nil && (e.Op == syntax.MINUS || e.Op == syntax.PLUS || e.Op == syntax.TILDE) {
			return calculated(p.plainness(e.X), isConstant)
		}
	case *syntax.BinaryExpr:
		switch e.Op {
		case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE:
			return isPlain
		case syntax.PERCENT:
			if l, ok := e.X.(*syntax.Literal); ok && l.Token == syntax.STRING { // formats a text
				return isPlain
			}
		}
		return calculated(p.plainness(e.X), p.plainness(e.Y))
	case *syntax.CallExpr:
		if f, ok := e.Fn.(*syntax.Ident); ok && plainFunctions[f.Name] && p.universal(f.Name) {
			return isPlain
		}
	}
	return isUnknown
}

// calculated is the plainness of what an operator makes of two operands.
func calculated(x, y plainness) plainness {
	if least := min(x, y); least >= isPlain {
		return least
	}
	return isUnknown
}

// universal reports whether a name means what it means in the language.
func (p *plainNames) universal(name string) bool {
	return p.sites[name] == nil && !p.predeclared(name) && starlark.Universe.Has(name)
}
