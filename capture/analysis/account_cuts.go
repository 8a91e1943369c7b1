package analysis

import (
	"slices"

	"astrolabe/capture"
)

// AccountStretch is a stretch of time [Start, End) that belongs to a group.
type AccountStretch struct {
	Start, End int64
	Group      int32
}

// CutSamples says to which group each sample belongs, -1 for none, and of those that do not lie in one group as a whole
// how much is in which. Where stretches overlap the later one of the list has the time. Samples that overlap each other
// are not cut, because nothing says when in them something happened: each belongs to what it starts in.
func CutSamples(axis *capture.Axis, stretches []AccountStretch) (of []int32, cuts map[int][]AccountCut) {
	of = make([]int32, axis.Len())
	edges := make([]int64, 0, 2*len(stretches))
	for _, s := range stretches {
		if s.Start < s.End {
			edges = append(edges, s.Start, s.End)
		}
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	// owner[k] has what lies before edge k: nobody the time before the first.
	owner := make([]int32, len(edges)+1)
	for k := range owner {
		owner[k] = -1
	}
	// The later stretches are painted first and keep what they have, so that each piece is painted once however many
	// stretches lie over it: next leads from a piece to the first behind it that nobody has.
	next := make([]int32, len(edges)+1)
	for k := range next {
		next[k] = int32(k)
	}
	free := func(k int32) int32 {
		for next[k] != k {
			next[k] = next[next[k]]
			k = next[k]
		}
		return k
	}
	for _, s := range slices.Backward(stretches) {
		if s.Start < s.End {
			lo, _ := slices.BinarySearch(edges, s.Start)
			for k := free(int32(lo)); edges[k] < s.End; k = free(k) {
				owner[k+1] = s.Group
				next[k] = k + 1
			}
		}
	}
	apart := true
	for i := 1; i < len(of) && apart; i++ {
		apart = axis.Start[i] >= axis.End[i-1]
	}
	k := 0
	for i := range of {
		start, end := axis.Start[i], axis.End[i]
		if !apart {
			k = 0
		}
		if k == 0 {
			k, _ = slices.BinarySearch(edges, start)
		}
		for k < len(edges) && edges[k] <= start {
			k++
		}
		of[i] = owner[k]
		if !apart || k == len(edges) || edges[k] >= end {
			continue
		}
		var list []AccountCut
		for at, j := start, k; at < end; j++ {
			until := end
			if j < len(edges) {
				until = min(until, edges[j])
			}
			share := float64(until-at) / float64(end-start)
			if g := owner[j]; len(list) > 0 && list[len(list)-1].Group == g {
				list[len(list)-1].Share += share
			} else {
				list = append(list, AccountCut{g, share})
			}
			at = until
		}
		if len(list) == 1 {
			continue
		}
		if cuts == nil {
			cuts = map[int][]AccountCut{}
		}
		cuts[i] = list
	}
	return of, cuts
}
