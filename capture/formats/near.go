package formats

import (
	"os"
	"path/filepath"
	"strings"
)

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

// nearestFile returns what a mistyped path most likely means among the files and folders beside it, "" if none is near.
func nearestFile(path string) string {
	dir, base := filepath.Split(path)
	folder := dir
	if folder == "" {
		folder = "."
	}
	entries, err := os.ReadDir(folder)
	if err != nil || base == "" {
		return ""
	}
	base = strings.ToLower(base)
	best, dist := "", 2+len(base)/6
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		d := editDistance(base, name)
		if len(base) >= 3 && strings.TrimSuffix(name, filepath.Ext(name)) == strings.TrimSuffix(base, filepath.Ext(base)) { // another ending
			d = min(d, 1)
		}
		if d < dist {
			best, dist = e.Name(), d
		}
	}
	if best == "" {
		return ""
	}
	return dir + best
}

// editDistance is the number of letters to insert, drop, change or swap with their neighbour. Names longer than any format's are far
// from everything.
func editDistance(a, b string) int {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var d [longest + 1][longest + 1]int
	for i := range len(a) + 1 {
		for j := range len(b) + 1 {
			if i == 0 || j == 0 {
				d[i][j] = i + j
				continue
			}
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
