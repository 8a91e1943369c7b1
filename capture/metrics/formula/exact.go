package formula

import (
	"math"
	"math/big"
)

// The integer operations of Intel's equations. Operands and results that are whole numbers are exact however large an
// intermediate result grows: "clocks 1000000000 UMUL time UDIV" passes 2^64 within seconds, where the vendor's tools
// wrap. What leaves the integer operations, as the result or for a floating-point operation, is the nearest double.
//
// As in the vendor's definition an operand with a fraction makes an operation one on doubles whose result is truncated;
// UDIV, the comparisons and the bit operations truncate operands first. A result below zero has no unsigned value: it
// is missing. Operands come as doubles, so a counter is exact up to 2^53.
//
// A formula's connected integer operations are one island: one instruction that keeps intermediate results to itself.
// It computes in doubles and repeats the rows that reach 2^53 with 128 bits, and those that exceed these with big
// integers.

const exactLimit = 1 << 53

// maxExactBits bounds the work that a formula of many multiplications can ask for. No double is larger.
const maxExactBits = 1100

// island is a tree, or graph, of integer operations over leaves that are anything else.
type island struct {
	leaves []int32 // registers
	steps  []exactStep
}

// exactStep is one operation. Operands below 0 are leaves, ^a; others are earlier steps.
type exactStep struct {
	op   Op
	a, b int16
}

// exactRows is how many rows an island computes at once, in scratch memory on the stack.
const (
	exactRows  = 128
	exactSteps = 12
)

// run computes dst from the registers r.
func (s *island) run(dst []float64, r [][]float64, zeroIsZero bool) {
	if len(s.steps) > exactSteps {
		for i := range dst {
			dst[i] = s.row(r, i, zeroIsZero)
		}
		return
	}
	var buf [exactSteps][exactRows]float64
	for lo := 0; lo < len(dst); lo += exactRows {
		n := min(exactRows, len(dst)-lo)
		operand := func(k int16) []float64 {
			if k < 0 {
				return r[s.leaves[^k]][lo : lo+n]
			}
			return buf[k][:n]
		}
		inexact := false
		for i, step := range s.steps {
			if exactBlock(step.op, buf[i][:n], operand(step.a), operand(step.b), zeroIsZero) {
				inexact = true
			}
		}
		out := buf[len(s.steps)-1][:n]
		if inexact {
			for i := range out {
				for k, step := range s.steps {
					if large(buf[k][i]) || large(operand(step.a)[i]) || large(operand(step.b)[i]) {
						v, ok := s.row128(r, lo+i, zeroIsZero)
						if !ok {
							v = s.row(r, lo+i, zeroIsZero)
						}
						out[i] = v
						break
					}
				}
			}
		}
		copy(dst[lo:lo+n], out) // last: dst may be the memory of a leaf
	}
}

// large reports whether a whole number may not be exact as a double. A missing value is not large.
func large(v float64) bool { return v >= exactLimit || v <= -exactLimit }

// exactBlock computes one operation in doubles and reports whether a result or an operand is too large to be sure of.
func exactBlock(op Op, dst, a, b []float64, zeroIsZero bool) (inexact bool) {
	b, dst = b[:len(a)], dst[:len(a)]
	top := 0.0
	switch op {
	case OpUAdd:
		for i, x := range a {
			v := math.Trunc(x + b[i])
			if v < 0 {
				v = math.NaN()
			}
			dst[i] = v
			if v > top {
				top = v
			}
		}
	case OpUMul:
		for i, x := range a {
			v := math.Trunc(x * b[i])
			if v < 0 {
				v = math.NaN()
			}
			dst[i] = v
			if v > top {
				top = v
			}
		}
	case OpUDiv:
		for i, x := range a {
			x, y := math.Trunc(x), math.Trunc(b[i])
			v := math.Trunc(x / y)
			if y == 0 {
				v = byZero(x, zeroIsZero)
			}
			if v < 0 {
				v = math.NaN()
			}
			dst[i] = v
			if x > top {
				top = x
			}
			if y > top {
				top = y
			}
		}
		// Of a quotient the operands decide, not the result: two inexact numbers can have a small quotient that is
		// wrong.
		return top >= exactLimit
	default:
		for i, x := range a {
			y := b[i]
			dst[i] = exactSmall(op, x, y, zeroIsZero)
			top = math.Max(top, math.Max(orZero(math.Abs(x)), orZero(math.Abs(y))))
		}
		return top >= exactLimit
	}
	if top >= exactLimit {
		return true
	}
	// Operands of sums and products are no larger than a result that is not missing, unless the other is 0 or a
	// fraction.
	for i, x := range a {
		if large(x) || large(b[i]) {
			return true
		}
	}
	return false
}

