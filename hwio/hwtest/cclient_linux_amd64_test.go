package hwtest

import (
	"os/exec"
	"path/filepath"
	"testing"
)

func TestAProgramInCUsesTheOlderCalls(t *testing.T) { runC(t, "testdata/client.c") }

func TestFilesCanBeNamedWithoutOpeningThem(t *testing.T) {
	r := runC(t, "testdata/opath.c")
	if truth, _ := r.Truth.(toyTruth); truth.opens != 1 || truth.closes != 1 {
		t.Errorf("the driver saw %d opens and %d closes of its node, want 1: the one by way of /proc", truth.opens, truth.closes)
	}
}

// runC builds a program and runs it on the toy.
func runC(t *testing.T, source string) *Result {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("SKIPPED: no gcc here to build the client in C")
	}
	exe := filepath.Join(t.TempDir(), "client")
	if out, err := exec.Command(gcc, "-Wall", "-o", exe, source, "-lpthread").CombinedOutput(); err != nil {
		t.Fatalf("build the client: %v\n%s", err, out)
	}
	r, out := runToy(t, exec.Command(exe))
	if r.Exit != 0 {
		t.Errorf("the client exits with %d:\n%s", r.Exit, out)
	}
	return r
}
