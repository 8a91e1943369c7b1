package formula

import "math"

// Constant evaluates a formula over constants, such as the condition under which a counter exists. lookup gives the
// value of a name. ok is false where a name that the formula reads has none, or the result is missing.
func (e *Expr) Constant(lookup func(name string) (float64, bool)) (v float64, ok bool) {
	missing := false
	var eval func(n *Node) float64
	eval = func(n *Node) float64 {
		switch n.Op {
		case OpNumber:
			return n.Value
		case OpName:
			v, ok := lookup(n.Name)
			if !ok {
				missing = true
			}
			return v
		}
		args := [3]float64{}
		for i, a := range n.Args {
			if i < len(args) {
				args[i] = eval(a)
			}
		}
		if len(n.Args) > len(args) || n.Op == OpNone {
			return math.NaN()
		}
		return scalar(n.Op, args[0], args[1], args[2], false)
	}
	v = eval(e.Root)
	return v, !missing && v == v
}

// Holds evaluates a condition over whole numbers of 64 bits, such as one on a mask of units, which doubles would round.
// known is false where a name that it reads has no value, or where it has other operations than a condition's.
func (e *Expr) Holds(lookup func(name string) (uint64, bool)) (holds, known bool) {
	known = true
	var eval func(n *Node) uint64
	eval = func(n *Node) uint64 {
		switch n.Op {
		case OpNumber:
			return uint64(n.Value)
		case OpName:
			v, ok := lookup(n.Name)
			known = known && ok
			return v
		}
		if len(n.Args) != 2 {
			known = false
			return 0
		}
		a, b := eval(n.Args[0]), eval(n.Args[1])
		switch n.Op {
		case OpBitAnd:
			return a & b
		case OpBitOr:
			return a | b
		case OpShiftLeft:
			return a << b
		case OpShiftRight:
			return a >> b
		case OpUMul:
			return a * b
		case OpUAdd:
			return a + b
		case OpAnd:
			return uint64(truth(a != 0 && b != 0))
		case OpOr:
			return uint64(truth(a != 0 || b != 0))
		}
		known = false
		return 0
	}
	v := eval(e.Root)
	return v != 0, known
}
