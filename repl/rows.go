package repl

import "slices"

// rows shows an entry of several lines on rows of their own while it is edited. Readline knows one line and wraps it at
// the edge of the screen, so a line end is followed by as many fillers as the row has cells left, and by those of the
// next row's prompt. Fillers are no text: every key begins with the line as it is without them.
type rows struct {
	last []rune // the line as it was laid out last
}

// Runes of a line that is laid out: the line end, a cell that is empty, and a dot of the prompt of a further row. All
// are noncharacters.
const (
	rowEnd    = '\U0002FFFE'
	rowFiller = '\U0003FFFE'
	rowDot    = '\U0004FFFE'
)

func isFiller(r rune) bool { return r == rowFiller || r == rowDot }

// keyBackward is the key that moves the cursor to the left.
const keyBackward = 2

// plain is a line after a key without fillers, its line ends being pasteNewline again. A key that met a filler meant
// the line end before it.
func (l *rows) plain(line []rune, pos int, key rune) (out []rune, at int) {
	if !slices.ContainsFunc(line, func(r rune) bool { return r == rowEnd || isFiller(r) }) {
		return line, pos
	}
	out = make([]rune, 0, len(line))
	at = -1
	for i, r := range line {
		if i == pos {
			at = len(out)
		}
		switch {
		case isFiller(r):
		case r == rowEnd:
			out = append(out, pasteNewline)
		default:
			out = append(out, r)
		}
	}
	if at < 0 {
		at = len(out)
	}
	before := at > 0 && out[at-1] == pasteNewline
	switch {
	case (key == keyBackspace || key == keyCtrlH) && len(line) == len(l.last)-1 && pos < len(l.last) &&
		isFiller(l.last[pos]) && before:
		out, at = slices.Delete(out, at-1, at), at-1
	case key == keyBackward && pos < len(line) && isFiller(line[pos]) && before:
		at--
	}
	return out, at
}

// lay sets the lines of an entry on rows of a screen. One that would fill the screen stays on one line, in which its
// line ends show as signs: the terminal could not move the cursor to what has scrolled away.
func (l *rows) lay(line []rune, pos, width, height int) (out []rune, at int) {
	l.last = nil
	if !slices.Contains(line, pasteNewline) {
		return line, pos
	}
	at = pos
	for i, r := range line {
		if r != pasteNewline {
			out = append(out, r)
			continue
		}
		out = append(out, rowEnd)
		n := 0
		for ; (len(prompt)+len(out))%width != 0; n++ {
			out = append(out, rowFiller)
		}
		if width > 2*len(promptMore) {
			for _, c := range promptMore {
				n++
				if c == '.' {
					out = append(out, rowDot)
				} else {
					out = append(out, rowFiller)
				}
			}
		}
		if i < pos {
			at += n
		}
	}
	if (len(prompt)+len(out))/width >= height-1 {
		return line, pos
	}
	l.last = slices.Clone(out)
	return out, at
}
