package cli

import (
	"bytes"
	"os"
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

// A program in which text/template can run may call any method by its name, so that the linker keeps every exported method of
// every type: 7 MB more. The names of all functions are in the program, stripped or not.
func TestTheProgramRunsNoTemplates(t *testing.T) {
	program, err := os.ReadFile(programs.Path(t, "astrolabe"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(program, []byte("astrolabe/internal/cli.Main")) {
		t.Fatal("the program does not hold the names of its functions: the test looks in the wrong place")
	}
	for _, name := range []string{"text/template.(*Template).Execute", "html/template.(*Template).Execute"} {
		if bytes.Contains(program, []byte(name)) {
			t.Errorf("the program holds %s: whatever calls it makes it a sixth larger", name)
		}
	}
}
