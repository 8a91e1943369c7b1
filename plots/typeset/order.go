package typeset

import (
	"unicode/utf8"

	"github.com/go-text/typesetting/segmenter"
)

// Marks that say in which direction a line runs that has been cut from a longer text. They take no room.
const (
	fromLeft  = "\u200e"
	fromRight = "\u200f"
)

// Direction is how a paragraph runs: RTL where its first strong letter does. ordered is false where every line of it
// can be drawn from left to right as it stands.
func Direction(text string) (rtl, ordered bool) {
	if !RightToLeft(text) {
		return false, false
	}
	_, base := levels([]rune(text), byItself)
	return base == 1, true
}

// Mark begins a line of a paragraph that runs in a direction, so that the line keeps it by itself.
func Mark(rtl bool) string {
	if rtl {
		return fromRight
	}
	return fromLeft
}

// Piece is part of a line that consists of several: bytes From to To of the text of the piece with the Index.
type Piece struct {
	Index, From, To int
	RTL             bool
}

// Order gives the parts of a line from left to right, where the line consists of pieces in typefaces. A part runs in
// one direction.
func (s *Setter) Order(own []int, pieces []string, rtl bool) []Piece {
	s.mu.Lock()
	defer s.mu.Unlock()
	var text []rune
	var index, offset []int // of each character: its piece, and its place there in bytes
	for k, p := range pieces {
		at := 0
		for _, c := range s.clusters(own[k], []rune(p)) {
			for _, r := range c.runes {
				index, offset = append(index, k), append(offset, at)
				at += utf8.RuneLen(r)
				if c.missing {
					r = 'x' // written as a code point, from left to right
				}
				text = append(text, r)
			}
		}
	}
	base := int8(0)
	if rtl {
		base = 1
	}
	list, _ := levels(text, base)
	var parts []Piece
	var lv []int8
	for i := range text {
		end := len(pieces[index[i]])
		if i+1 < len(text) && index[i+1] == index[i] {
			end = offset[i+1]
		}
		if n := len(parts); n > 0 && parts[n-1].Index == index[i] && lv[n-1] == list[i] {
			parts[n-1].To = end
			continue
		}
		parts = append(parts, Piece{index[i], offset[i], end, list[i]%2 == 1})
		lv = append(lv, list[i])
	}
	out := make([]Piece, 0, len(parts))
	for _, k := range visual(lv) {
		out = append(out, parts[k])
	}
	return out
}

// Breaks lists the places in bytes at which a text may be divided: between characters as readers see them, and, of
// these, where a line may end (UAX #14). Both end with the length of the text.
func Breaks(text string) (characters, lines []int) {
	var seg segmenter.Segmenter
	seg.Init([]rune(text))
	at := 0
	for it := seg.GraphemeIterator(); it.Next(); {
		at += len(string(it.Grapheme().Text))
		characters = append(characters, at)
	}
	at = 0
	for it := seg.LineIterator(); it.Next(); {
		at += len(string(it.Line().Text))
		lines = append(lines, at)
	}
	return characters, lines
}
