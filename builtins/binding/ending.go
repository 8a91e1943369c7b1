package binding

import (
	"context"
	"sync"
)

// Ending lets work that can end early and still has a result, such as a recording, take an interruption of the
// statement that it runs in: it ends, and the statement goes on with what there is. It is for a session, where a person
// sees what became of it; scripts stop.
type Ending struct {
	mu    sync.Mutex
	end   func()
	taken bool
}

type endingKey struct{}

// WithEnding returns a context under which work may take an interruption.
func WithEnding(ctx context.Context) (context.Context, *Ending) {
	e := &Ending{}
	return context.WithValue(ctx, endingKey{}, e), e
}

// Interrupt offers an interruption to the work under way, and reports whether that took it. Of one statement only the
// first is taken.
func (e *Ending) Interrupt() bool {
	e.mu.Lock()
	end := e.end
	first := !e.taken && end != nil
	e.taken = e.taken || first
	e.mu.Unlock()
	if first {
		end()
	}
	return first
}

// EndOnInterrupt has end called on an interruption, until the returned function is called. Where nothing offers
// interruptions it does nothing.
func EndOnInterrupt(ctx context.Context, end func()) (release func()) {
	e, ok := ctx.Value(endingKey{}).(*Ending)
	if !ok {
		return func() {}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.end
	e.end = end
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.end = before
	}
}
