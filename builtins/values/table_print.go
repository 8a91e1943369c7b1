package values

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/notation"
	"astrolabe/capture/formats"
	"astrolabe/plots/documents"
)

// Layout says how much room a printed table has. Zero fields are without limit.
type Layout struct {
	Width int // display cells
	Rows  int // rows shown before the middle is left out
}

// usualRows is how many rows are shown where nothing says how high the screen is.
const usualRows = 40

// around is what stands around the rows of a table on a screen: the head of three lines, two lines about what is hidden, and the prompts.
const around = 7

// onScreen is what print and the session use: it never floods the screen.
func onScreen(width, height int) Layout {
	l := Layout{Width: width, Rows: usualRows}
	if height > 0 {
		l.Rows = max(height-around, 6)
	}
	return l
}

// String shows head and tail with the hidden count, and the units in a row of their own.
func (t *Table) String() string {
	if t.env == nil {
		return t.Format(onScreen(0, 0))
	}
	return t.Format(onScreen(t.env.Width, t.env.Height))
}

// Format lays the table out as text. What a limited width costs is told in a line below it; see fit.
func (t *Table) Format(l Layout) string {
	shown, head := t.ends(l.Rows)
	hidden := t.rows - len(shown)
	units := t.hasUnits()
	cells := make([][]string, len(t.columns))
	numeric := make([]bool, len(t.columns))
	for k, c := range t.columns {
		cells[k], numeric[k] = formatColumn(c.cells, shown), isNumeric(c.cells)
	}
	fit := t.fitting(cells, l.Width)
	var b strings.Builder
	line := func(cell func(k int) string) {
		var row []string
		var width []int
		var right []bool
		for k := range t.columns {
			if fit.shown[k] {
				row = append(row, shortened(cell(k), fit.width[k], fit.tail[k]))
				width = append(width, fit.width[k])
				right = append(right, numeric[k])
			}
		}
		b.WriteString(notation.Row(row, width, right) + "\n")
	}
	line(func(k int) string { return notation.VisibleLine(t.columns[k].name) })
	if units {
		line(func(k int) string { return notation.VisibleLine(t.columns[k].unit) })
	}
	line(func(k int) string { return strings.Repeat("─", fit.width[k]) })
	for i := range shown {
		if i == head && hidden > 0 {
			fmt.Fprintf(&b, "… %d more %s\n", hidden, notation.Plural(hidden, "row"))
		}
		line(func(k int) string { return cells[k][i] })
	}
	if rest := fit.rest(); rest != "" {
		b.WriteString(rest + "\n")
	}
	if t.rows == 0 {
		b.WriteString("(no rows)\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// ends are the rows of which at most so many are shown, those of the end behind the first head ones; 0 is all.
func (t *Table) ends(most int) (shown []int, head int) {
	head, tail := t.rows, 0
	if most > 0 && t.rows > most {
		tail = most / 2
		head = most - tail
	}
	for i := range head {
		shown = append(shown, i)
	}
	for i := t.rows - tail; i < t.rows; i++ {
		shown = append(shown, i)
	}
	return shown, head
}

// hasUnits reports whether a column has a unit.
func (t *Table) hasUnits() bool {
	return slices.ContainsFunc(t.columns, func(c column) bool { return c.unit != "" })
}

func namesThat(names []string, k int) string {
	s := strings.Join(names[:min(k, len(names))], ", ")
	if len(names) > k {
		s += ", …"
	}
	return s
}

// formatColumn writes the shown cells of a column. Numbers of one column that are of like size get the same number of
// decimals, enough for four figures of the largest; otherwise each gets four figures of its own.
func formatColumn(cells []starlark.Value, shown []int) []string {
	largest, least := 0.0, math.Inf(1)
	for _, i := range shown {
		if f, ok := cells[i].(starlark.Float); ok && f != 0 && !math.IsInf(float64(f), 0) {
			a := math.Abs(float64(f))
			largest, least = max(largest, a), min(least, a)
		}
	}
	alike := largest <= 1e3*least
	out := make([]string, len(shown))
	for k, i := range shown {
		size := largest
		if f, ok := cells[i].(starlark.Float); ok && !alike {
			size = math.Abs(float64(f))
		}
		out[k] = formatCell(cells[i], decimalsFor(size))
	}
	return out
}

// decimalsFor is how many decimals show four figures of a number of that size.
func decimalsFor(size float64) int {
	if size == 0 || math.IsInf(size, 0) {
		return 0
	}
	return min(max(3-int(math.Floor(math.Log10(size))), 0), 9)
}

func formatCell(v starlark.Value, decimals int) string {
	switch v := v.(type) {
	case starlark.NoneType:
		return "-"
	case starlark.Bool:
		if v {
			return "yes"
		}
		return "no"
	case starlark.Float:
		f := float64(v)
		a := math.Abs(f)
		if a >= 1e15 || (a > 0 && a < 0.5*math.Pow10(-decimals)) || math.IsInf(f, 0) {
			return strconv.FormatFloat(f, 'g', 4, 64)
		}
		return strconv.FormatFloat(f, 'f', decimals, 64)
	case starlark.String:
		return notation.VisibleLine(string(v))
	}
	return notation.VisibleLine(v.String())
}

// isNumeric reports whether a column holds numbers, which stand to the right.
func isNumeric(cells []starlark.Value) bool {
	some := false
	for _, v := range cells {
		switch v.(type) {
		case starlark.Int, starlark.Float:
			some = true
		case starlark.NoneType:
		default:
			return false
		}
	}
	return some
}

// Markdown writes the whole table as Markdown.
func (t *Table) Markdown() string {
	all := make([]int, t.rows)
	for i := range all {
		all[i] = i
	}
	var b strings.Builder
	line := func(cell func(k int) string) {
		b.WriteString("|")
		for k := range t.columns {
			b.WriteString(" " + cell(k) + " |")
		}
		b.WriteString("\n")
	}
	line(func(k int) string {
		if u := t.columns[k].unit; u != "" {
			return documents.MarkdownCell(t.columns[k].name + " (" + u + ")")
		}
		return documents.MarkdownCell(t.columns[k].name)
	})
	line(func(k int) string {
		if isNumeric(t.columns[k].cells) {
			return "---:"
		}
		return "---"
	})
	cells := make([][]string, len(t.columns))
	for k, c := range t.columns {
		cells[k] = formatColumn(c.cells, all)
	}
	for i := range all {
		line(func(k int) string { return documents.MarkdownCell(cells[k][i]) })
	}
	return b.String()
}

// CSV writes the whole table as comma-separated values; a missing cell is empty. Texts that a spreadsheet would take
// for formulas are marked, see formats.MarkText.
func (t *Table) CSV() string {
	var b strings.Builder
	field := func(s string) string {
		s = formats.MarkText(s)
		if strings.ContainsAny(s, ",\"\r\n") {
			return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
		return s
	}
	for k, c := range t.columns {
		if k > 0 {
			b.WriteString(",")
		}
		b.WriteString(field(c.name))
	}
	b.WriteString("\n")
	for i := range t.rows {
		for k, c := range t.columns {
			if k > 0 {
				b.WriteString(",")
			}
			switch v := c.cells[i].(type) {
			case starlark.NoneType:
			case starlark.String:
				b.WriteString(field(string(v)))
			case starlark.Float:
				b.WriteString(strconv.FormatFloat(float64(v), 'g', -1, 64))
			case starlark.Int, starlark.Bool:
				b.WriteString(v.String())
			default:
				b.WriteString(field(v.String()))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
