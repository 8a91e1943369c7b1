package sysroot

import (
	"fmt"
	"os"
)

// File is a kernel text file that stays open and is read again and again from its start.
type File struct {
	f    *os.File
	fd   int // of f, which lives as long: asking os.File for it is a system call each time
	path string
	buf  []byte
}

// Open opens the file for repeated reads.
func (r Root) Open(path string) (*File, error) {
	f, err := os.Open(r.Path(path))
	if err != nil {
		return nil, err
	}
	return &File{f: f, fd: int(f.Fd()), path: path, buf: make([]byte, 1024)}, nil
}

// Contents returns the file's present text. The slice is valid until the next call. The text comes from a single read,
// so that it is one snapshot; the buffer grows until it holds all of it.
func (f *File) Contents() ([]byte, error) {
	for {
		n, err := f.pread(f.buf)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.path, err)
		}
		if n < len(f.buf) {
			return f.buf[:n], nil
		}
		if len(f.buf) >= maxFile {
			return nil, fmt.Errorf("read %s: longer than %d bytes", f.path, maxFile)
		}
		f.buf = make([]byte, 4*len(f.buf))
	}
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }
