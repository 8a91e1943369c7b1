package capture

import (
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"astrolabe/capture/memory"
)

// SumFloats returns the weighted sum of src per bin. Missing values are skipped; a bin with nothing left is NaN. src
// reads samples from one on; it is called for several ranges at the same time.
func (b *Bins) SumFloats(src func(dst []float64, from int)) []float64 {
	if n := b.From.Len(); b.whole() && n > 0 {
		sum, some := 0.0, 0
		v := make([]float64, min(n, BlockRows))
		for from := 0; from < n; from += len(v) {
			v = v[:min(len(v), n-from)]
			src(v, from)
			sum, some = addPresent(sum, some, v)
		}
		return []float64{sumOf(sum, some)}
	}
	if b.overlapping() { // samples are read once all the same
		v := make([]float64, b.From.Len())
		src(v, 0)
		return b.sum(v)
	}
	out := make([]float64, b.Len())
	b.onAllCores(func(from, to int) {
		var buf []float64
		for from < to {
			next, lo, hi := b.group(from, to)
			if cap(buf) < hi-lo {
				buf = make([]float64, max(hi-lo, min(b.From.Len(), BlockRows)))
			}
			v := buf[:hi-lo]
			if len(v) > 0 {
				src(v, lo)
			}
			for ; from < next; from++ {
				out[from] = b.sumBin(from, v, lo, nil)
			}
		}
	})
	return out
}

// exactSums is what a sum of integers may come to for doubles to add them without rounding, in whatever order.
const exactSums = 1 << 53

// sumColumn is SumFloats of a column, to the last bit. Integers are read where they lie, and added as such where a double
// would not round: they need not wait for each other then.
func (b *Bins) sumColumn(c *Column) []float64 {
	if b.sums == nil {
		return b.sumColumnAnew(c)
	}
	if v, ok := b.sums.Load(c); ok {
		return slices.Clone(v.([]float64))
	}
	v := b.sumColumnAnew(c)
	b.sums.Store(c, v)
	return slices.Clone(v)
}

func (b *Bins) sumColumnAnew(c *Column) []float64 {
	if b.overlapping() || !c.Integers() {
		return b.SumFloats(c.ReadFloats)
	}
	out := make([]float64, b.Len())
	b.onAllCores(func(from, to int) {
		s := columnSum{c: c, buf: stretches.Get().(*[BlockRows]uint64)}
		defer stretches.Put(s.buf)
		for j := from; j < to; j++ {
			out[j] = b.sumBinOf(j, &s)
		}
	})
	return out
}

// sumBinOf is sumBin of integers.
func (b *Bins) sumBinOf(j int, s *columnSum) float64 {
	s.sum, s.n = 0, 0
	weighted := func(from, to int) {
		for i := from; i < to; i++ {
			if w, x := b.Weight(j, i), s.value(i); w > 0 && x == x {
				s.sum += x * w
				s.n++
			}
		}
	}
	lo, hi := b.uncut(j, weighted)
	s.add(lo, hi)
	return sumOf(s.sum, s.n)
}

// uncut is the samples of bin j that it has whole. Those that it shares with others are weighed, and are none of them.
func (b *Bins) uncut(j int, weigh func(from, to int)) (lo, hi int) {
	lo, hi = b.Lo[j], b.Hi[j]
	switch {
	case lo >= hi || !b.Cut:
	case !b.sorted:
		weigh(lo, hi)
		lo = hi
	default:
		weigh(lo, lo+1)
		if lo++; lo < hi {
			hi--
			weigh(hi, hi+1)
		}
	}
	return lo, hi
}

// columnSum is a sum of integers of a column as doubles, and of how many.
type columnSum struct {
	c          *Column
	buf        *[BlockRows]uint64
	d          Data // samples from begin to end
	begin, end int
	sum        float64
	n          int
}

func (s *columnSum) value(i int) float64 {
	if i >= s.begin && i < s.end {
		return s.d.Float(i - s.begin)
	}
	var one [1]uint64
	return s.c.Stretch(i, i+1, one[:]).Float(0)
}

// from is what lies side by side of samples [lo, hi), which are some.
func (s *columnSum) from(lo, hi int) Data {
	if lo < s.begin || lo >= s.end {
		s.d = s.c.Stretch(lo, s.c.Len(), s.buf[:])
		s.begin, s.end = lo, lo+s.d.Len()
	}
	return s.d.Slice(lo-s.begin, min(hi, s.end)-s.begin)
}

// add adds whole samples, one after the other.
func (s *columnSum) add(lo, hi int) {
	if s.sum == math.Trunc(s.sum) && s.sum < exactSums {
		var whole uint128
		n := 0
		for i := lo; i < hi; {
			d := s.from(i, hi)
			n += d.addTo(&whole)
			i += d.Len()
		}
		if whole.hi == 0 && whole.lo <= exactSums-uint64(s.sum) {
			s.sum += float64(whole.lo)
			s.n += n
			return
		}
	}
	for lo < hi {
		d := s.from(lo, hi)
		s.sum, s.n = d.addAsFloats(s.sum, s.n)
		lo += d.Len()
	}
}

