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
