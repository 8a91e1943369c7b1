package fleet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"astrolabe/capture/formats"
)

// Store keeps outcomes in a file, a line of JSON each, in the order in which they come. What it keeps in memory is
// where they stand.
type Store struct {
	f    *os.File
	path string // "" of one that nobody is to see
	size int64
}

// NewStore is a store that is gone when it is closed, or when the program ends.
func NewStore() (*Store, error) {
	f, err := os.CreateTemp("", "astrolabe-map-")
	if err != nil {
		return nil, err
	}
	s := &Store{f: f}
	if _, err := s.line(journalHead{Version: journalVersion}); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// journalHead is the first line of a journal.
type journalHead struct {
	Version int    `json:"astrolabe_map"`
	Key     string `json:"key"` // of all that rows depend on besides the capture
}

const journalVersion = 1

// Saved is an outcome of an earlier run.
type Saved struct {
	At     int64 // for Read
	Hash   string
	Status Status
	Limits string
}

// ErrJournal is a journal that was left by a run which did not end.
var ErrJournal = errors.New("it is the journal of a run that did not end")

// OpenJournal is a store in a file that stays. With resume it takes over what an earlier run with the same key has left
// there, by capture; dropped is how many bytes at its end were of no use, because that run or its machine ended while
// it wrote them. Without it the file must not exist. No two programs have it open at once.
func OpenJournal(path, key string, resume bool) (s *Store, saved map[string]Saved, dropped int64, err error) {
	if _, err := os.Lstat(path); err == nil && !resume {
		return nil, nil, 0, fmt.Errorf("%s: %w", path, ErrJournal)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, 0, formats.WriteError(path, err)
	}
	s = &Store{f: f, path: path}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if err := lock(f); err != nil {
		return nil, nil, 0, fmt.Errorf("%s: another map writes it: %w", path, err)
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, nil, 0, err
	}
	if saved, err = s.load(key, end); err != nil {
		return nil, nil, 0, err
	}
	dropped = end - s.size
	if err := f.Truncate(s.size); err != nil {
		return nil, nil, 0, formats.WriteError(path, err)
	}
	if s.size == 0 {
		if _, err := s.line(journalHead{journalVersion, key}); err != nil {
			return nil, nil, 0, err
		}
		return s, nil, 0, nil
	}
	return s, saved, dropped, nil
}

// load reads a journal up to its end, or to what is no line of one. A journal with another key is of no use: it begins
// anew, with the size 0.
func (s *Store) load(key string, end int64) (map[string]Saved, error) {
	r := bufio.NewReaderSize(io.NewSectionReader(s.f, 0, end), 1<<16)
	first, err := readLine(r)
	var head journalHead
	if err != nil || json.Unmarshal(first, &head) != nil || head.Version == 0 {
		if end == 0 || err != nil && end < 1<<10 {
			return nil, nil // a run that was killed before its first line was whole
		}
		return nil, fmt.Errorf("%s is no journal of map: move it away, or choose another -o", s.path)
	}
	if head.Version > journalVersion {
		return nil, fmt.Errorf("%s was written by a later version of astrolabe (journal %d): resume with that one",
			s.path, head.Version)
	}
	if head.Key != key {
		return nil, nil
	}
	saved := map[string]Saved{}
	for s.size = int64(len(first)) + 1; ; {
		text, err := readLine(r)
		var o Outcome
		if err != nil || json.Unmarshal(text, &o) != nil || o.Capture == "" || !known(o.Status) {
			return saved, nil
		}
		saved[o.Capture] = Saved{s.size, o.Hash, o.Status, o.Limits}
		s.size += int64(len(text)) + 1
	}
}

func known(s Status) bool {
	for _, k := range statuses {
		if s == k {
			return true
		}
	}
	return false
}

// maxLine bounds a line of a store: JSON in JSON may take more room than the frame that it came by.
const maxLine = 2 * MaxFrame

// readLine reads a whole line, without its end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var out []byte
	for {
		part, err := r.ReadSlice('\n')
		out = append(out, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(out, []byte{'\n'}), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(out) > maxLine:
			return nil, errTooLong
		}
	}
}

// Add appends an outcome, and returns where it stands, which is never 0.
func (s *Store) Add(o *Outcome) (at int64, err error) { return s.line(o) }

func (s *Store) line(v any) (at int64, err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	at = s.size
	n, err := s.f.WriteAt(append(text, '\n'), at)
	if err != nil {
		return 0, formats.WriteError(s.f.Name(), err)
	}
	s.size += int64(n)
	return at, nil
}

// Read reads the outcome that stands at a place that Add, or OpenJournal, has told.
func (s *Store) Read(at int64) (*Outcome, error) {
	text, err := readLine(bufio.NewReader(io.NewSectionReader(s.f, at, s.size-at)))
	if err != nil {
		return nil, fmt.Errorf("%s: byte %d: %w", s.f.Name(), at, err)
	}
	o := &Outcome{}
	if err := json.Unmarshal(text, o); err != nil {
		return nil, fmt.Errorf("%s: byte %d: %w", s.f.Name(), at, err)
	}
	return o, nil
}

// Close closes the store. A journal stays unless it is removed.
func (s *Store) Close() error {
	err := s.f.Close()
	if s.path == "" {
		return errors.Join(err, os.Remove(s.f.Name()))
	}
	return err
}

// Remove closes a journal and removes its file.
func (s *Store) Remove() error {
	if s.path == "" {
		return s.Close()
	}
	return errors.Join(s.f.Close(), os.Remove(s.path))
}
