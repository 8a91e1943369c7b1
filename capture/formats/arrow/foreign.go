package arrow

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/formats/internal/table"
	"astrolabe/capture/memory"
)

// foreign makes the capture of a table that another program wrote.
func (d *decoded) foreign(ctx context.Context, path string, o *table.Options) error {
	t := &cells{decoded: d, name: path}
	var cols []table.Column
	var leftOut []string
	for i := range d.cols {
		col := &d.cols[i]
		c := ForeignColumn(col.field.Name, keysOf(col.field.Metadata))
		switch typ := col.field.Type; {
		case typ.ID() == arrow.NULL:
			c.Type = table.Nothing
		case typ.ID() == arrow.DATE32 || typ.ID() == arrow.DATE64:
			c.Type = table.Dates
		case typ.ID() == arrow.DURATION:
			c.Meta.Unit = typ.(*arrow.DurationType).Unit.String()
			c.Peek = func(i int) table.Peek { return t.at[i].peek() }
		case typeUnit(typ) > 0:
			c.Type = table.Instant
		case isNumber(typ):
			c.Peek = func(i int) table.Peek { return t.at[i].peek() }
		case col.isText():
			c.Type = table.Text
		default:
			leftOut = append(leftOut, fmt.Sprintf("%q (%s)", col.field.Name, typ))
			continue
		}
		cols = append(cols, c)
		t.at = append(t.at, col)
	}
	_, err := table.Typed(ctx, path, cols, leftOut, t, o, d.warn, &d.cfg)
	return err
}

// typeUnit is the unit in ns of a column that holds times by its type, 0 for any other.
func typeUnit(t arrow.DataType) int64 {
	with, ok := t.(arrow.TemporalWithUnit)
	if !ok {
		return 0
	}
	return int64(with.TimeUnit().Multiplier())
}

// guessRows is how many values of a column are looked at before it is read.
const guessRows = 4096

// peek looks at the first values.
func (c *column) peek() table.Peek {
	data, err := c.read(0, min(guessRows, c.rows()))
	if err != nil {
		return table.Peek{}
	}
	out := table.Peek{}
	whole := true
	for i := range data.Len() {
		v := data.Float(i)
		if math.IsNaN(v) {
			continue
		}
		out.Whole = true
		out.Largest = max(out.Largest, v)
		whole = whole && v == math.Trunc(v) && !math.IsInf(v, 0)
	}
	out.Whole = out.Whole && whole
	return out
}

// cells hands out the values of a foreign file.
type cells struct {
	*decoded
	name string
	at   []*column // of the table's columns
}

func (t *cells) Name() string         { return filepath.Base(t.name) }
func (t *cells) Format() string       { return Format{}.Name() }
func (t *cells) Rows() int            { return t.rows() }
func (t *cells) Where(row int) string { return fmt.Sprintf("in row %d", row) }

func (t *cells) Errorf(row int, format string, args ...any) error {
	if row < 0 {
		return fmt.Errorf(format, args...)
	}
	return fmt.Errorf("row %d: %w", row, fmt.Errorf(format, args...))
}

// Numbers returns the column, to be read on first use.
func (t *cells) Numbers(i int) (table.Numbers, error) {
	col := t.at[i]
	typ := col.field.Type
	out := table.Numbers{Col: t.lazy(col), Whole: isSigned(typ) || (isFloat(typ) || isExotic(typ)) && col.peek().Whole}
	if col.anyMissing() {
		out.Missing = "no value"
	}
	if typ.ID() == arrow.INT64 {
		if least, most := lowest[int64](col, 0, t.rows()); least < 0 && (least < -1<<53 || most > 1<<53) {
			t.warn("column %q mixes negative values and values beyond 2^53: its values are rounded to doubles",
				col.field.Name)
		}
	}
	return out, nil
}

// Texts reads a column as text, also one of numbers.
func (t *cells) Texts(i int) ([]int32, []string, error) {
	col := t.at[i]
	if col.isText() {
		l, err := col.label()
		if err != nil {
			return nil, nil, err
		}
		return l.Codes, l.Dict, nil
	}
	l := &capture.Label{}
	c := newCoder(l, t.rows())
	if id := col.field.Type.ID(); id == arrow.DATE32 || id == arrow.DATE64 {
		days, err := t.Times(i, delimited.TimeUnit{})
		if err != nil {
			return nil, nil, err
		}
		for _, ns := range days {
			l.Codes = append(l.Codes, c.code(table.DateText(ns)))
		}
		return l.Codes, l.Dict, nil
	}
	if err := memory.Room(8 * uint64(t.rows())); err != nil {
		return nil, nil, err
	}
	data, err := col.read(0, t.rows())
	if err != nil {
		return nil, nil, err
	}
	for i := range data.Len() {
		l.Codes = append(l.Codes, c.code(table.NumberText(data, i)))
	}
	return l.Codes, l.Dict, nil
}

// Times reads a time column into a new slice.
func (t *cells) Times(i int, unit delimited.TimeUnit) ([]int64, error) {
	col := t.at[i]
	n, name, typ := t.rows(), col.field.Name, col.field.Type
	if err := memory.Room(3 * 8 * uint64(n)); err != nil { // what is read, the times, and the ends
		return nil, fmt.Errorf("the times of %d rows: %w", n, err)
	}
	valid := col.validity(0, n)
	for i := range n {
		if !valid.Get(i) {
			return nil, t.Errorf(i, "time column %q has no value", name)
		}
	}
	ns := unit.Length()
	if u := typeUnit(typ); u > 0 {
		ns = u
	}
	out := make([]int64, n)
	switch {
	case typ.ID() == arrow.DATE32:
		return out, scale(out, widen(whole[int32](col, 0, n)), 86400e9, name)
	case typ.ID() == arrow.DATE64:
		return out, scale(out, whole[int64](col, 0, n), 1e6, name)
	case isExotic(typ): // a duration
	case typeUnit(typ) > 0 && col.width == 4:
		return out, scale(out, widen(whole[int32](col, 0, n)), ns, name)
	case typeUnit(typ) > 0:
		return out, scale(out, whole[int64](col, 0, n), ns, name)
	}
	data, err := col.read(0, n)
	if err != nil {
		return nil, err
	}
	if data.U == nil {
		return out, round(out, data.F, ns, name)
	}
	for i, u := range data.U {
		hi, lo := bits.Mul64(u, uint64(ns))
		if hi != 0 || lo > math.MaxInt64 {
			return nil, tooLate(name, i)
		}
		out[i] = int64(lo)
	}
	return out, nil
}

func widen(v []int32) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}

func scale(dst, v []int64, ns int64, name string) error {
	for i, x := range v {
		dst[i] = x * ns
		if dst[i]/ns != x {
			return tooLate(name, i)
		}
	}
	return nil
}

func round(dst []int64, v []float64, ns int64, name string) error {
	for i, x := range v {
		x = math.RoundToEven(x * float64(ns))
		if !(math.Abs(x) < 1<<63) {
			return tooLate(name, i)
		}
		dst[i] = int64(x)
	}
	return nil
}

func tooLate(name string, row int) error {
	return fmt.Errorf("row %d: time column %q has no time that fits: nanoseconds in 64 bits reach 292 years", row, name)
}
