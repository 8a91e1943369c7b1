// Package spelling finds what a mistyped name may have meant. It imports nothing and knows nothing of what the names
// stand for: each caller says how many typing errors its names bear.
package spelling

import (
	"slices"
	"strings"
)

// longest bounds the words that are compared letter by letter: none of ours is longer, and the work grows with the
// square.
const longest = 128

// Distance is the number of bytes to insert, drop, change or swap with their neighbour that turn a into b, or limit+1
// where it is more. A swap is one error, not two: it is what fast fingers do. Words of more than 128 bytes are far from
// everything.
func Distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit || len(a) > longest || len(b) > longest {
		return limit + 1
	}
	var rows [3][longest + 1]int // of the character before the last, the last, and this one
	before, prev, cur := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := range len(a) {
		cur[0] = i + 1
		best := i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d := min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			cur[j+1] = d
			best = min(best, d)
		}
		// No later row can come back below: each costs at least as much as the least of this, and a swap, which starts
		// from the row before, one more than that row's least.
		if best > limit {
			return limit + 1
		}
		before, prev, cur = prev, cur, before
	}
	return min(prev[len(b)], limit+1)
}

// Near returns up to three of the names that a mistyped one may have meant, the most likely first. Case does not
// matter, and - is the same as _; a word that holds the other counts as near too.
func Near(name string, names []string) []string {
	type candidate struct {
		name string
		d    int
	}
	var found []candidate
	f := fold(name)
	limit := 1 + len(f)/5
	for _, n := range names {
		g := fold(n)
		d := Distance(f, g, limit)
		if len(f) > 2 && strings.Contains(g, f) || len(g) > 3 && strings.Contains(f, g) {
			d = min(d, limit)
		}
		if d <= limit && d < len(f) {
			found = append(found, candidate{n, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.d - b.d })
	var out []string
	for _, c := range found[:min(3, len(found))] {
		out = append(out, c.name)
	}
	return out
}

// Nearest is the most likely of Near, "" if none is near.
func Nearest(name string, names []string) string {
	if found := Near(name, names); len(found) > 0 {
		return found[0]
	}
	return ""
}

func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }
