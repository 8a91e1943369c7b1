// Package sharedtest finds the folder of real captures, vendors' vectors and reference tables that may lie beside the
// repository as ../shared. It is for tests only: nothing that ships needs the folder.
package sharedtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Path returns a path below the shared folder, and skips the test, saying so, where it is absent.
func Path(t testing.TB, parts ...string) string {
	t.Helper()
	path, err := Find(parts...)
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	return path
}

// Find is Path for a test that has more to do than what needs the path.
func Find(parts ...string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(append([]string{dir, "..", "shared"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("../%s is absent", filepath.Join(append([]string{"shared"}, parts...)...))
	}
	return path, nil
}
