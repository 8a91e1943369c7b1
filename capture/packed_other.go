//go:build !amd64

package capture

// wideExtent and the others are for processors with assembly for them.
func wideExtent([]uint64) (least, most uint64, n int) { return 0, 0, 0 }

func wideAbove8([]uint8) (sum, least, most uint64, n int) { return 0, 0, 0, 0 }

func wideAbove16([]uint16) (sum, least, most uint64, n int) { return 0, 0, 0, 0 }

func wideAbove32([]uint32) (sum, least, most uint64, n int) { return 0, 0, 0, 0 }
