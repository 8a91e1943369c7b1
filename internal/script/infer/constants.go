package infer

import "go.starlark.net/syntax"

// constant is a variable that is assigned once, to a literal.
type constant struct {
	literal  *syntax.Literal
	assigned int
}

func (c *constant) text() (string, bool) {
	if c == nil || c.assigned != 1 || c.literal == nil || c.literal.Token != syntax.STRING {
		return "", false
	}
	s, ok := c.literal.Value.(string)
	return s, ok
}

// constants finds the variables that are assigned, by their First.
func (f *File) constants() map[*syntax.Ident]*constant {
	if f.consts != nil || f.Syntax == nil {
		return f.consts
	}
	f.consts = map[*syntax.Ident]*constant{}
	syntax.Walk(f.Syntax, func(n syntax.Node) bool {
		s, ok := n.(*syntax.AssignStmt)
		if !ok {
			return true
		}
		id, ok := s.LHS.(*syntax.Ident)
		if !ok || First(id) == nil {
			return true
		}
		c := f.consts[First(id)]
		if c == nil {
			c = &constant{}
			f.consts[First(id)] = c
		}
		c.assigned++
		if lit, ok := s.RHS.(*syntax.Literal); ok && s.Op == syntax.EQ {
			c.literal = lit
		}
		return true
	})
	for first, c := range f.consts {
		c.assigned = max(c.assigned, len(f.sources[first])) // loops and parameters assign too
	}
	return f.consts
}
