// Command floats writes the conversion of integers to doubles by AVX2 for the package capture.
package main

//go:generate go run . -out ../../floats_amd64.s -stubs ../../floats_stubs_amd64.go -pkg capture

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is how many doubles a register has.
const lanes = 4

func main() {
	ConstraintExpr("amd64")
	// An integer is its upper and lower half, each exactly the fraction of a double with a large exponent; taking the
	// exponents off the upper one is exact, so that adding the lower one rounds once, as a conversion does.
	exponent := func(bits float64) reg.VecVirtual {
		x, g := YMM(), GP64()
		MOVQ(U64(math.Float64bits(bits)), g)
		MOVQ(g, x.AsX())
		VPBROADCASTQ(x.AsX(), x)
		return x
	}
	TEXT("floatsAVX2", NOSPLIT, "func(dst *float64, a *uint64, n int)")
	Doc("floatsAVX2 is a as doubles.")
	dst, src := Load(Param("dst"), GP64()), Load(Param("a"), GP64())
	n := Load(Param("n"), GP64())
	low, high, both := exponent(1<<52), exponent(1<<84), exponent(1<<84+1<<52)
	i := GP64()
	XORQ(i, i)
	for _, unroll := range []int{2, 1} {
		label := []string{"", "one", "two"}[unroll]
		Label(label)
		end := GP64()
		LEAQ(Mem{Base: i, Disp: unroll * lanes}, end)
		CMPQ(end, n)
		JG(LabelRef(label + "done"))
		for u := range unroll {
			x, upper := YMM(), YMM()
			VMOVDQU(Mem{Base: src, Index: i, Scale: 8, Disp: 8 * lanes * u}, x)
			VPSRLQ(Imm(32), x, upper)
			VPOR(high, upper, upper)
			VPBLENDD(Imm(0xaa), low, x, x) // the upper halves are those of low
			VSUBPD(both, upper, upper)
			VADDPD(x, upper, upper)
			VMOVUPD(upper, Mem{Base: dst, Index: i, Scale: 8, Disp: 8 * lanes * u})
		}
		MOVQ(end, i)
		JMP(LabelRef(label))
		Label(label + "done")
	}
	VZEROUPPER()
	RET()
	Generate()
}
