package formula

import (
	"math"
	"math/bits"
)

// u128 is a whole number of 128 bits.
type u128 struct{ hi, lo uint64 }

// float is the nearest double.
func (x u128) float() float64 {
	if x.hi == 0 {
		return float64(x.lo)
	}
	n := bits.LeadingZeros64(x.hi)
	top := x.hi<<n | x.lo>>(64-n)
	if x.lo<<n != 0 {
		top |= 1 // what is cut off decides ties
	}
	return math.Ldexp(float64(top), 64-n)
}

func (x u128) less(y u128) bool { return x.hi < y.hi || x.hi == y.hi && x.lo < y.lo }

// row128 is row for whole operands below 2^64 whose results fit 128 bits; ok is false where they do not. It allocates
// nothing.
func (s *island) row128(r [][]float64, i int, zeroIsZero bool) (v float64, ok bool) {
	if len(s.steps) > exactSteps {
		return 0, false
	}
	// A fixed array stays on the stack. Islands that are longer are as rare as operands beyond 128 bits, and take
	// big integers.
	var values [exactSteps]u128
	for k, step := range s.steps {
		var args [2]u128
		for j, operand := range [2]int16{step.a, step.b} {
			if operand >= 0 {
				args[j] = values[operand]
				continue
			}
			leaf := r[s.leaves[^operand]][i]
			switch {
			case leaf != leaf:
				return math.NaN(), true // every operation keeps it
			case leaf < 0 || leaf >= 1<<64 || leaf != math.Trunc(leaf):
				return 0, false
			}
			args[j].lo = uint64(leaf)
		}
		x, y := args[0], args[1]
		var out u128
		switch step.op {
		case OpUAdd:
			var carry uint64
			out.lo, carry = bits.Add64(x.lo, y.lo, 0)
			if out.hi, carry = bits.Add64(x.hi, y.hi, carry); carry != 0 {
				return 0, false
			}
		case OpUSub:
			// A difference of counters below zero is missing, rather than a number that wrapped.
			if x.less(y) {
				return math.NaN(), true
			}
			var borrow uint64
			out.lo, borrow = bits.Sub64(x.lo, y.lo, 0)
			out.hi, _ = bits.Sub64(x.hi, y.hi, borrow)
		case OpUMul:
			if x.hi != 0 {
				x, y = y, x
			}
			if x.hi != 0 {
				return 0, false
			}
			over, high := bits.Mul64(x.lo, y.hi)
			out.hi, out.lo = bits.Mul64(x.lo, y.lo)
			var carry uint64
			if out.hi, carry = bits.Add64(out.hi, high, 0); over != 0 || carry != 0 {
				return 0, false
			}
		case OpUDiv:
			switch {
			case y.hi != 0:
				return 0, false
			case y.lo != 0:
				// Long division by one word: the remainder of the high word is below the divisor, which is what
				// Div64 asks for.
				out.hi = x.hi / y.lo
				out.lo, _ = bits.Div64(x.hi%y.lo, x.lo, y.lo)
			case !zeroIsZero:
				return math.NaN(), true
			}
		case OpUMin:
			if out = x; y.less(x) {
				out = y
			}
		case OpUMax:
			if out = x; x.less(y) {
				out = y
			}
		default:
			return 0, false
		}
		values[k] = out
	}
	return values[len(s.steps)-1].float(), true
}
