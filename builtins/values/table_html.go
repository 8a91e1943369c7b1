package values

import (
	"fmt"
	"html"
	"strings"

	"astrolabe/builtins/notation"
)

// htmlColumns is how many columns of a table are shown on a page; what is left out is told.
const htmlColumns = 100

// HTML is the table for a page that shows HTML, such as a notebook: head and tail with the hidden count as it prints,
// the units in a row of their own. Nothing in a cell is obeyed.
func (t *Table) HTML() string {
	shown, head := t.ends(usualRows)
	columns := t.columns[:min(len(t.columns), htmlColumns)]
	var b strings.Builder
	row := func(tag string, cell func(k int) string) {
		b.WriteString("<tr>")
		for k, c := range columns {
			align := "left"
			if isNumeric(c.cells) {
				align = "right"
			}
			fmt.Fprintf(&b, "<%s style=\"text-align: %s\">%s</%s>", tag, align,
				html.EscapeString(notation.VisibleLine(cell(k))), tag)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("<table>\n<thead>\n")
	row("th", func(k int) string { return columns[k].name })
	if t.hasUnits() {
		row("th", func(k int) string { return columns[k].unit })
	}
	b.WriteString("</thead>\n<tbody>\n")
	cells := make([][]string, len(columns))
	for k, c := range columns {
		cells[k] = formatColumn(c.cells, shown)
	}
	for i := range shown {
		if hidden := t.rows - len(shown); i == head && hidden > 0 {
			fmt.Fprintf(&b, "<tr><td colspan=\"%d\" style=\"text-align: left\">… %d more %s</td></tr>\n", len(columns),
				hidden, notation.Plural(hidden, "row"))
		}
		row("td", func(k int) string { return cells[k][i] })
	}
	b.WriteString("</tbody>\n</table>\n")
	if rest := len(t.columns) - len(columns); rest > 0 {
		fmt.Fprintf(&b, "<p>… %d more %s: .columns lists them, .csv() has all</p>\n", rest, notation.Plural(rest, "column"))
	}
	if t.rows == 0 {
		b.WriteString("<p>(no rows)</p>\n")
	}
	return b.String()
}
