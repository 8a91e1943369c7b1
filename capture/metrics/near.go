package metrics

import (
	"sort"
	"strings"
)

// nearest lists up to limit of words that look like name, best first: a few typing errors away, or containing it.
func nearest(name string, words []string, limit int) []string {
	want := fold(name)
	if want == "" {
		return nil
	}
	allowed := 1 + len(want)/4
	type scored struct {
		word string
		dist int
	}
	var list []scored
	for _, w := range words {
		have := fold(w)
		if d := distance(want, have, allowed); d <= allowed {
			list = append(list, scored{w, d})
		} else if len(want) >= 4 && len(have) >= 4 && (strings.Contains(have, want) || strings.Contains(want, have)) {
			list = append(list, scored{w, allowed + 1})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].dist < list[j].dist })
	var out []string
	for _, s := range list[:min(limit, len(list))] {
		out = append(out, s.word)
	}
	return out
}

// distance is the number of letters to insert, drop, change or swap with a neighbour to turn a into b, or limit+1 where it is more.
func distance(a, b string, limit int) int {
	const longest = 128
	if len(a)-len(b) > limit || len(b)-len(a) > limit || len(a) > longest || len(b) > longest {
		return limit + 1
	}
	var rows [3][longest + 1]int
	prev2, prev, cur := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, prev2[j-2]+1)
			}
			cur[j] = d
			best = min(best, d)
		}
		if best > limit {
			return limit + 1
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return min(prev[len(b)], limit+1)
}

func joinAnd(words []string) string { return join(words, " and ") }
func joinOr(words []string) string  { return join(words, " or ") }

func join(words []string, last string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}
