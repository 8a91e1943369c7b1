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
	c.Instances[0].ReadFloats(dst, from)
	if len(c.Instances) == 1 {
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
