package formula

import "math"

// kop is one block operation: a loop over the rows of a block. A K operand is the constant instr.k.
type kop uint8

const (
	kFill kop = iota // k
	kCopy
	kLoad // input a, converted
	kAdd
	kAddK
	kAdd3
	kSub
	kSubK
	kRsubK // k - a
	kMul
	kMulK
	kDiv
	kDivK
	kRdivK      // k / a
	kMulDiv     // a * k / b
	kRatio      // a / b * k
	kRatioClamp // a / b * k, clamped
	kMin
	kMinK
	kMax
	kMaxK
	kClamp // to lo..hi
	kNeg
	kAbs
	kScalar // the operation op on a, b, c
	kExact  // island, see exact.go
)

// instr is one step of a compiled program. dst, a, b and c are registers.
type instr struct {
	kop       kop
	op        Op
	dst       int32
	a, b, c   int32
	k, lo, hi float64
	island    *island // of kExact
}

// exec runs one instruction over whole registers of equal length: most rows by a kernel of the processor's, where it
// has one, and the rest in Go.
func exec(in *instr, r [][]float64, zeroIsZero bool) {
	dst := r[in.dst]
	if in.kop == kExact {
		in.island.run(dst, r, zeroIsZero)
		return
	}
	n := len(dst)
	var a, b, c []float64
	if in.a >= 0 {
		a = r[in.a][:n]
	}
	if in.b >= 0 {
		b = r[in.b][:n]
	}
	if in.c >= 0 {
		c = r[in.c][:n]
	}
	done := wide(in, dst, a, b, c)
	plain(in, dst[done:], rest(a, done), rest(b, done), rest(c, done), zeroIsZero)
}

// rest are the rows of a register from one on; there is no register where it is nil.
func rest(v []float64, from int) []float64 {
	if v == nil {
		return nil
	}
	return v[from:]
}

// plain is what all kernels must give: bit for bit what scalar gives, any NaN being as good as another.
func plain(in *instr, dst, a, b, c []float64, zeroIsZero bool) {
	// Cut to the length of dst once, so that the compiler drops the checks of bounds in the loops below.
	n := len(dst)
	if a != nil {
		a = a[:n]
	}
	if b != nil {
		b = b[:n]
	}
	if c != nil {
		c = c[:n]
	}
	k := in.k
	nan := math.NaN()
	switch in.kop {
	case kFill:
		for i := range dst {
			dst[i] = k
		}
	case kCopy:
		copy(dst, a)
	case kAdd:
		for i, x := range a {
			dst[i] = x + b[i]
		}
	case kAddK:
		for i, x := range a {
			dst[i] = x + k
		}
	case kAdd3:
		for i, x := range a {
			dst[i] = x + b[i] + c[i]
		}
	case kSub:
		for i, x := range a {
			dst[i] = x - b[i]
		}
	case kSubK:
		for i, x := range a {
			dst[i] = x - k
		}
	case kRsubK:
		for i, x := range a {
			dst[i] = k - x
		}
	case kMul:
		for i, x := range a {
			dst[i] = x * b[i]
		}
	case kMulK:
		for i, x := range a {
			dst[i] = x * k
		}
	case kDiv:
		for i, x := range a {
			d := b[i]
			q := x / d
			if d == 0 {
				q = nan
			}
			dst[i] = q
		}
	case kDivK:
		for i, x := range a {
			dst[i] = x / k
		}
	case kRdivK:
		for i, d := range a {
			q := k / d
			if d == 0 {
				q = nan
			}
			dst[i] = q
		}
	case kMulDiv:
		for i, x := range a {
			d := b[i]
			q := x * k / d
			if d == 0 {
				q = nan
			}
			dst[i] = q
		}
	case kRatio:
		for i, x := range a {
			d := b[i]
			q := x / d * k
			if d == 0 {
				q = nan
			}
			dst[i] = q
		}
	case kRatioClamp:
		lo, hi := in.lo, in.hi
		for i, x := range a {
			d := b[i]
			q := x / d * k
			if q > hi {
				q = hi
			}
			if q <= lo { // also turns -0 into lo
				q = lo
			}
			if d == 0 {
				q = nan
			}
			dst[i] = q
		}
	case kMin:
		for i, x := range a {
			dst[i] = min(x, b[i])
		}
	case kMinK:
		for i, x := range a {
			if x > k {
				x = k
			}
			dst[i] = x
		}
	case kMax:
		for i, x := range a {
			dst[i] = max(x, b[i])
		}
	case kMaxK:
		for i, x := range a {
			if x <= k {
				x = k
			}
			dst[i] = x
		}
	case kClamp:
		lo, hi := in.lo, in.hi
		for i, x := range a {
			if x > hi {
				x = hi
			}
			if x <= lo {
				x = lo
			}
			dst[i] = x
		}
	case kNeg:
		for i, x := range a {
			dst[i] = -x
		}
	case kAbs:
		for i, x := range a {
			dst[i] = math.Abs(x)
		}
	case kScalar:
		var vb, vc float64
		for i, x := range a {
			if b != nil {
				vb = b[i]
			}
			if c != nil {
				vc = c[i]
			}
			dst[i] = scalar(in.op, x, vb, vc, zeroIsZero)
		}
	}
}