// group is the bins from one on whose samples [lo, hi) are read together: as many as fit a block, and one at least.
func (b *Bins) group(from, to int) (next, lo, hi int) {
	for next = from; next < to; next++ {
		if b.Lo[next] >= b.Hi[next] {
			continue
		}
		l, h := b.Lo[next], b.Hi[next]
		if hi > lo {
			l, h = min(l, lo), max(h, hi)
		}
		if hi > lo && h-l > BlockRows {
			break
		}
		lo, hi = l, h
	}
	return next, lo, hi
}

// onAllCores calls f for ranges of bins, at the same time where the samples are worth it. Ranges begin at multiples of
// eight, so that no two of them write to one byte of a bitmap.
func (b *Bins) onAllCores(f func(from, to int)) {
	n := b.Len()
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 || b.From.Len() < 8*BlockRows {
		f(0, n)
		return
	}
	var wg memory.Group
	for k := range workers {
		from, to := n*k/workers&^7, n
		if k+1 < workers {
			to = n * (k + 1) / workers &^ 7
		}
		wg.Go(func() { f(from, to) })
	}
	wg.Wait()
}

// whole reports whether there is one bin, of all samples.
func (b *Bins) whole() bool {
	return len(b.Lo) == 1 && !b.Cut && b.Lo[0] == 0 && b.Hi[0] == b.From.Len()
}

// sum is SumFloats of values that are there.
func (b *Bins) sum(v []float64) []float64 {
	out := make([]float64, b.Len())
	var partial *blockSums
	if b.overlapping() {
		partial = sumBlocks(v)
	}
	b.onAllCores(func(from, to int) {
		for j := from; j < to; j++ {
			out[j] = b.sumBin(j, v, 0, partial)
		}
	})
	return out
}

// sumBin is the sum of bin j, NaN where it has no value. v begins with sample at; partial may be nil.
func (b *Bins) sumBin(j int, v []float64, at int, partial *blockSums) float64 {
	sum, n := 0.0, 0
	weighted := func(from, to int) {
		for i := from; i < to; i++ {
			if w := b.Weight(j, i); w > 0 && v[i-at] == v[i-at] {
				sum += v[i-at] * w
				n++
			}
		}
	}
	lo, hi := b.uncut(j, weighted)
	if lo >= hi {
		return sumOf(sum, n)
	}
	if partial != nil && hi-lo > 2*sumBlock {
		first, end := (lo+sumBlock-1)/sumBlock, hi/sumBlock
		sum, n = addPresent(sum, n, v[lo-at:first*sumBlock-at])
		for k := first; k < end; k++ {
			sum += partial.sums[k]
			n += partial.present[k]
		}
		lo = end * sumBlock
	}
	return sumOf(addPresent(sum, n, v[lo-at:hi-at]))
}

// addPresent adds the values that are there to a sum, one after the other, and how many they are to n.
func addPresent(sum float64, n int, v []float64) (float64, int) {
	for _, x := range v {
		if x == x {
			sum += x
			n++
		}
	}
	return sum, n
}

// sumOf is a sum of n values, NaN where there is none.
func sumOf(sum float64, n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return sum
}

// overlapping reports whether the bins together read samples often enough for partial sums to pay.
func (b *Bins) overlapping() bool {
	total := 0
	for j := range b.Lo {
		total += b.Hi[j] - b.Lo[j]
	}
	return total > 8*b.From.Len()
}

// sumBlock is the length of the partial sums that make long overlapping windows cheap.
const sumBlock = 256

type blockSums struct {
	sums    []float64
	present []int
}

func sumBlocks(v []float64) *blockSums {
	n := (len(v) + sumBlock - 1) / sumBlock
	out := &blockSums{make([]float64, n), make([]int, n)}
	for i, x := range v {
		if x == x {
			out.sums[i/sumBlock] += x
			out.present[i/sumBlock]++
		}
	}
	return out
}

// sumInts adds the integers of a column exactly; ok is false where a sum does not fit 64 bits.
func (b *Bins) sumInts(c *Column) (out Data, ok bool) {
	out.U = make([]uint64, b.Len())
	valid := NewBitmap(b.Len())
	var large, empty atomic.Bool
	b.onAllCores(func(from, to int) {
		buf := stretches.Get().(*[BlockRows]uint64)
		defer stretches.Put(buf)
		var d Data
		begin, end := 0, 0 // the samples in d
		for j := from; j < to && !large.Load(); j++ {
			var sum uint128
			n := 0
			for i := b.Lo[j]; i < b.Hi[j]; {
				if i < begin || i >= end {
					d = c.Stretch(i, c.Len(), buf[:])
					begin, end = i, i+d.Len()
				}
				to := min(end, b.Hi[j])
				n += d.Slice(i-begin, to-begin).addTo(&sum)
				i = to
			}
			if sum.hi != 0 {
				large.Store(true)
			}
			if out.U[j] = sum.lo; n == 0 {
				valid.Clear(j)
				empty.Store(true)
			}
		}
	})
	if empty.Load() {
		out.Valid = valid
	}
	return out, !large.Load()
}
