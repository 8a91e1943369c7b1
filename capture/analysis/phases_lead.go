package analysis

import (
	"math"
	"slices"
)

// leadMost is how many samples LeadPhases looks at: more are no frame, and no reader looks at each.
const leadMost = 1 << 16

// LeadPhases cuts samples in an order, such as draws, where what leads them changes: code is what leads each, 0 to
// codes-1 (or less than 0 for nothing), length how long it took. It returns the first sample of every phase behind the
// first, at most `most` phases of them, each `least` of the time or longer, 0 to 1. A cut divides the samples where the
// halves are told by their leaders best, by more than the number of leaders would by chance.
func LeadPhases(code []int32, length []int64, most int, least float64) (cuts []int) {
	n := len(code)
	if n < 2 || n > leadMost {
		return nil
	}
	codes, whole := int32(0), 0.0
	for i, c := range code {
		codes, whole = max(codes, c+1), whole+float64(length[i])
	}
	if codes < 2 || !(whole > 0) {
		return nil
	}
	// A sample counts half by itself, and half by its time: neither many short ones nor a few long ones are all there
	// is.
	weight := make([]float64, n)
	for i, l := range length {
		weight[i] = 0.5 + 0.5*float64(n)*float64(l)/whole
	}
	l := leads{code, weight, int(codes), least * whole, length}
	cuts = []int{0}
	for len(cuts) < most {
		at, gain := 0, 0.0
		for k, lo := range cuts {
			hi := n
			if k+1 < len(cuts) {
				hi = cuts[k+1]
			}
			if c, g := l.cut(lo, hi); g > gain {
				at, gain = c, g
			}
		}
		if at == 0 {
			break
		}
		cuts = append(cuts, at)
		slices.Sort(cuts)
	}
	return cuts[1:]
}

type leads struct {
	code   []int32
	weight []float64
	codes  int
	least  float64 // ns
	length []int64
}

// cut is where samples lo to hi-1 are best divided, and by how much more that tells than chance would; 0 where nothing
// does.
func (l leads) cut(lo, hi int) (at int, gain float64) {
	left, right := make([]float64, l.codes), make([]float64, l.codes)
	before, behind := 0.0, 0.0
	for i := lo; i < hi; i++ {
		behind += float64(l.length[i])
		if c := l.code[i]; c >= 0 {
			right[c] += l.weight[i]
		}
	}
	kinds := 0
	for _, w := range right {
		if w > 0 {
			kinds++
		}
	}
	if kinds < 2 {
		return 0, 0
	}
	all, chance := surprise(right), 0.75*float64(kinds-1)*math.Log(float64(hi-lo))
	for i := lo; i+1 < hi; i++ {
		before, behind = before+float64(l.length[i]), behind-float64(l.length[i])
		if c := l.code[i]; c >= 0 {
			left[c], right[c] = left[c]+l.weight[i], max(0, right[c]-l.weight[i])
		}
		if before < l.least || behind < l.least {
			continue
		}
		if g := all - surprise(left) - surprise(right) - chance; g > gain {
			at, gain = i+1, g
		}
	}
	return at, gain
}

// surprise is the entropy of counts, times their sum.
func surprise(counts []float64) (sum float64) {
	whole := 0.0
	for _, w := range counts {
		whole += w
	}
	for _, w := range counts {
		if w > 0 {
			sum -= w * math.Log(w/whole)
		}
	}
	return sum
}
