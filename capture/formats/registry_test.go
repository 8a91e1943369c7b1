package formats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"astrolabe/capture"
)

// fakeFormat recognises files by a first word and folders by a file in them.
type fakeFormat struct {
	name, word, file string
	sure             int
}

func (f fakeFormat) Name() string { return f.name }
func (f fakeFormat) Doc() string  { return "starts with " + f.word }
func (f fakeFormat) Sniff(in *Input) int {
	if in.IsDir && f.file != "" && in.Has(f.file) || !in.IsDir && f.word != "" &&
		bytes.HasPrefix(in.Head, []byte(f.word)) {
		return f.sure
	}
	return 0
}
func (f fakeFormat) Open(_ context.Context, in *Input, opt Options) (*capture.Capture, error) {
	if bytes.Contains(in.Head, []byte("bad")) {
		return nil, errors.New("bad number in line 7")
	}
	cfg := capture.Config{Format: f.name, Path: in.Path}
	opt.Apply(&cfg)
	return capture.New(cfg)
}

// fakeWriter can also save.
type fakeWriter struct {
	fakeFormat
	ext []string
	err error
}

func (w fakeWriter) Extensions() []string { return w.ext }
func (w fakeWriter) Encode(_ context.Context, out io.Writer, _ *capture.Capture) error {
	fmt.Fprint(out, w.word)
	return w.err
}

// fakeExplainer says what it missed.
type fakeExplainer struct{ fakeFormat }

func (fakeExplainer) WhyNot(in *Input) string { return "no pmc_perf.csv in the folder" }

func testRegistry() *Registry {
	return NewRegistry(
		fakeWriter{fakeFormat: fakeFormat{name: "arrow", word: "ARROW1", sure: 100}, ext: []string{".arrow"}},
		fakeWriter{fakeFormat: fakeFormat{name: "csv", word: "time,", sure: 50}, ext: []string{".csv", ".csv.gz"}},
		fakeExplainer{fakeFormat{name: "rocprofcompute", word: "time,Kernel", file: "pmc_perf.csv", sure: 90}},
	)
}

func put(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestContentDecidesTheFormatAndTheNameDoesNot(t *testing.T) {
	r := testRegistry()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "pmc_perf.csv"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		put(t, "x.csv", "ARROW1..."):        "arrow",
		put(t, "x.arrow", "time,a\n"):       "csv",
		put(t, "noext", "time,Kernel_Name"): "rocprofcompute", // surer than csv
		folder:                              "rocprofcompute",
	} {
		c, err := r.Open(context.Background(), path, Options{GPU: "gfx1151", Denom: "per_wave"})
		if err != nil {
			t.Error(err)
			continue
		}
		if c.Format != want || c.GPU != "gfx1151" || c.Options.Denom != "per_wave" {
			t.Errorf("%s: format %s, want %s; %+v", path, c.Format, want, c.Options)
		}
	}
}

func TestErrorsOfOpeningNameThePathAndTheReason(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "other.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(folder, "nothing.csv")
	unknown := put(t, "x.csv", "\x7fELF what is this")
	bad := put(t, "x", "time,bad")
	for name, c := range map[string]struct {
		path    string
		opt     Options
		is      error
		phrases []string
	}{
		"no path":      {"", Options{}, nil, []string{"no path"}},
		"no such file": {missing, Options{}, fs.ErrNotExist, []string{missing, "no such file"}},
		"empty file":   {put(t, "x", ""), Options{}, ErrEmpty, []string{"empty file"}},
		"unknown content": {unknown, Options{}, ErrUnrecognised,
			[]string{unknown, `"\x7fELF`, "arrow: starts with ARROW1", "csv: starts with time,",
				"rocprofcompute: no pmc_perf.csv"}},
		"folder without it": {folder, Options{}, ErrUnrecognised,
			[]string{folder, "other.txt", "no pmc_perf.csv in the folder"}},
		"unknown format": {unknown, Options{Format: "cvs"}, ErrUnknownFormat,
			[]string{`"cvs"`, `did you mean "csv"`, "arrow, csv, rocprofcompute"}},
		"far from any": {unknown, Options{Format: "spreadsheet"}, ErrUnknownFormat, []string{"known: arrow, csv"}},
		"damage":       {bad, Options{}, nil, []string{bad, "open csv capture", "line 7"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := testRegistry().Open(context.Background(), c.path, c.opt)
			if err == nil {
				t.Fatal("no error")
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v is no %v", err, c.is)
			}
			for _, p := range c.phrases {
				if !strings.Contains(err.Error(), p) {
					t.Errorf("error %q does not say %q", err, p)
				}
			}
			if n := strings.Count(err.Error(), c.path); c.path != "" && n > 1 {
				t.Errorf("error %q names the path %d times", err, n)
			}
		})
	}
}

