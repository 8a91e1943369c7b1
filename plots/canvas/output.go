package canvas

import (
	"io"
	"path/filepath"
	"strconv"

	"astrolabe/capture/formats"
)

// Create opens a file for writing. Closing it must make the file appear whole under its name; if the writer also has
// an Abort method, that is called instead of Close after a failed write and must leave nothing behind.
type Create func(path string) (io.WriteCloser, error)

// Files creates files anywhere: each is written beside its final place and renamed when it is complete. Folders that do
// not exist are made.
func Files(path string) (io.WriteCloser, error) {
	f, err := formats.Create(path)
	if err != nil {
		return nil, err // a nil *File in the interface would not be nil
	}
	return f, nil
}

// Save writes data to path through create.
func Save(create Create, path string, data []byte) error {
	if create == nil {
		create = Files
	}
	w, err := create(path)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		if a, ok := w.(interface{ Abort() }); ok {
			a.Abort()
		} else {
			w.Close()
		}
		return formats.WriteError(path, err)
	}
	if err := w.Close(); err != nil {
		return formats.WriteError(path, err)
	}
	return nil
}

// PagePath is the path of page n (from 1) of a picture that has several: out.png, out-2.png, ...
func PagePath(path string, n int) string {
	if n == 1 {
		return path
	}
	ext := filepath.Ext(path)
	return path[:len(path)-len(ext)] + "-" + strconv.Itoa(n) + ext
}
