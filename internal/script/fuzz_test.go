package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzNoNameLoadsOrReadsBeyondTheRepository tries names in load statements, and paths to read and write.
func FuzzNoNameLoadsOrReadsBeyondTheRepository(f *testing.F) {
	for _, name := range []string{"lib/x.star", "//lib/x.star", "../secret.star", "lib/../../secret.star",
		"//../secret.star", "@astrolabe//../x", "link/secret.star", "/", "", "a\x00b", "@x//y", ".git/config"} {
		f.Add(name)
	}
	dir := realPath(f.TempDir())
	repo := filepath.Join(dir, "repo")
	for name, text := range map[string]string{"secret.star": "SECRET", "repo/astrolabe.toml": "",
		"repo/lib/x.star": "x = 1\n"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			f.Fatal(err)
		}
	}
	if err := os.Symlink(dir, filepath.Join(repo, "link")); err != nil {
		f.Logf("without symbolic links: %v", err)
	}
	f.Chdir(repo)
	files, err := newFiles(Policy{Repo: repo, Out: "out"})
	if err != nil {
		f.Fatal(err)
	}
	r := &Runner{opt: Options{Library: library}, modules: map[string]*module{}}
	from := &module{name: "main.star", base: repo, fence: repo}
	f.Fuzz(func(t *testing.T, name string) {
		if m, err := r.resolve(from, name); err == nil &&
			(!m.library && !within(repo, m.key) || strings.Contains(string(m.text), "SECRET")) {
			t.Errorf("load(%q) gives %s", name, m.key)
		}
		if in, err := files.Input(name); err == nil && !within(repo, realPath(in)) {
			t.Errorf("Input(%q) = %q", name, in)
		}
		if len(name) > 200 || strings.Count(name, "/") > 4 {
			return // it would make many folders
		}
		if out, err := files.Output(name); err == nil && !within(filepath.Join(repo, "out"), realPath(out)) {
			t.Errorf("Output(%q) = %q", name, out)
		}
	})
}

// FuzzSplitKeepsEveryArgument splits arguments and puts them together again.
func FuzzSplitKeepsEveryArgument(f *testing.F) {
	f.Add("--a 1 x --b=2 -- --c")
	f.Add("--switch x --a")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Fields(line)
		var back []string
		for _, a := range split(args, func(name string) bool { return name == "--switch" }) {
			back = append(back, a.words...)
		}
		if strings.Join(back, " ") != strings.Join(args, " ") {
			t.Errorf("%q became %q", args, back)
		}
	})
}
