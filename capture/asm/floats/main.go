// Command floats writes for the package capture, by AVX2, the conversion of integers to doubles, and the search for the
// least and the largest double.
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
	extremes()
	Generate()
}

// extremes keeps the least and the largest value of each of four lanes. A minimum is its second operand where one is
// NaN, so that what was kept stays.
func extremes() {
	const unroll = 4
	TEXT("extremesAVX2", NOSPLIT, "func(a *float64, n int, low, high *[4]float64)")
	Doc("extremesAVX2 lowers low and raises high, by lanes, to n values of a, a multiple of 16. NaN counts for nothing.")
	src, n := Load(Param("a"), GP64()), Load(Param("n"), GP64())
	low, high := Load(Param("low"), GP64()), Load(Param("high"), GP64())
	var least, most [unroll]reg.VecVirtual
	for u := range unroll {
		least[u], most[u] = YMM(), YMM()
		VMOVUPD(Mem{Base: low}, least[u])
		VMOVUPD(Mem{Base: high}, most[u])
	}
	i := GP64()
	XORQ(i, i)
	Label("next")
	CMPQ(i, n)
	JGE(LabelRef("done"))
	for u := range unroll {
		x := YMM()
		VMOVUPD(Mem{Base: src, Index: i, Scale: 8, Disp: 8 * lanes * u}, x)
		VMINPD(least[u], x, least[u])
		VMAXPD(most[u], x, most[u])
	}
	ADDQ(Imm(unroll*lanes), i)
	JMP(LabelRef("next"))
	Label("done")
	for u := 1; u < unroll; u++ {
		VMINPD(least[0], least[u], least[0])
		VMAXPD(most[0], most[u], most[0])
	}
	VMOVUPD(least[0], Mem{Base: low})
	VMOVUPD(most[0], Mem{Base: high})
	VZEROUPPER()
	RET()
}
