//go:build !amd64

package delimited

func wideDigitCells([]uint64, int, int, []byte, int, byte) (n, next int, ok bool) { return 0, 0, false }
