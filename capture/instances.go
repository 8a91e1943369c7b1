package capture

import (
	"math"
	"sync"
)

// instanceScratch keeps the two buffers that reading instances needs, so that a block allocates nothing.
var instanceScratch = sync.Pool{New: func() any { return new([2][]float64) }}

// readInstances combines the instances of a counter into its value, sample by sample.
func (c *Counter) readInstances(dst []float64, from int) {
	nan := math.NaN()
	if len(c.Instances) == 0 {
		for i := range dst {
			dst[i] = nan
		}
		return
	}
	if len(c.Instances) == 1 {
		c.Instances[0].ReadFloats(dst, from)
		return
	}
	if c.addIntegers(dst, from) {
		return
	}
	scratch := instanceScratch.Get().(*[2][]float64)
	defer instanceScratch.Put(scratch)
	for k := range scratch {
		if cap(scratch[k]) < len(dst) {
			scratch[k] = make([]float64, len(dst))
		}
		scratch[k] = scratch[k][:len(dst)]
	}
	buf, count := scratch[0], scratch[1]
	c.Instances[0].ReadFloats(dst, from)
	for i, v := range dst {
		count[i] = 0
		if v == v {
			count[i] = 1
		}
	}
	for _, in := range c.Instances[1:] {
		in.ReadFloats(buf, from)
		for i, v := range buf {
			if v != v {
				continue
			}
			switch {
			case count[i] == 0:
				dst[i] = v
			case c.Combine == CombineMax:
				dst[i] = max(dst[i], v)
			default:
				dst[i] += v
			}
			count[i]++
		}
	}
	full := float64(len(c.Instances))
	for i, n := range count {
		switch {
		case n == full:
			if c.Combine == CombineMean {
				dst[i] /= n
			}
		case n == 0:
		case c.Combine == CombineMean:
			dst[i] /= n
		case c.Combine == CombineSum && !c.restIsOff(from+i):
			dst[i] = nan // an unknown part makes the sum unknown
		}
	}
}

// addIntegers combines instances where they lie. It reports false, dst being of no use then, where they are no
// integers, one lacks a value, or they are not added up.
func (c *Counter) addIntegers(dst []float64, from int) bool {
	if c.Combine == CombineMax {
		return false
	}
	buf := stretches.Get().(*[BlockRows]uint64)
	defer stretches.Put(buf)
	for k, in := range c.Instances {
		if in.Col == nil {
			return false
		}
		for lo := 0; lo < len(dst); {
			d := in.Col.Stretch(from+lo, from+len(dst), buf[:])
			if d.U == nil || d.Valid.Bits != nil {
				return false
			}
			out := dst[lo : lo+len(d.U)]
			if k == 0 {
				toFloats(out, d.U)
			} else {
				for i, v := range d.U {
					out[i] += float64(v)
				}
			}
			lo += len(d.U)
		}
	}
	if c.Combine == CombineMean {
		n := float64(len(c.Instances))
		for i := range dst {
			dst[i] /= n
		}
	}
	return true
}

// AllThere reports whether no value of [lo, hi) is missing, as far as that shows without looking at them: they are
// integers of columns that mark no value as missing.
func (c *Counter) AllThere(lo, hi int) bool {
	if c.Col == nil {
		for _, in := range c.Instances {
			if in.Col == nil || !in.AllThere(lo, hi) {
				return false
			}
		}
		return c.Der == nil && len(c.Instances) > 0
	}
	buf := stretches.Get().(*[BlockRows]uint64)
	defer stretches.Put(buf)
	for lo < hi {
		d := c.Col.Stretch(lo, hi, buf[:])
		if d.U == nil || d.Valid.Bits != nil {
			return false
		}
		lo += d.Len()
	}
	return true
}

// restIsOff reports whether every instance that is missing in sample i was powered off, and so contributed nothing.
func (c *Counter) restIsOff(i int) bool {
	for _, in := range c.Instances {
		if !in.Value(i).Missing() {
			continue
		}
		off := false
		for _, run := range in.Reasons {
			if run.From <= i && i < run.To && run.Reason.Code == PowerGated {
				off = true
			}
		}
		if !off {
			return false
		}
	}
	return true
}

// sumInstances adds the instances of sample i exactly; ok is false where one is missing or not an integer.
func (c *Counter) sumInstances(i int) (Value, bool) {
	var sum uint128
	for _, in := range c.Instances {
		u, ok := in.Value(i).Uint64()
		if !ok {
			return Value{}, false
		}
		sum.add(u)
	}
	return sum.value(), true
}

// Instance returns the instance with that physical id, nil if there is none.
func (c *Counter) Instance(id string) *Counter {
	for _, in := range c.Instances {
		if in.Meta.Instance == id {
			return in
		}
	}
	return nil
}
