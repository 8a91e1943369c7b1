package formats

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// WriteFile writes a file whole or not at all, as File does: write fills it, and it is on the disk before it takes its
// name. The errors name path.
func WriteFile(path string, write func(w io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	f.durable = true
	if err := write(f); err != nil {
		f.Abort()
		return WriteError(path, err)
	}
	return f.Close()
}

// File is a file on its way: it is written beside its place under another name, and takes its own when it is closed.
// Until then an older file at that place stays as it was. A link is followed; what is neither a file nor a folder, such
// as a pipe, is written straight.
type File struct {
	*bufio.Writer
	path   string // as the caller named it
	target string // "" where f is written straight
	f      *os.File
	mode   fs.FileMode // of the file that is replaced, 0 where there is none

	durable bool // on the disk before it takes its name
}

// Create begins a file, and makes the folders above it. It refuses links into a folder .git, where a checked-in link
// could have a report configure git. Its errors name path.
func Create(path string) (*File, error) {
	out := &File{path: path, target: path}
	if st, err := os.Stat(path); err == nil {
		switch {
		case st.IsDir():
			return nil, isFolder(path)
		case !st.Mode().IsRegular():
			if out.f, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
				return nil, WriteError(path, err)
			}
			out.target = ""
			out.Writer = bufio.NewWriterSize(out.f, writeBytes)
			return out, nil
		}
		out.mode = st.Mode().Perm()
		if out.target, err = filepath.EvalSymlinks(path); err != nil {
			return nil, WriteError(path, err)
		}
	}
	real := out.target
	if dir, err := filepath.EvalSymlinks(filepath.Dir(real)); err == nil {
		real = filepath.Join(dir, filepath.Base(real))
	}
	err := checkLed(path, real)
	if err != nil {
		return nil, WriteError(path, err)
	}
	if out.f, err = CreateBeside(out.target); err != nil {
		return nil, WriteError(path, err)
	}
	out.Writer = bufio.NewWriterSize(out.f, writeBytes)
	return out, nil
}

// writeBytes are gathered before they are written: enough that calls of the kernel cost nothing beside what is written,
// and few for the many files that are written in one piece, since fresh memory is dear.
const writeBytes = 64 << 10

func isFolder(path string) error {
	return fmt.Errorf("write %s: it is a folder: name a file in it", path)
}

// Close completes the file. Where that fails nothing is left behind.
func (f *File) Close() error {
	err := f.Flush()
	if f.target == "" {
		return WriteError(f.path, errors.Join(err, f.f.Close()))
	}
	if err == nil && f.mode != 0 {
		if err = f.f.Chmod(f.mode); errors.Is(err, errors.ErrUnsupported) {
			err = nil
		}
	}
	if err == nil && f.durable {
		err = f.f.Sync()
	}
	if cerr := f.f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.f.Name(), f.target)
	}
	if err != nil {
		os.Remove(f.f.Name())
	}
	return WriteError(f.path, err)
}

// Abort drops what was written. What went straight to a pipe is gone already.
func (f *File) Abort() {
	f.f.Close()
	if f.target != "" {
		os.Remove(f.f.Name())
	}
}

// longestBase is how much of a file's name its temporary name takes over: most systems allow names of 255 bytes.
const longestBase = 200

// CreateBeside creates a new temporary file in the folder of path, hidden and named after it, with the mode that
// os.Create gives. Folders that do not exist are made.
func CreateBeside(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	base = strings.ToValidUTF8(base[:min(len(base), longestBase)], "")
	made := dir == ""
	for range 100 {
		name := filepath.Join(dir, "."+base+".tmp-"+rand.Text()[:8])
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !made && errors.Is(err, fs.ErrNotExist) {
			made = true
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return nil, err
			}
			continue
		}
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fmt.Errorf("create a temporary file beside %s: every name is taken", path)
}

// WriteError words an error that hit the writing of path: the path once, and what to do about it.
func WriteError(path string, err error) error {
	var we *writeError
	if err == nil || errors.As(err, &we) {
		return err
	}
	hint := ""
	switch {
	case isFull(err):
		hint = ": the disk is full: free some space or choose another place"
	case errors.Is(err, fs.ErrNotExist):
		hint = ": no file can be made in " + filepath.Dir(path) + ": choose another folder"
	case isNoFolder(err):
		hint = ": in this path a file stands where a folder should"
	case errors.Is(err, fs.ErrPermission):
		hint = ": this user may not write there: choose another folder"
	case isReadOnly(err):
		hint = ": choose another folder"
	}
	cause := err
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		cause = pe.Err
	case errors.As(err, &le):
		cause = le.Err
	}
	return &writeError{msg: fmt.Sprintf("write %s: %v%s", path, cause, hint), err: err}
}

type writeError struct {
	msg string
	err error
}

func (e *writeError) Error() string { return e.msg }
func (e *writeError) Unwrap() error { return e.err }
