package formats

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckOutput finds out whether a file could be written at path, before work begins whose result it is to take. It
// makes neither the file nor folders above it, which the writers of this package make; in the nearest folder that
// exists it makes a file and removes it.
func CheckOutput(path string) error {
	if path == "" {
		return errors.New("the path of the output is empty")
	}
	if st, err := os.Stat(path); err == nil {
		switch {
		case st.IsDir():
			return isFolder(path)
		case !st.Mode().IsRegular():
			return nil // a pipe or device is opened when it is written to
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return checkFolder(path, filepath.Dir(real))
		}
	}
	return checkFolder(path, filepath.Dir(path))
}

// CheckOutputFolder finds out whether files could be written into a folder, which need not exist.
func CheckOutputFolder(dir string) error {
	if dir == "" {
		return errors.New("the path of the output folder is empty")
	}
	return checkFolder(dir, dir)
}

// checkFolder makes a file in dir, or in the nearest folder above it that exists, and removes it. Errors are about
// path.
func checkFolder(path, dir string) error {
	for {
		st, err := os.Stat(dir)
		above := filepath.Dir(dir)
		if err != nil && above != dir && (errors.Is(err, fs.ErrNotExist) || isNoFolder(err)) {
			dir = above
			continue
		}
		if err != nil {
			return WriteError(path, err)
		}
		if !st.IsDir() {
			return fmt.Errorf("write %s: %s is a file and no folder", path, dir)
		}
		f, err := CreateBeside(filepath.Join(dir, "astrolabe"))
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("write %s: no file can be made in %s: choose another folder", path, dir)
		}
		if err != nil {
			return WriteError(path, err)
		}
		return WriteError(path, errors.Join(f.Close(), os.Remove(f.Name())))
	}
}
