package oa

import "golang.org/x/sys/cpu"

// hasWide reports whether the processor takes four counters at a time as the assembly does, and the system lets it.
var hasWide = cpu.X86.HasAVX2

// wideDifferences is differences for the first four fields where the processor can and they stand side by side, into
// columns from row lo on; bits gets what it returns of each. ok is false elsewhere. All reports must lie in data.
func wideDifferences(fields []field, columns [][]uint64, lo int, data []byte, from int, at []int, bits *[wideFields]uint64) (ok bool) {
	n := len(at) &^ 3
	if !hasWide || n == 0 || !sideBySide(fields) {
		return false
	}
	var dst [wideFields][]uint64
	for k := range dst {
		dst[k] = columns[k][lo : lo+len(at)]
	}
	low, high := &data[4*fields[0].dw], &data[fields[0].high]
	if fields[0].bits == 40 {
		differences40AVX2(&dst[0][0], &dst[1][0], &dst[2][0], &dst[3][0], low, high, from, &at[0], n, bits)
	} else {
		differences32AVX2(&dst[0][0], &dst[1][0], &dst[2][0], &dst[3][0], low, high, from, &at[0], n, bits)
	}
	if n < len(at) {
		for k := range dst {
			bits[k] |= fields[k].differences(dst[k][n:], data, at[n-1], at[n:])
		}
	}
	return true
}

// sideBySide reports whether four counters of 40 or of 32 bits begin here.
func sideBySide(fields []field) bool {
	if len(fields) < wideFields || fields[0].bits == 64 {
		return false
	}
	first := &fields[0]
	for k := 1; k < wideFields; k++ {
		fd := &fields[k]
		if fd.bits != first.bits || fd.dw != first.dw+k || fd.bits == 40 && fd.high != first.high+k {
			return false
		}
	}
	return true
}
