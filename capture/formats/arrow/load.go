package arrow

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// mapFrom is the size in bytes from which a file is mapped rather than read.
const mapFrom = 256 << 10

// load returns the content of f, size bytes. free gives it back and may be called only while nothing refers to it.
func load(f *os.File, size int64) (data []byte, free func(), err error) {
	if uint64(size) > math.MaxInt {
		return nil, nil, fmt.Errorf("%d bytes do not fit this machine's address space", size)
	}
	if size >= mapFrom {
		return mapFile(f, size)
	}
	data, err = readAll(f, size)
	return data, func() {}, err
}

// readAll reads size bytes, or fewer where the file has become shorter since.
func readAll(f *os.File, size int64) ([]byte, error) {
	data := make([]byte, size)
	n, err := io.ReadFull(io.NewSectionReader(f, 0, size), data)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n:n], err
}
