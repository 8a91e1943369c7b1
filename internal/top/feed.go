package top

import (
	"errors"
	"sync"

	"astrolabe/capture"
	"astrolabe/hwio"
)

// mostPending bounds the samples that wait for the board, in bytes. A terminal that takes nothing must not cost memory,
// and never holds up the recording.
const mostPending = 64 << 20

// Feed is the sink of a recording that is looked at. It keeps the samples since they were last taken, and hands all of
// them on to a file while there is one.
type Feed struct {
	mu      sync.Mutex
	schema  *capture.Schema
	pending []*capture.Batch
	bytes   uint64
	lost    int // samples that the board never saw
	file    hwio.Sink
	failed  error // of the file
	closed  bool
}

// Create is hwio.Options.Create. It is called once.
func (f *Feed) Create(s *capture.Schema) (hwio.Sink, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.schema = s
	return f, nil
}

// Schema is what is recorded; nil until the recording begins.
func (f *Feed) Schema() *capture.Schema {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.schema
}

// Write keeps a copy of b. What a file cannot take ends that file and not the recording.
func (f *Feed) Write(b *capture.Batch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file != nil {
		if err := f.file.Write(b); err != nil {
			f.failed = errors.Join(f.failed, err, f.file.Close())
			f.file = nil
		}
	}
	f.pending = append(f.pending, b.Clone())
	f.bytes += f.schema.Bytes(int64(b.Len()))
	for f.bytes > mostPending && len(f.pending) > 1 {
		first := f.pending[0]
		f.bytes -= f.schema.Bytes(int64(first.Len()))
		f.lost += first.Len()
		f.pending = f.pending[1:]
	}
	return nil
}

// Close ends the file, if there is one.
func (f *Feed) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return f.end()
}

// Take returns the samples since it was last called, nil where there are none, and how many were lost before them.
func (f *Feed) Take() (c *capture.Capture, lost int, err error) {
	f.mu.Lock()
	batches, lost := f.pending, f.lost
	f.pending, f.bytes, f.lost = nil, 0, 0
	f.mu.Unlock()
	rows := 0
	for _, b := range batches {
		rows += b.Len()
	}
	if rows == 0 {
		return nil, lost, nil
	}
	c, err = (&hwio.Saved{Schema: f.schema, Batches: batches}).Capture()
	return c, lost, err
}

// RecordTo writes all further samples into a file as well.
func (f *Feed) RecordTo(create func(*capture.Schema) (hwio.Sink, error)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.schema == nil:
		return errors.New("the recording has not begun")
	case f.closed:
		return errors.New("the recording has ended")
	case f.file != nil:
		return errors.New("a file is being written already")
	}
	schema := *f.schema
	file, err := create(&schema)
	if err != nil {
		return err
	}
	f.file, f.failed = file, nil
	return nil
}

// EndFile completes the file. An error may be of an earlier sample.
func (f *Feed) EndFile() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.end()
}

func (f *Feed) end() error {
	err := f.failed
	if f.failed = nil; f.file != nil {
		err = errors.Join(err, f.file.Close())
		f.file = nil
	}
	return err
}

// Failed is why the file ended early, nil where it did not.
func (f *Feed) Failed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}
