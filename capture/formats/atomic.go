package formats

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a file whole or not at all: write fills a temporary file beside path, which is synced and then renamed.
// If anything fails the temporary file is removed and an older file at path stays as it was. The errors name path.
func WriteFile(path string, write func(w io.Writer) error) (err error) {
	if st, e := os.Stat(path); e == nil && st.IsDir() {
		return fmt.Errorf("write %s: it is a folder: name a file in it", path)
	}
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	f, err := os.CreateTemp(dir, "."+base+".tmp-*")
	if err != nil {
		return WriteError(path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = WriteError(path, err)
		}
	}()
	buf := bufio.NewWriterSize(f, 1<<20)
	if err = write(buf); err != nil {
		return err
	}
	if err = buf.Flush(); err != nil {
		return err
	}
	if err = f.Chmod(fileMode(path)); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// fileMode is the mode of the file that is replaced, else what os.Create would give under the usual umask.
func fileMode(path string) fs.FileMode {
	if st, err := os.Stat(path); err == nil {
		return st.Mode().Perm()
	}
	return 0o644
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
