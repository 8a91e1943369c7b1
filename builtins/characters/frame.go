package characters

import (
	"math"
	"strings"

	"astrolabe/builtins/notation"
)

// cell is one cell of a frame: dots of a braille character, or a character.
type cell struct {
	dots rune // of a braille character, or of three heights in ASCII
	r    rune // another character; 0 is none
	slot int  // colour of the series, -1 is none
}

// frame is a field of cells in which data are drawn. Row 0 is at the top.
type frame struct {
	style Style
	w, h  int
	cells []cell
}

func newFrame(s Style, w, h int) *frame {
	f := &frame{style: s, w: w, h: h, cells: make([]cell, w*h)}
	for i := range f.cells {
		f.cells[i].slot = -1
	}
	return f
}

func (f *frame) at(x, y int) *cell { return &f.cells[y*f.w+x] }

// across and up are how many dots a cell has.
func (f *frame) across() int {
	if f.style.ASCII {
		return 1
	}
	return 2
}

func (f *frame) up() int {
	if f.style.ASCII {
		return 3
	}
	return 4
}

// place is the dot of n in which a share of a length lies; what is beyond an end is at that end.
func place(frac float64, n int) int {
	if !(frac > 0) {
		return 0
	}
	return min(int(frac*float64(n)), n-1)
}

// dots are the braille dots of a cell by column and by row from the foot.
var dots = [2][4]rune{{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}}

// dot sets the dot at x from the left and y from the foot.
func (f *frame) dot(x, y, slot int) {
	c := f.at(x/f.across(), f.h-1-y/f.up())
	if c.slot = slot; f.style.ASCII {
		c.dots |= 1 << (y % f.up())
	} else {
		c.dots |= dots[x%2][y%4]
	}
}

// fill puts a character into a cell that is empty.
func (f *frame) fill(x, y int, r rune) {
	if c := f.at(x, y); c.dots == 0 && c.r == 0 {
		c.r = r
	}
}

// put writes a character of a series over whatever a cell has.
func (f *frame) put(x, y int, r rune, slot int) { *f.at(x, y) = cell{r: r, slot: slot} }

// plainDots are what three dots above each other are in ASCII.
var plainDots = [8]rune{' ', '.', '-', '|', '\'', '|', '|', '|'}

// row writes a row in its colours, and spaces up to its width in none.
func (f *frame) row(y int) string {
	var out, run strings.Builder
	slot, end := -1, f.w
	for end > 0 && f.at(end-1, y).dots == 0 && f.at(end-1, y).r == 0 {
		end--
	}
	for x := range end {
		c := f.at(x, y)
		r := ' '
		switch {
		case c.r != 0:
			r = c.r
		case c.dots != 0 && f.style.ASCII:
			r = plainDots[c.dots]
		case c.dots != 0:
			r = 0x2800 + c.dots
		}
		if r != ' ' && c.slot != slot {
			out.WriteString(f.style.paint(slot, run.String()))
			run.Reset()
			slot = c.slot
		}
		run.WriteRune(r)
	}
	out.WriteString(f.style.paint(slot, run.String()))
	return out.String() + strings.Repeat(" ", f.w-end)
}

// rowAt is the row of a value's place on an axis.
func (f *frame) rowAt(frac float64) int { return f.h - 1 - place(frac, f.h) }

// column draws a block of a share of the height that stands on the foot. What is there at all has an eighth.
func (f *frame) column(x int, frac float64, slot int) {
	parts := 8
	if f.style.ASCII {
		parts = 3
	}
	n := max(1, int(math.Round(min(max(frac, 0), 1)*float64(f.h*parts))))
	for y := f.h - 1; n > 0; y, n = y-1, n-parts {
		f.put(x, y, f.block(min(n, parts)), slot)
	}
}

// block is a character of so many parts of a cell's height.
func (f *frame) block(n int) rune {
	if f.style.ASCII {
		return []rune(".:#")[n-1]
	}
	return levels[n-1]
}

// padLeft puts spaces before a text of the program.
func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-notation.TextCells(s))) + s
}
