package guards

import (
	"go.starlark.net/syntax"
)

// guardEquality changes every == and != of a syntax tree so that a Counter or Mask which meets one stops the run with
// what to write instead; see equality. Positions stay, and so does what is evaluated, when and how often.
func guardEquality(tree syntax.Node, names *plainNames) {
	var found []*syntax.BinaryExpr
	syntax.Walk(tree, func(n syntax.Node) bool {
		if e, ok := n.(*syntax.BinaryExpr); ok && equalityGuards[e.Op] != nil {
			found = append(found, e)
		}
		return true
	})
	for _, e := range found { // outer ones first: what is inside is not rewritten yet
		guardOperands(e, names)
	}
}

// guardOperands rewrites one == or !=. It changes the node and not its parent.
func guardOperands(e *syntax.BinaryExpr, names *plainNames) {
	x, y := names.plainness(e.X), names.plainness(e.Y)
	guarded := func(operand syntax.Expr, how syntax.Token) syntax.Expr {
		start, _ := operand.Span()
		return &syntax.BinaryExpr{X: &syntax.Ident{NamePos: start, Name: e.Op.String()}, OpPos: e.OpPos,
			Op: how, Y: operand}
	}
	switch {
	case x == isNone || y == isNone || x >= isPlain && y >= isPlain:
	case x >= isPlain:
		e.Y = guarded(e.Y, guardOne)
	case y == isConstant: // what runs code must do so before x can be refused
		e.X = guarded(e.X, guardOne)
	default:
		e.X, e.Op = guarded(e.X, guardBoth), guardBoth
	}
}
