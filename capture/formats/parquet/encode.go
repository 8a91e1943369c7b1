package parquet

import (
	"context"
	"fmt"
	"io"
	"math/big"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/snappy"

	"astrolabe/capture"
	"astrolabe/capture/formats/arrow"
	"astrolabe/capture/progress"
)

const (
	// groupBytes bounds the uncompressed size of a row group, of which the writer keeps one in memory.
	groupBytes = 64 << 20
	// blockRows is how many values are converted at a time.
	blockRows = 4096
)

// Encode writes c to w.
func (Format) Encode(ctx context.Context, w io.Writer, c *capture.Capture) error {
	return encode(ctx, w, c, nil, "")
}

// encode writes c in columns that are called nothing in reserved. whole is the identity of the capture that c is a part
// of, "" where it is whole.
func encode(ctx context.Context, w io.Writer, c *capture.Capture, reserved []string, whole string) error {
	l, err := plan(ctx, c, reserved)
	if err != nil {
		return err
	}
	options := []pq.WriterOption{l.schema, pq.Compression(&snappy.Codec{}), pq.DataPageVersion(1),
		pq.DataPageStatistics(true),
		pq.CreatedBy("astrolabe", "1", ""), pq.KeyValueMetadata(keyLayout, l.meta[keyLayout]),
		pq.KeyValueMetadata(keyCapture, l.meta[keyCapture]), pq.KeyValueMetadata(keyColumns, l.meta[keyColumns])}
	if whole != "" {
		options = append(options, pq.KeyValueMetadata(keyWhole, whole))
	}
	pw := pq.NewGenericWriter[any](w, options...)
	writers := pw.ColumnWriters()
	values := make([]pq.Value, blockRows)
	n := c.Len()
	step := rowsPerGroup(len(l.columns))
	meter := progress.From(ctx)
	meter.Begin(int64(n)*int64(len(l.columns)), progress.Values)
	for lo := 0; lo < n; lo += step {
		hi := min(n, lo+step)
		for i := range l.columns {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := l.columns[i].write(writers[i], i, c.Axis, lo, hi, values); err != nil {
				return fmt.Errorf("column %s: %w", l.columns[i].stored, err)
			}
			meter.Add(int64(hi - lo))
		}
		if err := pw.Flush(); err != nil {
			return err
		}
	}
	return pw.Close()
}

func rowsPerGroup(columns int) int { return max(blockRows, groupBytes/(8*columns)) }

// write hands rows [lo, hi) to w in blocks.
func (c *column) write(w *pq.ColumnWriter, index int, a *capture.Axis, lo, hi int, values []pq.Value) error {
	one, err := c.reader(index, a, lo, hi)
	if err != nil {
		return err
	}
	for lo < hi {
		k := min(hi-lo, len(values))
		for i := range k {
			values[i] = one(lo + i)
		}
		if _, err := w.WriteRowValues(values[:k]); err != nil {
			return err
		}
		lo += k
	}
	return nil
}

// reader returns the value of each of the rows [lo, hi).
func (c *column) reader(index int, a *capture.Axis, lo, hi int) (func(i int) pq.Value, error) {
	times := func(v []int64) (func(i int) pq.Value, error) {
		return func(i int) pq.Value { return pq.Int64Value(v[i]).Level(0, 0, index) }, nil
	}
	null := pq.NullValue().Level(0, 0, index)
	switch c.Role {
	case arrow.RoleStart:
		return times(a.Start)
	case arrow.RoleEnd:
		return times(a.End)
	case arrow.RoleCovered:
		return times(a.Covered)
	case arrow.RoleCount:
		return func(i int) pq.Value { return pq.DoubleValue(a.Count[i]).Level(0, 0, index) }, nil
	case arrow.RoleLabel:
		texts := make([]pq.Value, len(c.Label.Dict))
		for k, s := range c.Label.Dict {
			texts[k] = pq.ByteArrayValue([]byte(validText(s))).Level(0, 1, index)
		}
		return func(i int) pq.Value {
			if code := c.Label.Codes[i]; code >= 0 {
				return texts[code]
			}
			return null
		}, nil
	}
	d, err := c.Numbers(lo, hi)
	if err != nil {
		return nil, err
	}
	return func(i int) pq.Value {
		i -= lo
		switch {
		case d.Missing(i):
			return null
		case c.form == formDouble:
			return pq.DoubleValue(d.Float(i)).Level(0, 1, index)
		case c.form == formDecimal:
			return pq.FixedLenByteArrayValue(toDecimal(d.U[i])).Level(0, 1, index)
		}
		return pq.Int64Value(int64(d.U[i])).Level(0, 1, index)
	}, nil
}

// toDecimal is the unscaled value of a decimal: big-endian two's complement.
func toDecimal(u uint64) []byte {
	out := make([]byte, decimalBytes)
	for i := range 8 {
		out[decimalBytes-1-i] = byte(u >> (8 * i))
	}
	return out
}

// fromDecimal reads an unscaled value.
func fromDecimal(b []byte) *big.Int {
	v := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v
}
