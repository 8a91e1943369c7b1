package parquet

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"astrolabe/capture/formats"
)

// keepBelow is the size up to which a file is kept in memory instead of being opened for every column.
const keepBelow = 256 << 10

// source gives access to the bytes of a file without holding it open, so that a thousand captures do not need a
// thousand descriptors.
type source struct {
	path string
	info os.FileInfo
	size int64
	data []byte           // of a small file
	from *formats.Distant // of a file that lies elsewhere; nil of others
}

// distantSource is a file that lies elsewhere.
func distantSource(d *formats.Distant) *source {
	return &source{path: d.Name(), size: d.Size(), from: d}
}

// need says which bytes will be read, so that those which lie elsewhere are fetched together.
func (s *source) need(from, to int64) error {
	if s.from == nil {
		return nil
	}
	return s.from.Need(from, to)
}

// problem is err, or why something could not be fetched, which a reader may have taken for damage.
func (s *source) problem(err error) error {
	if s.from != nil && err != nil {
		if failed := s.from.Failed(); failed != nil {
			return failed
		}
	}
	return err
}

func newSource(path string) (*source, error) {
	f, err := formats.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	s := &source{path: path, info: st, size: st.Size()}
	if s.size <= keepBelow {
		s.data = make([]byte, s.size)
		if _, err := io.ReadFull(f, s.data); err != nil {
			return nil, fmt.Errorf("%s: truncated while it was read: %w", path, err)
		}
	}
	return s, nil
}

// open returns a reader of the very file that was opened at first.
func (s *source) open() (r io.ReaderAt, done func(), err error) {
	if s.from != nil {
		return s.from, func() {}, nil
	}
	if s.info == nil || s.data != nil {
		return bytes.NewReader(s.data), func() {}, nil
	}
	f, err := formats.OpenRegular(s.path)
	if err != nil {
		return nil, nil, err
	}
	st, err := f.Stat()
	if err == nil && (!os.SameFile(st, s.info) || st.Size() != s.size || !st.ModTime().Equal(s.info.ModTime())) {
		err = fmt.Errorf("%s was replaced or changed since it was opened: open it again", s.path)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, func() { f.Close() }, nil
}
