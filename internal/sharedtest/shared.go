// Package sharedtest finds the folder of real captures, vendors' vectors and reference tables that may lie beside the
// repository as ../shared. It is for tests only: nothing that ships needs the folder.
package sharedtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns a path below the shared folder, and skips the test, saying so, where it is absent.
func Path(t testing.TB, parts ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(append([]string{dir, "..", "shared"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("SKIPPED: ../%s is absent", filepath.Join(append([]string{"shared"}, parts...)...))
	}
	return path
}
