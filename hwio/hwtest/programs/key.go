package programs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// digest is a name for a list of texts.
func digest(parts []string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d %s\n", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

var (
	treesMu sync.Mutex
	trees   = map[string]string{}
)

// treeKey is the digest of everything below root that a program of the module can be made of: all files but tests,
// their data and the documentation. It is more than one program needs, which costs a build now and then and never gives
// an old program.
func treeKey(root string) (string, error) {
	treesMu.Lock()
	defer treesMu.Unlock()
	if key, ok := trees[root]; ok {
		return key, nil
	}
	h := sha256.New()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, top := d.Name(), filepath.Dir(path) == root
		switch {
		case path == root:
			return nil
		case d.IsDir():
			// The main package stands in the root and embeds nothing, so that only its Go files count there.
			if strings.HasPrefix(name, ".") || name == "testdata" || top && (name == "docs" || name == "out") {
				return filepath.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || strings.HasSuffix(name, "_test.go"):
			return nil
		case top && filepath.Ext(name) != ".go" && name != "go.mod" && name != "go.sum":
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		sum := sha256.New()
		if _, err := io.Copy(sum, f); err != nil {
			return err
		}
		fmt.Fprintf(h, "%s %x\n", filepath.ToSlash(rel), sum.Sum(nil))
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("read the sources: %w", err)
	}
	trees[root] = hex.EncodeToString(h.Sum(nil))
	return trees[root], nil
}
