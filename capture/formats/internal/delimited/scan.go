package delimited

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// chunk is a run of whole rows.
type chunk struct {
	from, to int64
	line     int  // of its first byte
	base     int  // index of its first row in the columns while they are being read
	bound    int  // it has no more rows than this
	open     bool // its last row ends without a line end
	// After reading:
	rows int
	cut  string // warning about an unfinished last row
	cols []chunkCol
}

// Sizes of the pieces of a file that the cores work on.
const (
	minPiece = 256 << 10
	maxPiece = 4 << 20
)

// scanShare says which part of the work with a byte is to scan it, as one in so many; the rest is to read its number.
const scanShare = 8

// scan divides the data into chunks of whole rows and counts their lines.
func (f *File) scan(ctx context.Context, workers int) ([]chunk, error) {
	if f.data >= f.size {
		return nil, nil
	}
	piece := f.piece
	if piece == 0 {
		piece = min(max((f.size-f.data)/int64(4*workers), minPiece), maxPiece)
	}
	chunks, err := f.scanPlain(ctx, piece, workers)
	if errors.Is(err, errQuotes) {
		chunks, err = f.scanQuoted(ctx, piece)
	}
	if err != nil {
		return nil, err
	}
	base := 0
	for i := range chunks {
		c := &chunks[i]
		// A row has one byte for each of its cells at least, so a file of blank lines asks for no memory.
		c.bound = min(c.bound, int((c.to-c.from)/int64(len(f.Header)))+1)
		c.base = base
		base += c.bound
	}
	return chunks, nil
}

var errQuotes = errors.New("the text has quotes")

// piece is what one look at a stretch of text tells.
type pieceStat struct {
	lines int
	last  int64 // offset after the last line end, 0 if there is none
}

// scanPlain scans text without quotes on all cores.
func (f *File) scanPlain(ctx context.Context, piece int64, workers int) ([]chunk, error) {
	n := int((f.size - f.data + piece - 1) / piece)
	stats := make([]pieceStat, n)
	meter := progress.From(ctx)
	var next atomic.Int64
	var first errorOnce
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			buf := make([]byte, min(piece, f.size-f.data))
			for {
				i := next.Add(1) - 1
				if i >= int64(n) || first.failed() {
					return
				}
				if err := ctx.Err(); err != nil {
					first.set(err)
					return
				}
				from := f.data + i*piece
				b := buf[:min(piece, f.size-from)]
				if err := f.readInto(b, from); err != nil {
					first.set(err)
					return
				}
				if bytes.IndexByte(b, '"') >= 0 {
					first.set(errQuotes)
					return
				}
				meter.Add(int64(len(b)) / scanShare)
				stats[i].lines = bytes.Count(b, []byte{'\n'})
				if j := bytes.LastIndexByte(b, '\n'); j >= 0 {
					stats[i].last = from + int64(j) + 1
				}
			}
		})
	}
	wg.Wait()
	if err := first.get(); err != nil {
		return nil, err
	}
	return f.chunksOf(stats)
}

func (f *File) chunksOf(stats []pieceStat) ([]chunk, error) {
	var chunks []chunk
	from, line := f.data, f.dataLine
	for i, s := range stats {
		to := s.last
		if i == len(stats)-1 && to != f.size {
			s.lines++ // the last line has no end
			to = f.size
		}
		if to == 0 {
			continue
		}
		if to-from > maxRow {
			return nil, f.tooLong(line)
		}
		// All line ends of this piece belong to rows that end in it.
		chunks = append(chunks, chunk{from: from, to: to, line: line, bound: s.lines})
		from, line = to, line+s.lines
	}
	f.markOpen(chunks)
	return chunks, nil
}

func (f *File) tooLong(line int) error {
	return &Error{f.Name, line, fmt.Sprintf("the row is longer than %d MiB: is a quote left open?", maxRow>>20)}
}

// markOpen notes whether the last row ends without a line end.
func (f *File) markOpen(chunks []chunk) {
	if len(chunks) == 0 {
		return
	}
	last := &chunks[len(chunks)-1]
	b, err := f.read(last.to-1, last.to)
	last.open = err == nil && b[0] != '\n'
}

