package capture

// wideExtent is extent of as many values as take whole steps of sixteen; it returns how many these are.
func wideExtent(values []uint64) (least, most uint64, n int) {
	n = len(values) &^ 15
	if !hasWide || n == 0 {
		return 0, 0, 0
	}
	least, most = extentAVX2(&values[0], n)
	return least, most, n
}

// wideAbove8, wideAbove16 and wideAbove32 are above of as many values as fill whole registers, likewise.
func wideAbove8(values []uint8) (sum, least, most uint64, n int) {
	n = len(values) &^ 31
	if !hasWide || n == 0 {
		return 0, 0, 0, 0
	}
	sum, least, most = above8AVX2(&values[0], n)
	return sum, least, most, n
}

func wideAbove16(values []uint16) (sum, least, most uint64, n int) {
	n = len(values) &^ 15
	if !hasWide || n == 0 {
		return 0, 0, 0, 0
	}
	sum, least, most = above16AVX2(&values[0], n)
	return sum, least, most, n
}

func wideAbove32(values []uint32) (sum, least, most uint64, n int) {
	n = len(values) &^ 7
	if !hasWide || n == 0 {
		return 0, 0, 0, 0
	}
	sum, least, most = above32AVX2(&values[0], n)
	return sum, least, most, n
}
