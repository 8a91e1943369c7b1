package formula

import (
	"strconv"
	"strings"
)

// String prints the formula in its own dialect, with no more brackets than needed. Parsing it again gives the same
// tree.
func (e *Expr) String() string { return format(e.Dialect, e.Root) }

func format(d Dialect, n *Node) string {
	if own := d.traits().format; own != nil {
		return own(n)
	}
	var b strings.Builder
	printer{d, d.traits().words, &b}.node(n, 0)
	return b.String()
}

type printer struct {
	d     Dialect
	words bool
	b     *strings.Builder
}

// Binding strengths, loosest first. They follow the levels of the parser.
const (
	bindIf = iota
	bindOr
	bindAnd
	bindCompare
	bindAdd
	bindMul
	bindUnary
	bindValue
)

var binaryText = map[Op]struct {
	text string
	bind int
}{
	OpAdd: {" + ", bindAdd}, OpSub: {" - ", bindAdd}, OpMul: {" * ", bindMul}, OpDiv: {" / ", bindMul},
	OpFloorDiv: {" // ", bindMul}, OpMod: {" % ", bindMul},
	OpLess: {" < ", bindCompare}, OpLessEqual: {" <= ", bindCompare}, OpGreater: {" > ", bindCompare},
	OpGreaterEqual: {" >= ", bindCompare}, OpEqual: {" == ", bindCompare}, OpNotEqual: {" != ", bindCompare},
	OpAnd: {" && ", bindAnd}, OpOr: {" || ", bindOr},
	OpUAdd: {" + ", bindAdd}, OpUSub: {" - ", bindAdd}, OpUMul: {" * ", bindMul}, OpUDiv: {" // ", bindMul},
	OpULess: {" < ", bindCompare}, OpULessEqual: {" <= ", bindCompare}, OpUGreater: {" > ", bindCompare},
	OpUGreaterEqual: {" >= ", bindCompare},
	OpBitAnd:        {" & ", bindAdd}, OpBitOr: {" | ", bindAdd}, OpShiftLeft: {" << ", bindMul},
	OpShiftRight: {" >> ", bindMul},
}

func (p printer) bind(n *Node) int {
	if b, ok := binaryText[n.Op]; ok {
		return b.bind
	}
	switch n.Op {
	case OpNeg:
		return bindUnary
	case OpNot:
		if p.words {
			return bindCompare
		}
		return bindUnary
	case OpIf:
		if p.words {
			return bindIf
		}
	}
	return bindValue
}

// node prints n, in brackets where it binds looser than least.
func (p printer) node(n *Node, least int) {
	if p.bind(n) < least {
		p.b.WriteByte('(')
		defer p.b.WriteByte(')')
	}
	switch n.Op {
	case OpNone:
		p.b.WriteString("None")
	case OpNumber:
		p.b.WriteString(strconv.FormatFloat(n.Value, 'g', -1, 64))
	case OpName:
		if n.Dollar {
			p.b.WriteByte('$')
		}
		p.b.WriteString(n.Name)
	case OpNeg:
		p.b.WriteByte('-')
		p.node(n.Args[0], bindUnary)
	case OpNot:
		if p.words {
			p.b.WriteString("not ")
			p.node(n.Args[0], bindCompare)
			return
		}
		p.b.WriteByte('!')
		p.node(n.Args[0], bindUnary)
	case OpIf:
		if !p.words {
			p.call("if", n.Args)
			return
		}
		p.node(n.Args[1], bindOr)
		p.b.WriteString(" if ")
		p.node(n.Args[0], bindOr)
		p.b.WriteString(" else ")
		p.node(n.Args[2], bindIf)
	default:
		o, ok := binaryText[n.Op]
		if !ok {
			p.call(p.callName(n.Op), n.Args)
			return
		}
		left := o.bind
		if o.bind == bindCompare {
			left++
		}
		p.node(n.Args[0], left)
		switch {
		case p.words && n.Op == OpAnd:
			p.b.WriteString(" and ")
		case p.words && n.Op == OpOr:
			p.b.WriteString(" or ")
		default:
			p.b.WriteString(o.text)
		}
		p.node(n.Args[1], o.bind+1)
	}
}

func (p printer) callName(op Op) string {
	switch op {
	case OpUMin:
		op = OpMin
	case OpUMax:
		op = OpMax
	}
	return callName(p.d, op)
}

func (p printer) call(name string, args []*Node) {
	p.b.WriteString(name)
	p.b.WriteByte('(')
	for i, a := range args {
		if i > 0 {
			p.b.WriteString(", ")
		}
		p.node(a, 0)
	}
	p.b.WriteByte(')')
}
