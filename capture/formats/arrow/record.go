package arrow

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

// ErrNoFooter is wrapped by an error of Writer.Close that cost no data: the recording is complete, and opens here, but
// other programs look for the footer of a file.
var ErrNoFooter = errors.New("the recording is complete but has no footer")

// Writer records a capture batch by batch. It is not safe for concurrent use.
//
// A batch is in the hands of the kernel when Write returns, so a killed recorder loses nothing of it. Write has the
// kernel put what it holds on the disk about once per syncEvery, so a crash of the machine loses little more.
type Writer struct {
	path    string
	f       file
	pipe    bool // no regular file: it can neither be read again nor cut
	bare    bool // the stream form, which neither begins nor ends as a file does
	schema  *arrow.Schema
	labels  []string
	specs   []capture.ColumnSpec
	fields  []int // field of the schema of each column of a batch
	order   []int // column of a batch of each field behind the times
	message batchMessage
	size    int64 // of the file up to its last whole message
	index   index // of the messages, for the footer
	rows    int   // of a batch at most
	samples int64
	last    int64 // start of the last sample
	synced  time.Time
	err     error // of the first failed Write; later ones give it again
	closed  bool
}

// recordedBytes bounds the batches of a recording, in bytes: what a reader needs of a column lies within one.
const recordedBytes = 8 << 20

// syncEvery is how much time of a recording a crash of the machine may cost.
const syncEvery = time.Second

// file is the part of *os.File that a recording needs; tests put a failing one in its place.
type file interface {
	io.WriteCloser
	Truncate(size int64) error
	Sync() error
}

// Create begins a recording at path. A file that is already there is replaced, once the new one can be written to. A
// pipe or device, and a file whose name says so, gets the stream form and keeps it.
func Create(path string, s capture.Schema) (*Writer, error) { return create(path, &s, nil) }

// create is Create of one file, or of a part.
func create(path string, s *capture.Schema, part *partDoc) (*Writer, error) {
	w, err := newWriter(path, s, part)
	if err != nil {
		return nil, fmt.Errorf("record to %s: %w", path, err)
	}
	if err := w.open(); err != nil {
		return nil, fmt.Errorf("record: %w", formats.WriteError(path, err))
	}
	return w, nil
}

func newWriter(path string, s *capture.Schema, part *partDoc) (*Writer, error) {
	cfg, specs, err := recordingConfig(s)
	if err != nil {
		return nil, err
	}
	w := &Writer{path: path, bare: isStream(path), labels: s.Labels, specs: s.Columns, fields: make([]int, len(s.Columns)),
		rows: int(max(1, recordedBytes/s.Bytes(1)))}
	for _, name := range s.Labels {
		cfg.Labels = append(cfg.Labels, &capture.Label{Name: name})
	}
	l, err := plan(cfg, textType, func(c *capture.Counter) (integer, has bool) {
		i, ok := specs[c]
		return ok && s.Columns[i].Integer, ok
	})
	if err != nil {
		return nil, err
	}
	if w.schema = l.schema; part != nil {
		text, err := toJSON(part)
		if err != nil {
			return nil, err
		}
		keys := keysOf(l.schema.Metadata())
		keys[keyPart] = text
		md := metadata(keys)
		w.schema = arrow.NewSchema(l.schema.Fields(), &md)
	}
	for field, f := range l.fields {
		if f.counter != nil {
			w.fields[specs[f.counter]] = field
			w.order = append(w.order, specs[f.counter])
		}
	}
	return w, nil
}

