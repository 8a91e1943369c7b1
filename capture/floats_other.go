//go:build !amd64

package capture

// wideFloats is for processors with a conversion in assembly.
func wideFloats([]float64, []uint64) int { return 0 }
