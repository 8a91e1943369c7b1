package arrow

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"

	"astrolabe/capture/formats"
)

// Mirror is a recording that is made elsewhere, of which bytes come here one after the other. What it says of a file
// that is being recorded holds here too: the path never names a file without a schema, a killed program leaves a file
// that opens up to its last whole batch, and no other program records to it or repairs it meanwhile.
type Mirror struct {
	path   string
	f      *os.File
	hidden bool // it has a temporary name until its schema is there
	size   int64
	sum    hash.Hash
	synced time.Time
}

// NewMirror returns a Mirror of nothing yet; it replaces a file at path once the first bytes are all there.
func NewMirror(path string) *Mirror { return &Mirror{path: path, sum: sha256.New()} }

// ContinueMirror goes on with a file that a Mirror before left.
func ContinueMirror(path string) (*Mirror, error) {
	m := NewMirror(path)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, fmt.Errorf("record: %w", formats.WriteError(path, err))
	}
	m.f = f
	err = lock(f)
	if err == nil {
		m.size, err = io.Copy(m.sum, f)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("record to %s: %w", path, err)
	}
	return m, nil
}

// Path is where the file is, or will be.
func (m *Mirror) Path() string { return m.path }

// Size is how many bytes are here.
func (m *Mirror) Size() int64 { return m.size }

// SHA256 is the sum of the bytes that are here.
func (m *Mirror) SHA256() string { return hex.EncodeToString(m.sum.Sum(nil)) }

// Append adds bytes that stand at a place of the recording, which is the end of what is here. whole says that all there
// is of the recording now is here with them.
func (m *Mirror) Append(b []byte, at int64, whole bool) error {
	if at != m.size {
		return fmt.Errorf("record to %s: bytes from %d on come behind %d", m.path, at, m.size)
	}
	if m.f == nil {
		f, err := formats.CreateBeside(m.path)
		if err != nil {
			return m.failed(err)
		}
		m.f, m.hidden = f, true
	}
	n, err := m.f.Write(b)
	m.sum.Write(b[:n])
	m.size += int64(n)
	if err != nil {
		return m.failed(err)
	}
	if m.hidden && whole {
		if err := m.show(); err != nil {
			return m.failed(err)
		}
	}
	if now := time.Now(); now.Sub(m.synced) >= syncEvery {
		m.synced = now
		return m.failed(m.f.Sync())
	}
	return nil
}

// show gives the file its name.
func (m *Mirror) show() error {
	target := m.path
	if t, err := filepath.EvalSymlinks(target); err == nil {
		target = t
	}
	name := m.f.Name()
	if err := m.f.Close(); err != nil {
		return err
	}
	if err := os.Rename(name, target); err != nil {
		return err
	}
	// Opened again because some systems do not rename open files.
	f, err := os.OpenFile(target, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	m.f, m.hidden = f, false
	return lock(f)
}

// Cut takes back what stands behind a place.
func (m *Mirror) Cut(size int64) error {
	if size > m.size {
		return fmt.Errorf("record to %s: cut off at %d behind %d", m.path, size, m.size)
	}
	if m.f == nil {
		return nil
	}
	if err := m.f.Truncate(size); err != nil {
		return m.failed(err)
	}
	m.sum.Reset()
	if _, err := m.f.Seek(0, io.SeekStart); err != nil {
		return m.failed(err)
	}
	var err error
	if m.size, err = io.Copy(m.sum, m.f); err == nil && m.size != size {
		err = errors.New("another program writes to it")
	}
	return m.failed(err)
}

func (m *Mirror) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("record: %w", formats.WriteError(m.path, err))
}

// Close ends the writing. What has no schema yet leaves nothing.
func (m *Mirror) Close() error {
	if m.f == nil {
		return nil
	}
	f := m.f
	m.f = nil
	if m.hidden {
		return errors.Join(f.Close(), os.Remove(f.Name()))
	}
	return m.failed(errors.Join(f.Sync(), f.Close()))
}
