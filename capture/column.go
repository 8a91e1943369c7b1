package capture

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"astrolabe/capture/memory"
)

// Column is a lazily loaded Data of known length. It is safe for concurrent use.
//
// A table may have a million of them, so it is small: all slices of the data have its length.
type Column struct {
	n     int
	lazy  *lazyColumn // nil where the values are here
	u     *uint64
	f     *float64
	valid *Bitmap // nil where every value is there
}

// NewColumn wraps values that are already in memory (or mapped).
func NewColumn(d Data) *Column {
	c := &Column{n: d.Len(), u: unsafe.SliceData(d.U), f: unsafe.SliceData(d.F)}
	if d.Valid.Bits != nil {
		valid := d.Valid
		c.valid = &valid
	}
	return c
}

// LazyColumn returns a column of n values that calls load when first read.
func LazyColumn(n int, load func() (Data, error)) *Column {
	return &Column{n: n, lazy: &lazyColumn{load: load}}
}

// Again says that load may be called again and is not much dearer than keeping the values: they are dropped where
// memory is short. A file that is larger than memory has room for can then be read column by column. It must be said
// before the column is read.
func (c *Column) Again() *Column {
	c.lazy.again = true
	return c
}

// InParts says that part gives values from lo on where they lie, at most up to hi and at least one: those of one batch
// of a file, say. Values that lie in no such form are put into buf, as many as it holds, or into new memory where it is
// empty. All parts are either integers or doubles. What goes through the values in order then needs no room for all of
// them. It must be said before the column is read.
func (c *Column) InParts(part func(lo, hi int, buf []uint64) (Data, error)) *Column {
	c.lazy.part = part
	return c
}

// Near says that whoever reads values waits for no more than pages of a file of this machine. It must be said before
// the column is read.
func (c *Column) Near() *Column {
	c.lazy.near = true
	return c
}

// atHand reports whether values are in memory, or as near as that.
func (c *Column) atHand() bool { return c.lazy == nil || c.lazy.near || c.lazy.data.Load() != nil }

// Of says which file a column is loaded from.
func (c *Column) Of(path string) *Column {
	if c.lazy != nil {
		c.lazy.source = path
	}
	return c
}

// Len is the number of values; it loads nothing.
func (c *Column) Len() int { return c.n }

// Data loads the column. If loading fails every value is missing and Err says why; where there is no room for the
// values, or they cannot be loaded another time, it panics with an error that memory.Caught knows.
func (c *Column) Data() Data {
	if c.lazy != nil {
		return *c.lazy.get(c.n)
	}
	var d Data
	if c.u != nil {
		d.U = unsafe.Slice(c.u, c.n)
	}
	if c.f != nil {
		d.F = unsafe.Slice(c.f, c.n)
	}
	if c.valid != nil {
		d.Valid = *c.valid
	}
	return d
}

// Stretch returns values from lo on, at most up to hi, as many as lie side by side; lo must be less than hi. It loads
// no others where the column can be read in parts, and is Data.Slice elsewhere. The values may lie in buf, which can
// be empty: then they stay as they are when that is used again.
func (c *Column) Stretch(lo, hi int, buf []uint64) Data {
	if l := c.lazy; l != nil && l.part != nil && l.data.Load() == nil {
		if d, err := l.part(lo, hi, buf); err == nil && d.Len() > 0 {
			l.seen.Store(true)
			return d
		}
	}
	return c.Data().Slice(lo, hi)
}

// tally takes integers from lo on, at most up to hi, into t where the column can tell without having them side by side,
// and returns how many; 0 where it cannot.
func (c *Column) tally(t *integers, lo, hi int) int {
	if c.lazy == nil || c.lazy.tally == nil || c.lazy.data.Load() != nil {
		return 0
	}
	c.lazy.seen.Store(true)
	return c.lazy.tally(t, lo, hi)
}

// inParts reports whether values are only there for the parts that are asked for.
func (c *Column) inParts() bool {
	return c.lazy != nil && c.lazy.part != nil && c.lazy.data.Load() == nil
}

