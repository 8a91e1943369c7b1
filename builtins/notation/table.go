package notation

import "strings"

// TextTable sets rows in columns of terminal cells. Nothing is cut: a long cell makes its column wide. All text that
// stands in columns goes through it or, where who prints knows the widths, through Row or Pad.
type TextTable struct {
	Header []string // nil for none
	Right  []bool   // of columns of numbers; those that it lacks stand at the left
	Rows   [][]string
}

// Add adds a row. Characters that a terminal would obey are made visible.
func (t *TextTable) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

func (t *TextTable) String() string {
	var all [][]string
	var width []int
	for i, row := range append([][]string{t.Header}, t.Rows...) {
		if i == 0 && t.Header == nil {
			continue
		}
		cells := make([]string, len(row))
		for k, c := range row {
			cells[k] = VisibleLine(c)
			if k == len(width) {
				width = append(width, 0)
			}
			width[k] = max(width[k], TextCells(cells[k]))
		}
		all = append(all, cells)
	}
	var out strings.Builder
	for _, row := range all {
		out.WriteString(Row(row, width, t.Right) + "\n")
	}
	return out.String()
}

// Row is a line of cells, each padded to the width of its column in terminal cells, with two spaces between them and
// none at its end. What is wider than its column moves what follows, and is not cut.
func Row(cells []string, width []int, right []bool) string {
	var line strings.Builder
	for k, c := range cells {
		if k > 0 {
			line.WriteString("  ")
		}
		if k < len(right) && right[k] {
			line.WriteString(lack(c, width[k]) + c)
		} else {
			line.WriteString(Pad(c, width[k]))
		}
	}
	return strings.TrimRight(line.String(), " ")
}

// Pad is a text with as many spaces behind it as it takes to fill a width in terminal cells.
func Pad(s string, width int) string { return s + lack(s, width) }

// lack is the space that a text leaves of a width. A width below zero is none.
func lack(s string, width int) string { return strings.Repeat(" ", max(0, width-TextCells(s))) }
