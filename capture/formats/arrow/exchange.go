package arrow

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/table"
)

// Roles of the time axis in a file of another columnar format that stores layout 1.
const (
	RoleStart   = roleStart
	RoleEnd     = roleEnd
	RoleCovered = roleCovered
	RoleCount   = roleCount
	RoleLabel   = roleLabel
	KeyRole     = keyRole
	KeyName     = keyName
)

// Field is one column of layout 1 without Arrow's types, for formats that store the same columns in another way.
type Field struct {
	Name    string            // unique in the file
	Role    string            // the value of KeyRole in Keys
	Keys    map[string]string // the field metadata
	Integer bool              // uint64, or int64 of the time axis; else float64
	Label   *capture.Label    // of RoleLabel
	read    rangeReader
}

// Numbers returns samples [lo, hi) of a field that is a counter, an instance or a time of a pass.
func (f *Field) Numbers(lo, hi int) (capture.Data, error) { return f.read(lo, hi) }

// Plan lays out c as the file form of this package does. layout and document are what Restore needs beside the fields.
func Plan(c *capture.Capture) (fields []Field, layout, document string, err error) {
	if err := checkLengths(&c.Config); err != nil {
		return nil, "", "", err
	}
	l, err := plan(&c.Config, labelType, measuredShape)
	if err != nil {
		return nil, "", "", err
	}
	for i, p := range l.fields {
		af := l.schema.Field(i)
		f := Field{Name: af.Name, Role: p.role, Keys: keysOf(af.Metadata), Integer: p.integer, Label: p.label}
		switch {
		case p.column != nil:
			f.read = columnReader("a pass", p.column)
		case p.counter != nil:
			f.read = measuredReader(p.counter)
		}
		fields = append(fields, f)
	}
	md := l.schema.Metadata()
	layout, _ = md.GetValue(keyLayout)
	document, _ = md.GetValue(keyCapture)
	return fields, layout, document, nil
}

// measuredShape says that a derived counter is stored as doubles.
func measuredShape(c *capture.Counter) (integer, has bool) {
	if c.Col != nil {
		return c.Col.Integers(), true
	}
	return false, c.Der != nil
}

func measuredReader(c *capture.Counter) rangeReader {
	if c.Col != nil {
		return columnReader("counter "+c.Name, c.Col)
	}
	return func(lo, hi int) (capture.Data, error) {
		f := make([]float64, hi-lo)
		c.ReadFloats(f, lo)
		return capture.Data{F: f}, nil
	}
}

// Stored is one column as Restore takes it: numbers in Values, or Label. Guess, if not nil, fills in what the keys of a
// column that another program added do not say.
type Stored struct {
	Name   string
	Keys   map[string]string
	Values *capture.Column
	Label  *capture.Label
	Guess  func(c *capture.Counter)
}

// Restore is the inverse of Plan: it makes a capture's parts of its time axis and its other columns, of which another
// program may have dropped some. With an empty layout all columns are another program's.
func Restore(layout, document string, axis *capture.Axis, cols []Stored) (*capture.Config, error) {
	d := &decoded{content: &content{first: []int{0, axis.Len()}}, doc: &captureDoc{}}
	d.cfg.Axis = axis
	if layout != "" {
		var err error
		if d.doc, err = readDoc(layout, document); err != nil {
			return nil, err
		}
	}
	if err := d.doc.apply(&d.cfg); err != nil {
		return nil, err
	}
	d.newPasses()
	var whole, instances []placed
	for _, col := range cols {
		role := col.Keys[keyRole]
		switch {
		case col.Label != nil:
			d.cfg.Labels = append(d.cfg.Labels, col.Label)
		case role == rolePassStart || role == rolePassDuration:
			d.passTimes(col.Name, role, col.Keys, col.Values)
		default:
			p, err := d.restored(col)
			if err != nil {
				return nil, err
			}
			if role == roleInstance {
				instances = append(instances, p)
			} else {
				whole = append(whole, p)
			}
		}
	}
	d.finish(whole, instances)
	if len(d.cfg.Counters) == 0 && layout == "" {
		return nil, table.ErrNoCounter
	}
	d.cfg.Warnings = append(d.cfg.Warnings, d.warnings...)
	return &d.cfg, nil
}

func (d *decoded) restored(col Stored) (placed, error) {
	c, warnings := counterFrom(col.Keys)
	d.warnings = append(d.warnings, warnings...)
	if c.Name == "" {
		c.Name = col.Name
	}
	if c.Name == "" {
		return placed{}, errors.New("a column of numbers has no name")
	}
	c.Col = col.Values
	if col.Guess != nil {
		col.Guess(c)
	}
	return d.place(c, col.Keys, indexOf(col.Keys)), nil
}

// ForeignField is what the schema of another program's table says of a column.
type ForeignField struct {
	Keys map[string]string // the field metadata
	Unit string            // of a type that has one, such as a duration in "ms"; "" of every other
}

// ForeignFields reads the schema that Arrow's libraries store in files of other formats: a schema message in base64.
// Whatever is no such text says nothing.
func ForeignFields(text string) map[string]ForeignField {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data) == 0 {
		return nil
	}
	c, err := takeApart(context.Background(), newMessages(data))
	if err != nil {
		return nil
	}
	out := map[string]ForeignField{}
	for i := range c.cols {
		f := &c.cols[i].field
		one := ForeignField{Keys: keysOf(f.Metadata)}
		if d, ok := f.Type.(*arrow.DurationType); ok {
			one.Unit = d.Unit.String()
		}
		out[f.Name] = one
	}
	return out
}

// ForeignColumn is a column of another program's table, of type Number until the caller says otherwise, with what its
// metadata says.
func ForeignColumn(name string, keys map[string]string) table.Column {
	c := table.Column{Name: name}
	said, _ := counterFrom(keys)
	c.Meta = &said.Meta
	_, c.Stated = keys["kind"]
	switch keys[keyRole] {
	case roleCounter, roleInstance:
		c.Exact, c.Counter = true, keys[keyCounter]
	case roleLabel:
		if c.Meta.Name != "" {
			c.Name = c.Meta.Name
		}
	}
	return c
}
