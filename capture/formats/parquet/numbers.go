package parquet

import (
	"fmt"
	"math"
	"math/big"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/float16"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/table"
	"astrolabe/capture/memory"
)

// builder collects numbers as unsigned integers until one does not fit, and as doubles from then on. There is one array
// for both: a column may be most of what memory has room for.
type builder struct {
	bits []uint64 // the integers, or the bits of the doubles
	// a bit for each row without a value while they are integers, least significant first; nil where none is
	missing []byte
	float   bool
	rounded bool // an integer beyond 2^53 became a double
}

func (b *builder) toFloats() {
	if b.float {
		return
	}
	b.float = true
	for i, u := range b.bits {
		b.bits[i] = math.Float64bits(float64(u))
		b.rounded = b.rounded || u > 1<<53
	}
	for i := range b.bits[:min(len(b.bits), 8*len(b.missing))] {
		if b.missing[i>>3]&(1<<(i&7)) != 0 {
			b.bits[i] = math.Float64bits(math.NaN())
		}
	}
	b.missing = nil
}

func (b *builder) null() {
	if b.float {
		b.bits = append(b.bits, math.Float64bits(math.NaN()))
		return
	}
	i := len(b.bits)
	for len(b.missing) <= i>>3 {
		b.missing = append(b.missing, 0)
	}
	b.missing[i>>3] |= 1 << (i & 7)
	b.bits = append(b.bits, 0)
}

func (b *builder) unsigned(u uint64) {
	if b.float {
		b.bits = append(b.bits, math.Float64bits(float64(u)))
		b.rounded = b.rounded || u > 1<<53
		return
	}
	b.bits = append(b.bits, u)
}

func (b *builder) signed(v int64) {
	if v < 0 {
		b.double(float64(v))
		b.rounded = b.rounded || v < -1<<53
		return
	}
	b.unsigned(uint64(v))
}

func (b *builder) double(f float64) {
	b.toFloats()
	b.bits = append(b.bits, math.Float64bits(f))
}

// floats are the values as doubles, in the same memory.
func (b *builder) floats() []float64 {
	b.toFloats()
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(b.bits))), len(b.bits))
}

func (b *builder) data() capture.Data {
	if b.float {
		return capture.Data{F: b.floats()}
	}
	d := capture.Data{U: b.bits}
	if d.U == nil {
		d.U = []uint64{}
	}
	if b.missing != nil {
		d.Valid = capture.NewBitmap(len(b.bits))
		for i, m := range b.missing {
			d.Valid.Bits[i] &^= m
		}
	}
	return d
}

// numbers reads a column. Where integer is set it was written by astrolabe as unsigned integers, and nothing else may
// be in it.
func (d *decoder) numbers(l *leaf, integer bool) (capture.Data, error) {
	if err := memory.Room(uint64(d.rows) * 8); err != nil {
		return capture.Data{}, fmt.Errorf("column %q of %d rows: %w", l.name, d.rows, err)
	}
	b := &builder{bits: make([]uint64, 0, d.rows)}
	if l.class == classFloat || l.class == classHalf {
		b.toFloats()
	}
	err := d.values(l, func(values []pq.Value) error {
		for _, v := range values {
			if v.IsNull() {
				b.null()
				continue
			}
			l.add(b, v)
		}
		if integer && b.float {
			return fmt.Errorf("column %q is damaged: it has a value that is no count", l.name)
		}
		return nil
	})
	if err != nil {
		return capture.Data{}, err
	}
	out := b.data()
	if out.Len() != d.rows {
		return capture.Data{}, fmt.Errorf("column %q is damaged: %d values in %d rows", l.name, out.Len(), d.rows)
	}
	return out, nil
}

