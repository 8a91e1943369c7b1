package script

import (
	"os"
	"path/filepath"
	"strings"

	"astrolabe/capture/formats"
)

// within reports whether path is dir or below it. Both are absolute and clean. Everything is within "".
func within(dir, path string) bool {
	if dir == "" || dir == path {
		return true
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// realPath is path without symbolic links as far as it exists, absolute and clean.
func realPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	dir, base := filepath.Split(abs)
	dir = filepath.Clean(dir)
	if dir == abs {
		return abs
	}
	return filepath.Join(realPath(dir), base)
}

// displayName is how a file is shown: relative to the working directory where it is below it, with slashes.
func displayName(path string) string {
	if wd, err := os.Getwd(); err == nil && filepath.IsAbs(path) {
		for _, dir := range []string{wd, realPath(wd)} {
			if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
				return filepath.ToSlash(rel)
			}
		}
	}
	return filepath.ToSlash(path)
}

// samePath reports whether two paths, relative to the working directory, are written for the same place.
func samePath(a, b string) bool {
	a, err1 := filepath.Abs(a)
	b, err2 := filepath.Abs(b)
	return err1 == nil && err2 == nil && a == b
}

// openIn opens a file below a folder for reading. No symbolic link leads out of the folder, whenever it is made.
func openIn(dir, file string) (*os.File, error) {
	rel, err := filepath.Rel(dir, file)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(rel)
}

// hidden reports whether an entry of a relative path begins with a dot.
func hidden(rel string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if part != "." && part != ".." && strings.HasPrefix(formats.FoldName(part), ".") {
			return true
		}
	}
	return false
}