// open creates the file with the schema in it under a temporary name and then gives it its own. So a program that has
// mapped an older file at path keeps that one, and path never names a file without a schema.
func (w *Writer) open() error {
	if st, err := os.Stat(w.path); err == nil && !st.Mode().IsRegular() {
		if st.IsDir() {
			return errors.New("it is a folder: name a file in it")
		}
		w.pipe, w.bare = true, true
		f, err := os.OpenFile(w.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		w.f = f
		return w.begin()
	}
	target := w.path
	if t, err := filepath.EvalSymlinks(target); err == nil {
		target = t
	}
	f, err := formats.CreateBeside(target)
	if err != nil {
		return err
	}
	w.f = f
	if err := errors.Join(w.begin(), f.Close()); err != nil {
		os.Remove(f.Name())
		return err
	}
	if err := os.Rename(f.Name(), target); err != nil {
		os.Remove(f.Name())
		return err
	}
	// Opened again because some systems do not rename open files.
	if f, err = os.OpenFile(target, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		return err
	}
	w.f = f
	return lock(f)
}

// begin writes the schema message, which arrow-go would only write with the first batch.
func (w *Writer) begin() error {
	schema, err := schemaMessage(w.schema)
	if err != nil {
		return err
	}
	var head []byte
	if !w.bare {
		head = make([]byte, magicPadded)
		copy(head, magic)
	}
	w.size = int64(len(head) + len(schema))
	if err := w.index.addAll(schema, int64(len(head))); err != nil {
		return err
	}
	_, err = w.f.Write(append(head, schema...))
	return err
}

// schemaMessage is the stream form of s without any batch and without its end mark of 8 bytes.
func schemaMessage(s *arrow.Schema) ([]byte, error) {
	var buf bytes.Buffer
	if err := ipc.NewWriter(&buf, ipc.WithSchema(s)).Close(); err != nil {
		return nil, err
	}
	return buf.Bytes()[:buf.Len()-8], nil
}

// Write adds a batch and keeps nothing of it. After an error, such as a full disk, the recording ends with the batch
// before; Close still finishes it.
func (w *Writer) Write(b *capture.Batch) error {
	switch {
	case w.closed:
		return fmt.Errorf("record to %s: the recording is closed", w.path)
	case w.err != nil:
		return w.err
	}
	if err := w.check(b); err != nil {
		return fmt.Errorf("record to %s: %w", w.path, err)
	}
	for lo := 0; lo < b.Len() || lo == 0; lo += w.rows {
		if err := w.write(b.Slice(lo, min(b.Len(), lo+w.rows))); err != nil {
			return err
		}
	}
	return nil
}

// write adds a batch that is no larger than it may be.
func (w *Writer) write(b *capture.Batch) error {
	notes, err := notesOf(b, w.fields)
	if err != nil {
		return fmt.Errorf("record to %s: %w", w.path, err)
	}
	if b.Len() == 0 && notes == "" {
		return nil
	}
	head, body := w.compose(b, notes)
	if _, err := w.f.Write(w.message.buf); err != nil {
		w.err = w.failed(err)
		return w.err
	}
	if !w.bare {
		w.index.add(messageInfo{header: headerBatch, bodyLen: body}, w.size, head, nil)
	}
	w.size += int64(len(w.message.buf))
	if now := time.Now(); !w.pipe && now.Sub(w.synced) >= syncEvery {
		w.synced = now
		if err := w.f.Sync(); err != nil {
			w.err = w.failed(err)
			return w.err
		}
	}
	w.samples += int64(b.Len())
	if n := b.Len(); n > 0 {
		w.last = b.Start[n-1]
	}
	return nil
}

// failed cuts off the part of a batch that reached the file, and words the error.
func (w *Writer) failed(err error) error {
	if !w.pipe {
		// Should this fail too, the file breaks off inside a batch, which opening copes with.
		_ = w.f.Truncate(w.size)
	}
	return fmt.Errorf("record: %w (the %d samples before stay readable)", formats.WriteError(w.path, err), w.samples)
}

// compose makes the message of a batch.
func (w *Writer) compose(b *capture.Batch, notes string) (head int, body int64) {
	m := &w.message
	m.begin(b.Len(), 2+len(b.Cols), len(b.Labels), notes)
	m.times(b.Start)
	m.times(b.End)
	for _, i := range w.order {
		m.numbers(b.Cols[i], w.specs[i].Integer)
	}
	for _, texts := range b.Labels { // they are laid out last
		m.texts(texts)
	}
	return m.end()
}

func (w *Writer) check(b *capture.Batch) error {
	n := b.Len()
	switch {
	case len(b.End) != n:
		return fmt.Errorf("batch with %d starts and %d ends", n, len(b.End))
	case len(b.Cols) != len(w.specs):
		return fmt.Errorf("batch with %d columns, the recording has %d", len(b.Cols), len(w.specs))
	case len(b.Labels) != len(w.labels):
		return fmt.Errorf("batch with %d labels, the recording has %d", len(b.Labels), len(w.labels))
	}
	for i, d := range b.Cols {
		name := columnName(w.specs[i].Meta)
		if d.Len() != n {
			return fmt.Errorf("column %q has %d values in a batch of %d samples", name, d.Len(), n)
		}
		if n > 0 && (d.U != nil) != w.specs[i].Integer {
			return fmt.Errorf("column %q brings the wrong type of values: it was announced with Integer = %t", name,
				w.specs[i].Integer)
		}
	}
	for i, l := range b.Labels {
		if len(l) != n {
			return fmt.Errorf("label %q has %d values in a batch of %d samples", w.labels[i], len(l), n)
		}
	}
	last := w.last
	for i, s := range b.Start {
		if s < last && (i > 0 || w.samples > 0) {
			return fmt.Errorf("sample %d starts at %d ns, before the one before it (%d ns)", i, s, last)
		}
		if b.End[i] < s {
			return fmt.Errorf("sample %d ends at %d ns, before its start (%d ns)", i, b.End[i], s)
		}
		last = s
	}
	return nil
}

// Close ends the recording with the footer of a file, or with the mark that ends a stream. Where there is no room
// for the footer the recording stays complete without, and the error wraps ErrNoFooter.
func (w *Writer) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	end := endMark
	if !w.bare {
		end = w.index.end()
	}
	if w.pipe {
		_, err := w.f.Write(end)
		if err = errors.Join(err, w.f.Close()); err != nil {
			return fmt.Errorf("finish the recording: %w", formats.WriteError(w.path, err))
		}
		return nil
	}
	_, err := w.f.Write(end)
	if err != nil {
		_ = w.f.Truncate(w.size)
		err = fmt.Errorf("%w: %d samples in %s: %w", ErrNoFooter, w.samples, w.path, formats.WriteError(w.path, err))
	}
	if e := errors.Join(w.f.Sync(), w.f.Close()); e != nil {
		// What the kernel could not put on the disk may be gone.
		return fmt.Errorf("finish the recording: %w", formats.WriteError(w.path, errors.Join(e, err)))
	}
	return err
}

// Abort ends the recording and removes its file.
func (w *Writer) Abort() error {
	if w.closed {
		return nil
	}
	w.closed = true
	err := w.f.Close()
	if !w.pipe {
		err = errors.Join(err, os.Remove(w.path))
	}
	return err
}
