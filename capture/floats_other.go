//go:build !amd64

package capture

// wideFloats is for processors with a conversion in assembly.
func wideFloats([]float64, []uint64) int { return 0 }

// wideExtremes is for processors with a search in assembly.
func wideExtremes([]float64, *[4]float64, *[4]float64) int { return 0 }
