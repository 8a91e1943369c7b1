package csv

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/formats/internal/machine"
	"astrolabe/capture/formats/internal/table"
)

// columnsOf describes the columns of a file by its header and first rows.
func columnsOf(f *delimited.File, rows [][]string) []table.Column {
	out := make([]table.Column, len(f.Header))
	look := func(i int) table.Peek { return peek(f, rows, i) }
	keys := machine.Keys(f.Header)
	for i, name := range f.Header {
		c := table.Column{Name: formats.UnmarkText(name), Peek: look}
		switch numbers, texts := classify(f, rows, i); {
		case isDates(rows, i):
			c.Type = table.Dates
		case texts > numbers, slices.Contains(keys, name):
			c.Type = table.Text
		}
		out[i] = c
	}
	return out
}

func classify(f *delimited.File, rows [][]string, i int) (numbers, texts int) {
	for _, row := range rows {
		c := row[i]
		switch {
		case delimited.IsNumber(c, f.Decimal):
			numbers++
		case !delimited.IsMissing(c) && !delimited.IsInfinity(c):
			texts++
		}
	}
	return numbers, texts
}

func isDates(rows [][]string, i int) bool {
	for _, row := range rows {
		if !delimited.IsTime(row[i]) {
			return false
		}
	}
	return len(rows) > 0
}

func peek(f *delimited.File, rows [][]string, i int) table.Peek {
	out := table.Peek{Whole: len(rows) > 0}
	for _, row := range rows {
		v, ok := delimited.ParseFloat([]byte(row[i]), f.Decimal)
		out.Largest = math.Max(out.Largest, v)
		out.Whole = out.Whole && ok && !strings.ContainsAny(row[i], ".,eE")
	}
	return out
}

// cells are a file's cells, read as the layout wants them.
type cells struct {
	f *delimited.File
	t *delimited.Table
}

func (v *cells) Name() string   { return v.f.Name }
func (v *cells) Format() string { return Format{}.Name() }
func (v *cells) Rows() int      { return v.t.Rows }

func (v *cells) Times(col int, _ delimited.TimeUnit) ([]int64, error) {
	return v.t.Col(col).Times, nil
}

func (v *cells) Texts(col int) ([]int32, []string, error) {
	c := v.t.Col(col)
	return c.Codes, unmarked(c.Dict), nil
}

// unmarked are texts without the marks of formats.MarkText. One that is there without the mark too keeps it: another
// program wrote both.
func unmarked(dict []string) []string {
	var out []string
	for i, s := range dict {
		plain := formats.UnmarkText(s)
		if plain == s || slices.Contains(dict, plain) {
			continue
		}
		if out == nil {
			out = slices.Clone(dict)
		}
		out[i] = plain
	}
	if out == nil {
		return dict
	}
	return out
}

func (v *cells) Numbers(col int) (table.Numbers, error) {
	c := v.t.Col(col)
	out := table.Numbers{Col: c.Num, Whole: c.Whole}
	if c.Missing > 0 {
		out.Missing = c.MissingText()
	}
	return out, nil
}

func (v *cells) Errorf(row int, format string, args ...any) error {
	line := v.f.Line
	if row >= 0 {
		line = v.t.Line(row)
	}
	return &delimited.Error{File: v.f.Name, Line: line, Msg: fmt.Sprintf(format, args...)}
}

func (v *cells) Where(row int) string { return fmt.Sprintf("in line %d", v.t.Line(row)) }
