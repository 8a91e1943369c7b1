package rocprofcompute

import (
	"math"
	"slices"
	"sort"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/kernels"
)

// axis orders the dispatches by their start in the first pass and returns the place of each on the axis.
func (w *workload) axis(cfg *capture.Config) (place []int) {
	n := len(w.dispatches)
	start, end := w.placeTimes()
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return start[order[a]] < start[order[b]] })
	a := &capture.Axis{Clock: "gpu", Start: make([]int64, n), End: make([]int64, n)}
	place = make([]int, n)
	for k, d := range order {
		a.Start[k], a.End[k], place[d] = start[d], end[d], k
	}
	cfg.Axis = a
	return place
}

// placeTimes gives each dispatch its start and end relative to the first dispatch of the run whose times make the axis.
// A dispatch which that run lacks takes the time it has in another run, moved by what lies between the two at the
// nearest dispatch that both have.
func (w *workload) placeTimes() (start, end []int64) {
	n := len(w.dispatches)
	start, end = make([]int64, n), make([]int64, n)
	if w.axisOf == nil {
		return start, end
	}
	origin, last := int64(math.MaxInt64), int64(0)
	for _, s := range w.axisOf.start {
		if s != noTime {
			origin = min(origin, s)
		}
	}
	known := make([]bool, n)
	for d := range n {
		if s, ns, ok := w.axisOf.span(d); ok {
			start[d] = s - origin
			end[d] = start[d] + ns
			known[d] = true
			last = max(last, end[d])
		}
	}
	for d := range n {
		if known[d] {
			continue
		}
		if s, dur, ok := w.elsewhere(d, origin, known); ok {
			start[d], end[d] = s, s+dur
		} else {
			// Nothing is known of it: an empty sample at the end.
			start[d], end[d] = last, last
		}
	}
	return start, end
}

func (w *workload) elsewhere(d int, origin int64, known []bool) (start, dur int64, ok bool) {
	for _, p := range w.timings {
		if _, dur, ok = p.span(d); !ok || p == w.axisOf {
			continue
		}
		nearest, best := -1, int64(math.MaxInt64)
		for r := range p.start {
			if gap := absDiff(p.start[r], p.start[d]); known[r] && p.start[r] != noTime && gap < best {
				nearest, best = r, gap
			}
		}
		if nearest >= 0 {
			return max(0, p.start[d]-p.start[nearest]+w.axisOf.start[nearest]-origin), dur, true
		}
	}
	return 0, 0, false
}

// span is the start and the length of a dispatch in a run; ok is false where it has none. One that takes no time has
// its place all the same.
func (p *timing) span(d int) (start, ns int64, ok bool) {
	if p.start[d] == noTime || p.end[d] == noTime || p.end[d] < p.start[d] {
		return 0, 0, false
	}
	return p.start[d], p.end[d] - p.start[d], true
}

func absDiff(a, b int64) int64 {
	if a < b {
		return b - a
	}
	return a - b
}

// labels describes each dispatch.
func (w *workload) labels(cfg *capture.Config, place []int) {
	n := len(w.dispatches)
	column := func(f func(d int) string) []string {
		out := make([]string, n)
		for d, k := range place {
			out[k] = f(d)
		}
		return out
	}
	add := func(name string, texts []string) {
		if slices.ContainsFunc(texts, func(s string) bool { return s != "" }) {
			cfg.Labels = append(cfg.Labels, capture.NewLabel(name, texts, func(k int) bool { return texts[k] != "" }))
		}
	}
	grid, workgroup := labelColumn("Grid_Size"), labelColumn("Workgroup_Size")
	cfg.Labels = append(cfg.Labels, kernels.Labels(column(func(d int) string { return w.dispatches[d].kernel }),
		column(func(d int) string { return w.dispatches[d].labels[grid] }),
		column(func(d int) string { return w.dispatches[d].labels[workgroup] }))...)
	ids := column(func(d int) string { return w.dispatches[d].id })
	numbers := make([]string, n)
	for k := range numbers {
		numbers[k] = strconv.Itoa(k)
	}
	add("dispatch", numbers)
	if !slices.Equal(ids, numbers) {
		add("dispatch_id", ids)
	}
	gpus := column(func(d int) string { return w.dispatches[d].gpu })
	ranks := ranksOf(gpus)
	add("gpu", ranks)
	if !slices.Equal(gpus, ranks) {
		add("gpu_id", gpus)
	}
	add("node", column(func(d int) string { return w.dispatches[d].node }))
	for i, l := range labels {
		add(l.label, column(func(d int) string { return w.dispatches[d].labels[i] }))
	}
}

// ranksOf numbers the distinct texts from 0, in numerical order where they are numbers.
func ranksOf(texts []string) []string {
	distinct := slices.Compact(slices.Sorted(slices.Values(texts)))
	distinct = slices.DeleteFunc(distinct, func(s string) bool { return s == "" })
	sort.SliceStable(distinct, func(a, b int) bool {
		x, errX := strconv.ParseFloat(distinct[a], 64)
		y, errY := strconv.ParseFloat(distinct[b], 64)
		return errX == nil && errY == nil && x < y
	})
	rank := map[string]string{"": ""}
	for i, s := range distinct {
		rank[s] = strconv.Itoa(i)
	}
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = rank[s]
	}
	return out
}
