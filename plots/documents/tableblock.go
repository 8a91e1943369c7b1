package documents

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

// maxCellLines bounds a cell; what does not fit shows an ellipsis.
const maxCellLines = 24

// MaxPageRows is the most rows of a table in a picture: a line below it counts the rest. The written forms have all.
const MaxPageRows = 500

// tableChunks lays a table out, one chunk per row, the header repeated on every page. Columns that do not fit side by
// side are continued in a further table that repeats the first column.
func tableChunks(t *canvas.Theme, tb Table, width, pageH float64) []*chunk {
	var out []*chunk
	if tb.Title != "" {
		ts := canvas.Bold.Of(t.Title)
		for i, l := range ts.Lines(tb.Title, width, charts.MaxTitleLines) {
			c := &chunk{h: ts.Leading(), keep: true, draw: func(sc *canvas.Scene, x, y, w float64) {
				sc.TextAt(x, y+ts.Ascent(), canvas.Left, ts, t.Ink, l)
			}}
			if i == 0 {
				c.space = t.Text * 1.4
			}
			out = append(out, c)
		}
	}
	hidden := len(tb.Rows) - MaxPageRows
	if hidden > 0 {
		tb.Rows = tb.Rows[:MaxPageRows]
	}
	cols := measureColumns(t, tb, width)
	if len(cols) == 0 {
		s := canvas.Regular.Of(t.Text)
		return append(out, &chunk{h: s.Leading(), space: t.Text * 0.5, draw: func(sc *canvas.Scene, x, y, w float64) {
			sc.TextAt(x, y+s.Ascent(), canvas.Left, s, t.Muted, "the table has no columns")
		}})
	}
	parts := partition(cols, width)
	for i, part := range parts {
		note := ""
		if len(parts) > 1 {
			note = fmt.Sprintf("columns %d to %d of %d", part[min(1, len(part)-1)].index+1, part[len(part)-1].index+1,
				len(tb.Columns))
			if i == 0 {
				note = fmt.Sprintf("columns 1 to %d of %d", part[len(part)-1].index+1, len(tb.Columns))
			}
		}
		out = append(out, tablePart(t, tb, stretch(part, width), note, width, pageH)...)
	}
	if hidden > 0 {
		s := canvas.Regular.Of(t.Text)
		text := s.Fit(charts.Grouped(hidden)+
			" more rows are not in the picture; the report as .md, .html or .json has them", width)
		out = append(out, &chunk{h: s.Leading(), space: t.Text * 0.4, draw: func(sc *canvas.Scene, x, y, w float64) {
			sc.TextAt(x, y+s.Ascent(), canvas.Left, s, t.Muted, text)
		}})
	}
	return out
}

// tableColumn is a column with its place.
type tableColumn struct {
	index   int
	right   bool
	natural float64   // width of its widest cell, with the space at its sides
	inner   float64   // the same without it
	least   float64   // width to which it may shrink by wrapping
	cells   []float64 // width of each cell in one line
	x, w    float64
}

func cellPad(t *canvas.Theme) float64 { return t.Text * 0.5 }

func measureColumns(t *canvas.Theme, tb Table, width float64) []tableColumn {
	s, hs, us := canvas.Regular.Of(t.Text), canvas.Bold.Of(t.Text), canvas.Regular.Of(t.Small)
	var out []tableColumn
	for j, c := range tb.Columns {
		col := tableColumn{index: j, right: c.Align == AlignRight}
		numeric, any := true, false
		col.cells = make([]float64, len(tb.Rows))
		for i, row := range tb.Rows {
			if j >= len(row) {
				continue
			}
			for _, line := range strings.Split(row[j], "\n") {
				col.cells[i] = max(col.cells[i], s.Width(canvas.Printable(line)))
			}
			col.natural = max(col.natural, col.cells[i])
			if row[j] != "" && !isMissing(row[j]) {
				any = true
				numeric = numeric && isNumber(row[j])
			}
		}
		if c.Align == AlignAuto {
			col.right = numeric && any
		}
		cells := col.natural
		col.natural = max(col.natural, hs.Width(canvas.Printable(c.Name)), us.Width(canvas.Printable(c.Unit)))
		col.least = min(col.natural, t.Text*7)
		if numeric && any {
			// A number is never broken, and a unit not without need.
			col.least = min(col.natural, max(cells, t.Text*4, min(us.Width(canvas.Printable(c.Unit)), t.Text*10)))
		}
		col.inner = col.natural
		col.natural += 2 * cellPad(t)
		col.least = min(col.least+2*cellPad(t), width)
		out = append(out, col)
	}
	return out
}

