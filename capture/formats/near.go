package formats

import "strings"

// nearest returns the known name that a mistyped one most likely means, "" if none is near.
func nearest(name string, known []string) string {
	name = strings.ToLower(name)
	best, dist := "", 1+max(1, len(name)/2)
	for _, k := range known {
		if d := editDistance(name, k); d < dist {
			best, dist = k, d
		}
		if len(name) >= 3 && strings.Contains(k, name) || len(k) >= 3 && strings.Contains(name, k) {
			return k
		}
	}
	return best
}

// editDistance is the Levenshtein distance in bytes. Names longer than any format's are far from everything.
func editDistance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		diag := prev[0]
		prev[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = prev[j+1]
			prev[j+1] = min(cost, prev[j]+1, diag+1)
		}
	}
	return prev[len(b)]
}
