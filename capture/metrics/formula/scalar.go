package formula

import "math"

// scalar evaluates one element-wise operation. It defines what the block kernels compute.
func scalar(op Op, a, b, c float64, zeroIsZero bool) float64 {
	nan := math.NaN()
	if op.unsigned() {
		return exactScalar(op, a, b, zeroIsZero)
	}
	switch op {
	case OpAdd:
		return a + b
	case OpSub:
		return a - b
	case OpMul:
		return a * b
	case OpDiv:
		if b == 0 {
			return byZero(a, zeroIsZero)
		}
		return a / b
	case OpFloorDiv:
		if b == 0 {
			return byZero(a, zeroIsZero)
		}
		return math.Floor(a / b)
	case OpMod:
		if b == 0 {
			return byZero(a, zeroIsZero)
		}
		// The sign of the divisor, as in Python, in which the formulas that use it are written; in Go and C it is
		// that of the dividend.
		m := math.Mod(a, b)
		if m != 0 && (m < 0) != (b < 0) {
			m += b
		}
		return m
	case OpNeg:
		return -a
	case OpMin:
		return min(a, b)
	case OpMax:
		return max(a, b)
	case OpAbs:
		return math.Abs(a)
	case OpToInt:
		return math.Trunc(a)
	case OpRound:
		return roundTo(a, b)
	case OpNoiseClamp:
		if b != b {
			return nan
		}
		return max(a, 0)
	case OpClamp:
		if b != b || c != c {
			return nan
		}
		if a < b {
			return b
		}
		if a > c {
			return c
		}
		return a
	case OpFill:
		if a != a {
			return b
		}
		return a
	case OpIf:
		if a != a {
			return nan
		}
		if a != 0 {
			return b
		}
		return c
	case OpNot:
		if a != a {
			return nan
		}
		return truth(a == 0)
	}
	if a != a || b != b {
		return nan
	}
	switch op {
	case OpLess:
		return truth(a < b)
	case OpLessEqual:
		return truth(a <= b)
	case OpGreater:
		return truth(a > b)
	case OpGreaterEqual:
		return truth(a >= b)
	case OpEqual:
		return truth(a == b)
	case OpNotEqual:
		return truth(a != b)
	case OpAnd:
		return truth(a != 0 && b != 0)
	case OpOr:
		return truth(a != 0 || b != 0)
	}
	return nan
}

// byZero is a divided by zero: missing, or 0 in catalogues that say so (a missing dividend stays missing).
func byZero(a float64, zeroIsZero bool) float64 {
	if zeroIsZero && a == a {
		return 0
	}
	return math.NaN()
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// roundTo rounds half to even, to that many decimal digits.
func roundTo(v, digits float64) float64 {
	if digits != digits {
		return digits
	}
	digits = math.Trunc(digits)
	if digits == 0 {
		return math.RoundToEven(v)
	}
	p := math.Pow(10, digits)
	r := math.RoundToEven(v*p) / p
	if r != r || math.IsInf(r, 0) {
		return v // already as exact as a double can be
	}
	return r
}
