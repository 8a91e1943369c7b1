package cli

import (
	"os/exec"
	"testing"

	"astrolabe/hwio/hwtest/programs"
)

// BenchmarkStart measures the whole process from its start to the value of an expression.
func BenchmarkStart(b *testing.B) {
	exe := programs.Path(b, "astrolabe")
	for b.Loop() {
		if out, err := exec.Command(exe, "-c", "1").Output(); err != nil || string(out) != "1\n" {
			b.Fatalf("printed %q, error %v", out, err)
		}
	}
}
