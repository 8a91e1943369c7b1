package formats

import (
	"os"
	"path/filepath"
	"strings"

	"astrolabe/capture/spelling"
)

// nearest returns the known name that a mistyped one most likely means, "" if none is near.
func nearest(name string, known []string) string {
	name = strings.ToLower(name)
	best, dist := "", 1+max(1, len(name)/2)
	for _, k := range known {
		if d := spelling.Distance(name, k, dist-1); d < dist {
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
		d := spelling.Distance(base, name, dist)
		// another ending
		if len(base) >= 3 && strings.TrimSuffix(name, filepath.Ext(name)) == strings.TrimSuffix(base,
			filepath.Ext(base)) {
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
