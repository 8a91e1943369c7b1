package repl

import (
	"io"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// A whole paste reaches readline as one rune of this range, and its text takes the place of the rune in one step:
// readline draws the line anew for each rune, so that a long paste would take quadratic time.
const (
	firstPaste = '\uFDD2'
	lastPaste  = '\uFDEF'
)

// pastes holds the texts of the runes from firstPaste to lastPaste, used in turn.
type pastes struct {
	mu   sync.Mutex
	next int
	text [lastPaste - firstPaste + 1][]rune
}

// put stores a text and returns its rune.
func (p *pastes) put(text []rune) rune {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := p.next
	p.next = (i + 1) % len(p.text)
	p.text[i] = text
	return firstPaste + rune(i)
}

// expand replaces the runes of pastes in a line by their texts, and moves the cursor with them. ok is false where there
// are none.
func (p *pastes) expand(line []rune, pos int) (out []rune, at int, ok bool) {
	at = pos
	for i, r := range line {
		if r < firstPaste || r > lastPaste {
			out = append(out, r)
			continue
		}
		p.mu.Lock()
		text := p.text[r-firstPaste]
		p.text[r-firstPaste] = nil
		p.mu.Unlock()
		ok = true
		out = append(out, text...)
		if i < pos {
			at += len(text) - 1
		}
	}
	return out, at, ok
}

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

const ctrlC = 3

// keys maps the escape sequences that readline does not know, or gets wrong, to what it does know.
var keys = map[string]string{
	"\x1b[1~": "\x01", "\x1b[7~": "\x01", "\x1b[1;5H": "\x01", // Home: start of line
	"\x1b[4~": "\x05", "\x1b[8~": "\x05", "\x1b[1;5F": "\x05", // End: end of line
	"\x1b[1;5D": "\x1bb", "\x1b[1;3D": "\x1bb", "\x1b[5D": "\x1bb", "\x1bOd": "\x1bb", // Ctrl- and Alt-Left
	"\x1b[1;5C": "\x1bf", "\x1b[1;3C": "\x1bf", "\x1b[5C": "\x1bf", "\x1bOc": "\x1bf", // Ctrl- and Alt-Right
	"\x1b[3;5~": "\x1bd", "\x1b[3;3~": "\x1bd", // Ctrl- and Alt-Delete
	"\x1b[A": "\x10", "\x1b[B": "\x0e", "\x1bOA": "\x10", "\x1bOB": "\x0e", // Up, Down
	"\x1b[C": "\x06", "\x1b[D": "\x02", "\x1bOC": "\x06", "\x1bOD": "\x02", // Right, Left
	"\x1b[H": "\x01", "\x1b[F": "\x05", "\x1bOH": "\x01", "\x1bOF": "\x05",
	"\x1bb": "\x1bb", "\x1bf": "\x1bf", "\x1bd": "\x1bd", "\x1b\x7f": "\x1b\x7f",
}

// deleteKey takes what is under the cursor. Readline takes it for Ctrl-D, which leaves the session on an empty line,
// so that the filter drops it there.
const deleteKey = "\x1b[3~"

// inputFilter stands between the terminal and readline. It makes a bracketed paste one entry, translates the key
// sequences that readline does not know, and drops control characters that would end up in the line (readline takes
// a NUL for the end of the input).
type inputFilter struct {
	r      io.Reader
	empty  *atomic.Bool // whether the line being edited is empty; nil means never
	pastes *pastes
	cells  *cells

	state   filterState
	seq     []byte // an escape sequence not yet complete
	char    []byte // a character not yet complete
	text    []byte // the paste so far
	cr      bool   // its last byte was CR, so that a LF is part of the same line end
	pending []byte // output not yet delivered
	buf     [512]byte
	err     error
}

type filterState uint8

const (
	plainState filterState = iota
	escState               // seq holds ESC and perhaps more
	pasteState             // inside a paste
)

// maxSeq is longer than any key sequence of a terminal: what does not end by then is dropped.
const maxSeq = 32

func (f *inputFilter) Read(p []byte) (int, error) {
	for len(f.pending) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		n, err := f.r.Read(f.buf[:])
		for _, c := range f.buf[:n] {
			f.feed(c)
		}
		f.err = err
	}
	n := copy(p, f.pending)
	f.pending = f.pending[:copy(f.pending, f.pending[n:])]
	return n, nil
}

