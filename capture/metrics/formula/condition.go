package formula

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