func orZero(v float64) float64 {
	if v != v {
		return 0
	}
	return v
}

// exactSmall computes one operation on doubles below 2^53, where every whole number is exact.
func exactSmall(op Op, x, y float64, zeroIsZero bool) float64 {
	if x != x || y != y {
		return math.NaN()
	}
	v := 0.0
	switch op {
	case OpUAdd:
		v = math.Trunc(x + y)
	case OpUSub:
		v = math.Trunc(x - y)
	case OpUMul:
		v = math.Trunc(x * y)
	case OpUMin:
		v = math.Trunc(min(x, y))
	case OpUMax:
		v = math.Trunc(max(x, y))
	default:
		x, y = math.Trunc(x), math.Trunc(y)
		switch op {
		case OpUDiv:
			if y == 0 {
				return byZero(x, zeroIsZero)
			}
			// The quotient of two such numbers is never rounded up to a whole number that it does not reach.
			v = math.Trunc(x / y)
		case OpULess:
			return truth(x < y)
		case OpULessEqual:
			return truth(x <= y)
		case OpUGreater:
			return truth(x > y)
		case OpUGreaterEqual:
			return truth(x >= y)
		default:
			if x < 0 || y < 0 {
				return math.NaN()
			}
			return exactBits(op, uint64(x), uint64(y))
		}
	}
	if v < 0 {
		return math.NaN()
	}
	return v
}

// exactBits computes an operation on bits. Shifts drop what leaves the 64 bits.
func exactBits(op Op, x, y uint64) float64 {
	switch op {
	case OpBitAnd:
		return float64(x & y)
	case OpBitOr:
		return float64(x | y)
	case OpShiftLeft:
		return float64(x << y)
	case OpShiftRight:
		return float64(x >> y)
	}
	return math.NaN()
}

// exactScalar is one operation alone.
func exactScalar(op Op, x, y float64, zeroIsZero bool) float64 {
	return exactOp(op, exactNumber{f: x}, exactNumber{f: y}, zeroIsZero).float()
}

// exactNumber is a whole number that a double cannot hold, or a double.
type exactNumber struct {
	i *big.Int // nil for a double
	f float64
}

// whole is the number as an integer, nil where it has a fraction or is not finite.
func (n exactNumber) whole() *big.Int {
	if n.i != nil {
		return n.i
	}
	if n.f != math.Trunc(n.f) || math.IsInf(n.f, 0) {
		return nil
	}
	if math.Abs(n.f) < exactLimit {
		return big.NewInt(int64(n.f))
	}
	i, _ := big.NewFloat(n.f).Int(nil)
	return i
}

func (n exactNumber) float() float64 {
	if n.i != nil {
		f, _ := new(big.Float).SetInt(n.i).Float64()
		return f
	}
	return n.f
}

func (n exactNumber) truncated() exactNumber {
	if n.i != nil {
		return n
	}
	return exactNumber{f: math.Trunc(n.f)}
}

