package typeset

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// fontFile is a file that looks like a font by its name.
type fontFile struct {
	path string
	name string // of the file, in small letters, without spaces, hyphens, underscores and extension

	// read is set once the file was looked into; faces is empty then if that was no use.
	read  bool
	faces []*coverage
}

// Bounds of the search. A system has some thousand fonts at most.
const (
	maxFontFiles = 20000
	maxDepthOf   = 8
)

// findFiles lists the fonts in files and folders, by the names of the files and then by path: the order in which
// folders are searched does not show. Links to folders are followed, as fonts lie behind them on some systems.
func findFiles(places []string) []*fontFile {
	var out []*fontFile
	seen := map[string]bool{}
	var walk func(path string, depth int)
	walk = func(path string, depth int) {
		info, err := os.Stat(path)
		if err != nil || len(out) >= maxFontFiles {
			return // what cannot be read has no fonts for us
		}
		if !info.IsDir() {
			if isFontName(path) && info.Mode().IsRegular() {
				out = append(out, &fontFile{path: path, name: plainName(path)})
			}
			return
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || seen[real] || depth > maxDepthOf {
			return
		}
		seen[real] = true
		entries, err := os.ReadDir(path)
		if err != nil {
			return
		}
		for _, e := range entries {
			full := filepath.Join(path, e.Name())
			if e.IsDir() || e.Type()&fs.ModeSymlink != 0 || isFontName(full) {
				walk(full, depth+1)
			}
		}
	}
	for _, p := range places {
		walk(p, 0)
	}
	slices.SortFunc(out, func(a, b *fontFile) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(filepath.Base(a.path), filepath.Base(b.path)),
			cmp.Compare(a.path, b.path))
	})
	return slices.CompactFunc(out, func(a, b *fontFile) bool { return a.path == b.path })
}

func isFontName(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".ttf", ".otf", ".ttc", ".otc":
		return true
	}
	return false
}

func plainName(path string) string {
	base := filepath.Base(path)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	return strings.NewReplacer(" ", "", "-", "", "_", "", ".", "").Replace(strings.ToLower(base))
}
