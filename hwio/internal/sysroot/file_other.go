//go:build !unix

package sysroot

import (
	"errors"
	"io"
)

func (f *File) pread(buf []byte) (int, error) {
	n, err := f.f.ReadAt(buf, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}
