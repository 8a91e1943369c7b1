package charts

import (
	"math"
	"slices"
)

// fewValues is how many are sorted by comparing; the tables of the other way cost more than that.
const fewValues = 1 << 13

// digitBits is how many bits of a value are sorted by at a time: six rounds for a double.
const digitBits = 11

// sortValues sorts values, none of them NaN, several times faster than comparing does where there are very many: by
// groups of bits, the lowest first, each round keeping the order of the one before.
func sortValues(v []float64) {
	if len(v) < fewValues {
		slices.Sort(v)
		return
	}
	const rounds, digits = (64 + digitBits - 1) / digitBits, 1 << digitBits
	keys, other := make([]uint64, len(v)), make([]uint64, len(v))
	var count [rounds][digits]int
	for i, f := range v {
		k := orderedBits(f)
		keys[i] = k
		for r := range rounds {
			count[r][k>>(r*digitBits)&(digits-1)]++
		}
	}
	for r := range rounds {
		shift := r * digitBits
		next := &count[r]
		if next[keys[0]>>shift&(digits-1)] == len(keys) {
			continue // all alike
		}
		at := 0
		for d, n := range next {
			next[d] = at
			at += n
		}
		for _, k := range keys {
			d := k >> shift & (digits - 1)
			other[next[d]] = k
			next[d]++
		}
		keys, other = other, keys
	}
	for i, k := range keys {
		v[i] = fromOrderedBits(k)
	}
}

// orderedBits is a number whose order among unsigned ones is that of the value.
func orderedBits(f float64) uint64 {
	b := math.Float64bits(f)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

func fromOrderedBits(k uint64) float64 {
	if k>>63 != 0 {
		return math.Float64frombits(k &^ (1 << 63))
	}
	return math.Float64frombits(^k)
}
