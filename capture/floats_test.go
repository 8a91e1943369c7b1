package capture

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// FuzzIntegersBecomeTheDoublesOfPlainGo converts integers of any size, at every alignment and of every length.
func FuzzIntegersBecomeTheDoublesOfPlainGo(f *testing.F) {
	var seed []byte
	for _, u := range []uint64{0, 1, 1<<32 - 1, 1 << 32, 1<<52 - 1, 1 << 52, 1<<53 - 1, 1<<53 + 1, 1<<54 + 2, 1<<54 + 6,
		1<<63 - 1, 1 << 63, 1<<63 + 1<<10, 1<<63 + 1<<10 + 1, 1<<63 + 3<<10, math.MaxUint64, math.MaxUint64 - 1<<10} {
		seed = binary.LittleEndian.AppendUint64(seed, u)
	}
	f.Add(seed)
	f.Add(seed[:24])
	f.Fuzz(func(t *testing.T, data []byte) {
		var src []uint64
		for ; len(data) >= 8; data = data[8:] {
			src = append(src, binary.LittleEndian.Uint64(data))
		}
		for from := range min(len(src), 4) {
			dst := make([]float64, len(src)+1)
			toFloats(dst[1:], src[from:])
			for i, u := range src[from:] {
				if math.Float64bits(dst[1+i]) != math.Float64bits(float64(u)) {
					t.Fatalf("%d of %d: %d became %v, want %v", i, len(src), u, dst[1+i], float64(u))
				}
			}
		}
	})
}

// FuzzExtremesAreThoseOfPlainGo looks through doubles of any kind, at every alignment and of every length.
func FuzzExtremesAreThoseOfPlainGo(f *testing.F) {
	var seed []byte
	for i := range 70 {
		x := []float64{float64(i), -float64(i), math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1e-310}[i*i%8]
		seed = binary.LittleEndian.AppendUint64(seed, math.Float64bits(x))
	}
	for _, n := range []int{8, 128, 136, len(seed)} {
		f.Add(seed[:n])
		f.Add(seed[len(seed)-n:])
	}
	f.Add(bytes.Repeat(binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.NaN())), 40))
	f.Add(bytes.Repeat(binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Inf(1))), 40))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v []float64
		for ; len(data) >= 8; data = data[8:] {
			v = append(v, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
		for from := range min(len(v), 4) {
			low, high := math.Inf(1), math.Inf(-1)
			for _, x := range v[from:] {
				if x == x {
					low, high = math.Min(low, x), math.Max(high, x)
				}
			}
			if l, h := extremes(v[from:]); l != low || h != high {
				t.Fatalf("%v: %v to %v, want %v to %v", v[from:], l, h, low, high)
			}
		}
	})
}

func TestBoundsOfLongFormulasAreThoseOfTheirValues(t *testing.T) {
	const n = 9*BlockRows + 5
	axis := &Axis{Start: make([]int64, n), End: make([]int64, n)}
	v := make([]float64, n)
	for i := range v {
		axis.Start[i], axis.End[i] = int64(i), int64(i+1)
		v[i] = float64(i % 1000)
		if i%7 == 0 {
			v[i] = math.NaN()
		}
	}
	v[5*BlockRows+3], v[7*BlockRows+1] = -2.5, 3000
	c := &Counter{Axis: axis, Der: &identity{&Counter{Axis: axis, Col: NewColumn(Data{F: v})}}}
	if least, most := c.Min(), c.Max(); least.Float() != -2.5 || most.Float() != 3000 {
		t.Errorf("%v to %v", least, most)
	}
	if c.keeps().summary.Load() != nil {
		t.Error("all of the summary was made for the bounds")
	}
	none := &Counter{Axis: axis, Der: &identity{&Counter{Axis: axis, Col: NewColumn(Data{F: slices.Repeat([]float64{math.NaN()}, n)})}}}
	if least, most := none.Min(), none.Max(); !least.Missing() || !most.Missing() {
		t.Errorf("bounds of nothing are %v and %v", least, most)
	}
}
