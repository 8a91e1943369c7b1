package capture

import (
	"encoding/binary"
	"math"
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
