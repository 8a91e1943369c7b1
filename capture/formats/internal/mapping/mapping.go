// Package mapping gives readers of large files their content where it lies: mapped, so that nothing is copied, and
// pages that nobody reads are never loaded.
package mapping

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"astrolabe/capture/memory"
)

// mapFrom is the size in bytes from which a file is mapped rather than read.
const mapFrom = 256 << 10

// Shown reports whether what is written to a file of size bytes after Load appears in its content.
func Shown(size int64) bool { return shared && size >= mapFrom }

// Load returns the content of f, size bytes. free gives it back and may be called only while nothing refers to it.
func Load(f *os.File, size int64) (data []byte, free func(), err error) {
	if uint64(size) > math.MaxInt {
		return nil, nil, fmt.Errorf("%d bytes do not fit this machine's address space", size)
	}
	if size >= mapFrom {
		return mapFile(f, size)
	}
	data, err = readAll(f, size)
	return data, func() {}, err
}

// With calls f with the content of a file, size bytes, which stands until f returns. Where another program makes the
// file shorter meanwhile, the error says so.
func With(file *os.File, size int64, f func(data []byte) error) (err error) {
	data, free, err := Load(file, size)
	if err != nil {
		return err
	}
	defer free()
	defer memory.FaultsPanic()()
	// What a fault means is known only while the mapping stands.
	defer func() {
		if p := recover(); p != nil {
			if err = memory.Caught(p); err == nil {
				panic(p)
			}
		}
	}()
	return f(data)
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
