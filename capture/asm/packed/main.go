// Command packed writes what is asked of packed columns, by AVX2 for the package capture.
package main

//go:generate go run . -out ../../packed_amd64.s -stubs ../../packed_stubs_amd64.go -pkg capture

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wide is how many bytes a register has.
const wide = 32

func main() {
	ConstraintExpr("amd64")
	extent()
	above(8)
	above(16)
	above(32)
	Generate()
}

// extent writes the least and the greatest of words of 64 bits. AVX2 compares them as signed ones, so that their sign is
// turned over. Four registers are taken at a time: what is done to one waits for what was done to it before.
func extent() {
	const rows = 4
	TEXT("extentAVX2", NOSPLIT, "func(values *uint64, n int) (least uint64, most uint64)")
	Doc("extentAVX2 is the least and the greatest of n values, a multiple of 16 above 0.")
	src, end := Load(Param("values"), GP64()), Load(Param("n"), GP64())
	LEAQ(Mem{Base: src, Index: end, Scale: 8}, end)
	sign, g := YMM(), GP64()
	MOVQ(U64(1<<63), g)
	MOVQ(g, sign.AsX())
	VPBROADCASTQ(sign.AsX(), sign)
	var least, most [rows]reg.VecVirtual
	for k := range rows {
		least[k], most[k] = YMM(), YMM()
		VPXOR(Mem{Base: src, Disp: wide * k}, sign, least[k])
		VMOVDQA(least[k], most[k])
	}
	take := func(low, high, least, most reg.VecVirtual) {
		less, more := YMM(), YMM()
		VPCMPGTQ(low, least, less)
		VPCMPGTQ(most, high, more)
		VBLENDVPD(less, low, least, least)
		VBLENDVPD(more, high, most, most)
	}
	Label("block")
	ADDQ(Imm(rows*wide), src)
	CMPQ(src, end)
	JGE(LabelRef("reduce"))
	for k := range rows {
		x := YMM()
		VPXOR(Mem{Base: src, Disp: wide * k}, sign, x)
		take(x, x, least[k], most[k])
	}
	JMP(LabelRef("block"))
	Label("reduce")
	for k := 1; k < rows; k++ {
		take(least[k], most[k], least[0], most[0])
	}
	for _, turn := range []uint64{0x4e, 0xb1} { // halves, then neighbours
		low, high := YMM(), YMM()
		VPERMQ(Imm(turn), least[0], low)
		VPERMQ(Imm(turn), most[0], high)
		take(low, high, least[0], most[0])
	}
	for k, x := range []reg.VecVirtual{least[0], most[0]} {
		out := GP64()
		VPXOR(sign, x, x)
		MOVQ(x.AsX(), out)
		Store(out, ReturnIndex(k))
	}
	VZEROUPPER()
	RET()
}

// above writes the sum, the least and the greatest of words of some bits. Sums of a column of a register have 64 bits.
func above(bits int) {
	TEXT(fmt.Sprintf("above%dAVX2", bits), NOSPLIT, fmt.Sprintf("func(values *uint%d, n int) (sum uint64, least uint64, most uint64)", bits))
	Doc(fmt.Sprintf("above%dAVX2 is the sum, the least and the greatest of n values, a multiple of %d above 0.", bits, 8*wide/bits))
	src, end := Load(Param("values"), GP64()), Load(Param("n"), GP64())
	LEAQ(Mem{Base: src, Index: end, Scale: uint8(bits / 8)}, end)
	sum, least, most, ones := YMM(), YMM(), YMM(), YMM()
	VPXOR(sum, sum, sum)
	VPCMPEQD(ones, ones, ones)
	VMOVDQA(ones, least)
	VPXOR(most, most, most)
	zero, lows := YMM(), YMM() // lows: the lower half of each word of what is added
	if bits < 32 {
		VPXOR(zero, zero, zero)
	}
	switch bits {
	case 16:
		VPSRLW(Imm(8), ones, lows)
	case 32:
		VPSRLQ(Imm(32), ones, lows)
	}
	lower := map[int]func(ops ...Op){8: VPMINUB, 16: VPMINUW, 32: VPMINUD}[bits]
	higher := map[int]func(ops ...Op){8: VPMAXUB, 16: VPMAXUW, 32: VPMAXUD}[bits]
	Label("block")
	x, low, high := YMM(), YMM(), YMM()
	VMOVDQU(Mem{Base: src}, x)
	lower(x, least, least)
	higher(x, most, most)
	switch bits {
	case 8:
		VPSADBW(zero, x, x)
		VPADDQ(x, sum, sum)
	case 16: // bytes are added up by their distance from 0
		VPAND(lows, x, low)
		VPSRLW(Imm(8), x, high)
		VPSADBW(zero, low, low)
		VPSADBW(zero, high, high)
		VPSLLQ(Imm(8), high, high)
		VPADDQ(low, sum, sum)
		VPADDQ(high, sum, sum)
	case 32:
		VPAND(lows, x, low)
		VPSRLQ(Imm(32), x, high)
		VPADDQ(low, sum, sum)
		VPADDQ(high, sum, sum)
	}
	ADDQ(Imm(wide), src)
	CMPQ(src, end)
	JLT(LabelRef("block"))

	half, out := XMM(), GP64()
	VEXTRACTI128(Imm(1), sum, half)
	VPADDQ(half, sum.AsX(), half)
	VPSHUFD(Imm(0x4e), half, sum.AsX())
	VPADDQ(half, sum.AsX(), half)
	VMOVQ(half, out)
	Store(out, ReturnIndex(0))
	VPXOR(ones, most, most) // the greatest is the least of all turned over
	for k, bound := range []reg.VecVirtual{least, most} {
		half, out, g := XMM(), GP64(), bound.AsX()
		VEXTRACTI128(Imm(1), bound, half)
		lower(half, g, half)
		switch bits {
		case 8:
			VPSRLW(Imm(8), half, g)
			lower(half, g, half) // of each two bytes, in a word
			VPHMINPOSUW(half, half)
			VPEXTRW(Imm(0), half, out.As32())
		case 16:
			VPHMINPOSUW(half, half)
			VPEXTRW(Imm(0), half, out.As32())
		case 32:
			VPSHUFD(Imm(0x4e), half, g)
			lower(half, g, half)
			VPSHUFD(Imm(0xb1), half, g)
			lower(half, g, half)
			VMOVD(half, out.As32())
		}
		if k == 1 {
			mask := GP64()
			MOVQ(U64(1<<bits-1), mask)
			XORQ(mask, out)
		}
		Store(out, ReturnIndex(1+k))
	}
	VZEROUPPER()
	RET()
}
