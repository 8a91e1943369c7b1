package capture

import (
	"math"
	"runtime"
	"sync"

	"astrolabe/capture/memory"
)

// Count is the number of values that are not missing.
func (c *Counter) Count() int { return c.summary().n }

// Sum adds all present values, exactly where they are integers.
func (c *Counter) Sum() Value {
	if v, _, ok := c.exactSum(); ok {
		return v
	}
	return c.summary().sum
}

// Mean is the plain average of the present values.
func (c *Counter) Mean() Value {
	sum, n, ok := c.exactSum()
	if !ok {
		s := c.summary()
		sum, n = s.sum, s.n
	}
	if n == 0 {
		return Value{}
	}
	return FloatValue(sum.Float() / float64(n))
}

// Min is the smallest present value, and an exact integer where values are.
func (c *Counter) Min() Value {
	least, _ := c.bounds()
	return least
}

// Max is the largest present value, and an exact integer where values are.
func (c *Counter) Max() Value {
	_, most := c.bounds()
	return most
}

// bounds are the least and the largest value. Those of a long formula are looked for on all cores, where its values have
// just been computed: other than a sum they do not depend on the order.
func (c *Counter) bounds() (least, most Value) {
	k := c.keeps()
	if b := k.bounds.Load(); b != nil {
		return b[0], b[1]
	}
	if c.Col != nil || c.Len() < 8*BlockRows || k.summary.Load() != nil || k.floats.kept() ||
		!k.walked.CompareAndSwap(false, true) { // values are at hand, or will be
		s := c.summary()
		return s.least, s.most
	}
	var mu sync.Mutex
	low, high := math.Inf(1), math.Inf(-1)
	EachBlock(c.Len(), func(lo, hi int) {
		buf := blockRoom.Get().(*[BlockRows]float64)
		defer blockRoom.Put(buf)
		v := buf[:hi-lo]
		c.ReadFloats(v, lo)
		l, h := extremes(v)
		mu.Lock()
		defer mu.Unlock()
		low, high = min(low, l), max(high, h)
	})
	if low <= high { // else there is no value
		least, most = c.floatValue(unsigned(low)), c.floatValue(unsigned(high))
	}
	k.bounds.Store(&[2]Value{least, most})
	return least, most
}

// unsigned is x without the sign of a zero: which of several zeros came first is not known.
func unsigned(x float64) float64 {
	if x == 0 {
		return 0
	}
	return x
}

// blockRoom keeps blocks of values that are looked at once.
var blockRoom = sync.Pool{New: func() any { return new([BlockRows]float64) }}

// extremes are the least and the largest value that is there, +Inf and -Inf where there is none.
func extremes(v []float64) (low, high float64) {
	up, down := math.Inf(1), math.Inf(-1)
	lows, highs := [4]float64{up, up, up, up}, [4]float64{down, down, down, down}
	v = v[wideExtremes(v, &lows, &highs):]
	low, high = min(lows[0], lows[1], lows[2], lows[3]), max(highs[0], highs[1], highs[2], highs[3])
	for _, x := range v { // no comparison with NaN holds
		if x < low {
			low = x
		}
		if x > high {
			high = x
		}
	}
	return low, high
}

// summary is what one pass over the values gives. Scripts ask for several of these, so that they are kept.
type summary struct {
	n           int // values that are there
	sum         Value
	least, most Value
}

func (c *Counter) summary() *summary {
	k := c.keeps()
	if s := k.summary.Load(); s != nil {
		return s
	}
	var s *summary
	if c.Col != nil && c.Col.Integers() {
		s = c.summaryOfIntegers()
	} else {
		s = c.summaryOfFloats()
	}
	k.summary.Store(s)
	return s
}

