package standin

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/internal/sharedtest"
)

func TestStandInsHaveTheLayoutsOfTheReference(t *testing.T) {
	f, err := os.Open(sharedtest.Path(t, "reference", "amd_rocprofiler_layouts.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("SKIPPED: there is no gcc")
	}
	dir := t.TempDir()
	if err := Sources(dir); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("#include \"rocprofiler_abi.h\"\n")
	for _, r := range rows[1:] {
		if r[1] == "(struct)" {
			fmt.Fprintf(&b, "_Static_assert(sizeof(%s) == %s, \"%s\");\n", r[0], r[3], r[0])
			continue
		}
		fmt.Fprintf(&b, "_Static_assert(offsetof(%s, %s) == %s && sizeof(((%s *)0)->%s) == %s, \"%s.%s\");\n", r[0], r[1], r[2], r[0], r[1], r[3], r[0], r[1])
	}
	path := filepath.Join(dir, "layout.c")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-std=gnu11", "-fsyntax-only", path).CombinedOutput(); err != nil {
		t.Errorf("layouts differ: %v\n%s", err, out)
	}
}

func TestEveryVersionOfTheStandInsCompilesWithoutWarnings(t *testing.T) {
	for source, versions := range map[string][]string{Rocprofiler: {"", "STANDIN_ROCM6", "STANDIN_OLD"}, GPA: {"", "STANDIN_TABLE", "STANDIN_FLAT"}} {
		for _, v := range versions {
			var defines []string
			if v != "" {
				defines = []string{v}
			}
			err := Build(filepath.Join(t.TempDir(), "lib.so"), source, defines...)
			if errors.Is(err, ErrNoCompiler) {
				t.Skip("SKIPPED:", err)
			}
			if err != nil {
				t.Errorf("%s %s: %v", source, v, err)
			}
		}
	}
}
