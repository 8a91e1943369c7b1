package cli

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/notation"
	"astrolabe/builtins/values"
	"astrolabe/capture/formats"
	"astrolabe/repl"
)

// mapCell is one value of a row. Its text is what a table and CSV show; its JSON is the value itself.
type mapCell struct {
	key  string
	json json.RawMessage
	text string
	num  bool
}

// mapRow is one row of a script, in the order of its keys.
type mapRow []mapCell

// captureColumn is the column that names the capture of each row.
const captureColumn = "capture"

// mapRows are the rows that a script returned.
func mapRows(v starlark.Value) ([]mapRow, error) {
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.IterableMapping:
		row, err := mapRowOf(v)
		if err != nil {
			return nil, err
		}
		return []mapRow{row}, nil
	}
	it, ok := v.(starlark.Iterable)
	if _, cap := v.(*values.Capture); !ok || cap {
		return nil, fmt.Errorf("the script returned %s, want a row: a dict, a list of dicts, a Table or None", v.Type())
	}
	var rows []mapRow
	iter := it.Iterate()
	defer iter.Done()
	var x starlark.Value
	for iter.Next(&x) {
		m, ok := x.(starlark.IterableMapping)
		if !ok {
			return nil, fmt.Errorf("row %d is a %s, want a dict", len(rows), x.Type())
		}
		row, err := mapRowOf(m)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", len(rows), err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func mapRowOf(m starlark.IterableMapping) (mapRow, error) {
	var row mapRow
	for _, kv := range m.Items() {
		key, ok := starlark.AsString(kv[0])
		switch {
		case !ok:
			return nil, fmt.Errorf("the key %s is no text", kv[0])
		case key == captureColumn:
			return nil, fmt.Errorf("the key %q is that of the capture's path: choose another", key)
		}
		cell, err := mapCellOf(key, kv[1])
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", key, err)
		}
		row = append(row, cell)
	}
	return row, nil
}

func mapCellOf(key string, v starlark.Value) (mapCell, error) {
	data, err := starlarkJSON(v, 0)
	if err != nil {
		return mapCell{}, err
	}
	c := mapCell{key: key, json: data, text: string(data)}
	switch v := v.(type) {
	case starlark.NoneType:
		c.text = ""
	case starlark.String:
		c.text = string(v)
	case starlark.Int:
		c.num = true
	case starlark.Float:
		c.num, c.text = true, strconv.FormatFloat(float64(v), 'g', -1, 64)
		if math.IsNaN(float64(v)) {
			c.text = ""
		}
	case starlark.Bool:
		c.text = strconv.FormatBool(bool(v))
	}
	return c, nil
}

// maxNesting is how deep a value may hold others.
const maxNesting = 64

