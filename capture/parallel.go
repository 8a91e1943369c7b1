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

// onceFloats computes a slice once and keeps it.
type onceFloats struct {
	once sync.Once
	v    []float64
	done atomic.Bool
}

func (o *onceFloats) get(f func() []float64) []float64 {
	o.once.Do(func() { o.v = f(); o.done.Store(true) })
	return o.v
}
