package main

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ourFiles are files of the repository without data of others, by the beginning of their path.
var ourFiles = []string{"docs/",
	"capture/metrics/data/amd-live.metrics", "capture/metrics/data/cpu.metrics", "capture/metrics/data/intel-live.metrics",
	"capture/metrics/data/intel.metrics",   // registers by name, explained in our own words
	"hwio/bundle/identities.csv",           // what must hold between counters, by name
	"hwio/devices.csv",                     // names of drivers and devices
	"hwio/internal/gpumetrics/layouts.txt", // offsets of an interface
	"hwio/internal/tape/",                  // names of files, drivers and units
	"hwio/vendorlib/", "internal/", "plots/documents/report.schema.json",
	"plots/interactive/assets/", "scripts/",
	"testdata/captures/cpu-programs/", "testdata/captures/mali-g57-level/", "testdata/README.md", "testdata/SHA256SUMS", "testdata/vectors/README.md",
	"testdata/guides/", // formulas and names as facts
	"testdata/reference/amd_gpu_metrics_layouts.csv", "testdata/reference/amd_rocprofiler_layouts.csv",
	"testdata/vectors/mali_formulas_sample.json", // values of an evaluator of our own
}

func isOurs(file string) bool {
	return !strings.Contains(file, "/uPlot") &&
		slices.ContainsFunc(ourFiles, func(o string) bool { return strings.HasPrefix(file, o) })
}

// noticed are the files that NOTICE names for the programs, and those that it names for tests.
func noticed(t *testing.T, root string) (programs, tests []string) {
	t.Helper()
	works, err := readNotice(filepath.Join(root, "NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range works {
		for _, file := range slices.Concat(w.programs, w.tests) {
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("NOTICE names what is absent: %v", err)
			}
		}
		programs, tests = append(programs, w.programs...), append(tests, w.tests...)
	}
	return programs, tests
}

// embedded are the files of this module that are embedded in the programs.
func embedded(t *testing.T, root string) (files []string) {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-deps", "-json=Dir,Module,EmbedFiles"},
		linkedPrograms...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			Dir        string
			Module     *struct{ Path string }
			EmbedFiles []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || p.Module.Path != "astrolabe" {
			continue
		}
		for _, f := range p.EmbedFiles {
			rel, err := filepath.Rel(root, filepath.Join(p.Dir, f))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, inside(t, root, filepath.ToSlash(rel))...)
		}
	}
}

// inside are the files of an archive that is embedded, or the file itself.
func inside(t *testing.T, root, file string) []string {
	if path.Ext(file) != ".zip" {
		return []string{file}
	}
	z, err := zip.OpenReader(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var files []string
	for _, f := range z.File {
		files = append(files, path.Join(path.Dir(path.Dir(file)), f.Name))
	}
	return files
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestEveryDataFileOfTheProgramsHasItsNoticeOrIsOurs(t *testing.T) {
	root := moduleRoot(t)
	named, _ := noticed(t, root)
	files := embedded(t, root)
	for _, file := range files {
		if slices.Contains(named, file) == isOurs(file) {
			t.Errorf("%s is embedded: name it in NOTICE below the work that it has data of, or here as ours", file)
		}
	}
	for _, file := range named {
		if !slices.Contains(files, file) && !strings.HasSuffix(file, ".go") {
			t.Errorf("NOTICE says that %s is in the programs, and it is not", file)
		}
	}
}

func TestEveryFileOfTestdataHasItsNoticeOrIsOurs(t *testing.T) {
	root := moduleRoot(t)
	_, named := noticed(t, root)
	seen := 0
	err := filepath.WalkDir(filepath.Join(root, "testdata"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		seen++
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file := filepath.ToSlash(rel)
		in := slices.ContainsFunc(named, func(n string) bool { return file == n || strings.HasPrefix(file, n+"/") })
		if in == isOurs(file) {
			t.Errorf("name %s in NOTICE below the work that it has data of, or here as ours", file)
		}
		return nil
	})
	if err != nil || seen == 0 {
		t.Errorf("%d files, %v", seen, err)
	}
}
