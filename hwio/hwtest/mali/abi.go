package mali

import (
	"encoding/binary"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// fetch copies a structure of the program's memory. The error is EFAULT.
func fetch(c *hwtest.Call, addr uint64, size int) ([]byte, error) {
	b := make([]byte, size)
	if err := c.Read(addr, b); err != nil {
		return nil, err
	}
	return b, nil
}

// fetchStruct copies a structure by name.
func fetchStruct(c *hwtest.Call, addr uint64, l *uapi.Layout) ([]byte, error) {
	return fetch(c, addr, l.Size)
}

// note adds words to the log of calls where there is one.
func note(c *hwtest.Call, format string, args ...any) {
	if c.Note != nil {
		c.Note(format, args...)
	}
}

// requestSize is the size that the number of a request carries.
func requestSize(request uint32) int { return int(request >> 16 & 0x3fff) }

var le = binary.LittleEndian
