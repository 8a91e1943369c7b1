package capture

import "math"

// Bitmap holds one bit per value, least significant bit first, starting at bit Off of Bits (the layout of Arrow
// validity bitmaps). A nil Bits means that every bit is set.
type Bitmap struct {
	Bits []byte
	Off  int
}

// Get reports bit i.
func (b Bitmap) Get(i int) bool {
	if b.Bits == nil {
		return true
	}
	i += b.Off
	return b.Bits[i>>3]&(1<<(i&7)) != 0
}

// Slice returns the bitmap that starts at bit i.
func (b Bitmap) Slice(i int) Bitmap {
	if b.Bits == nil {
		return b
	}
	return Bitmap{Bits: b.Bits, Off: b.Off + i}
}

// NewBitmap returns a bitmap of n bits, all set.
func NewBitmap(n int) Bitmap {
	bits := make([]byte, (n+7)/8)
	for i := range bits {
		bits[i] = 0xff
	}
	return Bitmap{Bits: bits}
}

// Clear clears bit i.
func (b Bitmap) Clear(i int) {
	i += b.Off
	b.Bits[i>>3] &^= 1 << (i & 7)
}

// Data is the values of one column. Exactly one of U and F is set (both nil is an empty column).
// A missing value is a NaN in F, or a cleared bit of Valid beside U. Data is read-only once shared:
// its slices may lie in a mapped file.
type Data struct {
	U     []uint64
	F     []float64
	Valid Bitmap // of U only
}

// Len is the number of values.
func (d Data) Len() int {
	if d.U != nil {
		return len(d.U)
	}
	return len(d.F)
}

// Slice returns values [i, j) without copying.
func (d Data) Slice(i, j int) Data {
	if d.U != nil {
		return Data{U: d.U[i:j:j], Valid: d.Valid.Slice(i)}
	}
	if d.F == nil {
		return d
	}
	return Data{F: d.F[i:j:j]}
}

// Missing reports whether value i is missing.
func (d Data) Missing(i int) bool {
	if d.U != nil {
		return !d.Valid.Get(i)
	}
	return math.IsNaN(d.F[i])
}

// addTo adds all integers that are there, and returns how many.
func (d Data) addTo(sum *uint128) int {
	if d.Valid.Bits == nil {
		for v := d.U; len(v) > 0; {
			block := v[:min(len(v), BlockRows)]
			v = v[len(block):]
			if s, ok := sumBlock64(block); ok {
				sum.add(s)
				continue
			}
			for _, u := range block {
				sum.add(u)
			}
		}
		return len(d.U)
	}
	n := 0
	for i, u := range d.U {
		if d.Valid.Get(i) {
			sum.add(u)
			n++
		}
	}
	return n
}

// addAsFloats adds the integers that are there to a sum as doubles, one after the other, and how many they are to n.
func (d Data) addAsFloats(sum float64, n int) (float64, int) {
	if d.Valid.Bits == nil {
		for _, u := range d.U {
			sum += float64(u)
		}
		return sum, n + len(d.U)
	}
	for i, u := range d.U {
		if d.Valid.Get(i) {
			sum += float64(u)
			n++
		}
	}
	return sum, n
}

// sumBlock64 is the sum of at most BlockRows integers; ok is false where they are so large that it may not fit. Two sums
// do not wait for each other.
func sumBlock64(v []uint64) (sum uint64, ok bool) {
	var a, b, most uint64
	for ; len(v) >= 4; v = v[4:] {
		w := v[:4:4]
		a, b, most = a+w[0]+w[1], b+w[2]+w[3], most|w[0]|w[1]|w[2]|w[3]
	}
	for _, u := range v {
		a, most = a+u, most|u
	}
	return a + b, most < 1<<64/BlockRows
}

// Float returns value i, NaN where it is missing.
func (d Data) Float(i int) float64 {
	if d.U == nil {
		return d.F[i]
	}
	if !d.Valid.Get(i) {
		return math.NaN()
	}
	return float64(d.U[i])
}

// ReadFloats converts values [from, from+len(dst)) into dst.
func (d Data) ReadFloats(dst []float64, from int) {
	if d.U == nil {
		copy(dst, d.F[from:from+len(dst)])
		return
	}
	toFloats(dst, d.U[from:from+len(dst)])
	if d.Valid.Bits != nil {
		for i := range dst {
			if !d.Valid.Get(from + i) {
				dst[i] = math.NaN()
			}
		}
	}
}

// toFloats converts integers to doubles of as many values.
func toFloats(dst []float64, src []uint64) {
	n := wideFloats(dst[:len(src)], src)
	dst = dst[n:]
	for i, v := range src[n:] {
		dst[i] = float64(v)
	}
}

// Floats returns all values as doubles: the column itself where it already holds doubles, else a new slice.
func (d Data) Floats() []float64 {
	if d.U == nil {
		return d.F
	}
	out := make([]float64, len(d.U))
	d.ReadFloats(out, 0)
	return out
}

// MissingData returns n missing values.
func MissingData(n int) Data {
	f := make([]float64, n)
	for i := range f {
		f[i] = math.NaN()
	}
	return Data{F: f}
}
