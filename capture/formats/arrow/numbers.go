package arrow

import (
	"fmt"
	"math"
	"sort"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// isNumber reports whether columns of that type become counters.
func isNumber(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.FLOAT32, arrow.FLOAT64:
		return true
	}
	return isUnsigned(t) || isExotic(t)
}

func isUnsigned(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return true
	}
	return false
}

func isSigned(t arrow.DataType) bool {
	return isNumber(t) && !isUnsigned(t) && !isFloat(t) && !isExotic(t)
}

func isFloat(t arrow.DataType) bool { return t.ID() == arrow.FLOAT32 || t.ID() == arrow.FLOAT64 }

// pieces calls f for the parts of rows [lo, hi) that lie in one batch each: rows [a, b) of a chunk, which go to at.
func (c *column) pieces(lo, hi int, f func(ch chunk, a, b, at int)) {
	c.load()
	for k := c.batchOf(lo); lo < hi && k >= 0 && k < len(c.chunks); k++ {
		start, end := c.first[k], min(hi, c.first[k+1])
		if end > lo {
			c.from.hasChunk(c.chunks[k], c.width, lo-start, end-start)
			f(c.chunks[k], lo-start, end-start, lo)
			lo = end
		}
	}
}

// batchOf is the batch of a row: as a rule all have the same length.
func (c *column) batchOf(row int) int {
	if n, last := c.rows(), len(c.first)-1; n > 0 && row < n {
		if k := int(uint64(row) * uint64(last) / uint64(n)); c.first[k] <= row && row < c.first[k+1] {
			return k
		}
	}
	return sort.SearchInts(c.first, row+1) - 1
}

// part returns rows from lo on where they lie, at most up to hi: those of one batch.
func (c *column) part(lo, hi int) (capture.Data, error) {
	c.load()
	k := c.batchOf(lo)
	start, end := c.first[k], min(hi, c.first[k+1])
	ch := c.chunks[k]
	if c.field.Type.ID() != arrow.UINT64 || ch.values == nil {
		return c.read(lo, end)
	}
	c.from.hasChunk(ch, c.width, lo-start, end-start)
	d := capture.Data{U: values[uint64](ch, lo-start, end-start)}
	if ch.valid != nil {
		d.Valid = capture.Bitmap{Bits: ch.bitmap(end - start), Off: lo - start}
	}
	return d, nil
}

// inParts reports whether rows can be read where they lie and a copy of all of them is worth avoiding: there are
// several batches of values in the very form of the data model. Signed integers are not, which are doubles if any is
// negative.
func (c *column) inParts() bool {
	id := c.field.Type.ID()
	return c.width > 0 && len(c.first) > 2 && (id == arrow.UINT64 || id == arrow.FLOAT64)
}

// read returns rows [lo, hi) as the data model has them: unsigned integers, or doubles with NaN for missing. Where the
// rows lie in one batch in the very form of the data model nothing is copied.
func (c *column) read(lo, hi int) (capture.Data, error) {
	switch t := c.field.Type; t.ID() {
	case arrow.UINT64:
		return readUnsigned[uint64](c, lo, hi), nil
	case arrow.UINT32:
		return readUnsigned[uint32](c, lo, hi), nil
	case arrow.UINT16:
		return readUnsigned[uint16](c, lo, hi), nil
	case arrow.UINT8:
		return readUnsigned[uint8](c, lo, hi), nil
	case arrow.INT64:
		return readSigned[int64](c, lo, hi), nil
	case arrow.INT32:
		return readSigned[int32](c, lo, hi), nil
	case arrow.INT16:
		return readSigned[int16](c, lo, hi), nil
	case arrow.INT8:
		return readSigned[int8](c, lo, hi), nil
	case arrow.FLOAT64:
		return capture.Data{F: c.readFloat64(lo, hi)}, nil
	case arrow.FLOAT32:
		return capture.Data{F: readFloats[float32](c, lo, hi)}, nil
	case arrow.FLOAT16, arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256, arrow.DURATION:
		return c.readExotic(lo, hi), nil
	default:
		return capture.Data{}, fmt.Errorf("column %q of type %s holds no numbers", c.field.Name, t)
	}
}

// slice views n values at p. It is nil where p is not aligned for T, which only a file of another program can bring
// about.
func slice[T any](p unsafe.Pointer, n int) []T {
	if uintptr(p)%unsafe.Alignof(*new(T)) != 0 {
		return nil
	}
	return unsafe.Slice((*T)(p), n)
}

