package delimited

import (
	"bytes"
	"fmt"

	"astrolabe/capture/memory"
)

// beyond is how much is read behind a loose chunk for the row that it ends in, at first.
const beyond = 4 << 10

// slack is how much of a buffer is there behind its text, so that text can be looked at in pieces.
const slack = 64

// take reads the text of a chunk. Of a loose one it finds where the rows begin and end; it is errQuotes where there are
// quotes, and no text where no row begins in it.
func (p *parser) take(ch *chunk) ([]byte, error) {
	if !ch.loose {
		text, err := p.text(ch.from, ch.to)
		if err == nil && ch.open {
			text = append(text, '\n')
		}
		return text, err
	}
	f, lo := p.f, ch.from
	if lo > f.data {
		lo-- // this byte says whether a row begins at from
	}
	hi := min(ch.to+beyond, f.size)
	text, err := p.text(lo, hi)
	if err != nil {
		return nil, err
	}
	from := 0
	if lo < ch.from {
		from = bytes.IndexByte(text, '\n') + 1
		if from == 0 || lo+int64(from) >= ch.to {
			ch.from = ch.to
			return nil, nil
		}
	}
	ends := int(ch.to-lo) - 1 // from here on a line end is that of the last row
	last := max(bytes.LastIndexByte(text[:ends], '\n')+1, from)
	to := bytes.IndexByte(text[ends:], '\n')
	for to < 0 && hi < f.size {
		if len(text)-last > maxRow {
			return nil, f.tooLong(bytes.Count(text[from:last], []byte{'\n'}))
		}
		ends = len(text)
		hi = min(hi+int64(len(text)), f.size)
		if text, err = p.text(lo, hi); err != nil {
			return nil, err
		}
		to = bytes.IndexByte(text[ends:], '\n')
	}
	if to < 0 {
		ch.open = true
		to, text = len(text), append(text, '\n')
	} else {
		to += ends + 1
	}
	if to-last > maxRow {
		return nil, f.tooLong(bytes.Count(text[from:last], []byte{'\n'}))
	}
	ch.from, ch.to = lo+int64(from), lo+int64(to)
	if ch.open {
		to++
	}
	text = text[from:to]
	if bytes.IndexByte(text, '"') >= 0 {
		return nil, errQuotes
	}
	return text, nil
}

// text reads bytes [from, to) into the parser's buffer, with room behind them.
func (p *parser) text(from, to int64) ([]byte, error) {
	n := int(to - from)
	if cap(p.buf) < n+1+slack {
		size := n + n/8 + 1 + slack
		if size > maxPiece {
			if err := memory.Room(uint64(size)); err != nil {
				return nil, fmt.Errorf("%s: %d bytes of rows: %w", p.f.Name, n, err)
			}
		}
		p.buf = make([]byte, size)
	}
	return p.buf[:n], p.f.readInto(p.buf[:n], from)
}
