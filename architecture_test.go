package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// order lists the packages from left to right: each may import only what stands before it (and its own kind, below the same
// entry). ARCHITECTURE.md explains why.
var order = []string{
	"capture",
	"capture/spelling",
	"capture/units",
	"capture/metrics/formula",
	"capture/metrics",
	"capture/capturetest",
	"capture/simulate",
	"capture/decode",
	"capture/analysis",
	"capture/formats",
	"capture/simulate/cmd",
	"hwio/internal",
	"hwio",
	"plots/typeset",
	"plots",
	"builtins/notation",
	"builtins/mistakes",
	"builtins/binding",
	"builtins/values",
	"builtins/guards",
	"builtins/modules",
	"builtins",
	"repl",
	"internal",
	".",
}

// rank is the position of a package in order; the longest matching entry wins.
func rank(pkg string) int {
	best, length := -1, -1
	for i, o := range order {
		if (pkg == o || strings.HasPrefix(pkg, o+"/")) && len(o) > length {
			best, length = i, len(o)
		}
	}
	return best
}

func TestPackagesImportOnlyFromLeftToRight(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(file))
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range f.Imports {
			full, _ := strconv.Unquote(imp.Path.Value)
			target, ours := strings.CutPrefix(full, "astrolabe/")
			if !ours {
				continue
			}
			seen++
			switch {
			case target == "scripts":
				if pkg != "." && !strings.HasPrefix(pkg, "internal") {
					t.Errorf("%s imports scripts: only the command line hands the embedded scripts on", file)
				}
			case pkg == "scripts":
				t.Errorf("%s imports %s: scripts imports nothing", file, target)
			case strings.HasPrefix(target, "hwio/hwtest") && !strings.HasPrefix(pkg, "hwio/hwtest"):
				t.Errorf("%s imports %s: only tests may", file, target)
			case strings.HasPrefix(target, "capture/capturetest") && !strings.HasPrefix(pkg, "capture/capturetest") && !strings.HasPrefix(pkg, "internal/diagnosis"):
				t.Errorf("%s imports %s: only tests and what measures the shipped scripts may", file, target)
			case strings.HasPrefix(target, "capture/simulate") && !strings.HasPrefix(pkg, "capture/simulate") && !strings.HasPrefix(pkg, "internal/diagnosis"):
				t.Errorf("%s imports %s: only tests and what measures the shipped scripts may", file, target)
			case strings.HasPrefix(pkg, "capture") && !strings.HasPrefix(target, "capture"):
				t.Errorf("%s imports %s: nothing below capture may; what formats need of a device's reports is in capture/decode", file, target)
			case target == "plots/typeset/fonttest":
				t.Errorf("%s imports %s: only tests may", file, target)
			case rank(target) > rank(pkg):
				t.Errorf("%s imports %s, which stands to its right", file, target)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Fatal("no import was checked")
	}
}

func TestOnlyTheSecondProgramLoadsLibraries(t *testing.T) {
	seen := false
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range f.Imports {
			if !strings.HasPrefix(imp.Path.Value, `"github.com/ebitengine/purego`) {
				continue
			}
			seen = true
			if path.Dir(filepath.ToSlash(file)) != "hwio/vendorlib" {
				t.Errorf("%s imports purego, which makes a program dynamically linked: only hwio/vendorlib may", file)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !seen {
		t.Error("nothing imports purego: the test looks in the wrong place")
	}
}
