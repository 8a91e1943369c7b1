// Package lanes spreads overlapping stretches of time over tracks, for formats whose tracks hold only slices that nest.
package lanes

import (
	"cmp"
	"container/heap"
	"slices"
	"strconv"
)

// Spread puts n intervals on as few lanes as it takes for none to overlap another. Each lane lists intervals by number,
// in the order of time. An interval that ends before its start counts as empty.
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

// mostStacks bounds the lanes of Stack, so that a staircase of overlaps does not cost the square of its length. The
// last lane takes all that is left, at the depth of what it overlaps.
const mostStacks = 64

// Stack puts n intervals on lanes on which they nest, as calls do: each lies within all those of its lane that are open
// when it starts, and depth is the number of these. An interval that ends before its start counts as empty.
func Stack(n int, interval func(i int) (start, end int64)) (depth, lane []int) {
	type span struct {
		i          int
		start, end int64
	}
	order := make([]span, n)
	for i := range order {
		start, end := interval(i)
		order[i] = span{i, start, max(start, end)}
	}
	slices.SortStableFunc(order, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	depth, lane = make([]int, n), make([]int, n)
	var open [][]int64 // ends of the intervals that are open, by lane
	for _, s := range order {
		for k := 0; ; k++ {
			if k == len(open) {
				open = append(open, nil)
			}
			ends := open[k]
			for len(ends) > 0 && ends[len(ends)-1] <= s.start {
				ends = ends[:len(ends)-1]
			}
			open[k] = ends
			if len(ends) > 0 && ends[len(ends)-1] < s.end && k+1 < mostStacks {
				continue
			}
			depth[s.i], lane[s.i] = len(ends), k
			open[k] = append(ends, s.end)
			break
		}
	}
	return depth, lane
}

// Name is the name of a lane of a track: that of the track for the first, and numbered from 2 for the others.
func Name(track string, lane int) string {
	if lane == 0 {
		return track
	}
	return track + " #" + strconv.Itoa(lane+1)
}

// Lane is a track to draw intervals on.
type Lane struct {
	Name  string
	Items []int // in the order of time
}

// Tracks puts n intervals on their tracks, in the order in which tracks first appear. On a track with a name intervals
// nest, and what overlaps has lanes of its own; those without a track are on as many lanes called plain as it takes for
// none to overlap.
func Tracks(n int, plain string, track func(i int) string, interval func(i int) (start, end int64)) []Lane {
	byTrack := map[string][]int{}
	var order []string
	for i := range n {
		name := track(i)
		if byTrack[name] == nil {
			order = append(order, name)
		}
		byTrack[name] = append(byTrack[name], i)
	}
	var out []Lane
	for _, name := range order {
		list := byTrack[name]
		of := func(k int) (start, end int64) { return interval(list[k]) }
		if name == "" {
			for _, lane := range Spread(len(list), of) {
				for k := range lane {
					lane[k] = list[lane[k]]
				}
				out = append(out, Lane{plain, lane})
			}
			continue
		}
		_, lane := Stack(len(list), of)
		first := len(out)
		for k, at := range lane {
			for len(out) <= first+at {
				out = append(out, Lane{Name: Name(name, len(out)-first)})
			}
			out[first+at].Items = append(out[first+at].Items, list[k])
		}
		for k := first; k < len(out); k++ {
			slices.SortStableFunc(out[k].Items, func(a, b int) int {
				startA, endA := interval(a)
				startB, endB := interval(b)
				return cmp.Or(cmp.Compare(startA, startB), cmp.Compare(endB, endA))
			})
		}
	}
	return out
}
