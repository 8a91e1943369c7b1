package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"astrolabe/capture/memory"
)

// file is an opened Parquet file.
type file struct {
	*pq.File
	src    *source
	rows   int
	packed packed
}

// mostRowsPerByte is more than any encoding reaches for a time axis; a file that claims more rows is damaged.
const mostRowsPerByte = 1024

func openFile(src *source) (f *file, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("damaged: %v", r)
		}
	}()
	defer func() { err = src.problem(err) }()
	r, done, err := src.open()
	if err != nil {
		return nil, err
	}
	defer done()
	if err := checkEnds(r, src.size); err != nil {
		return nil, err
	}
	patched, size, chunks, err := unpackedFooter(r, src.size)
	if err != nil {
		return nil, err
	}
	p, err := pq.OpenFile(patched, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	rows := int64(0)
	for _, g := range p.RowGroups() {
		n := g.NumRows()
		if n < 0 || n > mostRowsPerByte*src.size || rows+n > mostRowsPerByte*src.size {
			return nil, fmt.Errorf("damaged: it claims more than %d rows in %d bytes", rows, src.size)
		}
		rows += n
	}
	return &file{File: p, src: src, rows: int(rows), packed: chunks}, nil
}

// checkEnds tells a file that breaks off from one that is damaged.
func checkEnds(r io.ReaderAt, size int64) error {
	var tail [8]byte
	if size < 12 {
		return fmt.Errorf("truncated: %d bytes are too few for a Parquet file", size)
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return err
	}
	if string(tail[4:]) != magic {
		return fmt.Errorf(
			"truncated: it does not end with %s at byte %d, so its description, which stands at the end, is lost",
			magic, size-4)
	}
	n := int64(tail[0]) | int64(tail[1])<<8 | int64(tail[2])<<16 | int64(tail[3])<<24
	if n > size-12 {
		return fmt.Errorf("damaged: byte %d says that its description is %d bytes long, and the file has %d",
			size-8, n, size)
	}
	return nil
}

// values calls each for the values of a column in order, in blocks.
func (f *file) values(l *leaf, each func(v []pq.Value) error) error {
	return f.firstValues(l, math.MaxInt64, each)
}

// firstValues does so for a column of which few values are wanted, about: pages behind these are not looked at.
func (f *file) firstValues(l *leaf, few int64, each func(v []pq.Value) error) (err error) {
	defer func() { err = f.src.problem(err) }()
	defer func() {
		if r := recover(); r != nil {
			if err = memory.Caught(r); err != nil {
				err = fmt.Errorf("column %q: %w", l.name, err)
				return
			}
			err = fmt.Errorf("column %q is damaged: %v", l.name, r)
		}
	}()
	r, done, err := f.src.open()
	if err != nil {
		return err
	}
	defer done()
	buf := make([]pq.Value, blockRows)
	for k, g := range f.RowGroups() {
		chunk, ok := g.ColumnChunks()[l.Index()].(*pq.FileColumnChunk)
		if !ok {
			return fmt.Errorf("column %q is no column of a file", l.name)
		}
		few := few
		if _, ok := f.packed[[2]int{k, l.Index()}]; ok {
			few = math.MaxInt64 // its pages are unpacked together
		}
		if err := f.needPages(l, k, few); err != nil {
			return err
		}
		if err := f.checkPages(r, l, k, g.NumRows(), few); errors.Is(err, memory.ErrLimit) {
			return fmt.Errorf("column %q: %w", l.name, err)
		} else if err != nil {
			return fmt.Errorf("column %q is damaged: %w", l.name, err)
		}
		from := r
		if m, ok := f.packed[[2]int{k, l.Index()}]; ok {
			if from, err = f.unpack(r, &m); errors.Is(err, memory.ErrLimit) {
				return fmt.Errorf("column %q: %w", l.name, err)
			} else if err != nil {
				return fmt.Errorf("column %q is damaged: %w", l.name, err)
			}
		}
		n, err := readChunk(chunk, from, buf, each)
		if err != nil {
			return fmt.Errorf("column %q, row group %d: %w", l.name, k, err)
		}
		if n != g.NumRows() {
			return fmt.Errorf("column %q is damaged: row group %d has %d values of it and %d rows", l.name,
				k, n, g.NumRows())
		}
	}
	return nil
}