// Integers reports whether the values are integers rather than doubles.
func (c *Column) Integers() bool {
	if c.inParts() {
		var one [1]uint64
		return c.n > 0 && c.Stretch(0, 1, one[:]).U != nil
	}
	return c.Data().U != nil
}

// Doubles returns all values where they lie in memory as doubles side by side, nil where they do not.
func (c *Column) Doubles() []float64 {
	if c.inParts() {
		return nil
	}
	return c.Data().F
}

// ReadFloats converts values [from, from+len(dst)) into dst.
func (c *Column) ReadFloats(dst []float64, from int) {
	if !c.inParts() {
		c.Data().ReadFloats(dst, from)
		return
	}
	buf := stretches.Get().(*[BlockRows]uint64)
	defer stretches.Put(buf)
	for len(dst) > 0 {
		d := c.Stretch(from, from+len(dst), buf[:])
		n := d.Len()
		d.ReadFloats(dst[:n], 0)
		dst, from = dst[n:], from+n
	}
}

// Floats returns all values as doubles: the column itself where it already holds doubles, else a new slice.
func (c *Column) Floats() []float64 {
	if !c.inParts() || !c.Integers() {
		return c.Data().Floats()
	}
	out := make([]float64, c.n)
	c.ReadFloats(out, 0)
	return out
}

// Err loads the column and returns what went wrong, nil if nothing did.
func (c *Column) Err() error {
	if c.lazy == nil {
		return nil
	}
	c.lazy.get(c.n)
	return c.lazy.err
}

// readErr is what went wrong where the column was read, nil where nothing did. It loads nothing.
func (c *Column) readErr() error {
	if c.lazy == nil || c.lazy.data.Load() == nil {
		return nil
	}
	return c.lazy.err
}

// Slice returns the column of values [i, j), loading nothing yet.
func (c *Column) Slice(i, j int) *Column {
	out := LazyColumn(j-i, func() (Data, error) {
		d := c.Data()
		return d.Slice(i, j), c.Err()
	}).Again()
	out.lazy.near = c.atHand()
	if c.lazy != nil && c.lazy.part != nil {
		out.InParts(func(lo, hi int, buf []uint64) (Data, error) { return c.Stretch(i+lo, i+hi, buf), nil })
	}
	return out
}

// lazyColumn is what a column needs that is not read yet, or may be read again.
type lazyColumn struct {
	mu     sync.Mutex
	source string // the file that load reads, for errors
	load   func() (Data, error)
	part   func(lo, hi int, buf []uint64) (Data, error) // nil where only all values can be read
	tally  func(t *integers, lo, hi int) int            // see Column.tally; nil where it has no such way
	data   atomic.Pointer[Data]
	err    error       // set once, before data
	again  bool        // it may be dropped
	near   bool        // see Column.Near
	seen   atomic.Bool // values have been there
}

// valueRoom is what loading takes for a value, in bytes: itself, and some of what it is made of.
const valueRoom = 12

func (l *lazyColumn) get(n int) *Data {
	if d := l.data.Load(); d != nil {
		return d
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if d := l.data.Load(); d != nil {
		return d
	}
	var d Data
	err := memory.Room(uint64(n) * valueRoom)
	if err == nil {
		d, err = l.load()
	}
	switch {
	case errors.Is(err, memory.ErrLimit): // there may be room another time
		if l.source != "" && !strings.Contains(err.Error(), l.source) {
			err = fmt.Errorf("%s: %w", l.source, err)
		}
		panic(err)
	case err != nil && l.seen.Load(): // who has seen the values must not take them for missing now
		panic(fmt.Errorf("%s: %w: %w", l.source, memory.ErrAgain, err))
	case err != nil:
		d, l.err, l.again = MissingData(n), err, false
	}
	l.data.Store(&d)
	l.seen.Store(true)
	if l.again {
		memory.Spare(l, (*lazyColumn).drop)
	} else {
		l.load = nil
	}
	return &d
}

func (l *lazyColumn) drop() { l.data.Store(nil) }
