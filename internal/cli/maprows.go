package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/values"
	"astrolabe/internal/fleet"
)

// mapRows are the rows that a script returned.
func mapRows(v starlark.Value) ([]fleet.Row, error) {
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.IterableMapping:
		row, err := mapRowOf(v)
		if err != nil {
			return nil, err
		}
		return []fleet.Row{row}, nil
	}
	it, ok := v.(starlark.Iterable)
	if _, cap := v.(*values.Capture); !ok || cap {
		return nil, fmt.Errorf("the script returned %s, want a row: a dict, a list of dicts, a Table or None", v.Type())
	}
	var rows []fleet.Row
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

func mapRowOf(m starlark.IterableMapping) (fleet.Row, error) {
	var row fleet.Row
	for _, kv := range m.Items() {
		key, ok := starlark.AsString(kv[0])
		switch {
		case !ok:
			return nil, fmt.Errorf("the key %s is no text", kv[0])
		case key == fleet.CaptureColumn:
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

func mapCellOf(key string, v starlark.Value) (fleet.Cell, error) {
	switch v := v.(type) {
	case starlark.NoneType:
		return fleet.Cell{Key: key, Kind: fleet.Null}, nil
	case starlark.String:
		return fleet.Cell{Key: key, Kind: fleet.Text, Text: string(v)}, nil
	case starlark.Int:
		return fleet.Cell{Key: key, Kind: fleet.Int, Text: v.String()}, nil
	case starlark.Float:
		return fleet.FloatCell(key, float64(v)), nil
	case starlark.Bool:
		return fleet.Cell{Key: key, Kind: fleet.Bool, Text: strconv.FormatBool(bool(v))}, nil
	}
	data, err := starlarkJSON(v, 0)
	return fleet.Cell{Key: key, Kind: fleet.JSON, Text: string(data)}, err
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
		return fleet.FloatCell("", float64(v)).JSON(), nil
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