func readChunk(chunk *pq.FileColumnChunk, r io.ReaderAt, buf []pq.Value,
	each func(v []pq.Value) error) (n int64, err error) {
	pages := chunk.PagesFrom(r)
	defer pages.Close()
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		values := page.Values()
		for {
			k, err := values.ReadValues(buf)
			n += int64(k)
			if e := each(buf[:k]); e != nil {
				return n, e
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return n, err
			}
			if k == 0 {
				return n, io.ErrNoProgress
			}
		}
		pq.Release(page)
	}
}

// chunkMeta describes a column in one row group.
func (f *file) chunkMeta(l *leaf, group int) *format.ColumnMetaData {
	if m, ok := f.packed[[2]int{group, l.Index()}]; ok {
		return &m
	}
	return &f.Metadata().RowGroups[group].Columns[l.Index()].MetaData
}

// needPages has the pages of a column in one row group fetched together, where they lie elsewhere and all are wanted.
func (f *file) needPages(l *leaf, group int, few int64) error {
	meta := f.chunkMeta(l, group)
	at, end := pageBounds(meta)
	if few < meta.NumValues || at < 0 || end < at || end > f.src.size {
		return nil
	}
	return f.src.need(at, end)
}

// checkPages walks over the headers of a column's pages in one row group, as far as few values take, because reading a
// page allocates what its header claims.
func (f *file) checkPages(r io.ReaderAt, l *leaf, group int, rows, few int64) error {
	meta := f.chunkMeta(l, group)
	at, end := pageBounds(meta)
	if at < 0 || end < at || end > f.src.size {
		return fmt.Errorf("its pages are said to lie at bytes %d to %d, and the file has %d", at, end, f.src.size)
	}
	seen := int64(0)
	for at < end && seen < min(meta.NumValues, few) {
		h, head, err := pageHeader(r, at, end)
		if err != nil {
			return fmt.Errorf("page header at byte %d: %w", at, err)
		}
		body, raw := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
		switch {
		case body < 0 || raw < 0 || body > end-at-head:
			return fmt.Errorf("the page at byte %d is said to be %d bytes long, %d are left", at, body, end-at-head)
		case raw > mostRaw(l, body, rows):
			return fmt.Errorf("the page at byte %d is said to grow from %d to %d bytes", at, body, raw)
		}
		n := int64(h.DataPageHeader.V.NumValues)
		if h.Type == format.DataPageV2 {
			n = int64(h.DataPageHeaderV2.V.NumValues)
		}
		if h.Type == format.DictionaryPage {
			if d := int64(h.DictionaryPageHeader.V.NumValues); d < 0 || d > rows {
				return fmt.Errorf("the dictionary at byte %d is said to have %d entries for %d rows", at, d, rows)
			}
			n = 0
		}
		if n < 0 || seen+n > rows {
			return fmt.Errorf("the page at byte %d is said to have %d values, %d are left", at, n, rows-seen)
		}
		if err := memory.Room(uint64(body + 2*raw)); err != nil {
			return fmt.Errorf("the page at byte %d grows to %d bytes: %w", at, raw, err)
		}
		seen += n
		at += head + body
	}
	return nil
}

// pageBounds is where the pages of a chunk lie.
func pageBounds(m *format.ColumnMetaData) (at, end int64) {
	at = m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 && d < at {
		at = d
	}
	return at, at + m.TotalCompressedSize
}

// mostRaw is the most that a page may hold: numbers take up to 16 bytes for each row, with levels. Text compresses as
// it will, but no codec gets beyond some thousands to one.
func mostRaw(l *leaf, body, rows int64) int64 {
	if l.class != classText {
		return 64<<10 + 20*rows
	}
	return 1<<20 + 5000*body
}

// pageHeader decodes the header at byte at, and says how long it is. Headers are short unless they hold long texts as
// bounds.
func pageHeader(r io.ReaderAt, at, end int64) (h format.PageHeader, size int64, err error) {
	for window := int64(512); ; window *= 32 {
		buf := make([]byte, min(window, end-at))
		if _, err := r.ReadAt(buf, at); err != nil {
			return h, 0, err
		}
		if _, err := measured(buf); err != nil {
			if errors.Is(err, errThriftEnd) && window < end-at && window <= 16<<20 {
				continue
			}
			return h, 0, err
		}
		var protocol thrift.CompactProtocol
		from := protocol.NewReaderFromBytes(buf)
		h = format.PageHeader{}
		err := thrift.NewDecoder(from).Decode(&h)
		if err == nil {
			return h, int64(from.BytesRead()), nil
		}
		if window >= end-at || window > 16<<20 {
			return h, 0, err
		}
	}
}
