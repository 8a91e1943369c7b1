package plots

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// Create opens a file for writing. Closing it must make the file appear whole under its name; if the writer also has
// an Abort method, that is called instead of Close after a failed write and must leave nothing behind.
type Create func(path string) (io.WriteCloser, error)

// Files creates files anywhere: each is written beside its final place and renamed when it is complete.
func Files(path string) (io.WriteCloser, error) {
	return create(osDir{}, path)
}

// FilesIn creates files below root only, in the same way. Paths are relative to it.
func FilesIn(root *os.Root) Create {
	return func(path string) (io.WriteCloser, error) { return create(root, path) }
}

// directory is what os.Root offers.
type directory interface {
	OpenFile(name string, flag int, perm os.FileMode) (*os.File, error)
	Rename(from, to string) error
	Remove(name string) error
}

type osDir struct{}

func (osDir) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}
func (osDir) Rename(from, to string) error { return os.Rename(from, to) }
func (osDir) Remove(name string) error     { return os.Remove(name) }

// pendingFile is a file that takes its name when it is closed.
type pendingFile struct {
	*bufio.Writer
	file        *os.File
	dir         directory
	temp, final string
}

func create(dir directory, path string) (io.WriteCloser, error) {
	for try := range 100 {
		temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part"+strconv.Itoa(os.Getpid())+"-"+strconv.Itoa(try))
		f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &pendingFile{Writer: bufio.NewWriter(f), file: f, dir: dir, temp: temp, final: path}, nil
	}
	return nil, fmt.Errorf("%s: no free name for a temporary file beside it", path)
}

func (p *pendingFile) Close() error {
	err := p.Flush()
	if cerr := p.file.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = p.dir.Rename(p.temp, p.final)
	}
	if err != nil {
		p.dir.Remove(p.temp)
	}
	return err
}

// Abort drops what was written.
func (p *pendingFile) Abort() error {
	p.file.Close()
	return p.dir.Remove(p.temp)
}

// save writes data to path through create.
func save(create Create, path string, data []byte) error {
	if create == nil {
		create = Files
	}
	w, err := create(path)
	if err != nil {
		return fmt.Errorf("save picture: %w", err)
	}
	if _, err := w.Write(data); err != nil {
		if a, ok := w.(interface{ Abort() error }); ok {
			a.Abort()
		} else {
			w.Close()
		}
		return fmt.Errorf("save picture %s: %w", path, err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("save picture %s: %w", path, err)
	}
	return nil
}

// pagePath is the path of page n (from 1) of a picture that has several: out.png, out-2.png, ...
func pagePath(path string, n int) string {
	if n == 1 {
		return path
	}
	ext := filepath.Ext(path)
	return path[:len(path)-len(ext)] + "-" + strconv.Itoa(n) + ext
}
