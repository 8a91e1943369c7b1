package parquet

import (
	"math"
	"testing"
	"unsafe"
)

// A column of counts that ends with a negative one becomes doubles where it lies: there may be no room for it twice.
func TestNumbersBecomeDoublesWithoutASecondArray(t *testing.T) {
	b := &builder{bits: make([]uint64, 0, 20)}
	want := []float64{0, math.NaN(), 2, 3, 1 << 53, 5, 6, 7, 8, 9, math.NaN(), 11, -1, math.NaN(), 0.5}
	for i, v := range want {
		switch {
		case math.IsNaN(v):
			b.null()
		case v == 0.5:
			b.double(v)
		case v < 0:
			b.signed(int64(v))
		default:
			b.unsigned(uint64(v))
		}
		if i == 11 {
			d := b.data()
			for k, v := range want[:12] {
				if d.Missing(k) != math.IsNaN(v) || !d.Missing(k) && d.U[k] != uint64(v) {
					t.Errorf("value %d of the integers is %v, want %v", k, d.Float(k), v)
				}
			}
		}
	}
	first := unsafe.SliceData(b.bits)
	d := b.data()
	if len(d.F) != len(want) || unsafe.Pointer(unsafe.SliceData(d.F)) != unsafe.Pointer(first) || cap(b.bits) != 20 {
		t.Fatal("the doubles lie elsewhere")
	}
	for i, v := range want {
		if got := d.F[i]; got != v && !(math.IsNaN(got) && math.IsNaN(v)) {
			t.Errorf("value %d is %v, want %v", i, got, v)
		}
	}
}
