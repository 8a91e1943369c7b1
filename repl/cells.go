package repl

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"astrolabe/builtins/notation"
)

// Runes that stand for line ends and tabs of an entry while it is being edited, and for the second cell of a wide
// character. They are Unicode noncharacters, which no text contains.
const (
	pasteNewline = '\uFDD0'
	pasteTab     = '\uFDD1'
	secondCell   = '\U0001FFFE'
)

// Runes of a private plane that stand for what is no single rune of one cell.
const (
	firstStandIn = '\U00100000'
	lastStandIn  = '\U0010FFFD'
)

// cells translates between the text of an entry and the line that readline edits. Readline moves the cursor by one cell
// for a rune and knows few wide characters, so in its line every rune takes one cell: a character with its combining
// marks is one rune, and one that takes two cells is followed by a filler.
type cells struct {
	mu     sync.Mutex
	text   []string // of the runes from firstStandIn on
	wide   []bool
	runeOf map[string]rune
}

// standIn is the rune for a character that needs one. Where all are taken the character stands for itself.
func (c *cells) standIn(text string, wide bool) (r rune, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.runeOf[text]; ok {
		return r, true
	}
	if len(c.text) > lastStandIn-firstStandIn {
		return 0, false
	}
	if c.runeOf == nil {
		c.runeOf = map[string]rune{}
	}
	r = firstStandIn + rune(len(c.text))
	c.text, c.wide, c.runeOf[text] = append(c.text, text), append(c.wide, wide), r
	return r, true
}

// lookup is the text that a rune of the edited line stands for.
func (c *cells) lookup(r rune) (text string, wide, ok bool) {
	if r < firstStandIn || r > lastStandIn {
		return "", false, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	i := int(r - firstStandIn)
	if i >= len(c.text) {
		return "", false, false
	}
	return c.text[i], c.wide[i], true
}

func (c *cells) isWide(r rune) bool {
	_, wide, _ := c.lookup(r)
	return wide
}

// noncharacter reports whether no text contains r, so that the editor may use it.
func noncharacter(r rune) bool { return r >= 0xfdd0 && r <= 0xfdef || r&0xfffe == 0xfffe }

// single reports whether readline and the terminal agree that r takes one cell.
func single(r rune) bool {
	return r < firstStandIn && notation.RuneCells(r) == 1 &&
		(r < 0x300 || !unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana))
}

// appendCharacter appends one character, with its combining marks, to an edited line.
func (c *cells) appendCharacter(line []rune, char string) []rune {
	runes := []rune(char)
	switch {
	case len(runes) == 1 && noncharacter(runes[0]):
		return line
	case len(runes) == 1 && single(runes[0]):
		return append(line, runes[0])
	}
	wide := notation.TextCells(char) > 1
	r, ok := c.standIn(char, wide)
	switch {
	case !ok:
		return append(line, runes...)
	case wide:
		return append(line, r, secondCell)
	}
	return append(line, r)
}

// toEdit is the line in which readline edits a text.
func (c *cells) toEdit(text string) []rune {
	if strings.IndexFunc(text, func(r rune) bool { return r < 0x20 || r > 0x7e }) < 0 {
		return []rune(text)
	}
	line := make([]rune, 0, len(text))
	runes := []rune(text)
	for i := 0; i < len(runes); {
		switch runes[i] {
		case '\n':
			line, i = append(line, pasteNewline), i+1
			continue
		case '\t':
			line, i = append(line, pasteTab), i+1
			continue
		}
		end := i + 1
		for end < len(runes) && runes[i] >= 0x20 && joins(runes[end]) {
			end++
		}
		line, i = c.appendCharacter(line, string(runes[i:end])), end
	}
	return line
}

// joins reports whether r is drawn in the cell of the character before it.
func joins(r rune) bool { return r >= 0x300 && notation.RuneCells(r) == 0 }

// fromEdit is the text of an edited line.
func (c *cells) fromEdit(line []rune) string {
	var out strings.Builder
	for _, r := range line {
		switch r {
		case pasteNewline, rowEnd:
			out.WriteByte('\n')
		case pasteTab:
			out.WriteByte('\t')
		case secondCell, rowFiller, rowDot:
		default:
			if text, _, ok := c.lookup(r); ok {
				out.WriteString(text)
			} else {
				out.WriteRune(r)
			}
		}
	}
	return out.String()
}

// Keys after which a lone half of a wide character means that the user took the other half away.
const (
	keyBackspace = 127
	keyCtrlH     = 8
	keyForward   = 6
)

