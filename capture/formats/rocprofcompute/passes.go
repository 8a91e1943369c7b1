package rocprofcompute

import (
	"fmt"
	"slices"
	"strings"
)

// pass is one measuring run in a long file.
type pass struct {
	id       string
	segments []*segment
}

// segment is the rows of one dispatch in one measuring run.
type segment struct {
	guid     int32
	dispatch int32
	start    int64
	end      int64
	rows     []int32
	counters []int32 // of each row
}

// findPasses divides the rows of a long file into passes. Where a GUID has one stretch of time for each dispatch it is
// the pass; else, and without GUIDs, stretches with the same counters in different dispatches are one pass.
func findPasses(s *sheet, of []int32, starts, ends []int64, counters []int32) (passes []*pass) {
	guids := s.codes(colGUID)
	type key struct {
		guid, dispatch int32
		start, end     int64
	}
	index := map[key]int32{}
	var segments []*segment
	last, lastAt := key{}, int32(-1)
	for row, d := range of {
		k := key{-1, d, starts[row], ends[row]}
		if guids != nil {
			k.guid = guids[row]
		}
		if k != last || lastAt < 0 {
			at, ok := index[k]
			if !ok {
				at = int32(len(segments))
				index[k] = at
				segments = append(segments, &segment{guid: k.guid, dispatch: d, start: k.start, end: k.end})
			}
			last, lastAt = k, at
		}
		sg := segments[lastAt]
		sg.rows, sg.counters = append(sg.rows, int32(row)), append(sg.counters, counters[row])
	}
	var order []int32 // of the GUIDs in the file
	byGUID := map[int32][]*segment{}
	for _, sg := range segments {
		if _, ok := byGUID[sg.guid]; !ok {
			order = append(order, sg.guid)
		}
		byGUID[sg.guid] = append(byGUID[sg.guid], sg)
	}
	for _, guid := range order {
		id := ""
		if guid >= 0 {
			id = s.t.Col(s.f.Index(colGUID)).Dict[guid]
		}
		passes = append(passes, passesOf(byGUID[guid], id)...)
	}
	return passes
}

// passesOf makes passes of the segments of one GUID (or of none).
func passesOf(segments []*segment, guid string) (passes []*pass) {
	groups := groupSegments(segments)
	for i, g := range groups {
		id := guid
		switch {
		case guid == "":
			id = fmt.Sprint(i + 1)
		case len(groups) > 1:
			id = fmt.Sprintf("%s#%d", guid, i+1)
		}
		passes = append(passes, &pass{id, g})
	}
	return passes
}

// groupSegments puts the segments of one pass together, in the order of the file.
func groupSegments(segments []*segment) [][]*segment {
	seen := map[int32]bool{}
	once := true
	for _, sg := range segments {
		once = once && !seen[sg.dispatch]
		seen[sg.dispatch] = true
	}
	if once && segments[0].guid >= 0 {
		return [][]*segment{segments}
	}
	// The n-th time a dispatch has a certain set of counters is the n-th pass with that set.
	type occurrence struct {
		set      string
		dispatch int32
	}
	count := map[occurrence]int{}
	bySet := map[string][]int{}
	var groups [][]*segment
	for _, sg := range segments {
		o := occurrence{signature(sg.counters), sg.dispatch}
		k := count[o]
		count[o]++
		if k == len(bySet[o.set]) {
			bySet[o.set] = append(bySet[o.set], len(groups))
			groups = append(groups, nil)
		}
		at := bySet[o.set][k]
		groups[at] = append(groups[at], sg)
	}
	return joinIncomplete(groups, len(seen))
}

// signature is the set of counters as a text that can be compared.
func signature(counters []int32) string {
	sorted := slices.Clone(counters)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	var b strings.Builder
	for _, c := range sorted {
		b.Write([]byte{byte(c), byte(c >> 8), byte(c >> 16), byte(c >> 24)})
	}
	return b.String()
}

// joinIncomplete joins groups that lack dispatches and share most counters: a pass in which some dispatch lacks a few
// of them. It gives up where there are more groups than any capture has passes.
func joinIncomplete(groups [][]*segment, dispatches int) [][]*segment {
	const most = 512
	if len(groups) > most {
		return groups
	}
	out := groups[:0]
	for _, g := range groups {
		if into := partner(out, g, dispatches); into >= 0 {
			out[into] = append(out[into], g...)
			continue
		}
		out = append(out, g)
	}
	return out
}

// partner is the first group that g completes, -1 if there is none.
func partner(groups [][]*segment, g []*segment, dispatches int) int {
	if len(g) >= dispatches {
		return -1
	}
	for i, other := range groups {
		if len(other)+len(g) <= dispatches && disjoint(other, g) && mostShared(other[0].counters, g[0].counters) {
			return i
		}
	}
	return -1
}

func disjoint(a, b []*segment) bool {
	in := make(map[int32]bool, len(a))
	for _, s := range a {
		in[s.dispatch] = true
	}
	return !slices.ContainsFunc(b, func(s *segment) bool { return in[s.dispatch] })
}

// mostShared reports whether at least half of the counters of the smaller set are in the other.
func mostShared(a, b []int32) bool {
	in := make(map[int32]bool, len(a))
	for _, c := range a {
		in[c] = true
	}
	shared := 0
	for _, c := range b {
		if in[c] {
			shared++
		}
	}
	return 2*shared >= min(len(a), len(b)) && shared > 0
}
