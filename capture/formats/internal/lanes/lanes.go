// Package lanes spreads overlapping stretches of time over tracks, for formats whose tracks hold only slices that nest.
package lanes

import (
	"cmp"
	"container/heap"
	"slices"
)

// Spread puts n intervals on as few lanes as it takes for none to overlap another. Each lane lists intervals by number, in the order of
// time. An interval that ends before its start counts as empty.
func Spread(n int, interval func(i int) (start, end int64)) [][]int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, _ := interval(a)
		y, _ := interval(b)
		return cmp.Compare(x, y)
	})
	var out [][]int
	var free lanes
	for _, i := range order {
		start, end := interval(i)
		end = max(start, end)
		if len(free) > 0 && free[0].end <= start {
			out[free[0].number] = append(out[free[0].number], i)
			free[0].end = end
			heap.Fix(&free, 0)
			continue
		}
		heap.Push(&free, lane{end, len(out)})
		out = append(out, []int{i})
	}
	return out
}

// lanes is a heap with the lane that is free first on top.
type lanes []lane

type lane struct {
	end    int64
	number int
}

func (h lanes) Len() int { return len(h) }
func (h lanes) Less(i, j int) bool {
	return h[i].end < h[j].end || h[i].end == h[j].end && h[i].number < h[j].number
}
func (h lanes) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *lanes) Push(x any)   { *h = append(*h, x.(lane)) }
func (h *lanes) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