// mend makes the line whole after a key: half a wide character goes where its other half was deleted, a combining mark
// joins the character before it, and the cursor does not stand inside a character. changed is false where the line was
// whole.
func (c *cells) mend(line []rune, pos int, key rune) (out []rune, at int, changed bool) {
	at = pos
	if !slices.ContainsFunc(line, func(r rune) bool { return r == secondCell || joins(r) || c.isWide(r) }) {
		return line, pos, false
	}
	resize := func(i, by int) { // by runes more, or fewer, than the line had at i
		changed = true
		if i < pos {
			at += by
		}
	}
	for i := 0; i < len(line); i++ {
		r := line[i]
		switch {
		case r == secondCell: // without its character, or it would have been taken with it
			resize(i, -1)
		case c.isWide(r) && i+1 < len(line) && line[i+1] == secondCell:
			out = append(out, r, secondCell)
			i++
		case c.isWide(r) && key == r && i == pos-1: // typed just now: its filler follows
			out = append(out, r)
		case c.isWide(r) && (key == keyBackspace || key == keyCtrlH):
			resize(i, -1)
		case c.isWide(r):
			out = append(out, r, secondCell)
			resize(i, 1)
		case joins(r):
			n := len(out)
			out = c.join(out, r)
			resize(i, len(out)-n-1)
		default:
			out = append(out, r)
		}
	}
	at = min(max(at, 0), len(out))
	if at > 0 && at < len(out) && out[at] == secondCell {
		changed = true
		if key == keyForward {
			at++
		} else {
			at--
		}
	}
	return out, at, changed
}

// join adds a combining mark to the last character of a line.
func (c *cells) join(line []rune, mark rune) []rune {
	n := len(line)
	if n > 0 && line[n-1] == secondCell {
		n--
	}
	if n == 0 || line[n-1] == pasteNewline || line[n-1] == pasteTab {
		return c.appendCharacter(line, string(mark))
	}
	last := line[n-1]
	text, _, ok := c.lookup(last)
	if !ok {
		text = string(last)
	}
	return c.appendCharacter(line[:n-1], text+string(mark))
}

// paint shows the runes of an edited line as what they stand for. It changes no number of cells.
func (c *cells) paint(out string) string {
	if strings.IndexFunc(out, func(r rune) bool { return r >= 0xfdd0 }) < 0 {
		return out
	}
	var b strings.Builder
	for _, r := range out {
		switch r {
		case pasteNewline:
			b.WriteRune('⏎')
		case pasteTab, rowEnd, rowFiller:
			b.WriteByte(' ')
		case rowDot:
			b.WriteByte('.')
		case secondCell:
		default:
			text, _, ok := c.lookup(r)
			if !ok {
				b.WriteRune(r)
				continue
			}
			if joins([]rune(text)[0]) { // a mark with nothing under it
				b.WriteRune('◌')
			}
			b.WriteString(text)
		}
	}
	return b.String()
}

// painter draws the edited line for readline. A wide character that the edge of the screen would cut in two, and which
// the terminal would move to the next line, is drawn as a sign of one cell.
type painter struct {
	cells *cells
	width func() int
	e     *readlineEditor // colours and suggests; nil does neither
}

func (p painter) Paint(line []rune, pos int) []rune {
	width := p.width()
	out := make([]rune, len(line))
	copy(out, line)
	for i, r := range line {
		if (len(prompt)+i+1)%width == 0 && p.cells.isWide(r) && i+1 < len(line) {
			out[i], out[i+1] = '‥', ' '
		}
	}
	if p.e == nil || p.e.searches.Load() {
		return out
	}
	if p.e.look.colors.Load() && len(line) <= maxStyled {
		out = styled(out, stylesOf(line))
	}
	if pos != len(line) || len(line) > maxStyled {
		return out
	}
	// Behind the line, in what is left of its row, so that the way back is known.
	room := width - (len(prompt)+len(line))%width - 1
	hint := p.cells.shownOf(p.e.suggestion(line), room)
	if len(hint) == 0 || (len(prompt)+len(line))%width == 0 {
		return out
	}
	out = append(append(append(out, []rune(hintStyle.on())...), hint...), []rune(styleOff)...)
	return append(out, []rune(strings.Repeat("\b", len(hint)))...)
}

// paintedOutput is the terminal as readline writes to it.
type paintedOutput struct {
	w     interface{ WriteString(string) (int, error) }
	cells *cells
}

func (p paintedOutput) Write(b []byte) (int, error) {
	if _, err := p.w.WriteString(p.cells.paint(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}