// scanQuoted scans text with quotes, which may hold line ends, from front to back.
func (f *File) scanQuoted(ctx context.Context, piece int64) ([]chunk, error) {
	var chunks []chunk
	from, line := f.data, f.dataLine
	buf := make([]byte, 0, piece+1)
	for from < f.size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		want := min(piece, f.size-from)
		if int64(cap(buf)) <= want {
			if err := memory.Room(uint64(want)); err != nil {
				return nil, fmt.Errorf("%s: the row in line %d: %w", f.Name, line, err)
			}
			buf = make([]byte, want+1)
		}
		buf = buf[:want]
		if err := f.readInto(buf, from); err != nil {
			return nil, err
		}
		atEnd := from+want == f.size
		if atEnd {
			buf = append(buf, '\n')
		}
		s := scanRows(buf, f.Delim)
		switch {
		case atEnd && s.openAt >= 0 && bytes.IndexByte(buf[s.openAt:want], '\n') >= 0:
			return nil, &Error{f.Name, line + bytes.Count(buf[:s.openAt], []byte{'\n'}),
				"a quote that opens here never closes"}
		case atEnd:
			lines := bytes.Count(buf, []byte{'\n'})
			chunks = append(chunks, chunk{from: from, to: f.size, line: line, bound: lines})
			f.markOpen(chunks)
			return chunks, nil
		case s.end == 0:
			if piece *= 2; piece > maxRow {
				return nil, f.tooLong(line)
			}
			continue
		}
		chunks = append(chunks, chunk{from: from, to: from + int64(s.end), line: line, bound: s.lines})
		from, line = from+int64(s.end), line+s.lines
		progress.From(ctx).Add(int64(s.end) / scanShare)
	}
	f.markOpen(chunks)
	return chunks, nil
}

// rowScan is where the whole rows of a text end.
type rowScan struct {
	end    int // after the last whole row
	lines  int // line ends before end
	openAt int // the quote that is open at the end of the text, -1 if none is
}

// scanRows finds the end of the last whole row of buf, which begins with a row. It sees quotes exactly as nextCell
// does.
func scanRows(buf []byte, delim byte) rowScan {
	s := rowScan{openAt: -1}
	p := 0 // outside quotes
	for {
		i := bytes.IndexByte(buf[p:], '"')
		stop := len(buf)
		if i >= 0 {
			stop = p + i
		}
		if j := bytes.LastIndexByte(buf[p:stop], '\n'); j >= 0 {
			s.end = p + j + 1
		}
		if i < 0 {
			break
		}
		if !opensCell(buf, s.end, stop, delim) {
			p = stop + 1
			continue
		}
		q, closed := closeQuote(buf, stop+1)
		if !closed {
			s.openAt = stop
			break
		}
		p = q
	}
	s.lines = bytes.Count(buf[:s.end], []byte{'\n'})
	return s
}

// opensCell reports whether the quote at q begins a cell; the row it is in begins at row.
func opensCell(buf []byte, row, q int, delim byte) bool {
	if row < q && buf[row] == '#' {
		return false
	}
	k := q
	for k > row && buf[k-1] == ' ' && delim != ' ' {
		k--
	}
	return k == row || buf[k-1] == delim
}

func closeQuote(buf []byte, p int) (next int, ok bool) {
	for {
		i := bytes.IndexByte(buf[p:], '"')
		if i < 0 {
			return 0, false
		}
		p += i + 1
		if p == len(buf) {
			// The next byte may be a second quote: unknown.
			return 0, false
		}
		if buf[p] != '"' {
			return p, true
		}
		p++
	}
}

// errorOnce keeps one error of several goroutines.
type errorOnce struct {
	mu  sync.Mutex
	err error
	bad atomic.Bool
}

func (e *errorOnce) set(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
		e.bad.Store(true)
	}
}

func (e *errorOnce) get() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

func (e *errorOnce) failed() bool { return e.bad.Load() }
