package repl

import (
	"io"
	"sync/atomic"
	"unicode/utf8"
)

// Runes that stand for line ends and tabs inside a paste while it is being edited: readline would take the real ones
// for Enter and completion. They are Unicode noncharacters, which no text contains.
const (
	pasteNewline = '\uFDD0'
	pasteTab     = '\uFDD1'
)

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
	r     io.Reader
	empty *atomic.Bool // whether the line being edited is empty; nil means never

	state   filterState
	seq     []byte // an escape sequence not yet complete
	cr      bool   // the last byte of a paste was CR, so that a LF is part of the same line end
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
		f.state, f.seq, f.cr = pasteState, f.seq[:0], false
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
		f.state = plainState
		f.pending = append(f.pending, c)
		return
	}
	f.seq = append(f.seq, c)
	if string(f.seq) == pasteEnd {
		f.state = plainState
		return
	}
	for len(f.seq) > 0 && (len(f.seq) > len(pasteEnd) || string(f.seq) != pasteEnd[:len(f.seq)]) {
		f.pasted(f.seq[0])
		f.seq = append(f.seq[:0], f.seq[1:]...)
	}
}

// pasted passes on one byte of pasted text.
func (f *inputFilter) pasted(c byte) {
	wasCR := f.cr
	f.cr = c == '\r'
	switch {
	case c == '\n' && wasCR:
	case c == '\n' || c == '\r':
		f.pending = utf8.AppendRune(f.pending, pasteNewline)
	case c == '\t':
		f.pending = utf8.AppendRune(f.pending, pasteTab)
	case c >= 0x20 && c != 0x7f:
		f.pending = append(f.pending, c)
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

// toEdit and fromEdit convert between the text of an entry and what stands in the edited line.
func toEdit(text string) string { return mapRunes(text, '\n', pasteNewline, '\t', pasteTab) }

func fromEdit(line string) string { return mapRunes(line, pasteNewline, '\n', pasteTab, '\t') }

func mapRunes(s string, from1, to1, from2, to2 rune) string {
	out := []rune(s)
	for i, r := range out {
		switch r {
		case from1:
			out[i] = to1
		case from2:
			out[i] = to2
		}
	}
	return string(out)
}

// painter shows a line end inside an entry as a visible sign and a tab as a space. It must not change the number of
// cells.
type painter struct{}

func (painter) Paint(line []rune, _ int) []rune {
	out := make([]rune, len(line))
	for i, r := range line {
		switch r {
		case pasteNewline:
			r = '⏎'
		case pasteTab:
			r = ' '
		}
		out[i] = r
	}
	return out
}
