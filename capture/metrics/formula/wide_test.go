package formula

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// oddRows are what kernels may treat differently: missing values, zeros of both signs, infinities, the largest and the
// smallest.
var oddRows = []float64{0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64,
	-math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 100, 1 << 53, 0.1, 1e-300, -3.5,
	math.Float64frombits(0x7ff0000000000001), math.Float64frombits(0xfff8000000000007)}

// sameRows holds what exec gives against plain Go. Registers begin at a place of each alignment, and dst may be a or b.
func sameRows(t *testing.T, in instr, a, b, c []float64, place int) {
	t.Helper()
	n := len(a)
	want := make([]float64, n)
	plain(&in, want, a, b, c, false)
	for _, dst := range []int32{3, 0, 1} {
		var r [][]float64
		for k, v := range [][]float64{a, b, c, make([]float64, n)} {
			room := make([]float64, n+8)
			at := (place + k) % 4
			copy(room[at:], v)
			r = append(r, room[at:at+n])
		}
		in.dst, in.a, in.b, in.c = dst, 0, 1, 2
		exec(&in, r, false)
		for i, x := range r[dst] {
			if x != x && want[i] != want[i] {
				continue
			}
			if math.Float64bits(x) != math.Float64bits(want[i]) {
				t.Fatalf("operation %d, row %d of %d, into register %d: %v of %v, %v, %v with %v, %v to %v; want %v", in.kop,
					i, n, dst, x, a[i], b[i], c[i], in.k, in.lo, in.hi, want[i])
			}
		}
	}
}

// blockKernels are the operations on rows, but for those that only other rows or functions need.
func blockKernels() (out []kop) {
	for op := kFill; op < kScalar; op++ {
		if op != kLoad {
			out = append(out, op)
		}
	}
	return out
}

// TestKernelsGiveWhatPlainGoGives goes through every operation with every pair of odd values, for lengths around the
// steps of the kernels.
func TestKernelsGiveWhatPlainGoGives(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, op := range blockKernels() {
		for n := range 21 {
			v := func() []float64 {
				out := make([]float64, n)
				for i := range out {
					out[i] = oddRows[rng.IntN(len(oddRows))]
				}
				return out
			}
			for _, k := range oddRows {
				in := instr{kop: op, k: k, lo: min(k, 0.5), hi: max(k, 0.5)}
				sameRows(t, in, v(), v(), v(), n)
			}
		}
		var a, b []float64
		for _, x := range oddRows {
			for _, y := range oddRows {
				a, b = append(a, x), append(b, y)
			}
		}
		sameRows(t, instr{kop: op, k: 100, lo: 0, hi: 1}, a, b, slices.Clone(b), 0)
	}
}

// FuzzKernelsGiveWhatPlainGoGives reads the operation, its constants and three columns from data.
func FuzzKernelsGiveWhatPlainGoGives(f *testing.F) {
	seed := make([]byte, 8*40)
	for i, x := range oddRows {
		binary.LittleEndian.PutUint64(seed[8*i:], math.Float64bits(x))
	}
	for i := range blockKernels() {
		f.Add(uint8(i), 100., 0., 1., seed)
	}
	f.Fuzz(func(t *testing.T, op uint8, k, lo, hi float64, data []byte) {
		list := blockKernels()
		var v []float64
		for ; len(data) >= 8 && len(v) < 300; data = data[8:] {
			v = append(v, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
		n := len(v) / 3
		sameRows(t, instr{kop: list[int(op)%len(list)], k: k, lo: lo, hi: hi}, v[:n], v[n:2*n], v[2*n:3*n], len(v))
	})
}
