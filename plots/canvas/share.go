package canvas

import (
	"runtime"
	"sync"
	"sync/atomic"

	"astrolabe/capture/memory"
)

// Share does n pieces of work on all processors. A panic in one of them is one of the caller, as is a column that cannot
// be read where it lies.
func Share(n int, do func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var wg sync.WaitGroup
	var next atomic.Int64
	var failed atomic.Pointer[any]
	for range workers {
		wg.Go(func() {
			defer memory.FaultsPanic()()
			defer func() {
				if p := recover(); p != nil {
					failed.CompareAndSwap(nil, &p)
				}
			}()
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	wg.Wait()
	if p := failed.Load(); p != nil {
		panic(*p)
	}
}
