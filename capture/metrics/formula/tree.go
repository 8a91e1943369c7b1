package formula

import (
	"slices"
	"strings"
)

// Op is an operation of the tree, the same in every dialect.
type Op uint8

const (
	OpNone     Op = iota // the missing value: None
	OpNumber             // a literal
	OpName               // a counter or a constant
	OpAdd                // a + b
	OpSub                // a - b
	OpMul                // a * b
	OpDiv                // a / b, missing where b is 0
	OpFloorDiv           // the floor of a / b
	OpMod                // a - b * floor(a / b)
	OpNeg                // -a
	OpLess
	OpLessEqual
	OpGreater
	OpGreaterEqual
	OpEqual
	OpNotEqual
	OpAnd // 1 where both are not 0
	OpOr
	OpNot
	OpIf  // Args are condition, then, else
	OpMin // element-wise, two or more arguments
	OpMax // element-wise, two or more arguments
	OpAbs
	OpToInt      // truncation towards zero
	OpRound      // half to even, to a number of digits
	OpNoiseClamp // the first argument, 0 where it is negative
	OpClamp      // x, low, high
	OpFill       // x, or the second argument where x is missing

	// Operations on unsigned integers, as Intel's equations have them. See exact.go.
	OpUAdd
	OpUSub // missing where it would be negative
	OpUMul
	OpUDiv // without the remainder, missing where the divisor is 0
	OpUMin
	OpUMax
	OpBitAnd
	OpBitOr
	OpShiftLeft
	OpShiftRight
	OpULess
	OpULessEqual
	OpUGreater
	OpUGreaterEqual

	// Reductions over samples. Of a single sample they are the sample itself (OpStd: 0).
	OpSum
	OpAvg
	OpMedian
	OpStd
	OpReduceMin
	OpReduceMax
	OpQuantile // x, fraction
)

// unsigned reports whether the operation is on integers: its operands are kept exact.
func (o Op) unsigned() bool { return OpUAdd <= o && o <= OpUGreaterEqual }

// Truncated is an equation of Intel's whose value is a whole number by declaration: what its last operation leaves behind
// the point is cut off.
func (e *Expr) Truncated() *Expr {
	if op := e.Root.Op; op.unsigned() || op == OpName || op == OpNumber {
		return e
	}
	zero := &Node{Op: OpNumber, Pos: e.Root.End, End: e.Root.End}
	return &Expr{Dialect: e.Dialect, Src: e.Src, Root: &Node{Op: OpUAdd, Args: []*Node{e.Root, zero}, Pos: e.Root.Pos, End: e.Root.End}}
}

func (o Op) reduction() bool { return o >= OpSum }

// Node is one node of a formula's tree. Nodes are read-only.
type Node struct {
	Op     Op
	Value  float64 // of OpNumber
	Name   string  // of OpName, without $
	Dollar bool    // whether the name was written with $
	Lit    string  // of OpNumber: how it was written where that is not decimal, such as 0x09
	Args   []*Node
	Pos    int // byte offset of the node's first character in the source
	End    int // byte offset after its last
}

// Equal reports whether two trees are the same, wherever they stand in their sources.
func (n *Node) Equal(m *Node) bool {
	if n.Op != m.Op || n.Name != m.Name || n.Dollar != m.Dollar || n.Value != m.Value || len(n.Args) != len(m.Args) {
		return false
	}
	for i, a := range n.Args {
		if !a.Equal(m.Args[i]) {
			return false
		}
	}
	return true
}

// Expr is a parsed formula. It is immutable.
type Expr struct {
	Dialect Dialect
	Src     string
	Root    *Node
}

// Names lists the names that the formula reads, without $, each once, in the order of first appearance.
func (e *Expr) Names() []string {
	var out []string
	e.Root.walk(func(n *Node) {
		if n.Op == OpName && !slices.Contains(out, n.Name) {
			out = append(out, n.Name)
		}
	})
	return out
}

// Counters is Names without those that the dialect marks as constants of the device.
func (e *Expr) Counters() []string {
	var out []string
	marked := e.Dialect.traits().marked
	e.Root.walk(func(n *Node) {
		if n.Op == OpName && !(n.Dollar && marked) && !slices.Contains(out, n.Name) {
			out = append(out, n.Name)
		}
	})
	return out
}

// Substitute returns the formula with another of its dialect, in brackets, in the place of every use of a name without
// $.
func (e *Expr) Substitute(name string, by *Expr) (*Expr, error) {
	var places []*Node
	e.Root.walk(func(n *Node) {
		if n.Op == OpName && n.Name == name && !n.Dollar {
			places = append(places, n)
		}
	})
	slices.SortFunc(places, func(a, b *Node) int { return a.Pos - b.Pos })
	var src strings.Builder
	at := 0
	for _, n := range places {
		src.WriteString(e.Src[at:n.Pos] + "(" + by.Src + ")")
		at = n.End
	}
	src.WriteString(e.Src[at:])
	return Parse(e.Dialect, src.String())
}

// maxText is how much of a node's source Text shows: a chain of thousands of terms would else repeat itself at every
// node.
const maxText = 400

// Text is the source text of a node of e, with its white space collapsed. A very long text is cut.
func (e *Expr) Text(n *Node) string {
	if e.Dialect.traits().numbered {
		return clip(format(Streamline, n)) // operand numbers mean nothing alone
	}
	if n.Pos < 0 || n.End > len(e.Src) || n.Pos >= n.End {
		return clip(format(e.Dialect, n))
	}
	if n.End-n.Pos > maxText {
		return strings.ToValidUTF8(collapse(e.Src[n.Pos:n.Pos+maxText]), "") + "..."
	}
	return collapse(e.Src[n.Pos:n.End])
}

// Infix prints the formula of any dialect as an ordinary expression with infix operators: one in reverse Polish
// notation in the syntax of Streamline, others in their own.
func (e *Expr) Infix() string {
	if e.Dialect.Postfix() {
		return format(Streamline, e.Root)
	}
	return e.String()
}

func (n *Node) walk(f func(*Node)) {
	f(n)
	for _, a := range n.Args {
		a.walk(f)
	}
}

// collapse turns every run of white space into one space.
func collapse(s string) string {
	out := make([]byte, 0, len(s))
	space := false
	for i := range len(s) {
		switch s[i] {
		case ' ', '\t', '\n', '\r':
			space = len(out) > 0
			continue
		}
		if space {
			out = append(out, ' ')
			space = false
		}
		out = append(out, s[i])
	}
	return string(out)
}
