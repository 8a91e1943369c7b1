package analysis

import (
	"slices"

	"astrolabe/capture"
)

// LabelPhases cuts a capture where the values of a label are others from then on: no value is on both sides of a cut,
// as of the kernels of a program that first does one thing and then another. Samples without a value stay with those
// before them. With loops a cut is only between stretches whose values come again within them, as of loops of which one
// follows the other. The cuts of also, other stretches that follow each other, count as well where they are at least
// `least` ns away from these. Every phase lasts `least` ns, with what is between its samples, but where there is one only:
// shorter ones join those beside them.
func LabelPhases(a *capture.Axis, l *capture.Label, loops bool, also []capture.Span, least int64) []capture.Span {
	n := a.Len()
	if n == 0 {
		return nil
	}
	took := make([]int64, n+1) // by the samples before
	for i := range n {         // of kernels that take next to nothing each, the time is between them
		next := a.End[i]
		if i+1 < n {
			next = a.Start[i+1]
		}
		took[i+1] = took[i] + max(0, next-a.Start[i])
	}
	cuts := labelCuts(l)
	if loops {
		cuts = loopCuts(l, cuts)
	}
	kept := apart(cuts, took, least)
	for _, s := range also {
		near := func(cut int) bool { return max(took[cut]-took[s.First], took[s.First]-took[cut]) < least }
		if s.First > 0 && s.First < n && !slices.ContainsFunc(kept, near) {
			kept = append(kept, s.First)
		}
	}
	slices.Sort(kept)
	kept = apart(kept, took, least)
	return CutAt(a, kept)
}

// CutAt are the stretches of an axis of one sample or more between cuts, which are samples behind the first, in order.
func CutAt(a *capture.Axis, cuts []int) []capture.Span {
	out := make([]capture.Span, len(cuts)+1)
	for i := range out {
		first, last := 0, a.Len()-1
		if i > 0 {
			first = cuts[i-1]
		}
		_, end := a.Extent()
		if i < len(cuts) {
			last, end = cuts[i]-1, a.Start[cuts[i]]
		}
		out[i] = capture.Span{Start: a.Start[first], End: end, First: first, Last: last}
	}
	return out
}

// apart are the cuts that leave at least `least` ns before each and behind the last.
func apart(cuts []int, took []int64, least int64) (kept []int) {
	from := int64(0)
	for _, cut := range cuts {
		if took[cut]-from >= least {
			kept, from = append(kept, cut), took[cut]
		}
	}
	for len(kept) > 0 && took[len(took)-1]-took[kept[len(kept)-1]] < least {
		kept = kept[:len(kept)-1]
	}
	return kept
}

// labelCuts are the samples from which on no value of a label is one of those before.
func labelCuts(l *capture.Label) (cuts []int) {
	last := make([]int, len(l.Dict))
	for i, code := range l.Codes {
		if code >= 0 {
			last[code] = i
		}
	}
	open := -1 // the last sample of the values that were seen
	for i, code := range l.Codes {
		if code < 0 {
			continue
		}
		if open >= 0 && i > open {
			cuts = append(cuts, i)
		}
		open = max(open, last[code])
	}
	return cuts
}

// leastLoop is the least number of samples of a loop: fewer come again by chance.
const leastLoop = 4

// loopCuts are those of the cuts of labelCuts that are between loops: stretches most of whose samples have a value that
// comes again. What comes once between two belongs to the second, as what prepares it.
func loopCuts(l *capture.Label, cuts []int) (kept []int) {
	count := make([]int, len(l.Dict))
	for _, code := range l.Codes {
		if code >= 0 {
			count[code]++
		}
	}
	lo, from, seen := 0, -1, false
	for _, hi := range append(slices.Clone(cuts), len(l.Codes)) {
		named, again := 0, 0
		for _, code := range l.Codes[lo:hi] {
			if code >= 0 {
				named++
				if count[code] > 1 {
					again++
				}
			}
		}
		if from < 0 {
			from = lo
		}
		if named >= leastLoop && 2*again > named {
			if seen {
				kept = append(kept, from)
			}
			from, seen = -1, true
		}
		lo = hi
	}
	return kept
}
