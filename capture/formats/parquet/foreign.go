package parquet

import (
	"context"
	"fmt"
	"path/filepath"

	pq "github.com/parquet-go/parquet-go"

	"astrolabe/capture"
	"astrolabe/capture/formats/arrow"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/formats/internal/table"
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// foreign makes the capture of a table that another program wrote. Where the file is a capture that lost its time axis
// on the way, layout and document are what is left of it.
func (d *decoder) foreign(ctx context.Context, path string, leaves []leaf, layout, document string,
	o *table.Options) (*capture.Config, partOf, error) {
	cfg, err := arrow.Restore(layout, document, &capture.Axis{}, nil)
	if err != nil && layout != "" {
		return nil, partOf{}, err
	}
	if cfg == nil {
		cfg = &capture.Config{}
	}
	cfg.Counters, cfg.Passes = nil, nil // without columns of their own they say nothing
	said := arrow.ForeignFields(d.arrowSchema())
	t := &cells{decoder: d, name: path, meter: progress.From(ctx)}
	var cols []table.Column
	var leftOut []string
	for i := range leaves {
		l := &leaves[i]
		keys := d.keys[l.name]
		if keys == nil {
			keys = said[l.name].Keys
		}
		c := arrow.ForeignColumn(l.name, keys)
		if unit := said[l.name].Unit; c.Meta.Unit == "" {
			c.Meta.Unit = unit
		}
		switch {
		case l.class == classText, l.class == classBool:
			c.Type = table.Text
		case l.class == classDate:
			c.Type = table.Dates
		case isTime(l.class):
			c.Type = table.Instant
		case isNumber(l.class):
			c.Peek = func(i int) table.Peek { return d.peek(t.leaves[i]) }
		case l.class == classNull:
			c.Type = table.Nothing
		default:
			leftOut = append(leftOut, fmt.Sprintf("%q (%s)", l.name, l.describe()))
			continue
		}
		cols = append(cols, c)
		t.leaves = append(t.leaves, l)
	}
	lay, err := table.Typed(ctx, path, cols, leftOut, t, o, d.warn, cfg)
	if err != nil {
		return nil, partOf{}, err
	}
	cfg.Warnings = append(cfg.Warnings, d.warnings...)
	return cfg, partOf{points: !lay.Pairs() && lay.Timed() && !lay.Lengths(), ends: lay.EndsOnly()}, nil
}

// arrowSchema is the schema that Arrow's writers leave in the metadata, which says more than Parquet's types; "" where
// there is none.
func (d *decoder) arrowSchema() string {
	text, _ := d.Lookup("ARROW:schema")
	return text
}

// cells hands out the values of a foreign file.
type cells struct {
	*decoder
	name   string
	leaves []*leaf // of the table's columns
	meter  *progress.Meter
}

func (t *cells) Name() string         { return filepath.Base(t.name) }
func (t *cells) Format() string       { return Format{}.Name() }
func (t *cells) Rows() int            { return t.rows }
func (t *cells) Where(row int) string { return fmt.Sprintf("in row %d", row) }

func (t *cells) Errorf(row int, format string, args ...any) error {
	if row < 0 {
		return fmt.Errorf(format, args...)
	}
	return fmt.Errorf("row %d: %w", row, fmt.Errorf(format, args...))
}

// Numbers returns the column, to be read on first use.
func (t *cells) Numbers(i int) (table.Numbers, error) {
	l := t.leaves[i]
	t.meter.Add(1)
	return table.Numbers{
		Col:     capture.LazyColumn(t.rows, func() (capture.Data, error) { return t.numbers(l, false) }).Again(),
		Whole:   t.wholeByNature(l),
		Missing: "no value",
	}, nil
}

// Texts reads a column as text, also one of another type.
func (t *cells) Texts(i int) ([]int32, []string, error) {
	l := t.leaves[i]
	t.meter.Add(1)
	if l.class == classText {
		out, err := t.label(l, l.name)
		if err != nil {
			return nil, nil, err
		}
		return out.Codes, out.Dict, nil
	}
	text := func(v pq.Value) (string, error) {
		switch {
		case l.class == classBool:
			return fmt.Sprint(v.Boolean()), nil
		case isTime(l.class):
			ns, ok := l.time(v, l.unit)
			if !ok {
				return "", fmt.Errorf("column %q has a date that does not fit 64 bits of nanoseconds", l.name)
			}
			return table.DateText(ns), nil
		}
		b := &builder{}
		l.add(b, v)
		return table.NumberText(b.data(), 0), nil
	}
	if err := memory.Room(4 * uint64(t.rows)); err != nil {
		return nil, nil, fmt.Errorf("column %q of %d rows: %w", l.name, t.rows, err)
	}
	out := &capture.Label{Codes: make([]int32, 0, t.rows)}
	codes := map[string]int32{}
	var tally memory.Tally
	err := t.values(l, func(values []pq.Value) error {
		for _, v := range values {
			if v.IsNull() {
				out.Codes = append(out.Codes, -1)
				continue
			}
			s, err := text(v)
			if err != nil {
				return err
			}
			code, ok := codes[s]
			if !ok {
				code = int32(len(out.Dict))
				if err := tally.Add(uint64(len(s)) + textRoom); err != nil {
					return err
				}
				codes[s], out.Dict = code, append(out.Dict, s)
			}
			out.Codes = append(out.Codes, code)
		}
		return nil
	})
	return out.Codes, out.Dict, err
}

// Times reads a time column.
func (t *cells) Times(i int, unit delimited.TimeUnit) ([]int64, error) {
	l := t.leaves[i]
	t.meter.Add(1)
	if isTime(l.class) {
		return t.nanoseconds(l, l.unit)
	}
	return t.nanoseconds(l, unit.Length())
}
