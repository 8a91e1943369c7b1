package values

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/notation"
)

// fit is how a table is set into a width. People look at tables for their numbers, so that text gives way first: it is
// shortened, then dropped, except for the first column, which says what a row is about, and the unit, without which a
// number says little. Numbers are never cut; a column of them is dropped last, and first one that says the same in
// every row.
type fit struct {
	t       *Table
	natural []int     // width of each column
	numbers []int     // width of the cells alone of a column of numbers, 0 of text
	shown   []bool    // whether a column is there
	width   []int     // that it gets
	tail    []float64 // part of a shortened text that is its end
}

// The least widths to which columns are shortened before others are dropped.
const (
	longFirst   = 40 // before numbers that are all the same are dropped
	leastFirst  = 24 // before other numbers are
	leastText   = 12
	leastUnit   = 8
	leastHeader = 14 // of the name above numbers
)

// pageWidth is what a table may take where nothing limits it: a page of logs. More columns than that are for .csv.
const pageWidth = 400

// fitting sets the columns into width cells; 0 is without limit.
func (t *Table) fitting(cells [][]string, width int) *fit {
	f := &fit{t: t}
	for k, c := range t.columns {
		widest := 0
		for _, s := range cells[k] {
			widest = max(widest, notation.TextCells(s))
		}
		f.natural = append(f.natural, max(widest, notation.TextCells(c.name), notation.TextCells(c.unit)))
		f.shown = append(f.shown, true)
		if !isNumeric(c.cells) {
			widest = 0
		}
		f.numbers = append(f.numbers, widest)
	}
	f.width = slices.Clone(f.natural)
	cut := width > 0
	if !cut {
		width = pageWidth
	}
	if cut {
		f.shorten(width, func(k int) int {
			switch {
			case f.isNumbers(k):
				return f.natural[k]
			case k == 0:
				return distinct(cells[k], longFirst, f.natural[k])
			case f.isUnit(k):
				return distinct(cells[k], leastUnit, f.natural[k])
			}
			return leastText
		})
	}
	f.drop(width, func(k int) bool { return k > 0 && !f.isNumbers(k) && !f.isUnit(k) })
	f.drop(width, func(k int) bool { return k > 0 && f.isNumbers(k) && t.same(k) && f.hasOtherNumbers(k) })
	if cut {
		f.shorten(width, func(k int) int {
			switch {
			case f.isNumbers(k):
				return max(f.numbers[k], min(f.natural[k], leastHeader))
			case k == 0:
				return distinct(cells[k], leastFirst, f.natural[k])
			}
			return distinct(cells[k], leastUnit, f.natural[k])
		})
	}
	first := slices.IndexFunc(f.numbers, func(n int) bool { return n > 0 })
	f.drop(width, func(k int) bool { return k > 0 && f.isNumbers(k) && k != first })
	f.drop(width, func(k int) bool { return k > 0 && !f.isNumbers(k) })
	if cut {
		f.shorten(width, func(k int) int { return max(f.numbers[k], 1) })
	}
	f.drop(width, func(k int) bool { return k > 0 })
	if cut {
		f.widen(width)
	}
	for k := range t.columns {
		part := 0.0
		switch {
		case f.isNumbers(k):
			part = tails[0]
		case k == 0 || f.isUnit(k):
			part, _ = tail(cells[k], f.width[k])
		}
		f.tail = append(f.tail, part)
	}
	return f
}

func (f *fit) isNumbers(k int) bool { return f.numbers[k] > 0 }
func (f *fit) isUnit(k int) bool    { return f.t.columns[k].name == "unit" }

// hasOtherNumbers reports whether a column of numbers other than k is there.
func (f *fit) hasOtherNumbers(k int) bool {
	for i, n := range f.numbers {
		if i != k && n > 0 && f.shown[i] {
			return true
		}
	}
	return false
}

// over is how many cells more than width the table takes.
func (f *fit) over(width int) int {
	used := -2
	for k, w := range f.width {
		if f.shown[k] {
			used += w + 2
		}
	}
	return used - width
}

