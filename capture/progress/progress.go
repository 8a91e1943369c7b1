// Package progress lets long work say how far it is to whoever waits for it, through the context that it runs under.
//
// Work asks From for the meter once, begins a stage on it, and adds to it at a coarse grain: a block of a file, a
// thousand samples, a page. Where nobody listens the meter is nil, and every method of a nil meter does nothing.
package progress

import (
	"context"
	"io"
	"sync"
	"time"
)

// Unit is what a stage counts.
type Unit string

const (
	Bytes    Unit = "bytes"
	Samples  Unit = "samples"
	Rows     Unit = "rows"
	Values   Unit = "values"
	Counters Unit = "counters"
	Columns  Unit = "columns"
	Captures Unit = "captures"
	Pictures Unit = "pictures"
	Blocks   Unit = "blocks" // of a page: a chart, a line of text
	Shapes   Unit = "shapes" // of a picture
	Share    Unit = ""       // of work that has no unit of its own
)

// State is how far a stage is.
type State struct {
	Done  int64
	Total int64 // 0 where it is not known
	Unit  Unit
	Begun time.Time // zero where no stage has begun
}

// Meter is how far a piece of work is. It is safe for concurrent use; a nil one counts nothing.
type Meter struct {
	mu    sync.Mutex
	state State
}

type key struct{}

// With returns a context whose work reports to m.
func With(ctx context.Context, m *Meter) context.Context { return context.WithValue(ctx, key{}, m) }

// From is the meter that work under ctx reports to, nil where nobody listens.
func From(ctx context.Context) *Meter {
	m, _ := ctx.Value(key{}).(*Meter)
	return m
}

// Begin says that a stage begins, with so many units to do; 0 where nobody knows how many. It replaces the stage
// before.
func (m *Meter) Begin(total int64, unit Unit) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state = State{Total: max(0, total), Unit: unit, Begun: time.Now()}
}

// Add says that n more units are done.
func (m *Meter) Add(n int64) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Done += n
}

// Set says how many units are done.
func (m *Meter) Set(done int64) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Done = done
}

// State is how far the stage is that began last.
func (m *Meter) State() State {
	if m == nil {
		return State{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state
}

// Reader returns a reader of r that counts its bytes on the meter of ctx; r itself where nobody listens. It is for
// readers that are read in large blocks: put the buffer around it.
func Reader(ctx context.Context, r io.Reader) io.Reader {
	m := From(ctx)
	if m == nil {
		return r
	}
	return &reader{r, m}
}

type reader struct {
	r io.Reader
	m *Meter
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.m.Add(int64(n))
	return n, err
}
