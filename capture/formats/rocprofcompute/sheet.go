package rocprofcompute

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/memory"
)

// sheet is one csv file that has been read.
type sheet struct {
	f     *delimited.File
	t     *delimited.Table
	specs []delimited.Spec
	odd   []string // columns of text that the format does not have
}

// isCounter reports whether column i holds a counter.
func (s *sheet) isCounter(i int) bool {
	return s.specs[i].Want == delimited.Number && isCounter(s.f.Header[i])
}

// isLong reports whether the file has a row for each counter.
func (s *sheet) isLong() bool { return s.f.Index(colName) >= 0 || s.f.Index(colValue) >= 0 }

func (s *sheet) warnings() []string {
	out := append(append([]string{}, s.f.Warnings...), s.t.Warnings...)
	if len(s.odd) > 0 {
		out = append(out, fmt.Sprintf("%s: columns %s hold text and are not read", s.f.Name, strings.Join(s.odd, ", ")))
	}
	return out
}

// smallTable returns the header and the first rows of a file that does not hold counters. Without one row it is
// damaged.
func smallTable(path string, most int) (names []string, rows [][]string, err error) {
	r, err := formats.OpenRegular(path)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	st, err := r.Stat()
	if err != nil {
		return nil, nil, err
	}
	f, err := delimited.Open(path, r, st.Size(), delimited.Options{Delim: ','})
	if err != nil {
		return nil, nil, err
	}
	if rows, err = f.Sample(most); err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 {
		return nil, nil, &delimited.Error{File: path, Line: f.Line + 1,
			Msg: "no row of values as long as the header: the file is truncated or damaged"}
	}
	return f.Header, rows, nil
}

// launchRoom is what a row takes when it has become a dispatch, or a result of one, in bytes.
const launchRoom = 256

// maxUnpacked bounds what a compressed file may become, in bytes.
const maxUnpacked = 1 << 30

// openCSV opens a file, which may be compressed, up to its header. The file stays open, to find the lines of errors,
// until close.
func (w *workload) openCSV(path string) (*delimited.File, error) {
	r, err := formats.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	w.files = append(w.files, r)
	if strings.HasSuffix(path, packed) {
		text, err := unpack(r, path)
		if err != nil {
			return nil, err
		}
		return delimited.Open(path, bytes.NewReader(text), int64(len(text)), delimited.Options{Delim: ','})
	}
	st, err := r.Stat()
	if err != nil {
		return nil, err
	}
	return delimited.Open(path, r, st.Size(), delimited.Options{Delim: ','})
}

func unpack(r io.Reader, path string) ([]byte, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("%s: not compressed by gzip, or damaged: %w", path, err)
	}
	text, err := readAll(io.LimitReader(z, maxUnpacked+1))
	if errors.Is(err, memory.ErrLimit) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: truncated or damaged after %d bytes of text: %w", path, len(text), err)
	}
	if len(text) > maxUnpacked {
		return nil, fmt.Errorf("%s: larger than %d MiB when unpacked: unpack it with gunzip and open the result", path,
			maxUnpacked>>20)
	}
	return text, nil
}

// readAll is io.ReadAll that asks for the memory first.
func readAll(r io.Reader) ([]byte, error) {
	text := make([]byte, 0, 64<<10)
	for {
		if len(text) == cap(text) {
			if err := memory.Room(2 * uint64(cap(text))); err != nil {
				return text, err
			}
			text = slices.Grow(text, cap(text))
		}
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if err != nil {
			return text, err
		}
	}
}

// readSheet reads a file: counters and times as numbers, the rest as text.
func (w *workload) readSheet(ctx context.Context, path string) (*sheet, error) {
	f, err := w.openCSV(path)
	if err != nil {
		return nil, err
	}
	spellHeader(f.Header)
	if err := f.CheckNames(); err != nil {
		return nil, err
	}
	rows, err := f.Sample(20)
	if err != nil {
		return nil, err
	}
	s := &sheet{f: f, specs: make([]delimited.Spec, len(f.Header))}
	read := map[string]bool{colDispatch: true, colKernel: true, colName: true, colGUID: true, colGPU: true}
	for _, l := range labels {
		read[l.column] = true
	}
	long := s.isLong() // which looks through the header
	for i, name := range f.Header {
		switch {
		case name == colStart || name == colEnd || name == colValue:
			s.specs[i].Want = delimited.Number
		case read[name]:
			s.specs[i].Want = delimited.Text
		case long || !isCounter(name):
		case isText(rows, i):
			s.odd = append(s.odd, name)
		default:
			s.specs[i].Want = delimited.Number
		}
	}
	if s.t, err = f.Read(ctx, s.specs); err != nil {
		return nil, err
	}
	if err := memory.Room(uint64(s.t.Rows) * launchRoom); err != nil {
		return nil, fmt.Errorf("%s: %d rows: %w", path, s.t.Rows, err)
	}
	return s, nil
}

// isText reports whether no cell of a column is a number and some are text.
func isText(rows [][]string, i int) bool {
	text := false
	for _, row := range rows {
		if delimited.IsNumber(row[i], '.') {
			return false
		}
		text = text || !delimited.IsMissing(row[i]) && !delimited.IsInfinity(row[i])
	}
	return text
}

// need returns an error for the columns that are missing.
func (s *sheet) need(names ...string) error {
	for _, name := range names {
		if s.f.Index(name) < 0 {
			return &delimited.Error{File: s.f.Name, Line: s.f.Line, Msg: "no column " +
				name + ", which a rocprof-compute file needs"}
		}
	}
	return nil
}

// text is a row's text in the named column; "" where there is none. Sizes that a join has made fractions of, such as
// 64.0, are whole again.
func (s *sheet) text(name string, row int) string {
	i := s.f.Index(name)
	if i < 0 {
		return ""
	}
	c := s.t.Col(i)
	if c.Codes == nil || c.Codes[row] < 0 {
		return ""
	}
	text := c.Dict[c.Codes[row]]
	if name != colKernel && name != colGUID {
		text = strings.TrimSuffix(text, ".0")
	}
	return text
}

// codes are the dictionary codes of a column of text, nil if there is none.
func (s *sheet) codes(name string) []int32 {
	if i := s.f.Index(name); i >= 0 {
		return s.t.Col(i).Codes
	}
	return nil
}

// hasTimes reports whether the file has both columns of times.
func (s *sheet) hasTimes() bool { return s.f.Index(colStart) >= 0 && s.f.Index(colEnd) >= 0 }

// times returns a column of times in ns, NaN where the file has none.
func (s *sheet) times(name string) ([]uint64, []float64, error) {
	ns, exact := make([]float64, s.t.Rows), make([]uint64, s.t.Rows)
	for i := range ns {
		ns[i] = math.NaN()
	}
	col := s.f.Index(name)
	if col < 0 {
		return exact, ns, nil
	}
	d := s.t.Col(col).Num.Data()
	for i := range ns {
		if d.Missing(i) {
			continue
		}
		v := d.Float(i)
		if v < 0 || v >= 1<<62 {
			return nil, nil, &delimited.Error{File: s.f.Name, Line: s.t.Line(i),
				Msg: fmt.Sprintf("column %q: %v is not a time in nanoseconds", name, v)}
		}
		ns[i] = v
		if exact[i] = uint64(v); d.U != nil {
			exact[i] = d.U[i]
		}
	}
	return exact, ns, nil
}
