package rates

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"astrolabe/scripts"
)

// hashOf is a short hash of the names and contents of some of the files of a tree.
func hashOf(tree fs.FS, wanted func(name string) bool) (string, error) {
	h := sha256.New()
	n := 0
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !wanted(name) {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		n++
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
		return nil
	})
	if err == nil && n == 0 {
		err = errors.New("there are no files to hash")
	}
	return hex.EncodeToString(h.Sum(nil))[:12], err
}

// rulesHash is the hash of the shipped scripts, without their tests.
func rulesHash() (string, error) {
	return hashOf(scripts.Library, func(name string) bool {
		return strings.HasSuffix(name, ".star") && !strings.HasSuffix(name, "_test.star")
	})
}

// modelHash is the hash of the simulator's sources, without their tests. It looks for them in the working directory and
// above it.
func modelHash() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		source := filepath.Join(dir, "capture", "simulate")
		if _, err := os.Stat(filepath.Join(source, "engine.go")); err == nil {
			return hashOf(os.DirFS(source), func(name string) bool {
				return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") &&
					!strings.HasPrefix(name, "cmd/") && !strings.HasPrefix(name, "simulatetest/")
			})
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", errors.New(
				"the sources of the simulator, capture/simulate, are not here: run this within the repository")
		}
		dir = above
	}
}

// mappingHash is the hash of the table of limiters and findings.
func mappingHash() string {
	h := sha256.New()
	for i := range families {
		h.Write([]byte(families[i].text()))
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
