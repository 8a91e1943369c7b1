package formula

import "golang.org/x/sys/cpu"

// hasWide reports whether the processor computes four doubles at a time, and the system lets it.
var hasWide = cpu.X86.HasAVX2

// lanes is how many rows a step of the kernels takes.
const lanes = 4

// wide runs an instruction over as many rows as take whole steps and returns how many these are: 0 where there is no
// kernel of it, or too few rows.
func wide(in *instr, dst, a, b, c []float64) int {
	n := len(dst) &^ (lanes - 1)
	if !hasWide || n == 0 {
		return 0
	}
	switch in.kop {
	case kAdd:
		addAVX2(&dst[0], &a[0], &b[0], n)
	case kAdd3:
		add3AVX2(&dst[0], &a[0], &b[0], &c[0], n)
	case kSub:
		subAVX2(&dst[0], &a[0], &b[0], n)
	case kMul:
		mulAVX2(&dst[0], &a[0], &b[0], n)
	case kDiv:
		divAVX2(&dst[0], &a[0], &b[0], n)
	case kAddK:
		addKAVX2(&dst[0], &a[0], in.k, n)
	case kSubK:
		subKAVX2(&dst[0], &a[0], in.k, n)
	case kRsubK:
		rsubKAVX2(&dst[0], &a[0], in.k, n)
	case kMulK:
		mulKAVX2(&dst[0], &a[0], in.k, n)
	case kDivK:
		divKAVX2(&dst[0], &a[0], in.k, n)
	case kRdivK:
		rdivKAVX2(&dst[0], &a[0], in.k, n)
	case kMulDiv:
		mulDivAVX2(&dst[0], &a[0], &b[0], in.k, n)
	case kRatio:
		ratioAVX2(&dst[0], &a[0], &b[0], in.k, n)
	case kRatioClamp:
		ratioClampAVX2(&dst[0], &a[0], &b[0], in.k, in.lo, in.hi, n)
	case kMinK:
		minKAVX2(&dst[0], &a[0], in.k, n)
	case kMaxK:
		maxKAVX2(&dst[0], &a[0], in.k, n)
	case kClamp:
		clampAVX2(&dst[0], &a[0], in.lo, in.hi, n)
	default:
		return 0
	}
	return n
}
