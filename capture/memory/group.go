package memory

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Group is a sync.WaitGroup for goroutines that read columns. A panic that Caught knows does not end the program: Wait
// has it instead, in the goroutine that can make an error of it.
type Group struct {
	wg     sync.WaitGroup
	failed atomic.Pointer[error] // the first
}

// working is how many goroutines of groups there are.
var working atomic.Int64

// Full reports whether goroutines of groups, and whoever waits for them or works beside them, have work for all
// processors: what nobody waits for yet does better to leave these to them.
func Full() bool { return working.Load() >= int64(runtime.GOMAXPROCS(0)-1) }

// Go runs f in a goroutine of its own.
func (g *Group) Go(f func()) {
	working.Add(1)
	g.wg.Go(func() {
		defer working.Add(-1)
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
