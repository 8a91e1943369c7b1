package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheScriptOfTheReadmeSaysWhatItMeans writes a capture of which a known share is slow.
func TestTheScriptOfTheReadmeSaysWhatItMeans(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, script, ok := strings.Cut(string(readme), "```python\n# stutter.star\n")
	if !ok {
		t.Fatal("README.md has no stutter.star")
	}
	script, _, _ = strings.Cut(script, "```")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "stutter.star"), []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"-c",
			`capture.from_columns({"context_switches": [100] + [1] * 9}, period="1ms", gpu="cpu").save("run.arrow")`},
		{"report", "run.arrow", "--script", "stutter.star", "--limit=2", "-o", "stutter.json"},
		{"lint", "stutter.star"},
	} {
		cmd := exec.Command(program(t), args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "stutter.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Findings []struct {
			Metric, Value, Threshold, Unit string
			Measured, Limit                float64
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Findings) != 1 {
		t.Fatalf("findings: %+v", doc.Findings)
	}
	if f := doc.Findings[0]; f.Metric != "Slow samples" || f.Value != "10 %" || f.Threshold != "above 2 %" ||
		f.Measured != 10 || f.Limit != 2 || f.Unit != "percent" {
		t.Errorf("the finding is %+v", f)
	}
}
