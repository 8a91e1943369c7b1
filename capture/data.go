package capture

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"astrolabe/capture/memory"
)

// Bitmap holds one bit per value, least significant bit first, starting at bit Off of Bits (the layout of Arrow
// validity bitmaps). A nil Bits means that every bit is set.
type Bitmap struct {
	Bits []byte
	Off  int
}

// Get reports bit i.
func (b Bitmap) Get(i int) bool {
	if b.Bits == nil {
		return true
	}
	i += b.Off
	return b.Bits[i>>3]&(1<<(i&7)) != 0
}

// Slice returns the bitmap that starts at bit i.
func (b Bitmap) Slice(i int) Bitmap {
	if b.Bits == nil {
		return b
	}
	return Bitmap{Bits: b.Bits, Off: b.Off + i}
}

// NewBitmap returns a bitmap of n bits, all set.
func NewBitmap(n int) Bitmap {
	bits := make([]byte, (n+7)/8)
	for i := range bits {
		bits[i] = 0xff
	}
	return Bitmap{Bits: bits}
}

// Clear clears bit i.
func (b Bitmap) Clear(i int) {
	i += b.Off
	b.Bits[i>>3] &^= 1 << (i & 7)
}

// Data is the values of one column. Exactly one of U and F is set (both nil is an empty column).
// A missing value is a NaN in F, or a cleared bit of Valid beside U. Data is read-only once shared:
// its slices may lie in a mapped file.
type Data struct {
	U     []uint64
	F     []float64
	Valid Bitmap // of U only
}

// Len is the number of values.
func (d Data) Len() int {
	if d.U != nil {
		return len(d.U)
	}
	return len(d.F)
}

// Slice returns values [i, j) without copying.
func (d Data) Slice(i, j int) Data {
	if d.U != nil {
		return Data{U: d.U[i:j:j], Valid: d.Valid.Slice(i)}
	}
	if d.F == nil {
		return d
	}
	return Data{F: d.F[i:j:j]}
}

// Missing reports whether value i is missing.
func (d Data) Missing(i int) bool {
	if d.U != nil {
		return !d.Valid.Get(i)
	}
	return math.IsNaN(d.F[i])
}

// Float returns value i, NaN where it is missing.
func (d Data) Float(i int) float64 {
	if d.U == nil {
		return d.F[i]
	}
	if !d.Valid.Get(i) {
		return math.NaN()
	}
	return float64(d.U[i])
}

// ReadFloats converts values [from, from+len(dst)) into dst.
func (d Data) ReadFloats(dst []float64, from int) {
	if d.U == nil {
		copy(dst, d.F[from:from+len(dst)])
		return
	}
	src := d.U[from : from+len(dst)]
	for i, v := range src {
		dst[i] = float64(v)
	}
	if d.Valid.Bits != nil {
		for i := range dst {
			if !d.Valid.Get(from + i) {
				dst[i] = math.NaN()
			}
		}
	}
}

// Floats returns all values as doubles: the column itself where it already holds doubles, else a new slice.
func (d Data) Floats() []float64 {
	if d.U == nil {
		return d.F
	}
	out := make([]float64, len(d.U))
	d.ReadFloats(out, 0)
	return out
}

// MissingData returns n missing values.
func MissingData(n int) Data {
	f := make([]float64, n)
	for i := range f {
		f[i] = math.NaN()
	}
	return Data{F: f}
}

// Column is a lazily loaded Data of known length. It is safe for concurrent use.
type Column struct {
	n      int
	source string // the file that load reads, for errors
	load   func() (Data, error)
	mu     sync.Mutex
	read   atomic.Bool
	data   Data
	err    error
}

// NewColumn wraps values that are already in memory (or mapped).
func NewColumn(d Data) *Column {
	c := &Column{n: d.Len(), data: d}
	c.read.Store(true)
	return c
}

// valueRoom is what loading takes for a value, in bytes: itself, and some of what it is made of.
const valueRoom = 12

// LazyColumn returns a column of n values that calls load once, when first read.
func LazyColumn(n int, load func() (Data, error)) *Column {
	return &Column{n: n, load: load}
}

// Of says which file a column is loaded from.
func (c *Column) Of(path string) *Column {
	c.source = path
	return c
}

// Len is the number of values; it loads nothing.
func (c *Column) Len() int { return c.n }

// Data loads the column. If loading fails every value is missing and Err says why; where there is no room for the values it panics with a
// *memory.LimitError, see memory.Caught.
func (c *Column) Data() Data {
	if !c.read.Load() {
		c.loadOnce()
	}
	return c.data
}

func (c *Column) loadOnce() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.read.Load() {
		return
	}
	err := memory.Room(uint64(c.n) * valueRoom)
	if err == nil {
		c.data, c.err = c.load()
		err = c.err
	}
	if errors.Is(err, memory.ErrLimit) { // there may be room another time
		if c.source != "" && !strings.Contains(err.Error(), c.source) {
			err = fmt.Errorf("%s: %w", c.source, err)
		}
		c.data, c.err = Data{}, nil
		panic(err)
	}
	if err != nil {
		c.data = MissingData(c.n)
	}
	c.load = nil
	c.read.Store(true)
}

// Err loads the column and returns what went wrong, nil if nothing did.
func (c *Column) Err() error {
	c.Data()
	return c.err
}

// Slice returns the column of values [i, j), loading nothing yet.
func (c *Column) Slice(i, j int) *Column {
	return LazyColumn(j-i, func() (Data, error) {
		d := c.Data()
		return d.Slice(i, j), c.err
	})
}
