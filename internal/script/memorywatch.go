package script

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"astrolabe/capture/memory"
)

// memoryWatch stops a run that takes more memory than its limit.
//
// One operation of the interpreter can make a list of gigabytes and fill it by copying. Nothing stops such a copy, and
// the garbage collector waits for it with the world stopped, the watch included, until memory is full. So while a run
// is watched the collector does not start by itself: the watch starts it, never when there is suddenly far too much,
// and scripts wait for it between two steps (see pause).
type memoryWatch struct {
	limit, hard uint64 // bytes; above hard is no room for doubt
	grace       time.Duration
	live        uint64 // bytes of values after the last collection
	meter       *memory.Meter
	last        []byte // what is said when the program ends
	over        chan uint64
	collect     chan bool // true also gives memory back to the system
	collecting  atomic.Bool
	after       atomic.Uint64 // bytes in use at the end of the last collection
	gate        sync.Mutex    // held by a collection
}

// memoryInterval is how often memory is looked at. An operation that fills memory takes some 50 MB meanwhile.
const memoryInterval = 10 * time.Millisecond

func newMemoryWatch(limit uint64, grace time.Duration) *memoryWatch {
	return &memoryWatch{
		limit: limit, hard: limit + max(limit/4, 256<<20), grace: grace, meter: memory.NewMeter(),
		// What a session holds is live already: looking for it once more at every statement takes a while.
		live: memory.Live(),
		last: lastWords(memoryStopped(limit, 0)),
		over: make(chan uint64, 1), collect: make(chan bool, 1),
	}
}

// run watches until done is closed, and cancels the run when it takes too much. It returns true where that does not
// help, and the program must end. It allocates nothing, see memory.Meter: other goroutines collect garbage and stop the
// run.
func (w *memoryWatch) run(cancel context.CancelCauseFunc, done <-chan struct{}) (end bool) {
	defer w.meter.Close()
	go func() {
		collected := memory.NewMeter()
		defer collected.Close()
		for {
			select {
			case release := <-w.collect:
				w.gate.Lock()
				w.after.Store(w.collectGarbage(release, collected))
				w.collecting.Store(false)
				w.gate.Unlock()
			case used := <-w.over:
				cancel(memoryStopped(w.limit, used))
				return
			case <-done:
				return
			}
		}
	}()
	tick := time.NewTicker(memoryInterval)
	defer tick.Stop()
	var stopped time.Time // when the run was told to stop
	requested := false    // a collection that is not known to be over
	for {
		values, resident := w.meter.Read()
		used := max(values, resident)
		busy := w.collecting.Load()
		collected := requested && !busy
		if collected {
			requested, w.live = false, w.after.Load()
		}
		switch {
		case !stopped.IsZero():
			if resident > w.hard || time.Since(stopped) > w.grace {
				return true
			}
		case used > w.hard, collected && w.live > w.limit:
			stopped = time.Now()
			w.over <- max(used, w.live)
		case !busy && (used > w.limit || values > w.goal()):
			requested = true
			w.collecting.Store(true)
			w.collect <- used > w.limit
		}
		select {
		case <-done:
			return false
		case <-tick.C:
		}
	}
}

// collectGarbage returns what is in use afterwards, in bytes. What a script makes while the collector runs counts as
// live, so it is asked again when that is too much: the script waits at its next pause meanwhile.
func (w *memoryWatch) collectGarbage(release bool, meter *memory.Meter) (used uint64) {
	const attempts = 4
	for i := range attempts {
		if i > 0 {
			time.Sleep(memoryInterval)
		}
		if release {
			memory.Shed()
			debug.FreeOSMemory()
		} else {
			runtime.GC()
		}
		used = max(meter.Read())
		if used <= w.limit || used > w.hard {
			break
		}
		release = true
	}
	return used
}

// goal is how much there may be before garbage is collected: twice what was live, as the collector itself would have
// it, with some room for small programs and less of it near the limit.
func (w *memoryWatch) goal() uint64 {
	return min(w.live+max(w.live, 64<<20), max(w.limit/4*3, w.live+w.limit/16))
}

// pauseSteps is how many steps a script goes before it looks whether garbage is being collected.
const pauseSteps = 16

// pause holds the script while garbage is collected: it could make more meanwhile than there is room for.
func (w *memoryWatch) pause() {
	if w.collecting.Load() {
		w.gate.Lock()
		//lint:ignore SA2001 only the wait matters
		w.gate.Unlock()
	}
}
