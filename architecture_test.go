package main

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// order lists the packages from left to right: each may import only what stands before it (and its own kind, below the same
// entry). ARCHITECTURE.md explains why.
var order = []string{
	"capture",
	"capture/spelling",
	"capture/symbols",
	"capture/units",
	"capture/metrics/formula",
	"capture/metrics",
	"capture/capturetest",
	"capture/simulate",
	"capture/decode",
	"capture/analysis",
	"capture/export",
	"capture/formats",
	"capture/lake",
	"capture/simulate/cmd",
	"hwio/internal",
	"hwio",
	"plots/typeset",
	"plots/canvas",
	"plots/terminal",
	"plots/screenshots",
	"plots/charts",
	"plots/interactive",
	"plots/documents",
	"builtins/notation",
	"builtins/characters",
	"builtins/mistakes",
	"builtins/binding",
	"builtins/values",
	"builtins/guards",
	"builtins/modules",
	"builtins",
	"repl",
	"internal",
	"cmd",
	"beam",
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
			case (target == "plots/typeset/fonttest" || target == "plots/canvas/canvastest") && pkg != "plots/canvas/canvastest":
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

// vendorWords are what vendors, their GPUs, drivers and counters are called.
var vendorWords = regexp.MustCompile(`(?i)(\bmali|bifrost|valhall|\barm's|\bintel|kaby|\bkbl|i915|\bamd|radeon|instinct|rdna|cdna|rocm|rocprof|\bgpa|gfx[0-9]|xcd|panfrost|panthor|kbase|nvidia|adreno|grbm|tcc_|tcp_|\bsq_)`)

// generic are the folders whose code names no vendor: without what stands below them, where deep is false.
var generic = []struct {
	dir  string
	deep bool
}{{"capture", false}, {"capture/analysis", true}, {"capture/metrics", true}, {"capture/units", true}, {"plots", true}, {"builtins", true}, {"repl", true}, {"hwio", false}}

// vendors are the files of those folders that do name some, and why. Everything of a vendor's notation stands in its dialect and its conventions.
var vendors = map[string]string{
	"capture/metrics/convention.go":             "the list of conventions",
	"capture/metrics/convention_gpa.go":         "conventions",
	"capture/metrics/convention_gpa_blocks.go":  "conventions",
	"capture/metrics/convention_intel.go":       "conventions",
	"capture/metrics/convention_mali.go":        "conventions",
	"capture/metrics/convention_rocm.go":        "conventions",
	"capture/metrics/convention_rocprofiler.go": "conventions",
	"capture/metrics/formula/dialect.go":        "the list of dialects",
	"capture/metrics/formula/gpa.go":            "a dialect",
	"capture/metrics/formula/gpaprint.go":       "a dialect",
	"capture/metrics/formula/intel.go":          "a dialect",
	"capture/metrics/formula/rocm.go":           "a dialect",
	"capture/units/names.go":                    "the names of units, of which one is that of a die",

	"builtins/gpa_functions.go":            "the functions of a vendor's guide and what does the same here",
	"builtins/mistakes/syntax.go":          "an example",
	"builtins/modules/capture.go":          "documentation: examples, and what the options of a reader are",
	"builtins/modules/eucounter.go":        "a module of one vendor's registers",
	"builtins/modules/metrics.go":          "documentation: examples, and whose guide has the formula",
	"builtins/modules/plot_bar.go":         "an example",
	"builtins/modules/plot_correlation.go": "an example",
	"builtins/modules/plot_heatmap.go":     "an example",
	"builtins/modules/session.go":          "statuses that are named as in a vendor's guide",
	"builtins/values/account.go":           "documentation: the name of a table",
	"builtins/values/account_value.go":     "an example",
	"builtins/values/capture_table.go":     "examples, and the names of the dialects",
	"builtins/values/metric.go":            "documentation: which vendor has the field",
	"builtins/values/session_table.go":     "documentation: whose sessions these follow",
}

func TestGenericCodeNamesNoVendor(t *testing.T) {
	named := map[string]bool{}
	camel := regexp.MustCompile(`([a-z0-9])([A-Z])`)
	for _, g := range generic {
		err := filepath.WalkDir(g.dir, func(file string, d fs.DirEntry, err error) error {
			file = filepath.ToSlash(file)
			switch {
			case err != nil:
				return err
			case d.IsDir():
				if file != g.dir && !g.deep || d.Name() == "data" || d.Name() == "testdata" {
					return filepath.SkipDir
				}
				return nil
			case !strings.HasSuffix(file, ".go"), strings.HasSuffix(file, "_test.go"):
				return nil
			}
			src, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			set := token.NewFileSet()
			var s scanner.Scanner
			s.Init(set.AddFile(file, -1, len(src)), src, nil, 0)
			for {
				pos, tok, text := s.Scan()
				if tok == token.EOF {
					return nil
				}
				if tok == token.IDENT {
					text = camel.ReplaceAllString(text, "$1 $2")
				}
				word := vendorWords.FindString(text)
				if word == "" || tok != token.IDENT && tok != token.STRING {
					continue
				}
				if named[file] = true; vendors[file] == "" {
					t.Errorf("%s names %q: what a vendor calls things belongs into a data file, a dialect, a convention or a reader", set.Position(pos), word)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for file := range vendors {
		if !named[file] {
			t.Errorf("%s is excepted and names no vendor", file)
		}
	}
}

// codeWord is a word of ARCHITECTURE.md in backquotes.
var codeWord = regexp.MustCompile("`([^`]+)`")

func TestEveryFileAndFolderThatArchitectureNamesExists(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	var files, folders int
	folder := ""
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		for i, cell := range cells {
			for _, m := range codeWord.FindAllStringSubmatch(cell, -1) {
				name := m[1]
				switch {
				case strings.ContainsAny(name, "*<>: ") || strings.Contains(name, "NAME"):
					continue
				case strings.HasSuffix(name, ".go") && !strings.Contains(name, "/") && len(cells) > 3 && i == 2:
					// In the walk of a counter a file without a folder lies beside the one before it.
					name = path.Join(folder, name)
					files++
				case strings.HasSuffix(name, ".go") && strings.Contains(name, "/"):
					folder = path.Dir(name)
					files++
				case strings.HasSuffix(name, "/") && i == 1:
					folders++
				default:
					continue
				}
				if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
					t.Errorf("ARCHITECTURE.md names %s: %v", name, err)
				}
			}
		}
	}
	if files < 25 || folders < 40 {
		t.Errorf("found %d files and %d folders: the tables are not read as they are written", files, folders)
	}
}
