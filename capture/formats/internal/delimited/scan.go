package delimited

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// chunk is a run of whole rows. A loose one says where its rows begin, and parse where they end.
type chunk struct {
	from, to int64
	loose    bool // the first row is the first that begins at from or behind it, and the last the last that begins before to
	open     bool // its last row ends without a line end
	// After reading:
	line   int // of its first byte
	lines  int
	base   int // index of its first row in the table
	rows   int
	cut    *Error // about an unfinished last row
	packed capture.Packed
	cols   []chunkCol
}

// Sizes of the pieces of a file that the cores work on. One of them and what is made of it lie in a core's second cache;
// wide rows come several at a time all the same, or there would be nothing to pack together.
const (
	minPiece  = 64 << 10
	maxPiece  = 256 << 10
	wideRows  = 8
	widePiece = 64 << 20
)

// scanShare says which part of the work with a byte is to scan it, as one in so many, where there are quotes; the rest is
// to read its number.
const scanShare = 8

// pieceSize is how much of the file is read at a time.
func (f *File) pieceSize(workers int) int64 {
	if f.piece > 0 {
		return f.piece
	}
	wide := min(wideRows*f.data, widePiece) // rows are about as long as the header
	return max(min((f.size-f.data)/int64(4*workers), max(maxPiece, wide)), minPiece)
}

// pieces divides the data into loose chunks.
func (f *File) pieces(size int64) []chunk {
	chunks := make([]chunk, 0, (f.size-f.data+size-1)/size)
	for from := f.data; from < f.size; from += size {
		chunks = append(chunks, chunk{from: from, to: min(from+size, f.size), loose: true})
	}
	return chunks
}

// errQuotes says that a loose chunk has quotes, so that a line end may be one in a cell.
var errQuotes = errors.New("the text has quotes")

func (f *File) tooLong(line int) *Error {
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

// scanQuoted divides text with quotes, which may hold line ends, from front to back. A row begins at from, in line. Before a fault of the text
// it returns what can be divided: a row there may have a fault of its own, which then is the first.
func (f *File) scanQuoted(ctx context.Context, from int64, line int, piece int64) ([]chunk, error) {
	var chunks []chunk
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
			if s.end > 0 {
				chunks = append(chunks, chunk{from: from, to: from + int64(s.end)})
			}
			return chunks, &Error{f.Name, line + bytes.Count(buf[:s.openAt], []byte{'\n'}),
				"a quote that opens here never closes"}
		case atEnd:
			chunks = append(chunks, chunk{from: from, to: f.size})
			f.markOpen(chunks)
			return chunks, nil
		case s.end == 0:
			if piece *= 2; piece > maxRow {
				return chunks, f.tooLong(line)
			}
			continue
		}
		chunks = append(chunks, chunk{from: from, to: from + int64(s.end)})
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
