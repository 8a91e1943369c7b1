package values

import (
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
)

// TableOfColumns is table.new.
func TableOfColumns(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	t := &Table{env: e}
	for i, kv := range c.Arg("columns").(starlark.IterableMapping).Items() {
		name, ok := kv[0].(starlark.String)
		if !ok {
			return nil, fmt.Errorf("the name of column %d is %s, want str", i, kv[0].Type())
		}
		cells, err := readCells(kv[1])
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", string(name), err)
		}
		if i > 0 && len(cells) != t.rows {
			return nil, fmt.Errorf("column %q has %d cells, %q has %d", string(name), len(cells),
				t.columns[0].name, t.rows)
		}
		t.rows = len(cells)
		col := column{name: string(name), cells: cells}
		if c, ok := kv[1].(*Counter); ok {
			col.unit = c.Counter.Unit
		}
		t.columns = append(t.columns, col)
	}
	return t, t.setUnits(c.Value("units"))
}

// TableOfRows is table.rows.
func TableOfRows(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	var names []string
	if c.Has("columns") {
		var err error
		if names, err = binding.AsStrings(c.Arg("columns")); err != nil {
			return nil, fmt.Errorf("parameter columns: %w", err)
		}
	}
	t := NewTable(e, names, nil)
	iter := c.Arg("rows").(starlark.Iterable).Iterate()
	defer iter.Done()
	var x starlark.Value
	for n := 0; iter.Next(&x); n++ {
		row, err := readRow(t, x, n, c.Has("columns"))
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", n, err)
		}
		t.append(row)
	}
	return t, t.setUnits(c.Value("units"))
}

// readRow reads a row; without given column names the first dict names them.
func readRow(t *Table, x starlark.Value, n int, named bool) ([]starlark.Value, error) {
	if m, ok := x.(starlark.IterableMapping); ok {
		if !named && n == 0 {
			for _, kv := range m.Items() {
				name, ok := starlark.AsString(kv[0])
				if !ok {
					return nil, fmt.Errorf("key %s is %s, want str", kv[0], kv[0].Type())
				}
				t.columns = append(t.columns, column{name: name})
			}
		}
		row := make([]starlark.Value, len(t.columns))
		for i, c := range t.columns {
			if v, ok, err := m.Get(starlark.String(c.name)); err == nil && ok {
				if row[i], err = asCell(v); err != nil {
					return nil, err
				}
			}
		}
		return row, nil
	}
	cells, err := readCells(x)
	if err != nil {
		return nil, err
	}
	if !named && n == 0 {
		for i := range cells {
			t.columns = append(t.columns, column{name: fmt.Sprintf("%d", i+1)})
		}
	}
	if len(cells) != len(t.columns) {
		return nil, fmt.Errorf("it has %d cells, the table has %d columns", len(cells), len(t.columns))
	}
	return cells, nil
}

// readCells takes a list of cells, or a Counter.
func readCells(v starlark.Value) ([]starlark.Value, error) {
	it, ok := v.(starlark.Iterable)
	if !ok {
		return nil, fmt.Errorf("got %s, want a list of cells", v.Type())
	}
	if err := binding.RoomFor(it); err != nil {
		return nil, err
	}
	iter := it.Iterate()
	defer iter.Done()
	var out []starlark.Value
	var x starlark.Value
	for iter.Next(&x) {
		cell, err := asCell(x)
		if err != nil {
			return nil, err
		}
		out = append(out, cell)
	}
	return out, nil
}

func (t *Table) setUnits(v starlark.Value) error {
	m, ok := v.(starlark.IterableMapping)
	if !ok {
		return nil
	}
	for _, kv := range m.Items() {
		name, _ := starlark.AsString(kv[0])
		unit, ok := starlark.AsString(kv[1])
		if !ok {
			return fmt.Errorf("the unit of column %q is %s, want str", name, kv[1].Type())
		}
		i, err := t.find(name)
		if err != nil {
			return err
		}
		t.columns[i].unit = unit
	}
	return nil
}
