package arrow

import (
	"fmt"

	"astrolabe/capture/memory"
)

// limitedMemory is the allocator of decompressed columns. It refuses what a file of this size cannot honestly hold, so
// that a forged length costs an error and not the machine.
type limitedMemory struct{ left, total int64 }

// newLimitedMemory allows what the best codec could make of size bytes (Zstandard's repeated blocks: 128 KiB from 4
// bytes), and beyond 1 GiB no more than 64 times the size.
func newLimitedMemory(size int) *limitedMemory {
	n := int64(size)
	total := min(n*32768, max(1<<30, n*64))
	return &limitedMemory{left: total, total: total}
}

func (m *limitedMemory) Allocate(size int) []byte {
	if size < 0 || int64(size) > m.left {
		panic(fmt.Errorf("the columns claim to need more than %d bytes unpacked, too much for a file of this size",
			m.total))
	}
	if err := memory.Room(uint64(size)); err != nil {
		panic(err)
	}
	m.left -= int64(size)
	return make([]byte, size)
}

func (m *limitedMemory) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		return b[:size]
	}
	out := m.Allocate(size)
	copy(out, b)
	return out
}

// Free gives nothing back to the limit: the columns stay in use without arrow-go knowing.
func (m *limitedMemory) Free([]byte) {}
