// Package testfiles finds and reads the files of the top-level testdata folder, from the folder of any test: captures
// of real GPUs, values that vendors' own programs gave, and reference tables. testdata/README.md says what each is. It
// is for tests only.
package testfiles

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Path is the absolute path of a file or folder below testdata. The test fails where it is absent: every clone has it.
func Path(t testing.TB, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{root(t), "testdata"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("a file of the repository is absent: %v", err)
	}
	return path
}

// root is the folder of go.mod: tests run in their package's folder, which lies below it.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}

// Read is the content of a file below testdata.
func Read(t testing.TB, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(Path(t, parts...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// JSON decodes a file below testdata.
func JSON(t testing.TB, into any, parts ...string) {
	t.Helper()
	if err := json.Unmarshal(Read(t, parts...), into); err != nil {
		t.Fatalf("%s: %v", filepath.Join(parts...), err)
	}
}

// Rows is a CSV table below testdata whose first line names the columns: one map of column to text per row.
func Rows(t testing.TB, parts ...string) []map[string]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(Read(t, parts...))).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%s: %d lines, %v", filepath.Join(parts...), len(rows), err)
	}
	var out []map[string]string
	for _, r := range rows[1:] {
		m := map[string]string{}
		for i, column := range rows[0] {
			m[column] = r[i]
		}
		out = append(out, m)
	}
	return out
}
