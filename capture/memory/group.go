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

// running are the goroutines of all groups.
var running atomic.Int32

// Busy reports whether groups have work for every processor, so that what can wait had better do so.
func Busy() bool { return int(running.Load()) >= runtime.GOMAXPROCS(0) }

// Go runs f in a goroutine of its own.
func (g *Group) Go(f func()) {
	running.Add(1)
	g.wg.Go(func() {
		defer running.Add(-1)
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
