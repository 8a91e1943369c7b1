package delimited

import (
	"encoding/binary"
	"math/bits"
)

// digitCells reads up to most cells of a few digits at pos into dst, each a stride of values behind the one before, and
// returns how many there were before one of another kind, and where that begins. It is all that a large file mostly
// needs. The last line of buf has an end.
func digitCells(dst []uint64, stride, most int, buf []byte, pos int, delim byte) (n, next int) {
	if n, next, ok := wideDigitCells(dst, stride, most, buf, pos, delim); ok {
		return n, next
	}
	return plainDigitCells(dst, stride, most, buf, pos, delim)
}

// plainDigitCells is digitCells in plain Go, for cells of one to seven digits. It is apart from the rest so that
// everything in it stays in registers.
func plainDigitCells(dst []uint64, stride, most int, buf []byte, pos int, delim byte) (n, next int) {
	for n < most && pos >= 0 && pos+8 <= len(buf) {
		text := binary.LittleEndian.Uint64(buf[pos : pos+8])
		t := text ^ 0x3030303030303030
		// The highest bit of the first byte that is no digit, as in countDigits; of the last one if there is none, which
		// then is not the delimiter.
		at := uint(bits.TrailingZeros64(((t+0x7676767676767676)|t)&0x8080808080808080 | 1<<63))
		k := n * stride
		if at < 8 || byte(text>>((at-7)&63)) != delim || k < 0 || k >= len(dst) {
			break
		}
		dst[k] = joinDigits(text << ((71 - at) & 63))
		pos += int(at>>3) + 1
		n++
	}
	return n, pos
}