// isMissing reports whether a cell stands for a missing value.
func isMissing(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "", "-", "–", "—", "none", "missing", "nan", "n/a":
		return true
	}
	return false
}

// isNumber reports whether a cell begins with a number and has little more than its unit behind it.
func isNumber(s string) bool {
	s = strings.TrimSpace(s)
	if i := strings.IndexByte(s, ' '); i > 0 && len(s)-i <= 9 {
		s = s[:i]
	}
	s = strings.NewReplacer(",", "", "−", "-", "%", "", "+", "").Replace(s)
	s = strings.TrimRight(s, "kMGTPEmµunpKi")
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// partition divides columns into groups that fit beside each other; later groups repeat the first column.
func partition(cols []tableColumn, width float64) [][]tableColumn {
	sum := 0.0
	for _, c := range cols {
		sum += c.least
	}
	if sum <= width || len(cols) == 1 {
		return [][]tableColumn{cols}
	}
	var out [][]tableColumn
	first := cols[0]
	first.least = min(first.least, width/3)
	first.natural = min(first.natural, width/3)
	part, used := []tableColumn{first}, first.least
	for _, c := range cols[1:] {
		if used+c.least > width && len(part) > 1 {
			out = append(out, part)
			part, used = []tableColumn{first}, first.least
		}
		c.least = min(c.least, width-first.least)
		part = append(part, c)
		used += c.least
	}
	return append(out, part)
}

// stretch gives every column its width and place. Columns take their natural width where there is room; else some of
// them wrap: of several ways to divide the width the one with the fewest lines is taken.
func stretch(cols []tableColumn, width float64) []tableColumn {
	cols = append([]tableColumn(nil), cols...)
	total := func(of func(c *tableColumn) float64) float64 {
		sum := 0.0
		for i := range cols {
			sum += of(&cols[i])
		}
		return sum
	}
	natural := func(c *tableColumn) float64 { return max(c.least, c.natural) }
	best, extra := natural, 0.0
	if sum := total(natural); sum < width { // a little air between columns, but no gulfs
		extra = min((width-sum)/float64(len(cols)), 60)
	} else {
		fewest := math.Inf(1)
		for _, way := range waysToShrink(cols, width) {
			if n := linesOf(cols, way); n < fewest {
				best, fewest = way, n
			}
		}
	}
	x := 0.0
	for i := range cols {
		c := &cols[i]
		c.x, c.w = x, best(c)+extra
		x += c.w
	}
	return cols
}

// waysToShrink are widths for the columns of a table that is wider than the page: the widest cut to one width; each in
// proportion; and the widest cut to one width but for a single column, which keeps its own.
func waysToShrink(cols []tableColumn, width float64) []func(c *tableColumn) float64 {
	solve := func(lo, hi float64, at func(v float64, c *tableColumn) float64) func(c *tableColumn) float64 {
		for range 40 { // the greatest value with which all columns fit
			sum, mid := 0.0, (lo+hi)/2
			for i := range cols {
				sum += at(mid, &cols[i])
			}
			if sum <= width {
				lo = mid
			} else {
				hi = mid
			}
		}
		return func(c *tableColumn) float64 { return at(lo, c) }
	}
	out := []func(c *tableColumn) float64{
		solve(0, width, func(limit float64, c *tableColumn) float64 { return max(c.least, min(c.natural, limit)) }),
		solve(0, 1, func(share float64, c *tableColumn) float64 { return max(c.least, c.natural*share) }),
	}
	for i := range cols {
		kept := cols[i].index
		sum := cols[i].natural - cols[i].least
		for k := range cols {
			sum += cols[k].least
		}
		if sum <= width {
			out = append(out, solve(0, width, func(limit float64, c *tableColumn) float64 {
				if c.index == kept {
					return max(c.least, c.natural)
				}
				return max(c.least, min(c.natural, limit))
			}))
		}
	}
	return out
}

// linesOf is about how many lines the rows of a table take with these widths.
func linesOf(cols []tableColumn, width func(c *tableColumn) float64) float64 {
	sum := 0.0
	for row := range cols[0].cells {
		most := 1.0
		for k := range cols {
			if c := &cols[k]; c.cells[row] > 0 {
				most = max(most, math.Ceil(c.cells[row]/max(width(c)-(c.natural-c.inner), 1)-1e-9))
			}
		}
		sum += most
	}
	return sum
}

// tablePart lays out one group of columns.
func tablePart(t *canvas.Theme, tb Table, cols []tableColumn, note string, width, pageH float64) []*chunk {
	total := cols[len(cols)-1].x + cols[len(cols)-1].w
	// Rows of a group repeat its head on every page that they reach.
	grp := &group{head: tableHead(t, tb, cols, total)}
	var out []*chunk
	if note != "" {
		ns := canvas.Regular.Of(t.Small)
		out = append(out, &chunk{h: ns.Leading(), space: t.Text * 0.7, keep: true,
			draw: func(sc *canvas.Scene, x, y, w float64) {
				sc.TextAt(x, y+ns.Ascent(), canvas.Left, ns, t.Muted, ns.Fit(note, w))
			}})
	}
	s := canvas.Regular.Of(t.Text)
	step := t.Text * 1.25
	if len(tb.Rows) == 0 {
		out = append(out, &chunk{h: step + t.Text*0.4, group: grp, space: t.Text * 0.6,
			draw: func(sc *canvas.Scene, x, y, w float64) {
				sc.TextAt(x+cellPad(t), y+t.Text*0.2+s.Ascent(), canvas.Left, s, t.Muted, "no rows")
			}})
	}
	// A row is not divided: with the head above it, it must fit a page.
	most := max(1, min(maxCellLines, int((pageH-grp.head.h-t.Text)/step)))
	for i, row := range tb.Rows {
		cells := make([][]string, len(cols))
		n := 1
		for k, c := range cols {
			if c.index < len(row) {
				cells[k] = s.Lines(row[c.index], c.w-2*cellPad(t)+0.01, most)
				n = max(n, len(cells[k]))
			}
		}
		h := float64(n)*step + t.Text*0.3
		// The first row takes the second along, so that no head stands above a single row at the foot of a page.
		ch := &chunk{h: h, group: grp, keep: i == 0 && len(tb.Rows) > 1, draw: func(sc *canvas.Scene, x, y, w float64) {
			if i%2 == 1 {
				sc.Fill(canvas.Box(x, y, total, h), t.Stripe)
			}
			for k, c := range cols {
				ink := t.Ink
				// A dash for what is missing is pale, so that it is not taken for a minus or a zero.
				if c.index < len(row) && isMissing(row[c.index]) {
					ink = t.Muted
				}
				cy := y + t.Text*0.15
				for _, line := range cells[k] {
					drawCell(sc, t, c, x, cy+s.Ascent()+t.Text*0.06, s, line, ink)
					cy += step
				}
			}
			sc.Hline(x, x+total, y+h, 1, t.Grid)
		}}
		if i == 0 {
			ch.space = t.Text * 0.6
		}
		out = append(out, ch)
	}
	return out
}

func drawCell(sc *canvas.Scene, t *canvas.Theme, c tableColumn, x, base float64, s canvas.Style, text string,
	ink color.NRGBA) {
	if c.right {
		sc.TextAt(x+c.x+c.w-cellPad(t), base, canvas.Right, s, ink, text)
	} else {
		sc.TextAt(x+c.x+cellPad(t), base, canvas.Left, s, ink, text)
	}
}

// tableHead is the header: names, and the units in a row of their own.
func tableHead(t *canvas.Theme, tb Table, cols []tableColumn, total float64) *chunk {
	hs, us := canvas.Bold.Of(t.Text), canvas.Regular.Of(t.Small)
	step := t.Text * 1.25
	names := make([][]string, len(cols))
	lines, units := 1, false
	for k, c := range cols {
		names[k] = hs.Lines(tb.Columns[c.index].Name, c.w-2*cellPad(t)+0.01, 4)
		lines = max(lines, len(names[k]))
		units = units || tb.Columns[c.index].Unit != ""
	}
	h := float64(lines)*step + t.Text*0.4
	if units {
		h += t.Small * 1.25
	}
	return &chunk{h: h, draw: func(sc *canvas.Scene, x, y, w float64) {
		sc.Fill(canvas.Box(x, y, total, h), t.Panel)
		for k, c := range cols {
			cy := y + t.Text*0.2 + float64(lines-len(names[k]))*step // names stand on one base
			for _, line := range names[k] {
				drawCell(sc, t, c, x, cy+hs.Ascent(), hs, line, t.Ink)
				cy += step
			}
			if unit := tb.Columns[c.index].Unit; unit != "" {
				drawCell(sc, t, c, x, cy+us.Ascent(), us, us.Fit(unit, c.w-2*cellPad(t)+0.01), t.Muted)
			}
		}
		sc.Hline(x, x+total, y+h, 1.5, t.Rule)
	}}
}
