package charts

import (
	"cmp"
	"math"
	"sort"
)

const maxBins = 400

// oneValueBins is the number of bins around a single value: an odd one, which leaves free space at both sides of its
// bar.
const oneValueBins = 9

// count chooses the bins and fills them.
func (h *histogram) count() {
	sp := noSpread()
	var longest []float64
	whole := true
	for _, s := range h.samples {
		if len(s.sorted) == 0 {
			continue
		}
		sp.add(s.sorted[0])
		sp.add(s.sorted[len(s.sorted)-1])
		if len(s.sorted) > len(longest) {
			longest = s.sorted
		}
		whole = whole && allWhole(s.sorted)
	}
	if sp.empty() {
		return
	}
	if h.o.X.set() {
		sp = spread{h.o.X.Lo, h.o.X.Hi}
	}
	// The width of the whole must be a double: the difference of the largest two of both signs is none.
	const huge = 8e307
	h.lo, h.hi = max(sp.lo, -huge), min(sp.hi, huge)
	n := h.o.Bins
	switch {
	case h.o.LogX:
		// The options may ask for a window from zero, which a logarithmic axis does not have: it begins at the
		// least value.
		if h.lo <= 0 {
			h.lo = longest[0]
		}
		if !h.o.X.set() && (spread{h.lo, h.hi}).flat() {
			h.flatNote = sp.flatNote(h.unit)
			h.lo, h.hi = h.lo/2, h.hi*2
			n = cmp.Or(n, oneValueBins)
		}
		if n == 0 {
			n = logBins(longest, h.lo, h.hi)
		}
	case !h.o.X.set() && sp.flat(): // one value
		h.flatNote = sp.flatNote(h.unit)
		width := max(math.Abs(h.lo)*0.02, 1e-300)
		if h.lo == 0 || whole {
			width = max(width, 1)
		}
		from := h.lo + (h.hi-h.lo)/2 - width*oneValueBins/2
		if h.lo >= 0 { // nothing suggests values below zero
			from = max(from, -width/2)
		}
		h.lo, h.hi = from, from+width*oneValueBins
		n = cmp.Or(n, oneValueBins)
	// Bins of other widths would hold two whole numbers here and three there, which draws a comb into even data.
	// Beyond 80 the bars would be thinner than their outlines.
	case n == 0 && whole && h.hi-h.lo <= 80: // one bin per whole number
		n, h.whole = int(h.hi-h.lo)+1, true
		h.lo, h.hi = h.lo-0.5, h.hi+0.5
	case n == 0:
		n = autoBins(longest, h.lo, h.hi)
	}
	at, from := func(v float64) float64 { return v }, h.lo
	k := float64(n) / (h.hi - h.lo)
	if h.o.LogX {
		at, from = math.Log, math.Log(h.lo)
		k = float64(n) / (math.Log(h.hi) - from)
	}
	for i := range h.samples {
		s := &h.samples[i]
		s.bins = make([]int, n)
		// Values are sorted, so a bin is found by bisection: as many steps as there are bins and not as there are
		// values, which are millions.
		inside := s.sorted[sort.SearchFloat64s(s.sorted, h.lo):]
		inside = inside[:sort.Search(len(inside), func(i int) bool { return inside[i] > h.hi })]
		h.beyond += len(s.sorted) - len(inside)
		bin := func(v float64) int { return min(max(int((at(v)-from)*k), 0), n-1) }
		for len(inside) > 0 { // the values of a bin stand together
			b := bin(inside[0])
			end := 1 + sort.Search(len(inside)-1, func(i int) bool { return bin(inside[i+1]) > b })
			s.bins[b] += end
			h.most = max(h.most, s.bins[b])
			inside = inside[end:]
		}
	}
}

// logBins chooses the bins of equal ratio by the logarithms of the values.
func logBins(sorted []float64, lo, hi float64) int {
	return max(binsFor(len(sorted), percentileOf(sorted, 75, math.Log)-percentileOf(sorted, 25, math.Log), math.Log(lo),
		math.Log(hi)), 24)
}

func allWhole(sorted []float64) bool {
	for _, v := range sorted {
		if v != math.Trunc(v) {
			return false
		}
	}
	return true
}

// autoBins follows Freedman and Diaconis (1981): the width of a bin is twice the interquartile range over the cube
// root of the number of values.
func autoBins(sorted []float64, lo, hi float64) int {
	return binsFor(len(sorted), percentile(sorted, 75)-percentile(sorted, 25), lo, hi)
}

// binsFor is autoBins of so many values with that interquartile range.
func binsFor(count int, quartiles, lo, hi float64) int {
	n := float64(count)
	width := 2 * quartiles / math.Cbrt(n)
	sturges := int(math.Ceil(math.Log2(n))) + 1
	if !(width > 0) {
		return max(sturges, 10)
	}
	bins := (hi - lo) / width
	if bins > maxBins {
		return maxBins
	}
	return max(int(math.Ceil(bins)), sturges, 5)
}

// percentile interpolates between the values of a sorted sample.
func percentile(sorted []float64, p float64) float64 {
	return percentileOf(sorted, p, func(v float64) float64 { return v })
}

// percentileOf is that of what a rising function makes of the values.
func percentileOf(sorted []float64, p float64, of func(float64) float64) float64 {
	at := p / 100 * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return of(sorted[len(sorted)-1])
	}
	f := at - float64(i)
	return of(sorted[i])*(1-f) + of(sorted[i+1])*f
}
