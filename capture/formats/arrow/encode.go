package arrow

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"astrolabe/capture"
	"astrolabe/capture/progress"
)

// batchBytes is the size of the batches of the file form. Columns are slices of a mapped file only within one batch,
// while readers refuse batches that are much larger (arrow-go: 256 MiB).
const batchBytes = 64 << 20

// rangeReader returns samples [lo, hi) of one column.
type rangeReader func(lo, hi int) (capture.Data, error)

// encode writes cfg in the form of f. read gives the values of each counter that s has a column for.
func (f Format) encode(ctx context.Context, w io.Writer, cfg *capture.Config, s shape,
	read func(c *capture.Counter) rangeReader) error {
	l, err := plan(cfg, labelType, s)
	if err != nil {
		return err
	}
	var out interface {
		Write(rec arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(w, ipc.WithSchema(l.schema))
	if !f.stream {
		if out, err = ipc.NewFileWriter(w, ipc.WithSchema(l.schema)); err != nil {
			return err
		}
	}
	readers := make([]func(lo, hi int) (arrow.Array, error), len(l.fields))
	for i, f := range l.fields {
		readers[i] = f.arrays(cfg.Axis, read)
	}
	n := cfg.Axis.Len()
	step := rowsPerBatch(len(l.fields))
	meter := progress.From(ctx)
	meter.Begin(int64(n)*int64(len(readers)), progress.Values)
	for lo := 0; lo < n || lo == 0; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(n, lo+step)
		cols := make([]arrow.Array, len(readers))
		for i, r := range readers {
			if cols[i], err = r(lo, hi); err != nil {
				return err
			}
			meter.Add(int64(hi - lo))
		}
		if err := out.Write(array.NewRecordBatch(l.schema, cols, int64(hi-lo))); err != nil {
			return err
		}
	}
	return out.Close()
}

// rowsPerBatch keeps bitmaps of consecutive batches on byte boundaries.
func rowsPerBatch(columns int) int {
	return max(64, batchBytes/(8*columns)&^63)
}

// arrays returns the function that makes the Arrow array of samples [lo, hi) of the field.
func (f *planned) arrays(a *capture.Axis,
	read func(c *capture.Counter) rangeReader) func(lo, hi int) (arrow.Array, error) {
	times := func(v []int64) func(lo, hi int) (arrow.Array, error) {
		return func(lo, hi int) (arrow.Array, error) { return timeArray(v[lo:hi]), nil }
	}
	numbers := func(r rangeReader) func(lo, hi int) (arrow.Array, error) {
		return func(lo, hi int) (arrow.Array, error) {
			d, err := r(lo, hi)
			if err != nil {
				return nil, err
			}
			return numberArray(d, f.integer), nil
		}
	}
	switch f.role {
	case roleStart:
		return times(a.Start)
	case roleEnd:
		return times(a.End)
	case roleCovered:
		return times(a.Covered)
	case roleCount:
		return func(lo, hi int) (arrow.Array, error) { return plainFloats(a.Count[lo:hi]), nil }
	case roleLabel:
		dict := stringArray(f.label.Dict)
		return func(lo, hi int) (arrow.Array, error) { return labelArray(f.label.Codes[lo:hi], dict), nil }
	case rolePassStart, rolePassDuration:
		return numbers(columnReader("a pass", f.column))
	default:
		return numbers(read(f.counter))
	}
}

func columnReader(of string, col *capture.Column) rangeReader {
	return func(lo, hi int) (capture.Data, error) {
		d := col.Data()
		if err := col.Err(); err != nil {
			return capture.Data{}, fmt.Errorf("read %s: %w", of, err)
		}
		return d.Slice(lo, hi), nil
	}
}

// Encode writes c to w.
func (f Format) Encode(ctx context.Context, w io.Writer, c *capture.Capture) error {
	if err := checkLengths(&c.Config); err != nil {
		return err
	}
	return f.encode(ctx, w, &c.Config, measuredShape, measuredReader)
}

// checkLengths makes sure that every column has a value for every sample, which capture.New does not check below whole
// counters.
func checkLengths(cfg *capture.Config) error {
	n := cfg.Axis.Len()
	check := func(what string, got int) error {
		if got != n {
			return fmt.Errorf("%s has %d values, the time axis has %d", what, got, n)
		}
		return nil
	}
	pass := func(p *capture.Pass) error {
		for _, col := range []*capture.Column{p.Start, p.Duration} {
			if col != nil && col.Len() != n {
				return check("pass "+p.ID, col.Len())
			}
		}
		return nil
	}
	for _, p := range cfg.Passes {
		if err := pass(p); err != nil {
			return err
		}
	}
	for _, whole := range cfg.Counters {
		for _, c := range append([]*capture.Counter{whole}, whole.Instances...) {
			if c.Col != nil && c.Col.Len() != n {
				return check("counter "+c.Name, c.Col.Len())
			}
			if c.Pass == nil {
				continue
			}
			if err := pass(c.Pass); err != nil {
				return err
			}
		}
	}
	if a := cfg.Axis; a.Covered != nil {
		if err := check("the covered time", len(a.Covered)); err != nil {
			return err
		}
	}
	if a := cfg.Axis; a.Count != nil {
		return check("the sample count", len(a.Count))
	}
	return nil
}

// validText is s with a replacement character for every byte that is not UTF-8, which Arrow requires.
func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