// shorten takes cells from the widest columns, down to their least widths, until the table fits.
func (f *fit) shorten(width int, least func(k int) int) {
	for over := f.over(width); over > 0; over = f.over(width) {
		widest, next := -1, 0
		for k := range f.width {
			if f.shown[k] && f.width[k] > min(least(k), f.natural[k]) && (widest < 0 || f.width[k] > f.width[widest]) {
				widest = k
			}
		}
		if widest < 0 {
			return
		}
		for k := range f.width {
			if f.shown[k] && f.width[k] < f.width[widest] {
				next = max(next, f.width[k])
			}
		}
		f.width[widest] = max(f.width[widest]-over, min(next, f.width[widest]-1), least(widest))
	}
}

// drop leaves out columns from the right until the table fits.
func (f *fit) drop(width int, may func(k int) bool) {
	for k := len(f.shown) - 1; k >= 0 && f.over(width) > 0; k-- {
		if f.shown[k] && may(k) {
			f.shown[k] = false
		}
	}
}

// widen gives back what is left over, from the left.
func (f *fit) widen(width int) {
	for k := range f.width {
		if left := -f.over(width); f.shown[k] && left > 0 {
			f.width[k] = min(f.natural[k], f.width[k]+left)
		}
	}
}

// same reports whether a column says the same in every row.
func (t *Table) same(k int) bool {
	cells := t.columns[k].cells
	if len(cells) < 2 {
		return false
	}
	for _, v := range cells[1:] {
		if eq, err := starlark.Equal(v, cells[0]); !eq || err != nil {
			return false
		}
	}
	return true
}

// rest says what the width has cost, "" where nothing.
func (f *fit) rest() string {
	var dropped, short []string
	name := func(c column) string { return shortened(notation.VisibleLine(c.name), longFirst, tails[0]) }
	for k, c := range f.t.columns {
		switch {
		case !f.shown[k] && f.isNumbers(k) && f.t.same(k):
			dropped = append(dropped, fmt.Sprintf("%s (%s throughout)", name(c), formatCell(c.cells[0], 4)))
		case !f.shown[k]:
			dropped = append(dropped, name(c))
		case f.width[k] < f.natural[k]:
			short = append(short, name(c))
		}
	}
	text := ""
	if n := len(dropped); n > 0 {
		text = fmt.Sprintf("… %d more %s: %s", n, notation.Plural(n, "column"), namesThat(dropped, 8))
	}
	if len(short) > 0 {
		if text != "" {
			text += "; "
		} else {
			text = "… "
		}
		text += "shortened: " + namesThat(short, 8)
	}
	if text != "" {
		text += "; t.text(400) has all"
	}
	return text
}

// tails are the parts of a shortened name that may be its end, the best first.
var tails = []float64{0.5, 0.65, 0.35, 0.8, 0}

// tail is the part that tells the texts of a column apart in that width, and whether there is one.
func tail(cells []string, width int) (part float64, ok bool) {
	seen := make(map[string]string, len(cells))
	for _, part := range tails {
		clear(seen)
		clash := false
		for _, s := range cells {
			short := shortened(s, width, part)
			if other, ok := seen[short]; ok && other != s {
				clash = true
				break
			}
			seen[short] = s
		}
		if !clash {
			return part, true
		}
	}
	return tails[0], false
}

// distinct is the least width, from least on, to which different texts can be shortened and stay different.
func distinct(cells []string, least, natural int) int {
	for w := min(least, natural); w < natural; w++ {
		if _, ok := tail(cells, w); ok {
			return w
		}
	}
	return natural
}

// shortened is a text in at most that many cells. The part tail of them is kept for its end, because the names of
// counters begin alike.
func shortened(s string, cells int, tail float64) string {
	if notation.TextCells(s) <= cells {
		return s
	}
	if cells <= 1 {
		return strings.Repeat("…", cells)
	}
	end := int(float64(cells-1) * tail)
	runes := []rune(s)
	from, used := len(runes), 0
	for from > 0 && used+notation.RuneCells(runes[from-1]) <= end {
		from--
		used += notation.RuneCells(runes[from])
	}
	for from < len(runes) && notation.RuneCells(runes[from]) == 0 { // a mark whose letter is not there
		from++
	}
	to, room := 0, cells-1-used
	for to < from && notation.RuneCells(runes[to]) <= room {
		room -= notation.RuneCells(runes[to])
		to++
	}
	return string(runes[:to]) + "…" + string(runes[from:])
}