// values returns values [a, b) of a chunk, as a view where that is possible.
func values[T any](ch chunk, a, b int) []T {
	size := int(unsafe.Sizeof(*new(T)))
	p := unsafe.Add(ch.values, a*size)
	if v := slice[T](p, b-a); v != nil {
		return v
	}
	out := make([]T, b-a)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(out))), (b-a)*size), unsafe.Slice((*byte)(p), (b-a)*size))
	return out
}

// whole returns rows [lo, hi) as one slice: a view of one batch, else a copy.
func whole[T any](c *column, lo, hi int) []T {
	out := []T{}
	c.pieces(lo, hi, func(ch chunk, a, b, at int) {
		v := values[T](ch, a, b)
		switch {
		case b-a == hi-lo:
			out = v[: b-a : b-a]
		case len(out) == 0:
			var tally memory.Tally
			tally.Must(uint64(hi-lo) * uint64(unsafe.Sizeof(*new(T))))
			out = make([]T, hi-lo)
			fallthrough
		default:
			copy(out[at-lo:], v)
		}
	})
	return out
}

// validity returns the bitmap of rows [lo, hi): a view of one batch, else a copy; a nil one where nothing is missing.
func (c *column) validity(lo, hi int) capture.Bitmap {
	var out capture.Bitmap
	c.pieces(lo, hi, func(ch chunk, a, b, at int) {
		if ch.valid == nil {
			return
		}
		if b-a == hi-lo {
			out = capture.Bitmap{Bits: ch.bitmap(b), Off: a}
			return
		}
		if out.Bits == nil {
			out = capture.NewBitmap(hi - lo)
		}
		for i := a; i < b; i++ {
			if ch.missing(i) {
				out.Clear(at - lo + i - a)
			}
		}
	})
	return out
}

// anyMissing reports whether the column has missing values.
func (c *column) anyMissing() bool {
	c.load()
	for _, ch := range c.chunks {
		if ch.valid != nil {
			return true
		}
	}
	for _, a := range c.exotic {
		if a.NullN() > 0 {
			return true
		}
	}
	return false
}

func readUnsigned[T uint8 | uint16 | uint32 | uint64](c *column, lo, hi int) capture.Data {
	v := whole[T](c, lo, hi)
	u, ok := any(v).([]uint64)
	if !ok {
		u = make([]uint64, len(v))
		for i, x := range v {
			u[i] = uint64(x)
		}
	}
	return capture.Data{U: u, Valid: c.validity(lo, hi)}
}

// readSigned gives unsigned integers, or doubles where a value that is not missing is negative.
func readSigned[T int8 | int16 | int32 | int64](c *column, lo, hi int) capture.Data {
	if v, _ := lowest[T](c, lo, hi); v < 0 {
		return capture.Data{F: readFloats[T](c, lo, hi)}
	}
	v := whole[T](c, lo, hi)
	valid := c.validity(lo, hi)
	var u []uint64
	if w, ok := any(v).([]int64); ok {
		u = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(w))), len(w))
	} else {
		u = make([]uint64, len(v))
		for i, x := range v {
			u[i] = uint64(x)
		}
	}
	return capture.Data{U: u, Valid: valid}
}

// lowest returns the smallest and largest value of rows [lo, hi) that is not missing, 0 and 0 where there is none.
func lowest[T int8 | int16 | int32 | int64 | uint64](c *column, lo, hi int) (least, most T) {
	c.pieces(lo, hi, func(ch chunk, a, b, _ int) {
		for i, v := range values[T](ch, a, b) {
			if (v < least || v > most) && !ch.missing(a+i) {
				least, most = min(v, least), max(v, most)
			}
		}
	})
	return least, most
}

// readFloats converts rows [lo, hi) to doubles, NaN where missing.
func readFloats[T int8 | int16 | int32 | int64 | float32 | float64](c *column, lo, hi int) []float64 {
	out := make([]float64, hi-lo)
	c.pieces(lo, hi, func(ch chunk, a, b, at int) {
		dst := out[at-lo:]
		for i, v := range values[T](ch, a, b) {
			dst[i] = float64(v)
		}
		if ch.valid != nil {
			for i := range b - a {
				if ch.missing(a + i) {
					dst[i] = math.NaN()
				}
			}
		}
	})
	return out
}

// readFloat64 returns doubles without copying where they lie in one batch and every missing one has NaN beneath it, as
// this package writes them. Another program may have put something else there.
func (c *column) readFloat64(lo, hi int) []float64 {
	asWritten := true
	c.pieces(lo, hi, func(ch chunk, a, b, _ int) {
		if ch.valid == nil || !asWritten {
			return
		}
		for i, v := range values[float64](ch, a, b) {
			if v == v && ch.missing(a+i) {
				asWritten = false
				return
			}
		}
	})
	if asWritten {
		return whole[float64](c, lo, hi)
	}
	return readFloats[float64](c, lo, hi)
}
