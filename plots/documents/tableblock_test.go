package documents

import (
	"strings"
	"testing"

	"astrolabe/plots/canvas"
)

func TestColumnsOfATableAreAsWideAsSavesLines(t *testing.T) {
	th := canvas.Light()
	tb := Table{Columns: []Column{{Name: "metric"}, {Name: "total"}, {Name: "why"}}}
	for range 20 {
		tb.Rows = append(tb.Rows, []string{"GPU busy", "31 %",
			strings.Repeat("was not collected, because another counter took its place ", 3)})
	}
	tb.Rows[3][0] = "a metric with a name that is somewhat longer than all the others here"
	tb.Rows[5][1] = "1.5 instructions for each cycle that it worked"
	cols := stretch(measureColumns(th, tb, 1200), 1200)
	sum := 0.0
	for _, c := range cols {
		sum += c.w
	}
	s := canvas.Regular.Of(th.Text)
	lines := 0
	for _, row := range tb.Rows {
		n := 1
		for k, c := range cols {
			n = max(n, len(s.Wrap(row[k], c.w-2*cellPad(th)+0.01)))
		}
		lines += n
	}
	if sum > 1200.5 || lines > 60 {
		t.Errorf("columns of %.0f in all, %d lines for 20 rows", sum, lines)
	}
}
