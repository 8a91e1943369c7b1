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
)

// WriteFile writes a file whole or not at all: write fills a temporary file beside path, which is synced and then renamed.
// If anything fails the temporary file is removed and an older file at path stays as it was. A link is followed, and what is
// neither a file nor a folder, such as a pipe, is written straight. The errors name path.
func WriteFile(path string, write func(w io.Writer) error) error {
	target := path
	var mode fs.FileMode
	if st, err := os.Stat(path); err == nil {
		switch {
		case st.IsDir():
			return fmt.Errorf("write %s: it is a folder: name a file in it", path)
		case !st.Mode().IsRegular():
			return WriteError(path, writeStraight(path, write))
		}
		mode = st.Mode().Perm()
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return WriteError(path, err)
		}
	}
	f, err := CreateBeside(target)
	if err != nil {
		return WriteError(path, err)
	}
	if err := fill(f, mode, write); err != nil {
		f.Close()
		os.Remove(f.Name())
		return WriteError(path, err)
	}
	if err := os.Rename(f.Name(), target); err != nil {
		os.Remove(f.Name())
		return WriteError(path, err)
	}
	return nil
}

// CreateBeside creates a new temporary file in the folder of path, hidden and named after it, with the mode that
// os.Create gives.
func CreateBeside(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	for range 100 {
		name := filepath.Join(dir, "."+base+".tmp-"+rand.Text()[:8])
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fmt.Errorf("create a temporary file beside %s: every name is taken", path)
}

// fill writes, syncs and closes f. A mode that is not zero is that of the file to be replaced.
func fill(f *os.File, mode fs.FileMode, write func(w io.Writer) error) error {
	if err := flushed(f, write); err != nil {
		return err
	}
	if mode != 0 {
		if err := f.Chmod(mode); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

func flushed(f *os.File, write func(w io.Writer) error) error {
	buf := bufio.NewWriterSize(f, 1<<20)
	if err := write(buf); err != nil {
		return err
	}
	return buf.Flush()
}

func writeStraight(path string, write func(w io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(flushed(f, write), f.Close())
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
		hint = ": the folder " + filepath.Dir(path) + " does not exist: create it first"
	case errors.Is(err, fs.ErrPermission):
		hint = ": this user may not write there"
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
