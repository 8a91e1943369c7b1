// Command digits writes the reading of cells of a few digits by AVX2 for the package delimited.
package main

//go:generate go run . -out ../../formats/internal/delimited/digits_amd64.s -stubs ../../formats/internal/delimited/digits_stubs_amd64.go -pkg delimited

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	TEXT("digitsAVX2", NOSPLIT, "func(dst *uint64, stride int, most int, text *byte, delim byte) (n int, length int)")
	Doc("digitsAVX2 reads up to most cells of one to eight digits, each before a delim. It looks at 64 bytes behind what it reads.")
	dst, stride := Load(Param("dst"), GP64()), Load(Param("stride"), GP64())
	left, text := Load(Param("most"), GP64()), Load(Param("text"), GP64())
	spread := func(x reg.VecVirtual) reg.VecVirtual {
		VPBROADCASTB(x.AsX(), x)
		return x
	}
	byteOf := func(b uint64) reg.VecVirtual {
		x, g := YMM(), GP32()
		MOVL(U32(b), g)
		VMOVD(g, x.AsX())
		return spread(x)
	}
	word := func(u uint64) reg.GPVirtual {
		g := GP64()
		MOVQ(U64(u), g)
		return g
	}
	delim, g := YMM(), GP32()
	Load(Param("delim"), g)
	VMOVD(g, delim.AsX())
	spread(delim)
	zero, nine := byteOf('0'), byteOf(9)
	digit, pair := word(0x0f0f0f0f0f0f0f0f), word(0x000000ff000000ff)
	first, second := word(100+1000000<<32), word(1+10000<<32)
	begin := GP64()
	MOVQ(text, begin)
	SHLQ(Imm(3), stride)

	Label("block") // of 64 bytes, from the beginning of a cell
	ends, digits := GP64(), GP64()
	high, highDigits := GP64(), GP64()
	for _, h := range []struct {
		at           int
		ends, digits reg.GPVirtual
	}{{0, ends, digits}, {32, high, highDigits}} {
		x, equal := YMM(), YMM()
		VMOVDQU(Mem{Base: text, Disp: h.at}, x)
		VPCMPEQB(delim, x, equal)
		VPMOVMSKB(equal, h.ends.As32())
		VPSUBB(zero, x, x)
		VPMINUB(nine, x, equal)
		VPCMPEQB(equal, x, equal)
		VPMOVMSKB(equal, h.digits.As32())
	}
	SHLQ(Imm(32), high)
	ORQ(high, ends)
	SHLQ(Imm(32), highDigits)
	ORQ(highDigits, digits)
	// What is neither a digit nor a delimiter ends it all: cells before the first such byte are read.
	other, below := GP64(), GP64()
	MOVQ(digits, other)
	ORQ(ends, other)
	NOTQ(other)
	LEAQ(Mem{Base: other, Disp: -1}, below)
	ANDNQ(below, other, below)
	ANDNQ(ends, digits, ends)
	ANDQ(below, ends)
	from := GP64()
	XORQ(from, from)

	Label("cell")
	TESTQ(ends, ends)
	JZ(LabelRef("none"))
	end, shift := GP64(), GP64()
	TZCNTQ(ends, end)
	MOVQ(from, shift)
	SUBQ(end, shift) // minus the length
	LEAQ(Mem{Base: shift, Disp: 8}, below)
	CMPQ(below, Imm(7))
	JA(LabelRef("stop"))
	SHLQ(Imm(3), shift) // of which the lower six bits count
	t, u := GP64(), GP64()
	SHLXQ(shift, Mem{Base: text, Index: from, Scale: 1}, t)
	BLSRQ(ends, ends)
	LEAQ(Mem{Base: end, Disp: 1}, from)
	// By pairs, fours and all of them, as joinDigits.
	ANDQ(digit, t)
	LEAQ(Mem{Base: t, Index: t, Scale: 4}, u)
	SHRQ(Imm(8), t)
	LEAQ(Mem{Base: t, Index: u, Scale: 2}, t)
	MOVQ(t, u)
	SHRQ(Imm(16), u)
	ANDQ(pair, t)
	ANDQ(pair, u)
	IMULQ(first, t)
	IMULQ(second, u)
	ADDQ(u, t)
	SHRQ(Imm(32), t)
	MOVQ(t, Mem{Base: dst})
	ADDQ(stride, dst)
	DECQ(left)
	JNZ(LabelRef("cell"))
	JMP(LabelRef("stop"))

	Label("none")
	ADDQ(from, text)
	TESTQ(from, from)
	JZ(LabelRef("done"))
	TESTQ(other, other)
	JZ(LabelRef("block"))
	JMP(LabelRef("done"))

	Label("stop")
	ADDQ(from, text)
	Label("done")
	most := Load(Param("most"), GP64())
	SUBQ(left, most)
	Store(most, ReturnIndex(0))
	SUBQ(begin, text)
	Store(text, ReturnIndex(1))
	VZEROUPPER()
	RET()
	Generate()
}