func TestAFileThatMayNotBeReadIsNamedUnreadable(t *testing.T) {
	path := put(t, "x", "time,")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(path); err == nil {
		f.Close()
		t.Skip("SKIPPED: this user may read everything")
	}
	_, err := testRegistry().Open(context.Background(), path, Options{})
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "unreadable") {
		t.Errorf("error %v", err)
	}
}

func TestSavingGoesByFormatThenByExtension(t *testing.T) {
	r := testRegistry()
	c, err := capture.New(capture.Config{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, s := range []struct{ name, format, want string }{
		{"a.csv", "", "time,"}, {"A.CSV", "", "time,"}, {"b.csv.gz", "", "time,"}, {"c.arrow", "", "ARROW1"},
		{"d.csv", "arrow", "ARROW1"}, {"e", "csv", "time,"},
	} {
		path := filepath.Join(dir, s.name)
		if err := r.Save(context.Background(), path, s.format, c); err != nil {
			t.Error(err)
			continue
		}
		if data, _ := os.ReadFile(path); string(data) != s.want {
			t.Errorf("%s as %q holds %q", s.name, s.format, data)
		}
	}
	for _, s := range []struct{ name, format, want string }{
		{"x.csw", "", `did you mean ".csv"`}, {"x", "", "no extension"}, {"x.csv", "rocprofcompute", "read only"},
		{"x.csv", "arow", `did you mean "arrow"`},
		{"a.csv/x.csv", "", "a file stands where a folder should"},
	} {
		err := r.Save(context.Background(), filepath.Join(dir, s.name), s.format, c)
		if err == nil || !strings.Contains(err.Error(), s.want) {
			t.Errorf("saving %s as %q: error %v, want one with %q", s.name, s.format, err, s.want)
		}
	}
}

func TestAFailedSaveLeavesTheOlderFileAndNothingElse(t *testing.T) {
	path := put(t, "x.csv", "older")
	w := fakeWriter{fakeFormat: fakeFormat{name: "csv", word: "half"}, ext: []string{".csv"},
		err: &fs.PathError{Op: "write", Path: "tmp", Err: syscall.ENOSPC}}
	c, _ := capture.New(capture.Config{})
	err := NewRegistry(w).Save(context.Background(), path, "", c)
	if !errors.Is(err, syscall.ENOSPC) || strings.Count(err.Error(), path) != 1 ||
		!strings.Contains(err.Error(), "disk is full") {
		t.Errorf("error %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "older" {
		t.Errorf("the older file now holds %q", data)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestWritingFollowsLinksAndKeepsTheMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes and links there")
	}
	path := put(t, "real", "older")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(filepath.Dir(path), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil {
		t.Fatal(err)
	}
	st, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(path); string(data) != "new" || st.Mode() != 0o600 {
		t.Errorf("holds %q, mode %v", data, st.Mode())
	}
	if st, _ := os.Lstat(link); st.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if err := WriteFile(filepath.Dir(path), func(io.Writer) error {
		return nil
	}); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("writing a folder: %v", err)
	}
	if err := WriteFile("/dev/null", func(w io.Writer) error {
		_, err := io.WriteString(w, "x")
		return err
	}); err != nil {
		t.Errorf("writing a device: %v", err)
	}
}

func TestTheHashOfACaptureIsThatOfItsContent(t *testing.T) {
	sum, err := HashFile(t.Context(), put(t, "x", "abc"))
	if want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; err != nil || sum != want {
		t.Errorf("%s, %v; want %s", sum, err, want)
	}
	hash := func(files map[string]string) string {
		t.Helper()
		dir := t.TempDir()
		for name, text := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		sum, err := HashFile(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	base := hash(map[string]string{"a": "1", "sub/b": "2"})
	if base != hash(map[string]string{"sub/b": "2", "a": "1"}) {
		t.Error("the same folder elsewhere hashes differently")
	}
	for _, other := range []map[string]string{{"a": "1"}, {"a": "1", "sub/b": "3"}, {"a": "1", "sub/c": "2"},
		{"a": "1", "b": "2"}, {"a": "12", "sub/b": ""}} {
		if hash(other) == base {
			t.Errorf("%v hashes like another folder", other)
		}
	}
	if _, err := HashFile(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
