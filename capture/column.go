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
// A table may have a million of them, so it is small: all slices of the data have its length, and what only loading needs is dropped afterwards.
type Column struct {
	n       int
	loading atomic.Pointer[loading] // nil once the values are there
	u       *uint64
	f       *float64
	holes   *holes // nil where every value is there
}

// holes say which integers are missing, and why all values are where they could not be loaded.
type holes struct {
	valid Bitmap
	err   error
}

// loading is what a column needs until it is read.
type loading struct {
	mu     sync.Mutex
	source string // the file that load reads, for errors
	load   func() (Data, error)
}

// NewColumn wraps values that are already in memory (or mapped).
func NewColumn(d Data) *Column {
	c := &Column{n: d.Len()}
	c.set(d)
	return c
}

// set keeps the values, of which there are n.
func (c *Column) set(d Data) {
	c.u, c.f = unsafe.SliceData(d.U), unsafe.SliceData(d.F)
	if d.Valid.Bits != nil {
		c.holes = &holes{valid: d.Valid}
	}
}

// valueRoom is what loading takes for a value, in bytes: itself, and some of what it is made of.
const valueRoom = 12

// LazyColumn returns a column of n values that calls load once, when first read.
func LazyColumn(n int, load func() (Data, error)) *Column {
	c := &Column{n: n}
	c.loading.Store(&loading{load: load})
	return c
}

// Of says which file a column is loaded from.
func (c *Column) Of(path string) *Column {
	if l := c.loading.Load(); l != nil {
		l.source = path
	}
	return c
}

// Len is the number of values; it loads nothing.
func (c *Column) Len() int { return c.n }

// Data loads the column. If loading fails every value is missing and Err says why; where there is no room for the values it panics with a
// *memory.LimitError, see memory.Caught.
func (c *Column) Data() Data {
	if l := c.loading.Load(); l != nil {
		c.loadOnce(l)
	}
	var d Data
	if c.u != nil {
		d.U = unsafe.Slice(c.u, c.n)
	}
	if c.f != nil {
		d.F = unsafe.Slice(c.f, c.n)
	}
	if c.holes != nil {
		d.Valid = c.holes.valid
	}
	return d
}

func (c *Column) loadOnce(l *loading) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.loading.Load() == nil {
		return
	}
	var d Data
	err := memory.Room(uint64(c.n) * valueRoom)
	if err == nil {
		d, err = l.load()
	}
	if errors.Is(err, memory.ErrLimit) { // there may be room another time
		if l.source != "" && !strings.Contains(err.Error(), l.source) {
			err = fmt.Errorf("%s: %w", l.source, err)
		}
		panic(err)
	}
	if err == nil && d.Len() != c.n {
		err = fmt.Errorf("%d values were loaded of %d", d.Len(), c.n)
	}
	if err == nil {
		c.set(d)
	} else {
		c.set(MissingData(c.n))
		c.holes = &holes{err: err}
	}
	c.loading.Store(nil)
}

// Err loads the column and returns what went wrong, nil if nothing did.
func (c *Column) Err() error {
	c.Data()
	if c.holes == nil {
		return nil
	}
	return c.holes.err
}

// Slice returns the column of values [i, j), loading nothing yet.
func (c *Column) Slice(i, j int) *Column {
	return LazyColumn(j-i, func() (Data, error) {
		d := c.Data()
		return d.Slice(i, j), c.Err()
	})
}
