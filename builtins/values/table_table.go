package values

import (
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
)

var tableTable = binding.MethodTable[*Table]{
	Name: "Table",
	Doc: "Rows and named columns. t[\"column\"] is a list, t[3] a row; a row gives its cells as row[\"column\"] or " +
		"row.column. Iteration gives rows. Printing shows head and tail.",
	Attrs: []binding.Attribute[*Table]{
		{Name: "columns", Type: "list", Doc: "Names of the columns.", Get: func(t *Table) starlark.Value {
			return binding.StringList(t.names())
		}},
		{Name: "units", Type: "dict", Doc: "Units of the columns that have one.",
			Get: func(t *Table) starlark.Value {
				d := starlark.NewDict(len(t.columns))
				for _, c := range t.columns {
					if c.unit != "" {
						d.SetKey(starlark.String(c.name), starlark.String(c.unit))
					}
				}
				d.Freeze()
				return d
			}},
		{Name: "rows", Type: "list", Doc: "Every row.", Get: func(t *Table) starlark.Value {
			out := make([]starlark.Value, t.rows)
			for i := range out {
				out[i] = &Row{t, i}
			}
			return binding.FrozenList(out)
		}},
	},
	Methods: []binding.Method[*Table]{
		{Sig: "head(n: int=5) -> Table", Doc: "The first rows.", Example: "cap.summary().head(2)",
			Run: func(t *Table, c *binding.Call) (starlark.Value, error) {
				n, err := c.Integer("n", 5)
				return t.span(0, min(max(n, 0), t.rows)), err
			}},
		{Sig: "tail(n: int=5) -> Table", Doc: "The last rows.", Example: "cap.summary().tail(2)",
			Run: func(t *Table, c *binding.Call) (starlark.Value, error) {
				n, err := c.Integer("n", 5)
				return t.span(t.rows-min(max(n, 0), t.rows), t.rows), err
			}},
		{Sig: "sort(by: str, reverse: bool=False) -> Table", Doc: "Rows in the order of a column; None comes last.",
			Example: "cap.summary().sort(\"total\", reverse=True)",
			Run: func(t *Table, c *binding.Call) (starlark.Value, error) {
				by, reverse := c.Str("by", ""), c.Flag("reverse", false)
				return binding.Interruptible(c, func() (starlark.Value, error) { return t.sorted(by, reverse) })
			}},
		{Sig: "select(*columns: str) -> Table", Doc: "The named columns, in that order.",
			Example: "cap.summary().select(\"name\", \"total\")",
			Run: func(t *Table, c *binding.Call) (starlark.Value, error) {
				out := &Table{env: t.env, rows: t.rows}
				for _, v := range c.Rest {
					i, err := t.find(string(v.(starlark.String)))
					if err != nil {
						return nil, err
					}
					out.columns = append(out.columns, t.columns[i])
				}
				return out, nil
			}},
		{Sig: "filter(f: function) -> Table", Doc: "The rows for which f(row) is true.",
			Example: "cap.summary().filter(lambda r: r.missing == 0)",
			Run: func(t *Table, c *binding.Call) (starlark.Value, error) {
				var rows []int
				for i := range t.rows {
					v, err := starlark.Call(c.Thread, c.Arg("f"), starlark.Tuple{&Row{t, i}}, nil)
					if err != nil {
						return nil, err
					}
					if v.Truth() {
						rows = append(rows, i)
					}
				}
				return t.pick(rows), nil
			}},
		{Sig: "with_column(name: str, cells: list|function, unit: str=None) -> Table",
			Doc: "The table with one more column, or another in its place: a list of cells, or a function of a " +
				"row.",
			Example: "cap.summary().with_column(\"half\", lambda r: r.total / 2 if r.total else None)",
			Run:     func(t *Table, c *binding.Call) (starlark.Value, error) { return t.withColumn(c) }},
		{Sig: "markdown() -> str", Doc: "The whole table as Markdown.", Example: "cap.summary().markdown()",
			Run: func(t *Table, c *binding.Call) (starlark.Value, error) {
				return binding.Interruptible(c, func() (starlark.Value, error) {
					return starlark.String(t.Markdown()), nil
				})
			}},
		{Sig: "csv() -> str", Doc: "The whole table as comma-separated values.", Example: "cap.summary().csv()",
			Run: func(t *Table, c *binding.Call) (starlark.Value, error) {
				return binding.Interruptible(c, func() (starlark.Value, error) { return starlark.String(t.CSV()), nil })
			}},
		{Sig: "text(width: int=0) -> str",
			Doc:     "The whole table as it prints, with every row and every column, or those that fit the width.",
			Example: "cap.summary().text()",
			Run: func(t *Table, c *binding.Call) (starlark.Value, error) {
				w, err := c.Integer("width", 0)
				if err != nil {
					return nil, err
				}
				if w <= 0 {
					w = 1 << 30
				}
				return binding.Interruptible(c, func() (starlark.Value, error) {
					return starlark.String(t.Format(Layout{Width: w})), nil
				})
			}},
	},
}

func (t *Table) withColumn(c *binding.Call) (starlark.Value, error) {
	col := column{name: c.Str("name", ""), unit: c.Str("unit", "")}
	if f, ok := c.Arg("cells").(starlark.Callable); ok {
		for i := range t.rows {
			v, err := starlark.Call(c.Thread, f, starlark.Tuple{&Row{t, i}}, nil)
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
		cells, err := readCells(c.Arg("cells"))
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
