package formats

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// entries lists a folder, to see that nothing was left in it.
func entries(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestAnOutputIsCheckedWithoutMakingIt(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	bad := map[string]string{"": "empty", dir: "is a folder", filepath.Join(file, "x"): "is a file and no folder",
		filepath.Join(file, "x", "y", "z"): "is a file and no folder"}
	if runtime.GOOS == "linux" {
		bad["/proc/x"] = "no file can be made in /proc"
		bad["/proc/a/b/x"] = "no file can be made in /proc"
	}
	for path, want := range bad {
		if err := CheckOutput(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", path, err, want)
		}
	}
	for _, path := range []string{file, filepath.Join(dir, "new"), filepath.Join(dir, "a", "b", "c"), os.DevNull,
		filepath.Join(dir, strings.Repeat("ü", 125))} {
		if err := CheckOutput(path); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "a", "b")} {
		if err := CheckOutputFolder(path); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
	if err := CheckOutputFolder(filepath.Join(file, "x")); err == nil {
		t.Error("a folder below a file was not refused")
	}
	if got := entries(t, dir); got != "file" {
		t.Errorf("the folder now holds %s", got)
	}
}

func TestAnOutputThatMayNotBeMadeIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "locked")
	if err := os.Mkdir(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Create(filepath.Join(dir, "x")); err == nil {
		f.Close()
		t.Skip("SKIPPED: this user may write everywhere")
	}
	for _, path := range []string{filepath.Join(dir, "x"), filepath.Join(dir, "a", "x")} {
		if err := CheckOutput(path); err == nil || !strings.Contains(err.Error(), "this user may not write there") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestFilesAreMadeWithTheFoldersAboveThem(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("ü", 125) // 250 bytes: a temporary name beside it must be shorter
	for _, path := range []string{filepath.Join(dir, "a", "b", "x"), filepath.Join(dir, long)} {
		if err := WriteFile(path, func(w io.Writer) error {
			_, err := io.WriteString(w, "text")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != "text" {
			t.Errorf("%q, %v", data, err)
		}
	}
	if got := entries(t, filepath.Join(dir, "a", "b")); got != "x" {
		t.Errorf("beside the file lies %s", got)
	}
}

func TestAFileThatIsAbortedLeavesTheOlderOne(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("new")
	f.Abort()
	if data, _ := os.ReadFile(path); string(data) != "old" || entries(t, dir) != "x" {
		t.Errorf("%q, beside it %s", data, entries(t, dir))
	}
	if f, err = Create(path); err != nil {
		t.Fatal(err)
	}
	f.WriteString("new")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if st, _ := os.Stat(path); st.Mode().Perm() != 0o640 || entries(t, dir) != "x" {
		t.Errorf("mode %v, beside it %s", st.Mode(), entries(t, dir))
	}
}
