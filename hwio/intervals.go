package hwio

import "math/bits"

// intervals collects durations in a histogram whose bins are at most 1/128 wide relative to their value, in constant
// memory.
type intervals struct {
	bins     [64 * 128]uint32
	n        uint64
	min, max int64
	sum      int64
}

func bin(ns int64) int {
	u := uint64(max(ns, 0))
	if u < 128 {
		return int(u)
	}
	shift := bits.Len64(u) - 8
	return (shift+1)*128 + int(u>>shift) - 128
}

// binEdge is the smallest duration of a bin.
func binEdge(b int) int64 {
	if b < 256 {
		return int64(b)
	}
	shift := b/128 - 1
	return int64(128+b%128) << shift
}

func (h *intervals) add(ns int64) {
	if h.n == 0 || ns < h.min {
		h.min = ns
	}
	h.max = max(h.max, ns)
	h.bins[bin(ns)]++
	h.n++
	h.sum += ns
}

// quantile returns a duration that the share q of all durations does not exceed.
func (h *intervals) quantile(q float64) int64 {
	want := uint64(q * float64(h.n))
	var seen uint64
	for b, c := range h.bins {
		seen += uint64(c)
		if c > 0 && seen >= want {
			return min(max(binEdge(b+1)-1, h.min), h.max)
		}
	}
	return h.max
}

func (h *intervals) mean() int64 {
	if h.n == 0 {
		return 0
	}
	return h.sum / int64(h.n)
}
