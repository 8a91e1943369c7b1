//go:build !amd64

package oa

// wideDifferences is for processors with assembly for it.
func wideDifferences([]field, [][]uint64, int, []byte, int, []int, *[wideFields]uint64) bool {
	return false
}
