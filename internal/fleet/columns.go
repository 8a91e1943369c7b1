package fleet

import (
	"cmp"
	"math/big"
	"slices"

	"astrolabe/capture/formats/parquet"
)

// Columns learns which columns rows have, and of what type: from any order of captures what the order of the captures
// would have given.
type Columns struct{ byKey map[string]*column }

type column struct {
	key     string
	capture int // the first one that has it
	place   int // among those that are new with it
	kinds   map[Kind]bool
	size    intSize // of the largest integer
}

type intSize uint8

const (
	int64Size intSize = iota
	decimalSize
	anySize
)

// Add learns from the rows of the capture of that number.
func (c *Columns) Add(capture int, rows []Row) {
	if c.byKey == nil {
		c.byKey = map[string]*column{}
	}
	place := 0
	for _, row := range rows {
		for _, cell := range row {
			col := c.byKey[cell.Key]
			if col == nil {
				col = &column{key: cell.Key, capture: capture, place: place, kinds: map[Kind]bool{}}
				c.byKey[cell.Key] = col
			} else if capture < col.capture {
				col.capture, col.place = capture, place
			}
			place++
			col.kinds[cell.Kind] = true
			if cell.Kind == Int {
				col.size = max(col.size, sizeOf(cell.Text))
			}
		}
	}
}

func sizeOf(text string) intSize {
	if len(text) < 19 {
		return int64Size // the usual case, without an allocation
	}
	v, ok := new(big.Int).SetString(text, 10)
	switch {
	case ok && v.IsInt64():
		return int64Size
	case ok && parquet.FitsDecimal(v):
		return decimalSize
	}
	return anySize
}

// List lists the columns in the order in which the rows have them.
func (c *Columns) List() []parquet.Column {
	cols := make([]*column, 0, len(c.byKey))
	for _, col := range c.byKey {
		cols = append(cols, col)
	}
	slices.SortFunc(cols, func(a, b *column) int {
		return cmp.Or(cmp.Compare(a.capture, b.capture), cmp.Compare(a.place, b.place), cmp.Compare(a.key, b.key))
	})
	out := make([]parquet.Column, len(cols))
	for i, col := range cols {
		out[i] = parquet.Column{Name: col.key, Type: col.typ()}
	}
	return out
}

// typ is the narrowest type that holds all values.
func (c *column) typ() parquet.Type {
	only := func(kinds ...Kind) bool {
		seen := false
		for k := range c.kinds {
			if k != Null && !slices.Contains(kinds, k) {
				return false
			}
			seen = seen || k != Null
		}
		return seen
	}
	switch {
	case only(Bool):
		return parquet.Bool
	case only(Int) && c.size == int64Size:
		return parquet.Int
	case only(Int) && c.size == decimalSize:
		return parquet.Decimal
	case only(Int):
		return parquet.Text
	case only(Int, Float):
		return parquet.Double
	}
	return parquet.Text
}
