package delimited

import "golang.org/x/sys/cpu"

// hasWide reports whether the processor looks at 32 bytes at a time and counts and shifts bits as digitsAVX2 does, and
// the system lets it.
var hasWide = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2

// wideDigitCells is digitCells where the processor can, for cells of eight digits too. ok is false elsewhere, and where
// there is no room for it to look at.
func wideDigitCells(dst []uint64, stride, most int, buf []byte, pos int, delim byte) (n, next int, ok bool) {
	if !hasWide || cap(buf)-len(buf) < slack || pos < 0 || pos >= len(buf) || most < 1 || stride < 1 ||
		(len(dst)-1)/stride < most-1 || len(dst) == 0 {
		return 0, pos, false
	}
	n, length := digitsAVX2(&dst[0], stride, most, &buf[pos], delim)
	return n, pos + length, true
}
