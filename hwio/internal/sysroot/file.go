package sysroot

import (
	"fmt"
	"io/fs"
	"os"

	"astrolabe/hwio/internal/tape"
)

// File is a kernel text file that stays open and is read again and again from its start.
type File struct {
	f    *os.File
	fd   int // of f, which lives as long: asking os.File for it is a system call each time
	path string
	buf  []byte
	root Root // whose tape or player this file belongs to
}

// Open opens the file for repeated reads.
func (r Root) Open(path string) (*File, error) {
	if r.player != nil {
		if !r.player.Kept(path) {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return &File{path: path, root: r}, nil
	}
	if r.tape != nil {
		if err := r.tape.May(path); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(r.Path(path))
	if err != nil {
		r.tape.Add(tape.Event{Kind: tape.Again, Path: path, Errno: tape.Errno(err)})
		return nil, err
	}
	return &File{f: f, fd: int(f.Fd()), path: path, buf: make([]byte, 1024), root: r}, nil
}

// Contents returns the file's present text. The slice is valid until the next call. The text comes from a single read,
// so that it is one snapshot; the buffer grows until it holds all of it.
func (f *File) Contents() ([]byte, error) {
	switch {
	case f.root.player != nil:
		return f.root.player.Content(f.path, true)
	case f.root.tape == nil:
		return f.contents()
	}
	return f.root.tape.Content(f.path, true, f.contents)
}

func (f *File) contents() ([]byte, error) {
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
func (f *File) Close() error {
	if f.f == nil {
		return nil
	}
	return f.f.Close()
}
