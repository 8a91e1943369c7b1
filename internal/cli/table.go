package cli

import (
	"encoding/json"
	"strings"

	"astrolabe/builtins/notation"
)

// textTable sets rows in columns. Nothing is cut: a long cell makes its column wide.
type textTable struct {
	header []string
	right  []bool // numbers
	rows   [][]string
}

func (t *textTable) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *textTable) String() string {
	width := make([]int, len(t.header))
	all := make([][]string, 0, 1+len(t.rows))
	for _, row := range append([][]string{t.header}, t.rows...) {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = notation.VisibleLine(c)
		}
		all = append(all, cells)
	}
	for _, row := range all {
		for i, c := range row {
			width[i] = max(width[i], notation.TextCells(c))
		}
	}
	var out strings.Builder
	for _, row := range all {
		var line strings.Builder
		for i, c := range row {
			pad := strings.Repeat(" ", width[i]-notation.TextCells(c))
			if i < len(t.right) && t.right[i] {
				line.WriteString(pad + c)
			} else {
				line.WriteString(c + pad)
			}
			line.WriteString("  ")
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return out.String()
}

// printJSON writes v as indented JSON, a result for programs.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return written(enc.Encode(v))
}

// orEmpty makes a list that JSON writes as [], not null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
