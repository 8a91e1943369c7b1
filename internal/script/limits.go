package script

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"astrolabe/capture/memory"
)

// Limits is what a run may take. Zero fields take the defaults.
type Limits struct {
	MaxSteps  uint64        // of the Starlark interpreter, by all threads of the run together; default DefaultMaxSteps
	Timeout   time.Duration // from the first script on; default none
	MaxMemory uint64        // bytes of the program that are not pages of mapped files; default memory.Limit()
}

// DefaultMaxSteps is what the tightest loop takes in some ten seconds.
const DefaultMaxSteps = 2_000_000_000

// withDefaults fills in what was not given. What a person types may take any number of steps.
func (l Limits) withDefaults(typed bool) Limits {
	if l.MaxSteps == 0 && !typed {
		l.MaxSteps = DefaultMaxSteps
	}
	if l.MaxMemory == 0 {
		l.MaxMemory = memory.Limit()
	}
	return l
}

const (
	// stopGrace is how long a builtin may go on after the time limit, memoryGrace how long after that of memory; a
	// Runner begins with these. The interpreter itself stops at once, so what outlasts this is one long operation, such
	// as filling a huge list, which only the end of the program stops.
	stopGrace   = time.Second
	memoryGrace = 250 * time.Millisecond
)

// watch stops the run when it takes too much time or memory, and ends the program where that does not help. The
// function that it returns ends the watching.
func (r *Runner) watch(cancel context.CancelCauseFunc) (end func()) {
	l := r.opt.Limits
	done := make(chan struct{})
	var group sync.WaitGroup
	if l.Timeout > 0 {
		group.Go(func() { r.watchTime(cancel, done) })
	}
	release := func() {}
	if l.MaxMemory > 0 {
		release = holdCollector()
		w := newMemoryWatch(l.MaxMemory, r.memoryGrace)
		r.memory = w
		group.Go(func() {
			if w.run(cancel, done) {
				r.end(w.last)
			}
		})
	}
	return func() {
		close(done)
		group.Wait()
		if l.MaxMemory > 0 {
			release()
			r.memory = nil
		}
	}
}

// collector counts the runs that are watched, which start the garbage collector themselves.
var collector struct {
	mu      sync.Mutex
	holders int
	percent int   // what was set before the first of them
	limit   int64 // bytes, the same
}

// Watching reports whether the memory of a run is watched now.
func Watching() bool {
	collector.mu.Lock()
	defer collector.mu.Unlock()
	return collector.holders > 0
}

// holdCollector keeps the garbage collector from starting by itself until every holder has released it.
func holdCollector() (release func()) {
	collector.mu.Lock()
	defer collector.mu.Unlock()
	if collector.holders == 0 {
		collector.percent, collector.limit = debug.SetGCPercent(-1), debug.SetMemoryLimit(math.MaxInt64)
	}
	collector.holders++
	return func() {
		collector.mu.Lock()
		defer collector.mu.Unlock()
		if collector.holders--; collector.holders == 0 {
			debug.SetGCPercent(collector.percent)
			debug.SetMemoryLimit(collector.limit)
		}
	}
}

func (r *Runner) watchTime(cancel context.CancelCauseFunc, done <-chan struct{}) {
	left := time.NewTimer(r.opt.Limits.Timeout - time.Since(r.began))
	defer left.Stop()
	select {
	case <-done:
		return
	case <-left.C:
	}
	err := timeStopped(r.opt.Limits.Timeout)
	cancel(err)
	grace := time.NewTimer(r.stopGrace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
		r.end(lastWords(err))
	}
}

// lastWords is what is said when the program ends because the run does not stop by itself.
func lastWords(err error) []byte {
	return fmt.Appendf(nil, "error: %v; a single operation did not stop, so the program ends\n", err)
}

func (r *Runner) end(words []byte) {
	r.opt.Talk.Write(words)
	r.opt.Exit(1)
}
