package fleet

import (
	"encoding/csv"
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"strconv"
	"strings"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/parquet"
)

// The columns of a table of outcomes before those of the rows.
const (
	CaptureColumn = "capture"
	StatusColumn  = "status"
	ErrorColumn   = "error"
)

// Form is how a table of outcomes is written.
type Form string

// The forms.
const (
	CSVForm       Form = "csv"
	JSONLinesForm Form = "jsonl"
	ParquetForm   Form = "parquet"
)

// FormOf is the form of a file, by its ending.
func FormOf(path string) (Form, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".csv":
		return CSVForm, nil
	case ".jsonl", ".ndjson":
		return JSONLinesForm, nil
	case ".parquet", ".parq":
		return ParquetForm, nil
	default:
		return "", fmt.Errorf("%s: rows are written to .parquet, .csv or .jsonl", path)
	}
}

// Table writes outcomes as rows: those that a script returned, with the capture, the labels of its folders and the
// status before them, or one with the reason where there are none because something failed.
type Table struct {
	keys  []string // of labels
	cols  []parquet.Column
	index map[string]int // of a key, among all columns
	row   func(cells []Cell) error
	end   func() error
}

// NewTable begins a table in a form, with columns for labels with these keys and for what the rows have. JSON lines
// need no columns: an object has the keys of its row.
func NewTable(w io.Writer, form Form, keys []string, cols *Columns) (*Table, error) {
	return newTable(w, form, keys, Fixed(keys), cols)
}

// NewRowTable begins a table of rows that are of no capture, for AddRow.
func NewRowTable(w io.Writer, form Form, cols *Columns) (*Table, error) {
	return newTable(w, form, nil, nil, cols)
}

func newTable(w io.Writer, form Form, keys, fixed []string, cols *Columns) (*Table, error) {
	t := &Table{keys: keys, index: map[string]int{}, end: func() error { return nil }}
	for _, name := range fixed {
		t.cols = append(t.cols, parquet.Column{Name: name, Type: parquet.Text})
	}
	if form == JSONLinesForm {
		t.row = func(cells []Cell) error {
			_, err := w.Write(append(Row(cells).JSON(), '\n'))
			return err
		}
		return t, nil
	}
	t.cols = append(t.cols, cols.List()...)
	for i, c := range t.cols {
		t.index[c.Name] = i
	}
	if form == CSVForm {
		return t, t.csv(w)
	}
	return t, t.parquet(w)
}

// Fixed are the names of the columns that a table with these labels has of itself.
func Fixed(keys []string) []string {
	return append(append([]string{CaptureColumn}, keys...), StatusColumn, ErrorColumn)
}

func (t *Table) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	cells := make([]string, len(t.cols))
	for i, c := range t.cols {
		cells[i] = formats.MarkText(c.Name)
	}
	t.row = func(row []Cell) error {
		clear(cells)
		for _, c := range row {
			cells[t.index[c.Key]] = c.CSV()
		}
		return out.Write(cells)
	}
	t.end = func() error {
		out.Flush()
		return out.Error()
	}
	return out.Write(cells)
}

// CSV is the value as CSV shows it.
func (c Cell) CSV() string {
	if c.Number() {
		return c.Text
	}
	return formats.MarkText(c.Text)
}

func (t *Table) parquet(w io.Writer) error {
	out, err := parquet.NewRows(w, t.cols, nil)
	if err != nil {
		return err
	}
	values := make([]any, len(t.cols))
	t.row = func(row []Cell) error {
		clear(values)
		for _, c := range row {
			i := t.index[c.Key]
			v, err := c.as(t.cols[i].Type)
			if err != nil {
				return fmt.Errorf("column %s: %w", c.Key, err)
			}
			values[i] = v
		}
		return out.Add(values...)
	}
	t.end = out.Close
	return nil
}

// as is the value as a column of a type holds it.
func (c Cell) as(t parquet.Type) (any, error) {
	if c.Kind == Null || c.Kind == Float && c.Text == "" {
		return nil, nil
	}
	switch t {
	case parquet.Bool:
		return strconv.ParseBool(c.Text)
	case parquet.Int:
		return strconv.ParseInt(c.Text, 10, 64)
	case parquet.Double:
		v, err := strconv.ParseFloat(c.Text, 64)
		if c.Kind == Int {
			err = nil // what is larger than any number is infinite
		}
		return v, err
	case parquet.Decimal:
		v, ok := new(big.Int).SetString(c.Text, 10)
		if !ok {
			return nil, fmt.Errorf("%q is no integer", c.Text)
		}
		return v, nil
	}
	return c.Text, nil
}

// Add writes the rows of an outcome.
func (t *Table) Add(o *Outcome) error {
	head := []Cell{{CaptureColumn, Text, o.Capture}}
	labels := Labels(o.Capture)
	for _, key := range t.keys {
		cell := Cell{Key: key, Kind: Null}
		for _, l := range labels {
			if l.Key == key && !l.None {
				cell = Cell{key, Text, l.Value}
			}
		}
		head = append(head, cell)
	}
	why := Cell{Key: ErrorColumn, Kind: Null}
	if o.Status != OK {
		why = Cell{ErrorColumn, Text, o.Error}
	}
	head = append(head, Cell{StatusColumn, Text, string(o.Status)}, why)
	if o.Status != OK {
		return t.row(head)
	}
	for _, row := range o.Rows {
		if err := t.row(append(head[:len(head):len(head)], row...)); err != nil {
			return err
		}
	}
	return nil
}

// AddRow writes a row that is of no capture.
func (t *Table) AddRow(row Row) error { return t.row(row) }

// Close completes the table.
func (t *Table) Close() error { return t.end() }

// Taken is the key of a row that is the name of a column with another meaning; "" where there is none.
func Taken(rows []Row, names []string) string {
	for _, row := range rows {
		for _, c := range row {
			for _, n := range names {
				if c.Key == n {
					return n
				}
			}
		}
	}
	return ""
}
