package parquet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"astrolabe/capture"
	"astrolabe/capture/formats/arrow"
	"astrolabe/capture/formats/internal/table"
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// decoder is a capture in the making.
type decoder struct {
	*file
	keys     map[string]map[string]string // by column, of a file of astrolabe's
	axis     *capture.Axis
	warnings []string
}

func (d *decoder) warn(format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

func decode(ctx context.Context, src *source, name string,
	o *table.Options) (cfg *capture.Config, part partOf, err error) {
	f, err := openFile(src)
	if err != nil {
		return nil, part, err
	}
	if cfg, part, err = f.capture(ctx, name, o); err != nil {
		return nil, part, err
	}
	part.whole, _ = f.Lookup(keyWhole)
	_, part.ours = f.Lookup(keyLayout)
	return cfg, part, nil
}

func (f *file) capture(ctx context.Context, name string, o *table.Options) (_ *capture.Config, part partOf, err error) {
	d := &decoder{file: f, keys: map[string]map[string]string{}, axis: &capture.Axis{}}
	layout, _ := f.Lookup(keyLayout)
	document, _ := f.Lookup(keyCapture)
	if layout != "" {
		if err := d.readKeys(); err != nil {
			return nil, part, err
		}
	}
	leaves, err := d.leaves()
	if err != nil {
		return nil, part, err
	}
	meter := progress.From(ctx)
	meter.Begin(int64(len(leaves)), progress.Columns)
	rest, ours, err := d.timeAxis(leaves)
	if err != nil {
		return nil, part, err
	}
	if !ours {
		return d.foreign(ctx, name, leaves, layout, document, o)
	}
	meter.Add(int64(len(leaves) - len(rest)))
	var cols []arrow.Stored
	for i := range rest {
		if err := ctx.Err(); err != nil {
			return nil, part, err
		}
		col, err := d.stored(&rest[i])
		if err != nil {
			return nil, part, err
		}
		if col != nil {
			cols = append(cols, *col)
		}
		meter.Add(1)
	}
	cfg, err := arrow.Restore(layout, document, d.axis, cols)
	if err != nil {
		return nil, part, err
	}
	cfg.Warnings = append(cfg.Warnings, d.warnings...)
	return cfg, part, nil
}

// readKeys reads what a file of astrolabe's says about its columns.
func (d *decoder) readKeys() error {
	text, ok := d.Lookup(keyColumns)
	if !ok {
		return fmt.Errorf("damaged: it has %s and no %s", keyLayout, keyColumns)
	}
	var docs []columnDoc
	if err := json.Unmarshal([]byte(text), &docs); err != nil {
		return fmt.Errorf("damaged: %s: %w", keyColumns, err)
	}
	for _, c := range docs {
		d.keys[c.Column] = c.Keys
	}
	return nil
}

// leaves lists the columns that hold values, nested ones with the names of their groups before theirs.
func (d *decoder) leaves() (out []leaf, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("damaged: %v", r)
		}
	}()
	var elements []format.SchemaElement // of the columns that hold values, in their order
	for _, e := range d.Metadata().Schema {
		if !e.NumChildren.Valid || e.NumChildren.V == 0 {
			elements = append(elements, e)
		}
	}
	var walk func(c *pq.Column)
	walk = func(c *pq.Column) {
		if c.Leaf() {
			half := false
			if i := c.Index(); i >= 0 && i < len(elements) {
				_, half = elements[i].LogicalType.Value.(*format.Float16Type)
			}
			out = append(out, newLeaf(c, strings.Join(c.Path(), "."), half))
			return
		}
		for _, child := range c.Columns() {
			walk(child)
		}
	}
	walk(d.Root())
	if len(out) == 0 {
		return nil, errors.New("it holds no column")
	}
	for _, g := range d.RowGroups() {
		if len(g.ColumnChunks()) != len(out) {
			return nil, fmt.Errorf("damaged: a row group has %d columns, the schema has %d",
				len(g.ColumnChunks()), len(out))
		}
	}
	return out, nil
}

// stored makes what Restore takes of a column, nil for one that is left out.
func (d *decoder) stored(l *leaf) (*arrow.Stored, error) {
	keys := d.keys[l.name]
	col := &arrow.Stored{Name: l.name, Keys: keys}
	switch {
	case isNumber(l.class):
		integer := keys != nil && l.class != classFloat
		col.Values = capture.LazyColumn(d.rows, func() (capture.Data, error) { return d.numbers(l, integer) }).Again()
		if keys == nil {
			col.Guess = func(c *capture.Counter) { d.guess(c, l) }
		}
	case l.class == classText:
		label, err := d.label(l, keys[arrow.KeyName])
		if err != nil {
			return nil, err
		}
		col.Label = label
	default:
		d.warn("column %q is left out: %s is no type of counters or labels", l.name, l.describe())
		return nil, nil
	}
	return col, nil
}

// textRoom is what a text takes beside its bytes, in a list and a map, in bytes.
const textRoom = 192

// label reads a column of text.
func (d *decoder) label(l *leaf, name string) (*capture.Label, error) {
	if name == "" {
		name = l.name
	}
	out := &capture.Label{Name: name}
	codes := map[string]int32{}
	if err := memory.Room(uint64(d.rows) * 4); err != nil {
		return nil, fmt.Errorf("column %q of %d rows: %w", l.name, d.rows, err)
	}
	out.Codes = make([]int32, 0, d.rows)
	var tally memory.Tally
	err := d.values(l, func(values []pq.Value) error {
		for _, v := range values {
			if v.IsNull() {
				out.Codes = append(out.Codes, -1)
				continue
			}
			b := v.ByteArray()
			code, ok := codes[string(b)]
			if !ok {
				if err := tally.Add(2*uint64(len(b)) + textRoom); err != nil {
					return err
				}
				text := validText(string(b))
				if code, ok = codes[text]; !ok {
					code = int32(len(out.Dict))
					out.Dict = append(out.Dict, text)
					codes[text] = code
				}
				codes[string(b)] = code
			}
			out.Codes = append(out.Codes, code)
		}
		return nil
	})
	return out, err
}

func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
