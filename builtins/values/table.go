package values

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
)

// column is one column of a table. Cells are str, int, float, bool or None.
type column struct {
	name  string
	unit  string
	cells []starlark.Value
}

// Table is rows and named columns, for printing and for reports.
type Table struct {
	env     *binding.Env
	columns []column
	rows    int
}

var (
	_ starlark.HasAttrs = (*Table)(nil)
	_ starlark.Mapping  = (*Table)(nil)
	_ starlark.Sequence = (*Table)(nil)
	_ json.Marshaler    = (*Table)(nil)
)

// NewTable makes an empty table with the given columns; units may be shorter than names.
func NewTable(env *binding.Env, names []string, units []string) *Table {
	t := &Table{env: env}
	for i, n := range names {
		c := column{name: n}
		if i < len(units) {
			c.unit = units[i]
		}
		t.columns = append(t.columns, c)
	}
	return t
}

// Append adds a row with one cell per column; it may only be called while nobody else has the table.
func (t *Table) Append(row ...starlark.Value) { t.append(row) }

func (t *Table) append(row []starlark.Value) {
	for i := range t.columns {
		var v starlark.Value = starlark.None
		if i < len(row) && row[i] != nil {
			v = row[i]
		}
		t.columns[i].cells = append(t.columns[i].cells, v)
	}
	t.rows++
}

func (t *Table) Type() string          { return "Table" }
func (t *Table) Freeze()               {}
func (t *Table) Truth() starlark.Bool  { return t.rows > 0 }
func (t *Table) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: Table") }
func (t *Table) Len() int              { return t.rows }
func (t *Table) AttrNames() []string   { return tableTable.AttrNames() }

func (t *Table) Attr(name string) (starlark.Value, error) { return tableTable.Attr(t.env, t, name) }

// Get returns a column by name, or a row by index.
func (t *Table) Get(k starlark.Value) (starlark.Value, bool, error) {
	switch k := k.(type) {
	case starlark.String:
		i, err := t.find(string(k))
		if err != nil {
			return nil, false, err
		}
		return binding.FrozenList(slices.Clone(t.columns[i].cells)), true, nil
	case starlark.Int:
		i, err := starlark.AsInt32(k)
		if err == nil && i < 0 {
			i += t.rows
		}
		if err != nil || i < 0 || i >= t.rows {
			return nil, false, fmt.Errorf("row %s is out of range: the table has %d", k, t.rows)
		}
		return &Row{t, i}, true, nil
	}
	return nil, false, fmt.Errorf("Table index: got %s, want the name of a column or the number of a row", k.Type())
}

func (t *Table) names() []string {
	out := make([]string, len(t.columns))
	for i, c := range t.columns {
		out[i] = c.name
	}
	return out
}

func (t *Table) find(name string) (int, error) {
	for i, c := range t.columns {
		if c.name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no column is called %q%s: there are %s", name, binding.DidYouMean(name, t.names()),
		strings.Join(t.names(), ", "))
}

func (t *Table) Iterate() starlark.Iterator { return &rowIterator{t: t} }

type rowIterator struct {
	t *Table
	i int
}

func (it *rowIterator) Next(p *starlark.Value) bool {
	if it.i >= it.t.rows {
		return false
	}
	*p = &Row{it.t, it.i}
	it.i++
	return true
}

func (it *rowIterator) Done() {}

// pick returns the table of the given rows.
func (t *Table) pick(rows []int) *Table {
	out := &Table{env: t.env, rows: len(rows)}
	for _, c := range t.columns {
		cells := make([]starlark.Value, len(rows))
		for k, i := range rows {
			cells[k] = c.cells[i]
		}
		out.columns = append(out.columns, column{c.name, c.unit, cells})
	}
	return out
}

// span returns rows [i, j).
func (t *Table) span(i, j int) *Table {
	rows := make([]int, 0, j-i)
	for ; i < j; i++ {
		rows = append(rows, i)
	}
	return t.pick(rows)
}

// sorted orders the rows by one column; None comes last either way, and equal rows keep their order.
func (t *Table) sorted(by string, reverse bool) (*Table, error) {
	k, err := t.find(by)
	if err != nil {
		return nil, err
	}
	rows := make([]int, t.rows)
	for i := range rows {
		rows[i] = i
	}
	cells := t.columns[k].cells
	var bad error
	slices.SortStableFunc(rows, func(i, j int) int {
		a, b := cells[i], cells[j]
		switch {
		case a == starlark.None && b == starlark.None:
			return 0
		case a == starlark.None:
			return 1
		case b == starlark.None:
			return -1
		}
		c, err := compareCells(a, b)
		if err != nil {
			bad = err
		}
		if reverse {
			return -c
		}
		return c
	})
	if bad != nil {
		return nil, bad
	}
	return t.pick(rows), nil
}

