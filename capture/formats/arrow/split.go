package arrow

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/memory"
)

// SplitWriter records a capture into a folder of parts, each of a time of the recording. A sample is in the part in
// which it starts. It is not safe for concurrent use.
type SplitWriter struct {
	dir    string
	schema capture.Schema
	every  int64
	doc    partDoc
	w      *Writer
	until  int64 // start of the first sample that is of the next part
	warn   func(string)
	err    error
	closed bool
}

// CreateSplit begins a recording in parts in a folder, which is made and may hold no other. warn is told where the disk
// has no room for another part.
func CreateSplit(dir string, s capture.Schema, every time.Duration, warn func(string)) (*SplitWriter, error) {
	if every <= 0 {
		return nil, fmt.Errorf("record to %s: parts of %v", dir, every)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("record: %w", formats.WriteError(dir, err))
	}
	in, err := formats.Inspect(dir)
	if err != nil {
		return nil, err
	}
	if len(partsAmong(in.Files)) > 0 {
		return nil, fmt.Errorf("record to %s: the folder holds a recording in parts already: name another, or remove it", dir)
	}
	w := &SplitWriter{dir: dir, schema: s, every: every.Nanoseconds(), doc: partDoc{Recording: rand.Text()},
		until: every.Nanoseconds(), warn: warn}
	return w, w.begin()
}

// begin makes the next part.
func (w *SplitWriter) begin() (err error) {
	w.doc.Part++
	w.w, err = create(filepath.Join(w.dir, partFile(w.doc.Part)), &w.schema, &w.doc)
	return err
}

// Write adds a batch and keeps nothing of it. After an error the recording ends with the batch before.
func (w *SplitWriter) Write(b *capture.Batch) error {
	switch {
	case w.closed:
		return fmt.Errorf("record to %s: the recording is closed", w.dir)
	case w.err != nil:
		return w.err
	}
	w.err = w.write(b)
	return w.err
}

func (w *SplitWriter) write(b *capture.Batch) error {
	lo := 0
	for i, start := range b.Start {
		if start < w.until {
			continue
		}
		if i > lo {
			if err := w.w.Write(b.Slice(lo, i)); err != nil {
				return err
			}
			lo = i
		}
		if err := w.next(start); err != nil {
			return err
		}
	}
	return w.w.Write(b.Slice(lo, b.Len()))
}

// next completes a part and begins the one of a sample that starts then.
func (w *SplitWriter) next(start int64) error {
	size := w.w.size
	if err := w.w.Close(); err != nil {
		return err
	}
	if free, ok := freeBytes(w.dir); ok && free < uint64(size) && w.warn != nil {
		w.warn(fmt.Sprintf("%s is left where %s is written and a part takes %s: the disk will be full before the next is complete",
			memory.Text(free), w.dir, memory.Text(uint64(size))))
	}
	w.until = (start/w.every + 1) * w.every
	return w.begin()
}

// Close completes the last part.
func (w *SplitWriter) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	if w.w == nil || w.w.closed {
		return nil // a part could not be made or completed, which Write has told
	}
	return w.w.Close()
}
