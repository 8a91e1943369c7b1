package capture

import (
	"runtime"
	"sync"
	"sync/atomic"

	"astrolabe/capture/memory"
)

// BlockRows is the number of samples that evaluation works on at a time: a few columns of it stay in the L1 and L2
// caches.
const BlockRows = 4096

// EachBlock calls f for ranges of at most BlockRows that cover [0, n), on all cores where the work is worth it.
func EachBlock(n int, f func(lo, hi int)) {
	workers := min(runtime.GOMAXPROCS(0), (n+BlockRows-1)/BlockRows)
	if workers <= 1 || n < 8*BlockRows {
		for lo := 0; lo < n; lo += BlockRows {
			f(lo, min(lo+BlockRows, n))
		}
		return
	}
	var wg memory.Group
	chunk := ((n+workers-1)/workers + BlockRows - 1) / BlockRows * BlockRows
	for start := 0; start < n; start += chunk {
		wg.Go(func() {
			end := min(start+chunk, n)
			for lo := start; lo < end; lo += BlockRows {
				f(lo, min(lo+BlockRows, end))
			}
		})
	}
	wg.Wait()
}

// onceFloats computes a slice once and keeps it, until memory is short: it can be computed again.
type onceFloats struct {
	mu sync.Mutex
	v  atomic.Pointer[[]float64]
}

func (o *onceFloats) get(f func() []float64) []float64 {
	if v := o.v.Load(); v != nil {
		return *v
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if v := o.v.Load(); v != nil {
		return *v
	}
	v := f()
	o.v.Store(&v)
	if len(v) >= 8*BlockRows { // what is short is no room to speak of
		memory.Spare(o, (*onceFloats).drop)
	}
	return v
}

// kept reports whether the slice is there.
func (o *onceFloats) kept() bool { return o.v.Load() != nil }

func (o *onceFloats) drop() { o.v.Store(nil) }
