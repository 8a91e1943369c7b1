package standin

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Fixture builds what tests need once per process: stand-in libraries, and programs of this module. Close removes all of it.
type Fixture struct {
	mu    sync.Mutex
	dir   string
	built map[string]error
}

// Close removes what was built.
func (f *Fixture) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir != "" {
		_ = os.RemoveAll(f.dir) // a temporary folder that stays does no harm
	}
	f.dir, f.built = "", nil
}

func (f *Fixture) make(t testing.TB, name string, build func(path string) error) string {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir == "" {
		dir, err := os.MkdirTemp("", "astrolabe-standin")
		if err != nil {
			t.Fatal(err)
		}
		f.dir, f.built = dir, map[string]error{}
	}
	path := filepath.Join(f.dir, name)
	err, done := f.built[name]
	if !done {
		err = build(path)
		f.built[name] = err
	}
	if errors.Is(err, ErrNoCompiler) {
		t.Skip("SKIPPED:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Library is the path of a stand-in. The test is skipped, saying so, where there is no compiler.
func (f *Fixture) Library(t testing.TB, source string, defines ...string) string {
	t.Helper()
	name := strings.TrimSuffix(source, ".c") + strings.Join(defines, "") + ".so"
	return f.make(t, name, func(path string) error { return Build(path, source, defines...) })
}

// Program is the path of a program of this module, such as astrolabe/hwio/vendorlib, built without cgo as users do.
func (f *Fixture) Program(t testing.TB, pkg string) string {
	t.Helper()
	return f.make(t, strings.ReplaceAll(pkg, "/", "-"), func(path string) error {
		cmd := exec.Command("go", "build", "-o", path, pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
		return nil
	})
}