// add appends one value that is there.
func (l *leaf) add(b *builder, v pq.Value) {
	kind := l.Type().Kind()
	switch {
	case l.class == classDecimal:
		l.addDecimal(b, v, kind)
	case l.class == classHalf:
		b.double(half(v.ByteArray()))
	case l.class == classUnsigned && kind == pq.Int32:
		b.unsigned(uint64(v.Uint32()))
	case l.class == classUnsigned:
		b.unsigned(v.Uint64())
	case kind == pq.Int32:
		b.signed(int64(v.Int32()))
	case kind == pq.Int64:
		b.signed(v.Int64())
	case kind == pq.Float:
		b.double(float64(v.Float()))
	default:
		b.double(v.Double())
	}
}

// half reads a number of half precision.
func half(b []byte) float64 {
	if len(b) != 2 {
		return math.NaN()
	}
	return float64(float16.FromLEBytes(b).Float32())
}

func (l *leaf) addDecimal(b *builder, v pq.Value, kind pq.Kind) {
	var unscaled *big.Int
	switch kind {
	case pq.Int32:
		unscaled = big.NewInt(int64(v.Int32()))
	case pq.Int64:
		unscaled = big.NewInt(v.Int64())
	default:
		unscaled = fromDecimal(v.ByteArray())
	}
	if l.scale == 0 && unscaled.IsUint64() {
		b.unsigned(unscaled.Uint64())
		return
	}
	// The quotient of exact numbers is rounded once.
	q := new(big.Rat).SetFrac(unscaled, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(l.scale)), nil))
	f, _ := q.Float64()
	b.double(f)
}

// guess fills in what a column that another program added to a capture does not say.
func (d *decoder) guess(c *capture.Counter, l *leaf) {
	c.Integral, c.Guessed = d.wholeByNature(l), true
}

// wholeByNature reports whether the column's doubles, should there be any, are whole numbers.
func (d *decoder) wholeByNature(l *leaf) bool {
	switch {
	case l.class == classSigned || l.class == classDecimal && l.scale == 0:
		if d.mixed(l) {
			d.warn("column %q mixes negative values and values beyond 2^53: its values are rounded to doubles", l.name)
		}
		return true
	case l.class == classFloat, l.class == classDecimal, l.class == classHalf:
		return d.peek(l).Whole
	}
	return false
}

// guessRows is how many values of a column are looked at before it is read.
const guessRows = 4096

// errEnough ends the reading of values early.
var errEnough = fmt.Errorf("enough values were seen")

// peek looks at the first values.
func (d *decoder) peek(l *leaf) table.Peek {
	seen, some, whole := 0, false, true
	out := table.Peek{}
	b := &builder{float: true}
	_ = d.firstValues(l, guessRows, func(values []pq.Value) error {
		b.bits = b.bits[:0]
		for _, v := range values {
			if !v.IsNull() {
				l.add(b, v)
			}
		}
		for _, f := range b.floats() {
			if math.IsNaN(f) {
				continue
			}
			some = true
			out.Largest = max(out.Largest, f)
			whole = whole && f == math.Trunc(f) && !math.IsInf(f, 0)
		}
		if seen += len(values); seen >= guessRows {
			return errEnough
		}
		return nil
	})
	out.Whole = some && whole
	return out
}

// mixed reports by the file's statistics whether a column of 64-bit integers has negative values and ones that doubles
// round.
func (d *decoder) mixed(l *leaf) bool {
	if l.Type().Kind() != pq.Int64 {
		return false
	}
	least, most := int64(0), int64(0)
	for i := range d.Metadata().RowGroups {
		s := &d.Metadata().RowGroups[i].Columns[l.Index()].MetaData.Statistics
		if v, ok := bound(s, true); ok {
			least = min(least, v)
		}
		if v, ok := bound(s, false); ok {
			most = max(most, v)
		}
	}
	return least < 0 && (least < -1<<53 || most > 1<<53)
}

func bound(s *format.Statistics, least bool) (int64, bool) {
	b := s.MaxValue
	if least {
		b = s.MinValue
	}
	if len(b) != 8 {
		return 0, false
	}
	u := uint64(0)
	for i, x := range b {
		u |= uint64(x) << (8 * i)
	}
	return int64(u), true
}
