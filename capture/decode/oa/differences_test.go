package oa

import (
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/sys/cpu"
)

// holdDifferences holds what the processor's vectors make of all counters of a format against the values that Format
// reads, report by report.
func holdDifferences(t *testing.T, f *Format, data []byte, from int, at []int) (wide int) {
	t.Helper()
	columns := make([][]uint64, len(f.fields))
	for c := range columns {
		columns[c] = make([]uint64, len(at)+2)
	}
	for c := 0; c+wideFields <= len(f.fields); c++ {
		most := [wideFields]uint64{1, 2, 3, 4} // of another time
		for k := range wideFields {
			for i := range columns[c+k] {
				columns[c+k][i] = 77
			}
		}
		if !wideDifferences(f.fields[c:], columns[c:], 1, data, from, at, &most) {
			continue
		}
		wide++
		for k := range wideFields {
			fd, want, bits, was := &f.fields[c+k], []uint64{77}, uint64(0), from
			for _, p := range at {
				d := (fd.value(Report(data[p:p+f.Size])) - fd.value(Report(data[was:was+f.Size]))) & (1<<fd.bits - 1)
				want, bits, was = append(want, d), bits|d, p
			}
			if want = append(want, 77); !slices.Equal(columns[c+k], want) || most[k] != bits {
				t.Fatalf("%s, %s: %v with bits %#x, want %v with %#x", f.Name, fd.name, columns[c+k], most[k], want, bits)
			}
		}
	}
	return wide
}

func TestDifferencesByVectorsAreThoseOfTheFieldsOneByOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	wide := 0
	for _, f := range Formats() {
		for n := 1; n <= blockSlots; n++ {
			data := make([]byte, (n+1)*f.Size)
			for i := range data {
				data[i] = byte(rng.Uint32())
			}
			at := rng.Perm(n + 1)
			for i := range at {
				at[i] *= f.Size
			}
			wide += holdDifferences(t, f, data, at[0], at[1:])
		}
	}
	if wide == 0 && cpu.X86.HasAVX2 {
		t.Fatal("no counters were taken by vectors")
	}
}

func FuzzDifferences(f *testing.F) {
	f.Add(uint8(0), slices.Repeat([]byte{0xff, 1, 2, 3, 0x80}, 400))
	f.Add(uint8(4), slices.Repeat([]byte{0xff, 0, 0}, 600))
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		format := Formats()[int(which)%len(Formats())]
		n := min(len(data)/format.Size, blockSlots+1)
		if n < 2 {
			return
		}
		at := make([]int, n)
		for i := range at {
			at[i] = i * format.Size
		}
		holdDifferences(t, format, data[:n*format.Size], at[0], at[1:])
	})
}
