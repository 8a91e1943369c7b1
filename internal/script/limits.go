package script

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Limits is what a run may take. Zero fields take the defaults.
type Limits struct {
	MaxSteps  uint64        // of the Starlark interpreter, by all threads of the run together; default DefaultMaxSteps
	Timeout   time.Duration // from the first script on; default none
	MaxMemory uint64        // bytes of the program that are not pages of mapped files; default DefaultMaxMemory()
}

// DefaultMaxSteps is some tens of seconds of Starlark.
const DefaultMaxSteps = 2_000_000_000

func (l Limits) withDefaults() Limits {
	if l.MaxSteps == 0 {
		l.MaxSteps = DefaultMaxSteps
	}
	if l.MaxMemory == 0 {
		l.MaxMemory = DefaultMaxMemory()
	}
	return l
}

// DefaultMaxMemory is three quarters of the memory that the program can still get on this machine, in bytes.
func DefaultMaxMemory() uint64 { return availableMemory() / 4 * 3 }

const (
	// memoryInterval is how often memory is looked at: a builtin that fills memory takes some 100 MB meanwhile.
	memoryInterval = 20 * time.Millisecond
	// stopGrace is how long a builtin may go on after the run was stopped. The interpreter itself stops at once, so what
	// outlasts this is one long builtin, such as [0] * (1 << 29), which only the end of the program stops.
	stopGrace = time.Second
)

// watch stops the run when it takes too much time or memory, and ends the program where that does not help. The function that it
// returns ends the watching.
func (r *Runner) watch(cancel context.CancelCauseFunc) (end func()) {
	l := r.opt.Limits
	done := make(chan struct{})
	var group sync.WaitGroup
	if l.Timeout > 0 {
		group.Go(func() { r.watchTime(cancel, done) })
	}
	before := int64(0)
	if l.MaxMemory > 0 {
		// Near the limit the garbage collector works harder, so that only what is really in use counts.
		before = debug.SetMemoryLimit(-1)
		debug.SetMemoryLimit(min(before, int64(min(l.MaxMemory/8*7, 1<<62))))
		group.Go(func() { r.watchMemory(cancel, done) })
	}
	return func() {
		close(done)
		group.Wait()
		if l.MaxMemory > 0 {
			debug.SetMemoryLimit(before)
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
	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
		r.end(err)
	}
}

func (r *Runner) watchMemory(cancel context.CancelCauseFunc, done <-chan struct{}) {
	limit := r.opt.Limits.MaxMemory
	tick := time.NewTicker(memoryInterval)
	defer tick.Stop()
	var err *stopped
	var since time.Time
	for {
		used := usedMemory()
		switch {
		case err == nil && used > limit:
			err, since = memoryStopped(limit, used), time.Now()
			cancel(err)
			tick.Reset(memoryInterval / 4)
		case err != nil && (used > limit+max(limit/4, 64<<20) || time.Since(since) > stopGrace):
			r.end(err)
			return
		}
		select {
		case <-done:
			return
		case <-tick.C:
		}
	}
}

// end ends the program, because the run does not stop by itself.
func (r *Runner) end(err error) {
	fmt.Fprintf(r.opt.Talk, "error: %v; a single operation did not stop, so the program ends\n", err)
	r.opt.Exit(1)
}
