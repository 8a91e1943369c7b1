package capture

import "golang.org/x/sys/cpu"

// hasWide reports whether the processor converts four integers at a time, and the system lets it.
var hasWide = cpu.X86.HasAVX2

// wideFloats converts as many integers as take whole steps of four, and returns how many these are.
func wideFloats(dst []float64, src []uint64) int {
	n := len(src) &^ 3
	if !hasWide || n == 0 {
		return 0
	}
	floatsAVX2(&dst[0], &src[0], n)
	return n
}

// wideExtremes takes whole steps of sixteen values into the least and the largest of each lane, and returns how many
// values these are.
func wideExtremes(v []float64, low, high *[4]float64) int {
	n := len(v) &^ 15
	if !hasWide || n == 0 {
		return 0
	}
	extremesAVX2(&v[0], n, low, high)
	return n
}