// feed takes one byte of input.
func (f *inputFilter) feed(c byte) {
	switch f.state {
	case plainState:
		if c >= 0x80 {
			f.part(c)
			return
		}
		f.broken()
		switch {
		case c == 0x1b:
			f.state, f.seq = escState, append(f.seq[:0], c)
		case c >= 0x20 || usefulControl(c):
			f.pending = append(f.pending, c)
		}
	case escState:
		if c == 0x1b { // a lone Escape before a new sequence
			f.seq = append(f.seq[:0], c)
			return
		}
		f.seq = append(f.seq, c)
		if !sequenceEnds(f.seq) && len(f.seq) < maxSeq {
			return
		}
		f.state = plainState
		f.key(string(f.seq))
	case pasteState:
		f.paste(c)
	}
}

// part takes one byte of a character that is not ASCII.
func (f *inputFilter) part(c byte) {
	if utf8.RuneStart(c) {
		f.broken()
	}
	f.char = append(f.char, c)
	if !utf8.FullRune(f.char) {
		return
	}
	r, n := utf8.DecodeRune(f.char)
	switch {
	case r == utf8.RuneError && n == 1:
		f.broken()
		return
	case joins(r): // joins the character before it in the line
		f.pending = utf8.AppendRune(f.pending, r)
	default:
		f.pending = append(f.pending, string(f.cells.appendCharacter(nil, string(r)))...)
	}
	f.char = f.char[:0]
}

// broken passes on bytes that are no character as the sign for that.
func (f *inputFilter) broken() {
	if len(f.char) > 0 {
		f.pending = utf8.AppendRune(f.pending, utf8.RuneError)
		f.char = f.char[:0]
	}
}

// sequenceEnds reports whether seq, which begins with ESC, is a whole key sequence.
func sequenceEnds(seq []byte) bool {
	last := seq[len(seq)-1]
	switch {
	case len(seq) < 2:
		return false
	case seq[1] == '[':
		return len(seq) > 2 && last >= 0x40 && last <= 0x7e
	case seq[1] == 'O':
		return len(seq) > 2
	default:
		return true
	}
}

// key passes on what one key sequence means; unknown ones are dropped.
func (f *inputFilter) key(seq string) {
	switch {
	case seq == pasteStart:
		f.state, f.seq, f.text, f.cr = pasteState, f.seq[:0], nil, false
	case seq == deleteKey:
		if f.empty == nil || !f.empty.Load() {
			f.pending = append(f.pending, seq...)
		}
	case keys[seq] != "":
		f.pending = append(f.pending, keys[seq]...)
	case len(seq) == 2: // a lone Escape, then an ordinary key
		f.feed(seq[1])
	}
}

// paste takes one byte inside a paste.
func (f *inputFilter) paste(c byte) {
	if c == ctrlC { // no text holds one: the end of the paste was lost, and the user wants out
		f.state, f.text = plainState, nil
		f.pending = append(f.pending, c)
		return
	}
	f.seq = append(f.seq, c)
	if string(f.seq) == pasteEnd {
		f.state = plainState
		if len(f.text) > 0 {
			f.pending = utf8.AppendRune(f.pending, f.pastes.put(f.cells.toEdit(string(f.text))))
		}
		f.text = nil
		return
	}
	for len(f.seq) > 0 && (len(f.seq) > len(pasteEnd) || string(f.seq) != pasteEnd[:len(f.seq)]) {
		f.pasted(f.seq[0])
		f.seq = append(f.seq[:0], f.seq[1:]...)
	}
}

// pasted keeps one byte of pasted text. What is longer than an entry may be is not kept; the entry is then refused.
func (f *inputFilter) pasted(c byte) {
	wasCR := f.cr
	f.cr = c == '\r'
	switch {
	case len(f.text) > maxEntry || c == '\n' && wasCR:
	case c == '\n' || c == '\r':
		f.text = append(f.text, '\n')
	case c == '\t' || c >= 0x20 && c != 0x7f:
		f.text = append(f.text, c)
	}
}

// usefulControl reports whether readline does something with this control character.
func usefulControl(c byte) bool {
	switch c {
	case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 19, 20, 21, 23, 25, 26:
		return true
	}
	return false
}
