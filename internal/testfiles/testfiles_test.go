package testfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Evidence that is edited until a test passes is none: whoever means to change a file changes its sum as well.
func TestFilesAreTheUnchangedCopies(t *testing.T) {
	want := map[string]string{}
	for line := range strings.Lines(string(Read(t, "SHA256SUMS"))) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Fatalf("SHA256SUMS: %q is not a sum and a path", line)
		}
		want[name] = sum
	}
	dir := Path(t)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "README.md" || d.Name() == "SHA256SUMS" {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:]); got != want[name] {
			t.Errorf("%s has the sum %s, SHA256SUMS says %q", name, got, want[name])
		}
		delete(want, name)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for name := range want {
		t.Errorf("%s is in SHA256SUMS and not in testdata", name)
	}
}

// failing is a test that remembers whether it failed.
type failing struct {
	testing.TB
	fatal string
}

func (f *failing) Helper() {}
func (f *failing) Fatalf(format string, args ...any) {
	f.fatal = format
	panic(f)
}

func TestAnAbsentFileFailsTheTest(t *testing.T) {
	f := &failing{TB: t}
	defer func() {
		if recover() != f || f.fatal == "" {
			t.Error("a test without its data goes on")
		}
	}()
	Path(f, "captures", "no-such-gpu")
}