// summaryOfFloats adds doubles in their order. No comparison with NaN holds, and bounds begin where every other value is
// within, so that a value is asked three things only.
func (c *Counter) summaryOfFloats() *summary {
	sum, n := 0.0, 0
	least, most := -1, -1 // positions
	low, high := math.Inf(1), math.Inf(-1)
	c.walk(func(lo int, v []float64) {
		s, k := sum, n // what a closure shares is not kept in registers
		l, m, a, b := least, most, low, high
		for i, x := range v {
			if x < a {
				l, a = lo+i, x
			}
			if x > b {
				m, b = lo+i, x
			}
			if x == x {
				s += x
				k++
			}
		}
		for i := 0; k > 0 && min(l, m) < 0; i++ { // all so far are one infinity, and so is the first value here
			if v[i] == v[i] {
				l, m = max(l, lo+i), max(m, lo+i)
			}
		}
		sum, n, least, most, low, high = s, k, l, m, a, b
	})
	out := &summary{n: n}
	if n > 0 {
		out.sum, out.least, out.most = c.floatValue(sum), c.Value(least), c.Value(most)
	}
	return out
}

// integers is what is known of some integers: least and most only where there are any.
type integers struct {
	n           int
	sum         uint128
	least, most uint64
}

// summaryOfIntegers adds integers without rounding, on all cores where they are many.
func (c *Counter) summaryOfIntegers() *summary {
	rows := c.Len()
	workers := 1
	if rows >= 8*BlockRows {
		workers = runtime.GOMAXPROCS(0)
	}
	parts := make([]integers, workers)
	var wg memory.Group
	for k := range parts {
		work := func() {
			t := integers{least: ^uint64(0)}
			buf := stretches.Get().(*[BlockRows]uint64)
			defer stretches.Put(buf)
			for lo, hi := rows*k/workers, rows*(k+1)/workers; lo < hi; {
				if n := c.Col.tally(&t, lo, hi); n > 0 {
					lo += n
					continue
				}
				d := c.Col.Stretch(lo, hi, buf[:])
				t.add(d)
				lo += d.Len()
			}
			parts[k] = t
		}
		if k == workers-1 {
			work()
		} else {
			wg.Go(work)
		}
	}
	wg.Wait()
	all := parts[0]
	for _, t := range parts[1:] {
		all.n += t.n
		all.sum.plus(t.sum)
		all.least, all.most = min(all.least, t.least), max(all.most, t.most)
	}
	out := &summary{n: all.n}
	if all.n > 0 {
		out.sum, out.least, out.most = all.sum.value(), IntValue(all.least), IntValue(all.most)
	}
	return out
}

// add takes in the integers that are there.
func (t *integers) add(d Data) {
	if d.Valid.Bits != nil {
		for i, u := range d.U {
			if d.Valid.Get(i) {
				t.n++
				t.sum.add(u)
				t.least, t.most = min(t.least, u), max(t.most, u)
			}
		}
		return
	}
	t.n += len(d.U)
	for v := d.U; len(v) > 0; {
		whole := v[:min(len(v), BlockRows)]
		v = v[len(whole):]
		block := whole
		sum, least, most := uint64(0), t.least, uint64(0)
		for ; len(block) >= 4; block = block[4:] { // pairs do not wait for each other
			w := block[:4:4]
			sum += w[0] + w[1] + w[2] + w[3]
			least = min(least, min(min(w[0], w[1]), min(w[2], w[3])))
			most = max(most, max(max(w[0], w[1]), max(w[2], w[3])))
		}
		for _, u := range block {
			sum += u
			least, most = min(least, u), max(most, u)
		}
		if t.least, t.most = least, max(t.most, most); most < 1<<64/BlockRows {
			t.sum.add(sum)
			continue
		}
		for _, u := range whole { // the sum of 64 bits may have wrapped
			t.sum.add(u)
		}
	}
}

// exactSum adds integer columns, also those of instances, without rounding, and counts the samples that have a value.
func (c *Counter) exactSum() (v Value, n int, ok bool) {
	switch {
	case c.Col != nil:
		if !c.Col.Integers() {
			return Value{}, 0, false
		}
		s := c.summary()
		return s.sum, s.n, true
	case c.Der != nil || len(c.Instances) == 0 || c.Combine != CombineSum:
		return Value{}, 0, false
	}
	var sum uint128
	for _, in := range c.Instances {
		if in.Col == nil || !in.Col.Integers() {
			return Value{}, 0, false
		}
		s := in.summary()
		if n = s.n; n < in.Len() { // a missing instance makes the sum of that sample missing
			return Value{}, 0, false
		}
		sum.plus(uint128{s.sum.Hi, s.sum.Lo})
	}
	if n == 0 {
		return Value{}, 0, true
	}
	return sum.value(), n, true
}
