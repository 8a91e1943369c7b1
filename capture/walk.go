package capture

import (
	"runtime"
	"sync"

	"astrolabe/capture/memory"
)

// walkBlocks is how many blocks of a formula each core computes before what walks over the values gets them, while the
// next ones are computed.
const walkBlocks = 16

// walk calls f for all values as doubles in order, NaN where missing, in stretches that begin at lo. f must not keep or
// change v. Values lie where they are, in the file or in memory, or are computed on all cores into a buffer that stays
// in the caches: a formula whose values are gone through once takes no room for them. From the second time on they are
// kept, as by Floats, since something asks for several statistics.
func (c *Counter) walk(f func(lo int, v []float64)) {
	n := c.Len()
	switch {
	case c.Col == nil && (n < 8*BlockRows || c.keeps().floats.kept() ||
		!c.keeps().walked.CompareAndSwap(false, true)):
		f(0, c.Floats())
		return
	case c.Col == nil:
		c.walkFormula(f)
		return
	}
	if v := c.Col.Doubles(); v != nil {
		f(0, v)
		return
	}
	var buf []float64
	c.parts(func(lo int, d Data) bool {
		if d.U == nil {
			f(lo, d.F)
			return true
		}
		if buf == nil {
			buf = make([]float64, min(n, BlockRows))
		}
		d.ReadFloats(buf[:d.Len()], 0)
		f(lo, buf[:d.Len()])
		return true
	})
}

// walkRoom keeps what walkFormula computes into: a script asks for hundreds of metrics, and fresh pages for each cost as
// much as some of the formulas.
var walkRoom sync.Pool

// walkFormula computes values on all cores while f is called for those before them.
func (c *Counter) walkFormula(f func(lo int, v []float64)) {
	n := c.Len()
	size := min(n, max(2, runtime.GOMAXPROCS(0))*walkBlocks*BlockRows)
	both, _ := walkRoom.Get().(*[]float64) // of a formula before
	if both == nil || len(*both) < 2*size {
		both = new(make([]float64, 2*size))
	}
	v, next := (*both)[:size], (*both)[size:2*size]
	compute := func(v []float64, from int) []float64 {
		v = v[:min(size, n-from)]
		EachBlock(len(v), func(lo, hi int) { c.ReadFloats(v[lo:hi], from+lo) })
		return v
	}
	v = compute(v, 0)
	for from := 0; from < n; from += size {
		var wg memory.Group
		if from+size < n {
			wg.Go(func() { next = compute(next, from+size) })
		}
		f(from, v)
		wg.Wait()
		v, next = next, v[:size]
	}
	walkRoom.Put(both) // not after a panic, when something may still write there
}

// parts calls f for all values of a measured column in order, in stretches of at most BlockRows, until it returns
// false.
func (c *Counter) parts(f func(lo int, d Data) bool) {
	buf := stretches.Get().(*[BlockRows]uint64)
	defer stretches.Put(buf)
	for lo, n := 0, c.Col.Len(); lo < n; {
		d := c.Col.Stretch(lo, min(lo+BlockRows, n), buf[:])
		if !f(lo, d) {
			return
		}
		lo += d.Len()
	}
}
