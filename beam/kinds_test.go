package main

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/internal/cli"
	"astrolabe/internal/fleet"
)

// few is a folder with some captures of a farm and a script.
func few(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"build=1/a.csv":   "time,n\n0,1\n1,2\n2,4\n",
		"build=1/b.csv":   "time,n\n0,10\n1,20\n2,40\n",
		"build=2/c.csv":   "time,n\n0,100\n1,200\n2,400\n",
		"build=2/bad.csv": "",
		"sum.star": "def map(cap):\n    n = cap[\"n\"]\n    return [{\"total\": n.total(), \"most\": n.max(), \"odd\": None}, " +
			"{\"total\": 0.1}]\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	vcopy := os.DirFS("../testdata/captures/gfx1151-vcopy")
	if err := os.CopyFS(filepath.Join(dir, "vcopy"), vcopy); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTriageGivesTheFindingsOfReports(t *testing.T) {
	dir := few(t)
	out, _ := finished(t, 1, program(t, dir, "astrolabe-beam", "triage", "vcopy", "build=1/a.csv", "build=2/bad.csv", "--csv"))
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	finding := slices.Index(rows[0], "finding")
	var found []string
	for _, row := range rows[1:] {
		if row[0] == "vcopy" {
			found = append(found, row[finding])
		}
	}
	lake, _ := finished(t, 0, program(t, dir, "astrolabe", "lake", "add", "vcopy", "--lake", "own"))
	list, _ := finished(t, 0, program(t, dir, "astrolabe", "lake", "ls", "--lake", "own"))
	if len(found) == 0 || len(rows) < 3 {
		t.Errorf("%v\n%s%s", rows, lake, list)
	}
	nothingLeft(t, dir)
}

// The lake has what lake add puts there, nothing is left of a stage, and a job that fails adds nothing.
func TestLakeOfAJobIsThatOfLakeAdd(t *testing.T) {
	dir := few(t)
	captures := []string{"build=1/a.csv", "build=1/b.csv", "build=2/bad.csv", "vcopy"}
	add := append([]string{"lake"}, captures...)
	out, talk := finished(t, 1, program(t, dir, "astrolabe-beam", append(add, "--lake", "beam", "--label", "build=7")...))
	if !strings.Contains(out, "3 added, 0 there already, 1 failed") || !strings.Contains(talk, "build=2/bad.csv") {
		t.Errorf("%s%s", out, talk)
	}
	finished(t, 1, program(t, dir, "astrolabe",
		append(append([]string{"lake", "add"}, captures...), "--lake", "own", "--label", "build=7")...))
	if got, want := tables(t, dir, "beam"), tables(t, dir, "own"); !slices.Equal(got, want) || len(got) != 9 {
		t.Errorf("files %v, want %v", got, want)
	}
	finished(t, 0, program(t, dir, "astrolabe", "lake", "verify", "--lake", "beam"))
	if left, _ := filepath.Glob(filepath.Join(dir, "beam", "_tmp", "*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}

	out, _ = finished(t, 1, program(t, dir, "astrolabe-beam", append(add, "--lake", "beam", "--label", "build=7")...))
	if !strings.Contains(out, "0 added, 3 there already, 1 failed") {
		t.Errorf("added again: %s", out)
	}
	_, talk = finished(t, 1, program(t, dir, "astrolabe-beam", "lake", "vcopy", "--lake", "beam", "--label", "build=8"))
	if !strings.Contains(talk, "it is in the lake already with build=7") {
		t.Errorf("with another label: %s", talk)
	}
	_, talk = finished(t, 1, program(t, dir, "astrolabe-beam", append(add, "--lake", "none", "--endpoint", "localhost:1")...))
	if !strings.Contains(talk, "localhost:1") {
		t.Errorf("without a server: %s", talk)
	}
	if got := tables(t, dir, "none"); len(got) > 0 {
		t.Errorf("half a lake: %v", got)
	}
	nothingLeft(t, dir)
}

// tables lists the files of a lake's tables: their names are those of contents and labels.
func tables(t *testing.T, dir, lake string) []string {
	t.Helper()
	root := os.DirFS(filepath.Join(dir, lake))
	var out []string
	for _, table := range []string{"captures", "metrics", "findings"} {
		names, err := filepath.Glob(filepath.Join(dir, lake, table, "*", "*", "*.parquet"))
		if err != nil {
			t.Fatal(root, err)
		}
		for _, n := range names {
			rel, err := filepath.Rel(filepath.Join(dir, lake), n)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, rel)
		}
	}
	return out
}

func TestAggregatePutsRowsTogether(t *testing.T) {
	dir := few(t)
	args := []string{"aggregate", "sum.star", "build=1", "build=2/c.csv", "build=2/bad.csv", "--by", "build", "--quantiles", "0,0.5,1",
		"--chunk", "1"}
	out, talk := finished(t, 1, program(t, dir, "astrolabe-beam", append(args, "--csv")...))
	want := "build,column,count,missing,infinite,sum,mean,min,max,q0,q0.5,q1\n" +
		"1,most,2,0,0,44,22,4,40,"
	if !strings.HasPrefix(out, want) || !strings.Contains(out, "1,total,4,0,0,77.2,19.3,0.1,70,") ||
		!strings.Contains(out, "2,total,2,0,0,700.1,350.05,0.1,700,") || !strings.Contains(talk, "bad.csv") {
		t.Errorf("%s%s", out, talk)
	}
	if _, err := os.Stat(filepath.Join(dir, "groups.jsonl.journal")); err == nil {
		t.Error("there is a journal")
	}
	nothingLeft(t, dir)
}

// Summaries that are merged in any order, and have travelled, are the same, and quantiles are as near as is said.
func TestSummariesDoNotDependOnTheOrderOfMerging(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var values []float64
	for range 2000 {
		values = append(values, math.Exp(rng.NormFloat64()*20)*float64(1-2*rng.IntN(2)))
	}
	values = append(values, 0, math.SmallestNonzeroFloat64, 1e300, -1e300)
	merged := func(pieces int) (*summary, fleet.Row) {
		t.Helper()
		parts := make([][]byte, pieces)
		sums := make([]*summary, pieces)
		for i := range sums {
			sums[i] = newSummary()
		}
		for _, i := range rng.Perm(len(values)) {
			if err := sums[rng.IntN(pieces)].add(values[i]); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		for i, s := range sums {
			if parts[i], err = s.pack(); err != nil {
				t.Fatal(err)
			}
		}
		rng.Shuffle(pieces, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		for len(parts) > 1 {
			i := rng.IntN(len(parts) - 1)
			if parts[i], err = mergeSummaries(parts[i], parts[i+1]); err != nil {
				t.Fatal(err)
			}
			parts = slices.Delete(parts, i+1, i+2)
		}
		s, err := unpack(parts[0])
		if err != nil {
			t.Fatal(err)
		}
		row, err := s.row(groupKey{Column: "x"}, &cli.Groups{Quantiles: []float64{0.01, 0.25, 0.5, 0.75, 0.99}})
		if err != nil {
			t.Fatal(err)
		}
		return s, row
	}
	one, first := merged(1)
	for _, pieces := range []int{2, 7, 40} {
		if _, row := merged(pieces); !slices.Equal(row, first) {
			t.Errorf("%d pieces: %v, want %v", pieces, row, first)
		}
	}
	slices.Sort(values)
	for _, q := range []float64{0.01, 0.25, 0.5, 0.75, 0.99} {
		got, err := one.sketch.GetValueAtQuantile(q)
		if err != nil {
			t.Fatal(err)
		}
		rank := int(q * float64(len(values)-1)) // between this one and the next
		near := func(want float64) bool { return math.Abs(got-want) <= 1.0001*accuracy*math.Abs(want) }
		if !near(values[rank]) && !near(values[rank+1]) {
			t.Errorf("quantile %v: %v, want %v or %v", q, got, values[rank], values[rank+1])
		}
	}
}