func compareCells(a, b starlark.Value) (int, error) {
	fa, na := starlark.AsFloat(a)
	fb, nb := starlark.AsFloat(b)
	if na && nb {
		switch {
		case fa < fb:
			return -1, nil
		case fa > fb:
			return 1, nil
		}
		return 0, nil
	}
	sa, ta := starlark.AsString(a)
	sb, tb := starlark.AsString(b)
	if ta && tb {
		return strings.Compare(sa, sb), nil
	}
	return 0, fmt.Errorf("cannot sort a column that mixes %s and %s", a.Type(), b.Type())
}

// asCell checks that a value can stand in a table.
func asCell(v starlark.Value) (starlark.Value, error) {
	switch v := v.(type) {
	case starlark.NoneType, starlark.String, starlark.Int, starlark.Bool:
		return v, nil
	case starlark.Float:
		return binding.Float(float64(v)), nil
	}
	return starlark.String(v.String()), nil
}

// MarshalJSON writes a list of objects, one per row.
func (t *Table) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteString("[")
	for i := range t.rows {
		if i > 0 {
			b.WriteString(",")
		}
		row, err := (&Row{t, i}).MarshalJSON()
		if err != nil {
			return nil, err
		}
		b.Write(row)
	}
	b.WriteString("]")
	return []byte(b.String()), nil
}

// Row is one row of a table.
type Row struct {
	t *Table
	i int
}

var (
	_ starlark.HasAttrs        = (*Row)(nil)
	_ starlark.IterableMapping = (*Row)(nil)
	_ json.Marshaler           = (*Row)(nil)
)

func (r *Row) String() string {
	var parts []string
	for _, c := range r.t.columns {
		parts = append(parts, notation.VisibleLine(c.name+"="+c.cells[r.i].String()))
	}
	return "Row(" + strings.Join(parts, ", ") + ")"
}
func (r *Row) Type() string          { return "Row" }
func (r *Row) Freeze()               {}
func (r *Row) Truth() starlark.Bool  { return true }
func (r *Row) Hash() (uint32, error) { return 0, errors.New("unhashable: Row") }
func (r *Row) AttrNames() []string   { return slices.Sorted(slices.Values(r.t.names())) }

// Attr returns a cell by the name of its column.
func (r *Row) Attr(name string) (starlark.Value, error) {
	for _, c := range r.t.columns {
		if c.name == name {
			return c.cells[r.i], nil
		}
	}
	return nil, nil
}

func (r *Row) Get(k starlark.Value) (starlark.Value, bool, error) {
	name, ok := k.(starlark.String)
	if !ok {
		return nil, false, fmt.Errorf("Row index: got %s, want the name of a column", k.Type())
	}
	i, err := r.t.find(string(name))
	if err != nil {
		return nil, false, err
	}
	return r.t.columns[i].cells[r.i], true, nil
}

func (r *Row) Items() []starlark.Tuple {
	out := make([]starlark.Tuple, len(r.t.columns))
	for i, c := range r.t.columns {
		out[i] = starlark.Tuple{starlark.String(c.name), c.cells[r.i]}
	}
	return out
}

func (r *Row) Iterate() starlark.Iterator { return binding.StringList(r.t.names()).Iterate() }

// MarshalJSON writes an object with the columns in order.
func (r *Row) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteString("{")
	for k, c := range r.t.columns {
		if k > 0 {
			b.WriteString(",")
		}
		name, _ := json.Marshal(c.name)
		b.Write(name)
		b.WriteString(":")
		cell, err := json.Marshal(goCell(c.cells[r.i]))
		if err != nil {
			return nil, fmt.Errorf("column %s, row %d: %w", c.name, r.i, err)
		}
		b.Write(cell)
	}
	b.WriteString("}")
	return []byte(b.String()), nil
}

// goCell is a cell as encoding/json takes it.
func goCell(v starlark.Value) any {
	switch v := v.(type) {
	case starlark.NoneType:
		return nil
	case starlark.Bool:
		return bool(v)
	case starlark.Int:
		return v.BigInt()
	case starlark.Float:
		return jsonFloat(float64(v))
	case starlark.String:
		return string(v)
	}
	return v.String()
}

// jsonFloat is a double for JSON, which has no infinities: they become text.
func jsonFloat(f float64) any {
	switch {
	case math.IsNaN(f):
		return nil
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return f
}
