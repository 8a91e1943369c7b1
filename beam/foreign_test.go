package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pythonWith is the Python of ASTROLABE_BEAM_PYTHON, where it has a module.
func pythonWith(t *testing.T, module string) string {
	t.Helper()
	exe := os.Getenv("ASTROLABE_BEAM_PYTHON")
	if exe == "" || exec.Command(exe, "-c", "import "+module).Run() != nil {
		t.Skipf("SKIPPED: no Python with %s: .ci/extra beam installs it", module)
	}
	return exe
}

// python runs a program of Python and returns its lines, sorted.
func python(t *testing.T, exe, dir string, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		said := ""
		if e, ok := err.(*exec.ExitError); ok {
			said = string(e.Stderr)
		}
		t.Fatalf("%v\n%s", err, said)
	}
	return slices.Sorted(strings.Lines(string(out)))
}

// DuckDB reads the lake of a job as it reads that of lake add, and rows in Parquet as map tells them in JSON.
func TestForeignEngineReadsLakesAndRows(t *testing.T) {
	exe := pythonWith(t, "duckdb")
	dir := few(t)
	engines, err := filepath.Abs("../capture/lake/testdata/engines.py")
	if err != nil {
		t.Fatal(err)
	}
	captures := []string{"build=1/a.csv", "build=1/b.csv", "vcopy"}
	finished(t, 0, program(t, dir, "astrolabe-beam",
		append(append([]string{"lake"}, captures...), "--lake", "beam", "--label", "build=007")...))
	finished(t, 0, program(t, dir, "astrolabe",
		append(append([]string{"lake", "add"}, captures...), "--lake", "own", "--label", "build=007")...))
	got, want := python(t, exe, dir, engines, "duckdb", "beam"), python(t, exe, dir, engines, "duckdb", "own")
	if !slices.Equal(got, want) || len(got) < 100 || !strings.Contains(got[0], `"build": "007"`) {
		t.Errorf("DuckDB reads %d rows of the lake of a job and %d of that of lake add:\n%.600s", len(got), len(want), strings.Join(got, ""))
	}
	t.Logf("ENGINE | DuckDB: a lake, %d rows | %d captures | |", len(got), len(captures))

	dir, n := farm(t, 0)
	finished(t, 1, program(t, dir, "astrolabe", onFarm("-o", "own.jsonl")...))
	finished(t, 1, program(t, dir, "astrolabe-beam", onFarm("-o", "beam.parquet")...))
	read := python(t, exe, dir, "-c", `
import duckdb, json
rows = duckdb.sql("SELECT * FROM 'beam.parquet'")
for row in rows.fetchall():
    print(json.dumps({k: v for k, v in zip(rows.columns, row) if v is not None}))
`)
	canonical := func(lines []string) (out []string) {
		for _, line := range lines {
			var row map[string]any
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			for k, v := range row {
				if v == nil {
					delete(row, k)
				}
			}
			text, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(text))
		}
		slices.Sort(out)
		return out
	}
	told := canonical(slices.Collect(strings.Lines(content(t, dir, "own.jsonl"))))
	if rows := canonical(read); !slices.Equal(rows, told) {
		for i := range min(len(rows), len(told)) {
			if rows[i] != told[i] {
				t.Fatalf("DuckDB reads %s, map says %s", rows[i], told[i])
			}
		}
		t.Errorf("DuckDB reads %d rows, map has %d", len(rows), len(told))
	}
	t.Logf("ENGINE | DuckDB: %d rows in Parquet | %d captures | |", len(read), n)
}

// A lake that was copied to a bucket is read there by pyarrow's client of S3.
func TestForeignClientReadsALakeInABucket(t *testing.T) {
	exe := pythonWith(t, "pyarrow")
	dir := few(t)
	finished(t, 0, program(t, dir, "astrolabe-beam", "lake", "build=1/a.csv", "vcopy", "--lake", "in/lake", "--label", "build=007"))
	_, talk := finished(t, 2, program(t, dir, "astrolabe-beam", "lake", "vcopy", "--lake", "s3://b/lake"))
	if !strings.Contains(talk, "s3://b/lake: a lake is a folder") {
		t.Error(talk)
	}
	// gofakes3 gives the checksum of the whole object with a part of it.
	t.Setenv("AWS_REQUEST_CHECKSUM_CALCULATION", "when_required")
	t.Setenv("AWS_RESPONSE_CHECKSUM_VALIDATION", "when_required")
	bucket(t, filepath.Join(dir, "in"), nil)
	got := python(t, exe, dir, "-c", `
import os, pyarrow as pa, pyarrow.dataset as ds, pyarrow.fs
where = os.environ["AWS_ENDPOINT_URL"].removeprefix("http://")
s3 = pyarrow.fs.S3FileSystem(endpoint_override=where, scheme="http", region="us-east-1")
parts = ds.partitioning(pa.schema([("build", pa.string()), ("device", pa.string())]), flavor="hive")
for table in ["captures", "metrics"]:
    rows = ds.dataset("b/lake/" + table, filesystem=s3, partitioning=parts).to_table()
    print(table, len(rows), sorted(set(rows["build"].to_pylist())))
`)
	want := python(t, exe, dir, "-c", `
import pyarrow as pa, pyarrow.dataset as ds
for table in ["captures", "metrics"]:
    print(table, len(ds.dataset("in/lake/" + table, partitioning="hive").to_table()), ["007"])
`)
	if !slices.Equal(got, want) || !strings.HasPrefix(got[0], "captures 2 ") {
		t.Errorf("in the bucket %v, on the disk %v", got, want)
	}
	t.Logf("ENGINE | pyarrow: a lake in a bucket, %s | 2 captures | |", strings.TrimSpace(got[1]))
}
