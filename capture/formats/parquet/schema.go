package parquet

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	pq "github.com/parquet-go/parquet-go"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/arrow"
)

// Keys of the file's metadata.
const (
	keyLayout  = "astrolabe.layout"
	keyCapture = "astrolabe.capture"
	keyColumns = "astrolabe.columns"
	keyWhole   = "astrolabe.part_of" // of a part of a partitioned capture: the identity of the whole
)

// columnDoc is an entry of the JSON list under keyColumns.
type columnDoc struct {
	Column string            `json:"column"`
	Keys   map[string]string `json:"keys"`
}

// decimalBytes holds every number of 20 digits with a sign.
const decimalBytes = 9

// form is how a column's values are stored.
type form uint8

const (
	formInt64 form = iota
	formDecimal
	formDouble
	formText
)

// column is one column to write.
type column struct {
	arrow.Field
	stored   string // its name in the file
	form     form
	required bool
}

// layout is the plan of a file.
type layout struct {
	columns []column
	schema  *pq.Schema
	meta    map[string]string
}

// plan lays out c. The names in reserved are not used.
func plan(ctx context.Context, c *capture.Capture, reserved []string) (*layout, error) {
	fields, version, doc, err := arrow.Plan(c)
	if err != nil {
		return nil, err
	}
	if len(fields) > pq.MaxColumnIndex {
		return nil, fmt.Errorf("%w: it needs %d columns, and a Parquet file holds %d here", formats.ErrUnsuitable,
			len(fields), pq.MaxColumnIndex)
	}
	l := &layout{}
	taken := newNames(reserved)
	docs := make([]columnDoc, len(fields))
	group := pq.Group{}
	order := make([]string, len(fields))
	for i, f := range fields {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		col := column{Field: f, stored: taken.take(f.Name)}
		if col.form, col.required, err = formOf(&f, c.Len()); err != nil {
			return nil, err
		}
		l.columns = append(l.columns, col)
		docs[i] = columnDoc{col.stored, f.Keys}
		group[col.stored] = col.node()
		order[i] = col.stored
	}
	text, err := json.Marshal(docs)
	if err != nil {
		return nil, err
	}
	l.meta = map[string]string{keyLayout: version, keyCapture: doc, keyColumns: string(text)}
	l.schema = pq.NewSchema("capture", inOrder(group, order))
	return l, nil
}

// formOf looks for a value that INT64 cannot hold.
func formOf(f *arrow.Field, n int) (form, bool, error) {
	switch f.Role {
	case arrow.RoleStart, arrow.RoleEnd, arrow.RoleCovered:
		return formInt64, true, nil
	case arrow.RoleCount:
		return formDouble, true, nil
	case arrow.RoleLabel:
		return formText, false, nil
	}
	if !f.Integer {
		return formDouble, false, nil
	}
	d, err := f.Numbers(0, n)
	if err != nil {
		return 0, false, err
	}
	for i, u := range d.U {
		if u > math.MaxInt64 && d.Valid.Get(i) {
			return formDecimal, false, nil
		}
	}
	return formInt64, false, nil
}

func (c *column) node() pq.Node {
	var n pq.Node
	switch c.form {
	case formInt64:
		n = pq.Leaf(pq.Int64Type)
	case formDecimal:
		n = pq.Decimal(0, 20, pq.FixedLenByteArrayType(decimalBytes))
	case formDouble:
		n = pq.Leaf(pq.DoubleType)
	case formText:
		n = pq.Encoded(pq.String(), &pq.RLEDictionary)
	}
	if c.form != formText {
		n = pq.Encoded(n, &pq.Plain)
	}
	if c.required {
		return pq.Required(n)
	}
	return pq.Optional(n)
}

// ordered is a group whose columns stand in the order that they were given in, and not in that of their names.
type ordered struct {
	pq.Group
	fields []pq.Field
}

func (o *ordered) Fields() []pq.Field { return o.fields }

func inOrder(g pq.Group, names []string) pq.Node {
	byName := map[string]pq.Field{}
	for _, f := range g.Fields() {
		byName[f.Name()] = f
	}
	o := &ordered{Group: g}
	for _, n := range names {
		o.fields = append(o.fields, byName[n])
	}
	return o
}

// Doubts names the columns whose names or types are not what a reader expects.
func (Format) Doubts(c *capture.Capture) []string {
	l, err := plan(context.Background(), c, nil)
	if err != nil {
		return nil
	}
	var big, renamed []string
	for _, col := range l.columns {
		if col.form == formDecimal {
			big = append(big, col.Name)
		}
		if name := col.Keys[arrow.KeyName]; name != "" && name != col.stored {
			renamed = append(renamed, fmt.Sprintf("%s is %s", name, col.stored))
		}
	}
	var out []string
	if len(big) > 0 {
		out = append(out, fmt.Sprintf("columns with values of 2^63 and more are DECIMAL(20,0) in Parquet: %s",
			firstFew(big)))
	}
	if len(renamed) > 0 {
		out = append(out, fmt.Sprintf("columns have other names in Parquet, which engines accept: %s",
			firstFew(renamed)))
	}
	return out
}

func firstFew(names []string) string {
	const show = 3
	text := ""
	for i, n := range names {
		if i == show {
			return fmt.Sprintf("%s and %d more", text, len(names)-show)
		}
		if i > 0 {
			text += ", "
		}
		text += n
	}
	return text
}
