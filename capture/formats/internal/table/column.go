package table

import (
	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
)

// Type is what a column's values are.
type Type uint8

const (
	Number Type = iota
	Text
	Dates   // text whose first values are all dates
	Instant // points in time by their type, such as timestamps
	Nothing // no value at all
)

// Column is a column before its values are read.
type Column struct {
	Name string
	Type Type
	// Meta is what the file's own metadata says of the column, nil where it has none; its Name may be empty. Stated
	// tells that the Kind is among it.
	Meta   *capture.Meta
	Stated bool
	// Exact tells that Meta names the counter as it is, an instance of Counter where that is set; else the name of the
	// column is taken apart.
	Exact   bool
	Counter string
	// Peek looks at the first values of column i of the table, one of numbers that may be times. There is one for all
	// columns of a table, because there may be a million.
	Peek func(i int) Peek
}

// Peek is what the first values of a column show.
type Peek struct {
	Whole   bool    // there are some, all whole
	Largest float64 // the largest, 0 if none is above
}

// Values hands out the values of a table. Its errors name the file, and the row wherever one is to blame.
type Values interface {
	Name() string   // of the file
	Format() string // that reads it
	Rows() int
	// Times reads a column as nanoseconds; unit is what its numbers count.
	Times(col int, unit delimited.TimeUnit) ([]int64, error)
	// Texts reads a column as text. A code of -1 is no value.
	Texts(col int) (codes []int32, dict []string, err error)
	// Numbers reads a column of numbers, now or when it is first used.
	Numbers(col int) (Numbers, error)
	// Errorf is an error about a row, or about the header where row is -1.
	Errorf(row int, format string, args ...any) error
	// Where names a row for people, such as "in line 12".
	Where(row int) string
}

// Numbers is a column of numbers.
type Numbers struct {
	Col     *capture.Column
	Whole   bool   // doubles that are whole numbers by nature
	Missing string // how missing values are spelled; "" if there are none
}
