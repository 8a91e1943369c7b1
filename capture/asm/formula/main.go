// Command formula writes the AVX2 kernels of capture/metrics/formula.
//
// A kernel works on n rows, a multiple of four, from pointers that need no alignment. Each row is computed as plain Go
// does, operation by operation in the same order: no sums across rows, no fused multiply-add.
package main

//go:generate go run . -out ../../metrics/formula/wide_amd64.s -stubs ../../metrics/formula/wide_stubs_amd64.go -pkg formula

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is how many doubles a register has.
const lanes = 4

// kernel writes a function of n rows. It has the columns of ins, and the constants of ks in registers for body, which
// computes the rows in v[0], ..., one of each column, and returns the result.
func kernel(name, doc string, ins []string, ks []string, body func(v, k []reg.VecVirtual) reg.VecVirtual) {
	signature := "func(dst"
	for _, in := range ins {
		signature += ", " + in
	}
	signature += " *float64"
	for _, k := range ks {
		signature += ", " + k + " float64"
	}
	TEXT(name, NOSPLIT, signature+", n int)")
	Doc(doc)
	dst := Load(Param("dst"), GP64())
	var from []reg.Register
	for _, in := range ins {
		from = append(from, Load(Param(in), GP64()))
	}
	var k []reg.VecVirtual
	for _, name := range ks {
		x := YMM()
		arg, err := Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		VBROADCASTSD(arg.Addr, x)
		k = append(k, x)
	}
	n := Load(Param("n"), GP64())
	i := GP64()
	XORQ(i, i)
	for _, unroll := range []int{2, 1} { // two registers a round hide some of the latency of a division
		label := []string{"", "one", "two"}[unroll]
		Label(label)
		end := GP64()
		LEAQ(Mem{Base: i, Disp: unroll * lanes}, end)
		CMPQ(end, n)
		JG(LabelRef(label + "done"))
		var out []reg.VecVirtual
		for u := range unroll {
			var v []reg.VecVirtual
			for _, base := range from {
				x := YMM()
				VMOVUPD(Mem{Base: base, Index: i, Scale: 8, Disp: 8 * lanes * u}, x)
				v = append(v, x)
			}
			out = append(out, body(v, k))
		}
		for u, x := range out {
			VMOVUPD(x, Mem{Base: dst, Index: i, Scale: 8, Disp: 8 * lanes * u})
		}
		MOVQ(end, i)
		JMP(LabelRef(label))
		Label(label + "done")
	}
	VZEROUPPER()
	RET()
}

// orNaN is the quotient q with NaN where the divisor d is zero.
func orNaN(q, d reg.VecVirtual) reg.VecVirtual {
	zero, isZero, out := YMM(), YMM(), YMM()
	VXORPD(zero, zero, zero)
	VCMPPD(Imm(0), zero, d, isZero) // all bits of a row where it is equal, which is a NaN
	VORPD(q, isZero, out)
	return out
}

// least is k where x > k, and most is k where x <= k; NaN stays.
func least(x, k reg.VecVirtual) reg.VecVirtual {
	above, out := YMM(), YMM()
	VCMPPD(Imm(0x1e), k, x, above) // greater than, ordered
	VBLENDVPD(above, k, x, out)
	return out
}

func most(x, k reg.VecVirtual) reg.VecVirtual {
	below, out := YMM(), YMM()
	VCMPPD(Imm(0x12), k, x, below) // less or equal, ordered
	VBLENDVPD(below, k, x, out)
	return out
}

func main() {
	ConstraintExpr("amd64")
	ab, a := []string{"a", "b"}, []string{"a"}
	none, k := []string{}, []string{"k"}
	op := func(f func(x, y, z Op), x, y reg.VecVirtual) reg.VecVirtual { // x f y
		out := YMM()
		f(y, x, out)
		return out
	}
	add := func(x, y, z Op) { VADDPD(x, y, z) }
	sub := func(x, y, z Op) { VSUBPD(x, y, z) }
	mul := func(x, y, z Op) { VMULPD(x, y, z) }
	div := func(x, y, z Op) { VDIVPD(x, y, z) }
	type vec = reg.VecVirtual
	kernel("addAVX2", "addAVX2 is a + b.", ab, none, func(v, _ []vec) vec { return op(add, v[0], v[1]) })
	kernel("add3AVX2", "add3AVX2 is (a + b) + c.", []string{"a", "b", "c"}, none,
		func(v, _ []vec) vec { return op(add, op(add, v[0], v[1]), v[2]) })
	kernel("subAVX2", "subAVX2 is a - b.", ab, none, func(v, _ []vec) vec { return op(sub, v[0], v[1]) })
	kernel("mulAVX2", "mulAVX2 is a * b.", ab, none, func(v, _ []vec) vec { return op(mul, v[0], v[1]) })
	kernel("divAVX2", "divAVX2 is a / b, NaN where b is 0.", ab, none,
		func(v, _ []vec) vec { return orNaN(op(div, v[0], v[1]), v[1]) })
	kernel("addKAVX2", "addKAVX2 is a + k.", a, k, func(v, k []vec) vec { return op(add, v[0], k[0]) })
	kernel("subKAVX2", "subKAVX2 is a - k.", a, k, func(v, k []vec) vec { return op(sub, v[0], k[0]) })
	kernel("rsubKAVX2", "rsubKAVX2 is k - a.", a, k, func(v, k []vec) vec { return op(sub, k[0], v[0]) })
	kernel("mulKAVX2", "mulKAVX2 is a * k.", a, k, func(v, k []vec) vec { return op(mul, v[0], k[0]) })
	kernel("divKAVX2", "divKAVX2 is a / k.", a, k, func(v, k []vec) vec { return op(div, v[0], k[0]) })
	kernel("rdivKAVX2", "rdivKAVX2 is k / a, NaN where a is 0.", a, k,
		func(v, k []vec) vec { return orNaN(op(div, k[0], v[0]), v[0]) })
	kernel("mulDivAVX2", "mulDivAVX2 is a * k / b, NaN where b is 0.", ab, k,
		func(v, k []vec) vec { return orNaN(op(div, op(mul, v[0], k[0]), v[1]), v[1]) })
	kernel("ratioAVX2", "ratioAVX2 is a / b * k, NaN where b is 0.", ab, k,
		func(v, k []vec) vec { return orNaN(op(mul, op(div, v[0], v[1]), k[0]), v[1]) })
	kernel("ratioClampAVX2", "ratioClampAVX2 is a / b * k within lo..hi, NaN where b is 0.", ab,
		[]string{"k", "lo", "hi"}, func(v, k []vec) vec {
			return orNaN(most(least(op(mul, op(div, v[0], v[1]), k[0]), k[2]), k[1]), v[1])
		})
	kernel("minKAVX2", "minKAVX2 is a, at most k.", a, k, func(v, k []vec) vec { return least(v[0], k[0]) })
	kernel("maxKAVX2", "maxKAVX2 is a, at least k.", a, k, func(v, k []vec) vec { return most(v[0], k[0]) })
	kernel("clampAVX2", "clampAVX2 is a within lo..hi.", a, []string{"lo", "hi"},
		func(v, k []vec) vec { return most(least(v[0], k[1]), k[0]) })
	Generate()
}
