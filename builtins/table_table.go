package builtins

import (
	"fmt"

	"go.starlark.net/starlark"
)

var tableTable = methodTable[*Table]{
	Name:      "Table",
	Elsewhere: tableElsewhere,
	Doc:       "Rows and named columns. t[\"column\"] is a list, t[3] a row; a row gives its cells as row[\"column\"] or row.column. Iteration gives rows. Printing shows head and tail.",
	Attrs: []attribute[*Table]{
		{Name: "columns", Type: "list", Doc: "Names of the columns.", Get: func(t *Table) (starlark.Value, error) { return stringList(t.names()), nil }},
		{Name: "units", Type: "dict", Doc: "Units of the columns that have one.", Get: func(t *Table) (starlark.Value, error) {
			d := starlark.NewDict(len(t.columns))
			for _, c := range t.columns {
				if c.unit != "" {
					d.SetKey(starlark.String(c.name), starlark.String(c.unit))
				}
			}
			d.Freeze()
			return d, nil
		}},
		{Name: "rows", Type: "list", Doc: "Every row.", Get: func(t *Table) (starlark.Value, error) {
			out := make([]starlark.Value, t.rows)
			for i := range out {
				out[i] = &Row{t, i}
			}
			return frozenList(out), nil
		}},
	},
	Methods: []method[*Table]{
		{Sig: "head(n: int=5) -> Table", Doc: "The first rows.", Example: "cap.summary().head(2)",
			Run: func(t *Table, c *call) (starlark.Value, error) {
				n, err := c.integer(0, 5)
				return t.span(0, min(max(n, 0), t.rows)), err
			}},
		{Sig: "tail(n: int=5) -> Table", Doc: "The last rows.", Example: "cap.summary().tail(2)",
			Run: func(t *Table, c *call) (starlark.Value, error) {
				n, err := c.integer(0, 5)
				return t.span(t.rows-min(max(n, 0), t.rows), t.rows), err
			}},
		{Sig: "sort(by: str, reverse: bool=False) -> Table", Doc: "Rows in the order of a column; None comes last.", Example: "cap.summary().sort(\"total\", reverse=True)",
			Run: func(t *Table, c *call) (starlark.Value, error) {
				by, reverse := c.str(0, ""), c.flag(1, false)
				return interruptible(c, func() (starlark.Value, error) { return t.sorted(by, reverse) })
			}},
		{Sig: "select(*columns: str) -> Table", Doc: "The named columns, in that order.", Example: "cap.summary().select(\"name\", \"total\")",
			Run: func(t *Table, c *call) (starlark.Value, error) {
				out := &Table{env: t.env, rows: t.rows}
				for _, v := range c.rest {
					i, err := t.find(string(v.(starlark.String)))
					if err != nil {
						return nil, err
					}
					out.columns = append(out.columns, t.columns[i])
				}
				return out, nil
			}},
		{Sig: "filter(f: function) -> Table", Doc: "The rows for which f(row) is true.", Example: "cap.summary().filter(lambda r: r.missing == 0)",
			Run: func(t *Table, c *call) (starlark.Value, error) {
				var rows []int
				for i := range t.rows {
					v, err := starlark.Call(c.thread, c.args[0], starlark.Tuple{&Row{t, i}}, nil)
					if err != nil {
						return nil, err
					}
					if v.Truth() {
						rows = append(rows, i)
					}
				}
				return t.pick(rows), nil
			}},
		{Sig: "with_column(name: str, cells: list|function, unit: str=None) -> Table", Doc: "The table with one more column, or another in its place: a list of cells, or a function of a row.",
			Example: "cap.summary().with_column(\"half\", lambda r: r.total / 2 if r.total else None)",
			Run:     func(t *Table, c *call) (starlark.Value, error) { return t.withColumn(c) }},
		{Sig: "markdown() -> str", Doc: "The whole table as Markdown.", Example: "cap.summary().markdown()",
			Run: func(t *Table, c *call) (starlark.Value, error) {
				return interruptible(c, func() (starlark.Value, error) { return starlark.String(t.Markdown()), nil })
			}},
		{Sig: "csv() -> str", Doc: "The whole table as comma-separated values.", Example: "cap.summary().csv()",
			Run: func(t *Table, c *call) (starlark.Value, error) {
				return interruptible(c, func() (starlark.Value, error) { return starlark.String(t.CSV()), nil })
			}},
		{Sig: "text(width: int=0) -> str", Doc: "The whole table as it prints, with every row and every column, or those that fit the width.", Example: "cap.summary().text()",
			Run: func(t *Table, c *call) (starlark.Value, error) {
				w, err := c.integer(0, 0)
				if err != nil {
					return nil, err
				}
				if w <= 0 {
					w = 1 << 30
				}
				return interruptible(c, func() (starlark.Value, error) { return starlark.String(t.Format(Layout{Width: w})), nil })
			}},
	},
}

