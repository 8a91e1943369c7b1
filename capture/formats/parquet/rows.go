package parquet

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"slices"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/snappy"

	"astrolabe/capture/formats"
)

// Type is what the values of a column of rows are.
type Type uint8

// The types of columns of rows, and the Go type of their values.
const (
	Text    Type = iota // string: BYTE_ARRAY with the logical type STRING
	Bool                // bool: BOOLEAN
	Int                 // int64: INT64
	Decimal             // *big.Int of at most 20 digits: DECIMAL(20,0), see the package's documentation
	Double              // float64: DOUBLE
	Time                // time.Time: INT64 with the logical type TIMESTAMP, in µs and UTC
)

// Column is a column of a table of rows. Each of its values may be missing.
type Column struct {
	Name string
	Type Type
}

// Rows writes a table that is no capture, such as what scripts say of many captures: one row after the other, of which
// it keeps a row group in memory. Compression, pages and names of columns are those of captures.
type Rows struct {
	columns []Column
	w       *pq.GenericWriter[any]
	batch   []pq.Row
	size    int // of what was added to the row group, about, in bytes
}

// rowBatch is how many rows are handed on at a time.
const rowBatch = 256

// maxDictionary is how large the dictionary of a column of texts may become, in bytes; what comes then is written
// plain.
const maxDictionary = 1 << 20

// NewRows begins a table. Names that engines refuse are changed; the metadata then has the original under
// "astrolabe.columns", as in captures. meta is written beside it.
func NewRows(w io.Writer, columns []Column, meta map[string]string) (*Rows, error) {
	if len(columns) == 0 || len(columns) > pq.MaxColumnIndex {
		return nil, fmt.Errorf("%w: it needs %d columns, and a Parquet file holds 1 to %d here", formats.ErrUnsuitable,
			len(columns), pq.MaxColumnIndex)
	}
	group, order, taken := pq.Group{}, make([]string, len(columns)), newNames(nil)
	var renamed []columnDoc
	for i, c := range columns {
		order[i] = taken.take(c.Name)
		group[order[i]] = pq.Optional(c.Type.node())
		if order[i] != c.Name {
			renamed = append(renamed, columnDoc{order[i], map[string]string{"name": c.Name}})
		}
	}
	options := []pq.WriterOption{pq.NewSchema("rows", inOrder(group, order)), pq.Compression(&snappy.Codec{}),
		pq.DataPageVersion(1), pq.DataPageStatistics(true), pq.DictionaryMaxBytes(maxDictionary),
		pq.CreatedBy("astrolabe", "1", "")}
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		options = append(options, pq.KeyValueMetadata(key, meta[key]))
	}
	if len(renamed) > 0 {
		text, err := json.Marshal(renamed)
		if err != nil {
			return nil, err
		}
		options = append(options, pq.KeyValueMetadata(keyColumns, string(text)))
	}
	return &Rows{columns: slices.Clone(columns), w: pq.NewGenericWriter[any](w, options...)}, nil
}

func (t Type) node() pq.Node {
	switch t {
	case Bool:
		return pq.Leaf(pq.BooleanType)
	case Int:
		return pq.Encoded(pq.Leaf(pq.Int64Type), &pq.Plain)
	case Decimal:
		return pq.Encoded(pq.Decimal(0, 20, pq.FixedLenByteArrayType(decimalBytes)), &pq.Plain)
	case Double:
		return pq.Encoded(pq.Leaf(pq.DoubleType), &pq.Plain)
	case Time:
		return pq.Encoded(pq.Timestamp(pq.Microsecond), &pq.Plain)
	}
	return pq.Encoded(pq.String(), &pq.RLEDictionary)
}

// Add writes a row: a value of the Go type of each column, nil where it is missing. A NaN is missing too.
func (r *Rows) Add(values ...any) error {
	if len(values) != len(r.columns) {
		return fmt.Errorf("a row has %d values and %d columns", len(values), len(r.columns))
	}
	row := make(pq.Row, len(values))
	for i, v := range values {
		cell, size, err := r.columns[i].Type.value(v)
		if err != nil {
			return fmt.Errorf("column %s: %w", r.columns[i].Name, err)
		}
		level := 1
		if cell.IsNull() {
			level = 0
		}
		row[i] = cell.Level(0, level, i)
		r.size += size
	}
	r.batch = append(r.batch, row)
	if len(r.batch) < rowBatch && r.size < groupBytes {
		return nil
	}
	return r.flush()
}

// flush hands the rows on, and ends the row group where it is full.
func (r *Rows) flush() error {
	if _, err := r.w.WriteRows(r.batch); err != nil {
		return err
	}
	clear(r.batch)
	r.batch = r.batch[:0]
	if r.size < groupBytes {
		return nil
	}
	r.size = 0
	return r.w.Flush()
}

// Close completes the table; w stays open.
func (r *Rows) Close() error {
	if err := r.flush(); err != nil {
		return err
	}
	return r.w.Close()
}

// decimalLimit is the least number with more than 20 digits.
var decimalLimit = new(big.Int).Exp(big.NewInt(10), big.NewInt(20), nil)

// FitsDecimal tells whether a column of the type Decimal holds v.
func FitsDecimal(v *big.Int) bool { return v.CmpAbs(decimalLimit) < 0 }

// value is v as a column of the type stores it, and about how many bytes it takes.
func (t Type) value(v any) (cell pq.Value, size int, err error) {
	switch v := v.(type) {
	case nil:
		return pq.NullValue(), 1, nil
	case string:
		if t == Text {
			return pq.ByteArrayValue([]byte(validText(v))), len(v) + 4, nil
		}
	case bool:
		if t == Bool {
			return pq.BooleanValue(v), 1, nil
		}
	case int64:
		if t == Int {
			return pq.Int64Value(v), 8, nil
		}
	case float64:
		if t == Double && math.IsNaN(v) {
			return pq.NullValue(), 1, nil
		}
		if t == Double {
			return pq.DoubleValue(v), 8, nil
		}
	case *big.Int:
		if t == Decimal && FitsDecimal(v) {
			return pq.FixedLenByteArrayValue(signedDecimal(v)), decimalBytes, nil
		}
	case time.Time:
		if t == Time {
			return pq.Int64Value(v.UnixMicro()), 8, nil
		}
	}
	return pq.Value{}, 0, fmt.Errorf("%v (%T) is no value of its type", v, v)
}

// signedDecimal is the unscaled value of a decimal: big-endian two's complement.
func signedDecimal(v *big.Int) []byte {
	if v.Sign() < 0 {
		v = new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(1), 8*decimalBytes))
	}
	return v.FillBytes(make([]byte, decimalBytes))
}
