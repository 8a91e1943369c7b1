package hwtest

import (
	"os/exec"
	"path/filepath"
	"testing"
)

func TestAProgramInCUsesTheOlderCalls(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("SKIPPED: no gcc here to build the client in C")
	}
	exe := filepath.Join(t.TempDir(), "client")
	if out, err := exec.Command(gcc, "-Wall", "-o", exe, "testdata/client.c", "-lpthread").CombinedOutput(); err != nil {
		t.Fatalf("build the client: %v\n%s", err, out)
	}
	r, out := runToy(t, exec.Command(exe))
	if r.Exit != 0 {
		t.Errorf("the client exits with %d:\n%s", r.Exit, out)
	}
}
