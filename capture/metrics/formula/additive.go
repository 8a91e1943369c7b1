package formula

import "astrolabe/capture"

// Additive reports whether the values of a formula over stretches of time add up to the value over all of them: it is
// made of counts by sums, differences and constant factors alone. It goes by the formula and the kinds of its operands,
// never by values, so that it is the same for every capture that has the same counters.
func Additive(d capture.Derivation) bool {
	for {
		switch w := d.(type) {
		case interface{ Formula() capture.Derivation }:
			d = w.Formula()
		case interface{ Binned() *capture.Counter }:
			c := w.Binned()
			if c == nil {
				return false
			}
			d = c.Der
		case *derivation:
			return w.p.kindOf(w.id, map[int32]operandKind{}) == amount
		default:
			return false
		}
	}
}

// operandKind is what a node stands for when samples are put together.
type operandKind uint8

const (
	other    operandKind = iota // a level, a ratio, or what nobody can tell
	constant                    // the same in every sample
	amount                      // adds up
)

func (p *Program) kindOf(id int32, known map[int32]operandKind) operandKind {
	if id < 0 {
		return constant
	}
	if k, ok := known[id]; ok {
		return k
	}
	k := other
	switch n := p.g.nodes[id]; n.op {
	case OpNumber:
		k = constant
	case OpName:
		switch c := p.inputs[n.bits].counter; {
		case c.Der != nil:
			if Additive(c.Der) {
				k = amount
			}
		case c.Kind == capture.Delta:
			k = amount
		case c.Kind == capture.Constant:
			k = constant
		}
	case OpAdd, OpSub, OpUAdd, OpUSub, OpNeg:
		if a, b := p.kindOf(n.a, known), p.kindOf(n.b, known); a == b || n.b < 0 || p.isZero(n.b) {
			k = a
		} else if p.isZero(n.a) {
			k = b
		}
	case OpMul, OpUMul:
		if a, b := p.kindOf(n.a, known), p.kindOf(n.b, known); a == constant {
			k = b
		} else if b == constant {
			k = a
		}
	case OpDiv:
		if p.kindOf(n.b, known) == constant {
			k = p.kindOf(n.a, known)
		}
	}
	known[id] = k
	return k
}

// isZero reports whether a node is the number 0, which added to anything changes no kind.
func (p *Program) isZero(id int32) bool {
	v, ok := p.g.constant(id)
	return ok && v == 0
}