// starlarkJSON is a value as JSON. A missing number is null, an infinite one text.
func starlarkJSON(v starlark.Value, depth int) ([]byte, error) {
	if depth > maxNesting {
		return nil, errors.New("the value is nested too deep, or holds itself")
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return []byte("null"), nil
	case starlark.Bool:
		return json.Marshal(bool(v))
	case starlark.Int:
		return []byte(v.String()), nil
	case starlark.Float:
		switch f := float64(v); {
		case math.IsNaN(f):
			return []byte("null"), nil
		case math.IsInf(f, 0):
			return json.Marshal(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
		default:
			return json.Marshal(f)
		}
	case starlark.String:
		return json.Marshal(string(v))
	case *values.Table, *values.Row:
		return json.Marshal(v)
	case starlark.IterableMapping:
		return mappingJSON(v, depth)
	case *values.Capture, *values.Counter, *values.Mask:
	case starlark.Iterable:
		var parts []string
		iter := v.Iterate()
		defer iter.Done()
		var x starlark.Value
		for iter.Next(&x) {
			part, err := starlarkJSON(x, depth+1)
			if err != nil {
				return nil, err
			}
			parts = append(parts, string(part))
		}
		return []byte("[" + strings.Join(parts, ",") + "]"), nil
	}
	return nil, fmt.Errorf("a %s is no value of a row: give a number or text, such as c.total() of a counter", v.Type())
}

func mappingJSON(m starlark.IterableMapping, depth int) ([]byte, error) {
	var parts []string
	for _, kv := range m.Items() {
		key, ok := starlark.AsString(kv[0])
		if !ok {
			key = kv[0].String()
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		value, err := starlarkJSON(kv[1], depth+1)
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", key, err)
		}
		parts = append(parts, string(name)+":"+string(value))
	}
	return []byte("{" + strings.Join(parts, ",") + "}"), nil
}

// printMapped writes the rows in the order of the captures.
func (a *app) printMapped(name string, results []mapped, f *mapFlags) error {
	if f.json {
		return a.printMappedJSON(name, results)
	}
	columns := []string{captureColumn}
	numeric := map[string]bool{}
	index := map[string]int{captureColumn: 0}
	for i := range results {
		for _, row := range results[i].rows {
			for _, c := range row {
				if _, ok := index[c.key]; !ok {
					index[c.key] = len(columns)
					columns = append(columns, c.key)
					numeric[c.key] = true
				}
				numeric[c.key] = numeric[c.key] && (c.num || c.text == "")
			}
		}
	}
	table := notation.TextTable{Header: columns}
	for _, c := range columns {
		table.Right = append(table.Right, numeric[c])
	}
	for i := range results {
		for _, row := range results[i].rows {
			cells := make([]string, len(columns))
			cells[0] = results[i].path
			if f.csv {
				cells[0] = formats.MarkText(cells[0])
			}
			for _, c := range row {
				cells[index[c.key]] = c.text
				if f.csv && !c.num {
					cells[index[c.key]] = formats.MarkText(c.text)
				}
			}
			table.Add(cells...)
		}
	}
	if f.csv {
		w := csv.NewWriter(a.out)
		for i, c := range columns {
			columns[i] = formats.MarkText(c)
		}
		return errors.Join(w.Write(columns), w.WriteAll(table.Rows))
	}
	if len(table.Rows) == 0 {
		return nil
	}
	for _, row := range table.Rows { // one line each
		for i, c := range row {
			row[i] = strings.Join(strings.FieldsFunc(c, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
		}
	}
	return a.print(table.String())
}

func (a *app) printMappedJSON(name string, results []mapped) error {
	type result struct {
		Capture string            `json:"capture"`
		Rows    []json.RawMessage `json:"rows"`
		Error   string            `json:"error,omitempty"`
	}
	out := struct {
		Version int      `json:"version"`
		Script  string   `json:"script"`
		Failed  int      `json:"failed"`
		Results []result `json:"results"`
	}{Version: 1, Script: name, Results: make([]result, len(results))}
	for i := range results {
		r := result{Capture: results[i].path, Rows: []json.RawMessage{}}
		for _, row := range results[i].rows {
			r.Rows = append(r.Rows, row.json())
		}
		if err := results[i].err; err != nil {
			r.Error = repl.ErrorText(err)
			out.Failed++
		}
		out.Results[i] = r
	}
	return a.printJSON(out)
}

// json is the row as an object, its keys in order.
func (r mapRow) json() json.RawMessage {
	parts := make([]string, len(r))
	for i, c := range r {
		name, _ := json.Marshal(c.key) // texts always can
		parts[i] = string(name) + ":" + string(c.json)
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

// talkWriter names the capture at work before what a run says that cannot be stopped.
type talkWriter struct {
	w    io.Writer
	path string
}

func (t talkWriter) Write(p []byte) (int, error) {
	if _, err := fmt.Fprintf(t.w, "%s: ", t.path); err != nil {
		return 0, err
	}
	return t.w.Write(p)
}

// mapProgress shows how many captures are done.
type mapProgress struct {
	bar          progressBar
	total        int
	done, failed int
}

func (m *mapProgress) update(failed bool) {
	m.done++
	if failed {
		m.failed++
	}
	if !m.bar.live {
		return
	}
	full := progressCells * m.done / m.total
	text := fmt.Sprintf("map [%s] %d of %d", strings.Repeat("#", full)+strings.Repeat(".", progressCells-full),
		m.done, m.total)
	if m.failed > 0 {
		text += fmt.Sprintf(", %d failed", m.failed)
	}
	m.bar.mu.Lock()
	m.bar.line(text)
	m.bar.mu.Unlock()
}

func (m *mapProgress) clear() { m.bar.done() }