// row computes one row exactly.
func (s *island) row(r [][]float64, i int, zeroIsZero bool) float64 {
	values := make([]exactNumber, len(s.steps))
	operand := func(k int16) exactNumber {
		if k < 0 {
			return exactNumber{f: r[s.leaves[^k]][i]}
		}
		return values[k]
	}
	for k, step := range s.steps {
		values[k] = exactOp(step.op, operand(step.a), operand(step.b), zeroIsZero)
	}
	return values[len(values)-1].float()
}

// exactOp computes one operation on numbers of any size.
func exactOp(op Op, x, y exactNumber, zeroIsZero bool) exactNumber {
	missing := exactNumber{f: math.NaN()}
	if x.i == nil && x.f != x.f || y.i == nil && y.f != y.f {
		return missing
	}
	switch op {
	// Sums, products and extremes keep the fractions of their operands until they are truncated themselves; all
	// others truncate before, as exactBlock does with doubles.
	case OpUAdd, OpUSub, OpUMul, OpUMin, OpUMax:
	default:
		x, y = x.truncated(), y.truncated()
	}
	a, b := x.whole(), y.whole()
	if a == nil || b == nil {
		if op == OpBitAnd || op == OpBitOr || op == OpShiftLeft || op == OpShiftRight {
			return missing // infinite
		}
		return exactNumber{f: exactSmall(op, x.float(), y.float(), zeroIsZero)}
	}
	out := new(big.Int)
	switch op {
	case OpUAdd:
		out.Add(a, b)
	case OpUSub:
		out.Sub(a, b)
	case OpUMul:
		out.Mul(a, b)
	case OpUDiv:
		if b.Sign() == 0 {
			return exactNumber{f: byZero(0, zeroIsZero)}
		}
		out.Quo(a, b)
	case OpUMin:
		out = a
		if b.Cmp(a) < 0 {
			out = b
		}
	case OpUMax:
		out = a
		if b.Cmp(a) > 0 {
			out = b
		}
	case OpULess:
		return exactNumber{f: truth(a.Cmp(b) < 0)}
	case OpULessEqual:
		return exactNumber{f: truth(a.Cmp(b) <= 0)}
	case OpUGreater:
		return exactNumber{f: truth(a.Cmp(b) > 0)}
	case OpUGreaterEqual:
		return exactNumber{f: truth(a.Cmp(b) >= 0)}
	default:
		if !a.IsUint64() || !b.IsUint64() {
			return missing
		}
		switch n, shift := a.Uint64(), b.Uint64(); op {
		case OpBitAnd:
			out.SetUint64(n & shift)
		case OpBitOr:
			out.SetUint64(n | shift)
		case OpShiftLeft:
			out.SetUint64(n << shift)
		case OpShiftRight:
			out.SetUint64(n >> shift)
		}
	}
	if out.Sign() < 0 {
		return missing
	}
	// Beyond, a product of products would grow without bound with the length of the formula. The double is as near
	// as anyone can print.
	if out.BitLen() > maxExactBits {
		return exactNumber{f: exactNumber{i: out}.float()}
	}
	return exactNumber{i: out}
}

// emitIsland makes code for a node that is an integer operation, and all integer operations directly below it.
func (k *compiler) emitIsland(id int32) int32 {
	s := &island{}
	at := map[int32]int16{}
	var visit func(id int32) int16
	visit = func(id int32) int16 {
		id = k.resolve(id)
		if v, ok := at[id]; ok {
			return v
		}
		n := k.g.nodes[id]
		if !n.op.unsigned() || k.isInput(id) || len(s.steps) > math.MaxInt16/2 {
			s.leaves = append(s.leaves, k.emit(id))
			at[id] = int16(^(len(s.leaves) - 1))
			return at[id]
		}
		a := visit(n.a)
		b := visit(n.b)
		s.steps = append(s.steps, exactStep{n.op, a, b})
		at[id] = int16(len(s.steps) - 1)
		return at[id]
	}
	visit(id)
	return k.push(instr{kop: kExact, dst: k.reg(), a: -1, b: -1, c: -1, island: s})
}
