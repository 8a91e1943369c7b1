package sysroot

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParseListReadsTheKernelsListForm(t *testing.T) {
	for in, want := range map[string][]int{"0-3,8": {0, 1, 2, 3, 8}, "5": {5}, "": nil, "2,0-1,1": {0, 1, 2}} {
		got, err := parseList(in)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("ParseList(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"a", "3-1", "0-99999999", "-1", "1,,2", "1-"} {
		if got, err := parseList(in); err == nil {
			t.Errorf("ParseList(%q) = %v, want an error", in, got)
		}
	}
}

func TestNaturalOrderPutsTenAfterNine(t *testing.T) {
	got := []string{"cpu10", "cpu9", "cpu1", "cpufreq", "cpu01"}
	slices.SortStableFunc(got, Natural)
	if want := []string{"cpu1", "cpu01", "cpu9", "cpu10", "cpufreq"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRootReadsBelowItsFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "sys"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"sys/a": "0x1f\n", "sys/b": "-7\n", "sys/c": "many"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := At(dir)
	if v, err := r.Uint("/sys/a"); v != 31 || err != nil {
		t.Errorf("a = %d, %v", v, err)
	}
	if v, err := r.Int("/sys/b"); v != -7 || err != nil {
		t.Errorf("b = %d, %v", v, err)
	}
	if v, err := r.Uint("/sys/c"); err == nil {
		t.Errorf("c = %d, want an error", v)
	}
	if r.Exists("/sys/d") || !r.Exists("/sys/a") {
		t.Error("Exists is wrong")
	}
	if got := r.List("/sys"); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("List = %v", got)
	}
}

func FuzzParseList(f *testing.F) {
	f.Add("0-3,8")
	f.Add("0-")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseList(s)
		if err == nil && !slices.IsSorted(got) {
			t.Fatalf("%q: %v is not sorted", s, got)
		}
	})
}

func TestFileIsReadAgainFromItsStartAndGrowsItsBuffer(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "big")
	write := func(n int, c byte) {
		if err := os.WriteFile(path, []byte(strings.Repeat(string(c), n)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(5000, 'a')
	f, err := At(dir).Open("/big")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, step := range []struct {
		n int
		c byte
	}{{5000, 'a'}, {3, 'b'}, {70000, 'c'}} {
		write(step.n, step.c)
		got, err := f.Contents()
		if err != nil || len(got) != step.n || got[step.n-1] != step.c {
			t.Fatalf("%d bytes, %v; want %d of %c", len(got), err, step.n, step.c)
		}
	}
}
