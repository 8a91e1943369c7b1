package standin

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/internal/testfiles"
)

func TestStandInsHaveTheLayoutsOfTheReference(t *testing.T) {
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
	for _, r := range testfiles.Rows(t, "reference", "amd_rocprofiler_layouts.csv") {
		if r["field"] == "(struct)" {
			fmt.Fprintf(&b, "_Static_assert(sizeof(%s) == %s, \"%s\");\n", r["struct"], r["size"], r["struct"])
			continue
		}
		fmt.Fprintf(&b, "_Static_assert(offsetof(%s, %s) == %s && sizeof(((%s *)0)->%s) == %s, \"%s.%s\");\n", r["struct"], r["field"], r["offset"], r["struct"], r["field"], r["size"], r["struct"], r["field"])
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
