package infer

import "go.starlark.net/syntax"

// Span is where a node begins and ends. The syntax package itself says of what ends in the bracket of an index, a slice,
// a tuple or a load statement that it ends before it.
func Span(n syntax.Node) (start, end syntax.Position) {
	start, end = n.Span()
	switch last := lastOf(n).(type) {
	case *syntax.IndexExpr, *syntax.SliceExpr, *syntax.LoadStmt:
		end.Col++
	case *syntax.TupleExpr:
		if last.Lparen.IsValid() {
			end.Col++
		}
	}
	return start, end
}

// lastOf is the innermost node with whose end a node ends.
func lastOf(n syntax.Node) syntax.Node {
	for {
		var in syntax.Node
		switch n := n.(type) {
		case *syntax.AssignStmt:
			in = n.RHS
		case *syntax.ExprStmt:
			in = n.X
		case *syntax.ReturnStmt:
			if n.Result != nil {
				in = n.Result
			}
		case *syntax.DefStmt:
			in = n.Body[len(n.Body)-1]
		case *syntax.ForStmt:
			in = n.Body[len(n.Body)-1]
		case *syntax.WhileStmt:
			in = n.Body[len(n.Body)-1]
		case *syntax.IfStmt:
			body := n.False
			if body == nil {
				body = n.True
			}
			in = body[len(body)-1]
		case *syntax.ForClause:
			in = n.X
		case *syntax.IfClause:
			in = n.Cond
		case *syntax.DictEntry:
			in = n.Value
		case *syntax.LambdaExpr:
			in = n.Body
		case *syntax.CondExpr:
			in = n.False
		case *syntax.UnaryExpr:
			if n.X != nil {
				in = n.X
			}
		case *syntax.BinaryExpr:
			in = n.Y
		case *syntax.TupleExpr:
			if !n.Lparen.IsValid() && len(n.List) > 0 {
				in = n.List[len(n.List)-1]
			}
		}
		if in == nil {
			return n
		}
		n = in
	}
}
