package hwio

import (
	"slices"
	"strings"

	"astrolabe/capture"
)

// IsGlob reports whether a pattern holds a wildcard and so may fit any number of counters.
func IsGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?") }

// Match reports whether the pattern fits the counter's name or one of its aliases. * stands for any text, ? for one
// character; case does not matter, - is the same as _, and a leading $ is ignored.
func Match(pattern string, m *capture.Meta) bool {
	p := fold(strings.TrimPrefix(pattern, "$")) // as variables stand in formulas
	if globFits(p, fold(m.Name)) {
		return true
	}
	return slices.ContainsFunc(m.Aliases, func(a string) bool { return globFits(p, fold(a)) })
}

// MatchAny reports whether one of the patterns fits the counter.
func MatchAny(patterns []string, m *capture.Meta) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return Match(p, m) })
}

func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// globFits matches without backtracking over more than the last star.
func globFits(p, s string) bool {
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(s) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == s[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// Near returns up to three names that a mistyped one may have meant, the most likely first.
func Near(name string, names []string) []string {
	type cand struct {
		name string
		d    int
	}
	var cands []cand
	f := fold(name)
	for _, n := range names {
		g := fold(n)
		d := editDistance(f, g)
		limit := 1 + len(f)/5
		if len(f) > 2 && strings.Contains(g, f) || len(g) > 3 && strings.Contains(f, g) {
			d = min(d, limit)
		}
		if d <= limit && d < len(f) {
			cands = append(cands, cand{n, d})
		}
	}
	slices.SortStableFunc(cands, func(a, b cand) int { return a.d - b.d })
	var out []string
	for _, c := range cands[:min(3, len(cands))] {
		out = append(out, c.name)
	}
	return out
}

// editDistance is the number of single characters to insert, drop, change or swap with their neighbour between two short names.
func editDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b))
	}
	var rows [3][65]int // of the character before the last, the last, and this one
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := range len(a) {
		before, prev, cur := &rows[(i+2)%3], &rows[i%3], &rows[(i+1)%3]
		cur[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cur[j+1] = min(cur[j+1], before[j-1]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}

// SplitCounters splits a comma-separated list of patterns. A comma between the slashes of an event specification such as
// cpu/event=0x3c,umask=0/ does not separate.
func SplitCounters(list string) []string {
	var out []string
	inside := false
	start := 0
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	for i := range len(list) {
		switch list[i] {
		case '/':
			inside = !inside
		case ',':
			if !inside {
				add(list[start:i])
				start = i + 1
			}
		}
	}
	add(list[start:])
	return out
}
