// Command differences writes the differences of counters of OA reports by AVX2 for the package oa.
package main

//go:generate go run . -out ../../decode/oa/differences_amd64.s -stubs ../../decode/oa/differences_stubs_amd64.go -pkg oa

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is how many counters a register has, and how many reports are taken at a time.
const lanes = 4

func main() {
	ConstraintExpr("amd64")
	differences("differences40AVX2", "four counters of 40 bits, whose low words stand side by side, and so do their high bytes", true)
	differences("differences32AVX2", "four counters of 32 bits that stand side by side", false)
	Generate()
}

// differences writes one of the two. A register holds the four counters of a report; what is stored are four reports'
// differences of one counter, so that four registers are turned on their side.
func differences(name, what string, high bool) {
	TEXT(name, NOSPLIT, "func(d0, d1, d2, d3 *uint64, low, high *byte, from int, at *int, n int, bits *[4]uint64)")
	Pragma("noescape") // a run's offsets would go to the heap for each
	Doc(fmt.Sprintf("%s puts differences of %s, into d0 to d3:", name, what),
		"from the report at from to the first at at, and on to each next. n must be a multiple of four. bits gets every bit that any has.")
	var dst [lanes]reg.Register
	for k := range dst {
		dst[k] = Load(Param(fmt.Sprintf("d%d", k)), GP64())
	}
	lowWords, highBytes := Load(Param("low"), GP64()), Load(Param("high"), GP64())
	from, at, n := Load(Param("from"), GP64()), Load(Param("at"), GP64()), Load(Param("n"), GP64())
	values := func(pos reg.Register) reg.VecVirtual {
		x := YMM()
		VPMOVZXDQ(Mem{Base: lowWords, Index: pos, Scale: 1}, x)
		if high {
			h := YMM()
			VPMOVZXBQ(Mem{Base: highBytes, Index: pos, Scale: 1}, h)
			VPSLLQ(Imm(32), h, h)
			VPOR(h, x, x)
		}
		return x
	}
	was, mask, seen := YMM(), YMM(), YMM()
	VMOVDQA(values(from), was)
	VPCMPEQD(mask, mask, mask)
	VPXOR(seen, seen, seen)
	shift := uint64(32)
	if high {
		shift = 24
	}
	VPSRLQ(Imm(shift), mask, mask)
	i := GP64()
	XORQ(i, i)

	Label("four")
	CMPQ(i, n)
	JGE(LabelRef("done"))
	var rows [lanes]reg.VecVirtual
	for k := range rows {
		pos := GP64()
		MOVQ(Mem{Base: at, Index: i, Scale: 8, Disp: 8 * k}, pos)
		is := values(pos)
		rows[k] = YMM()
		VPSUBQ(was, is, rows[k])
		VPAND(mask, rows[k], rows[k])
		VPOR(rows[k], seen, seen)
		VMOVDQA(is, was)
	}
	var halves [lanes]reg.VecVirtual // counters 0 and 2, then 1 and 3, of the first two reports, then of the others
	for k := range halves {
		halves[k] = YMM()
		if k%2 == 0 {
			VPUNPCKLQDQ(rows[k+1], rows[k], halves[k])
		} else {
			VPUNPCKHQDQ(rows[k], rows[k-1], halves[k])
		}
	}
	for k := range dst {
		x := YMM()
		VPERM2I128(Imm(uint64(0x20+k/2*0x11)), halves[2+k%2], halves[k%2], x)
		VMOVDQU(x, Mem{Base: dst[k], Index: i, Scale: 8})
	}
	ADDQ(Imm(lanes), i)
	JMP(LabelRef("four"))

	Label("done")
	bits := Load(Param("bits"), GP64())
	VMOVDQU(seen, Mem{Base: bits})
	VZEROUPPER()
	RET()
}
