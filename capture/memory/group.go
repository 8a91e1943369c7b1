package memory

import (
	"sync"
	"sync/atomic"
)

// Group is a sync.WaitGroup for goroutines that read columns. A panic that Caught knows does not end the program: Wait
// has it instead, in the goroutine that can make an error of it.
type Group struct {
	wg     sync.WaitGroup
	failed atomic.Pointer[error] // the first
}

// Go runs f in a goroutine of its own.
func (g *Group) Go(f func()) {
	g.wg.Go(func() {
		defer FaultsPanic()()
		defer func() {
			if p := recover(); p != nil {
				err := Caught(p)
				if err == nil {
					panic(p)
				}
				g.failed.CompareAndSwap(nil, &err)
			}
		}()
		f()
	})
}

// Wait waits for all of them, and panics with what one of them met.
func (g *Group) Wait() {
	g.wg.Wait()
	if err := g.failed.Load(); err != nil {
		panic(*err)
	}
}
