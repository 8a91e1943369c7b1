package cli

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkStart measures the whole process from its start to the value of an expression.
func BenchmarkStart(b *testing.B) {
	exe := filepath.Join(b.TempDir(), "astrolabe")
	if out, err := exec.Command("go", "build", "-o", exe, "astrolabe").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for b.Loop() {
		if out, err := exec.Command(exe, "-c", "1").Output(); err != nil || string(out) != "1\n" {
			b.Fatalf("printed %q, error %v", out, err)
		}
	}
}
