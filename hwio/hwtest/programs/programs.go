package programs

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// Path is the path of a program of this module, such as astrolabe/hwio/vendorlib, built as releases are: without cgo
// and the race detector. The program must not be changed: others use it too.
func Path(t testing.TB, pkg string) string {
	t.Helper()
	name, err := Program(pkg)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// PathFor is Path for Linux on another architecture (a GOARCH).
func PathFor(t testing.TB, pkg, arch string) string {
	t.Helper()
	name, err := program(pkg, "GOOS=linux", "GOARCH="+arch)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// Program is Path for what is no test.
func Program(pkg string) (string, error) { return program(pkg) }

// program builds with further variables in the environment.
func program(pkg string, env ...string) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	tree, err := treeKey(root)
	if err != nil {
		return "", err
	}
	key := append([]string{pkg, tree, runtime.Version(), os.Getenv("GOFLAGS"), os.Getenv("GOEXPERIMENT"),
		os.Getenv("GOAMD64")}, env...)
	return Made(path.Base(pkg)+exe, key, func(to string) error {
		cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", to, pkg)
		cmd.Dir = root
		cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
		return nil
	})
}

// made is what this process has already asked for.
var made struct {
	sync.Mutex
	files map[string]*file
}

// file is one result of Made.
type file struct {
	once sync.Once
	path string
	err  error
}

// Made is the path of a file called name that make writes, unless an earlier call of any process with the same name and
// key has. The file stays at least until this process ends. A failure is not kept for other processes.
func Made(name string, key []string, make func(to string) error) (string, error) {
	id := digest(append([]string{name, runtime.GOOS, runtime.GOARCH}, key...))
	made.Lock()
	if made.files == nil {
		made.files = map[string]*file{}
	}
	f := made.files[id]
	if f == nil {
		f = &file{}
		made.files[id] = f
	}
	made.Unlock()
	f.once.Do(func() {
		var s *store
		if s, f.err = openStore(); f.err == nil {
			f.path, f.err = s.get(id, name, make)
		}
	})
	return f.path, f.err
}

// moduleRoot is the folder of go.mod above the working folder, which go test makes the package's.
var moduleRoot = sync.OnceValues(func() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no go.mod in %s or above it: programs can be built within the source only", dir)
		}
	}
})