func (t *Table) withColumn(c *call) (starlark.Value, error) {
	col := column{name: c.str(0, ""), unit: c.str(2, "")}
	if f, ok := c.args[1].(starlark.Callable); ok {
		for i := range t.rows {
			v, err := starlark.Call(c.thread, f, starlark.Tuple{&Row{t, i}}, nil)
			if err != nil {
				return nil, err
			}
			cell, err := asCell(v)
			if err != nil {
				return nil, err
			}
			col.cells = append(col.cells, cell)
		}
	} else {
		cells, err := readCells(c.args[1])
		if err != nil {
			return nil, err
		}
		if len(cells) != t.rows {
			return nil, fmt.Errorf("column %q has %d cells, the table has %d rows", col.name, len(cells), t.rows)
		}
		col.cells = cells
	}
	out := &Table{env: t.env, rows: t.rows}
	replaced := false
	for _, have := range t.columns {
		if have.name == col.name {
			have, replaced = col, true
		}
		out.columns = append(out.columns, have)
	}
	if !replaced {
		out.columns = append(out.columns, col)
	}
	return out, nil
}

// readCells takes a list of cells, or a Counter.
func readCells(v starlark.Value) ([]starlark.Value, error) {
	it, ok := v.(starlark.Iterable)
	if !ok {
		return nil, fmt.Errorf("got %s, want a list of cells", v.Type())
	}
	if err := roomFor(it); err != nil {
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

var tableModule = methodTable[*Env]{
	Name: "table",
	Doc:  "Builds tables.",
	Methods: []method[*Env]{
		{Sig: "new(columns: dict, units: dict=None) -> Table", Doc: "A table from columns: a dict of name to list of cells (or Counter), all of one length.",
			Example: "table.new({\"name\": [\"a\", \"b\"], \"time\": [1.5, 2]}, units={\"time\": \"s\"})",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				t := &Table{env: e}
				for i, kv := range c.args[0].(starlark.IterableMapping).Items() {
					name, ok := kv[0].(starlark.String)
					if !ok {
						return nil, fmt.Errorf("the name of column %d is %s, want str", i, kv[0].Type())
					}
					cells, err := readCells(kv[1])
					if err != nil {
						return nil, fmt.Errorf("column %q: %w", string(name), err)
					}
					if i > 0 && len(cells) != t.rows {
						return nil, fmt.Errorf("column %q has %d cells, %q has %d", string(name), len(cells), t.columns[0].name, t.rows)
					}
					t.rows = len(cells)
					col := column{name: string(name), cells: cells}
					if c, ok := kv[1].(*Counter); ok {
						col.unit = c.c.Unit
					}
					t.columns = append(t.columns, col)
				}
				return t, t.setUnits(c.value(1))
			}},
		{Sig: "rows(rows: list, columns: list=None, units: dict=None) -> Table", Doc: "A table from rows: a list of dicts or of lists; columns names them and says which to take.",
			Example: "table.rows([[\"a\", 1.5], [\"b\", 2]], columns=[\"name\", \"time\"])",
			Run: func(e *Env, c *call) (starlark.Value, error) {
				t, err := tableOfRows(e, c)
				if err != nil {
					return nil, err
				}
				return t, t.setUnits(c.value(2))
			}},
	},
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

func tableOfRows(e *Env, c *call) (*Table, error) {
	var names []string
	if c.has(1) {
		var err error
		if names, err = asStrings(c.args[1]); err != nil {
			return nil, fmt.Errorf("parameter columns: %w", err)
		}
	}
	t := NewTable(e, names, nil)
	iter := c.args[0].(starlark.Iterable).Iterate()
	defer iter.Done()
	var x starlark.Value
	for n := 0; iter.Next(&x); n++ {
		row, err := readRow(t, x, n, c.has(1))
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", n, err)
		}
		t.append(row)
	}
	return t, nil
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
