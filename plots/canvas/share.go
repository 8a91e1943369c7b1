package canvas

import (
	"image"
	"runtime"
	"sync"
	"sync/atomic"
)

// share does n pieces of work on all processors. Each worker begins with a call of begin, whose result does a piece. A
// panic in one of them is one of the caller.
func share(n int, begin func() func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		do := begin()
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
			defer func() {
				if p := recover(); p != nil {
					failed.CompareAndSwap(nil, &p)
				}
			}()
			do := begin()
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

// spare are the pixels of pages that were written: the pages of a report are painted on the same memory.
var spare sync.Pool

// newImage is an image of a size, of any colours.
func newImage(w, h int) *image.RGBA {
	if pix, ok := spare.Get().(*[]uint8); ok && cap(*pix) >= 4*w*h {
		return &image.RGBA{Pix: (*pix)[:4*w*h], Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
	}
	return image.NewRGBA(image.Rect(0, 0, w, h))
}

// release gives the pixels of an image back that nobody looks at any more.
func release(img *image.RGBA) { spare.Put(&img.Pix) }
