package characters

import (
	"fmt"
	"math"
	"strings"

	"astrolabe/plots/charts"
)

// pairCells is the width of a number of a pair: "-0.93" and a space.
const pairCells = 6

// pairs writes the numbers of all pairs, a row for each name. Columns have the numbers of the names; those that find no
// room beside each other follow below.
func (d *drawing) pairs(o *charts.PairOutline) {
	n := len(o.Names)
	names := make([]string, n)
	for i, name := range o.Names {
		names[i] = fmt.Sprintf("%d %s", i+1, name)
	}
	beside := d.beside(names)
	each := max((d.width-beside-1)/pairCells, 1)
	for from := 0; from < n; from += each {
		to := min(from+each, n)
		if from > 0 {
			d.out.WriteByte('\n')
		}
		head := strings.Repeat(" ", beside+min(beside, 1))
		for j := from; j < to; j++ {
			head += padLeft(fmt.Sprint(j+1), pairCells-1) + " "
		}
		d.raw(head)
		for i := range n {
			row := d.label(-1, names[i], beside)
			for j := from; j < to; j++ {
				row += padLeft(d.pair(o.Of[i][j], i == j), pairCells-1) + " "
			}
			d.raw(row)
		}
	}
}

// pair is a number of a pair. A name and itself have 1.
func (d *drawing) pair(v float64, same bool) string {
	switch {
	case math.IsNaN(v):
		return d.style.Text("–")
	case same:
		return "1"
	}
	return d.style.Text(strings.Replace(fmt.Sprintf("%.2f", v), "-", "−", 1))
}
