package script

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// secretTree has a repository beside things that it must not reach.
func secretTree(t *testing.T, p Policy) (dir string, f *Files) {
	t.Helper()
	dir = tree(t, map[string]string{
		"secret/key.txt": "key", "captures/one.csv": "1", "captures/two.csv": "2", "single.csv": "3",
		"repo/astrolabe.toml": "", "repo/data/in.csv": "in", "repo/tools/main.star": "",
	})
	t.Chdir(filepath.Join(dir, "repo"))
	p.Repo = Root("tools/main.star")
	f, err := newFiles(p)
	if err != nil {
		t.Fatal(err)
	}
	return dir, f
}

func contents(f *Files, path string) (string, error) {
	r, err := f.Open(path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	return string(data), err
}

func TestARunReadsItsRepositoryAndWhatItWasGiven(t *testing.T) {
	dir, f := secretTree(t, Policy{Read: []string{"../single.csv", "../captures"}})
	for path, want := range map[string]string{
		"data/in.csv": "in", "./tools/../data/in.csv": "in", filepath.Join(dir, "repo/data/in.csv"): "in",
		"../single.csv": "3", "../captures/one.csv": "1", filepath.Join(dir, "captures", "two.csv"): "2",
	} {
		got, err := contents(f, path)
		if err != nil || got != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
		in, err := f.Input(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if data, err := os.ReadFile(in); err != nil || string(data) != want {
			t.Errorf("%s became %s: %q, %v", path, in, data, err)
		}
	}
	if in, err := f.Input("data/in.csv"); in != filepath.FromSlash("data/in.csv") || err != nil {
		t.Errorf("a path is not kept as written: %q, %v", in, err)
	}
	if in, err := f.Input("../captures"); err != nil || realPath(in) != filepath.Join(dir, "captures") {
		t.Errorf("the folder given: %q, %v", in, err)
	}
}

func TestARunReadsNothingElse(t *testing.T) {
	dir, f := secretTree(t, Policy{Read: []string{"../single.csv"}})
	for _, path := range []string{
		"../secret/key.txt", "tools/../../secret/key.txt", filepath.Join(dir, "secret", "key.txt"),
		"../captures/one.csv",
		"..", "../secret", filepath.Join(dir, "repo") + "2", "../single.csv2", "../none", "/", "",
	} {
		if _, err := contents(f, path); err == nil {
			t.Errorf("Open(%q) is allowed", path)
		}
		if in, err := f.Input(path); err == nil {
			t.Errorf("Input(%q) is allowed: %q", path, in)
		}
	}
	_, err := f.Input("../secret/key.txt")
	if err == nil || !strings.Contains(err.Error(), "--allow-read=DIR") ||
		!strings.Contains(err.Error(), filepath.Join(dir, "repo")) {
		t.Errorf("the error does not say what is allowed and how to allow more: %v", err)
	}
	if _, err := f.Input("data/none.csv"); err == nil || strings.Contains(err.Error(), "outside") {
		t.Errorf("a file that is only absent: %v", err)
	}
}

func TestSymbolicLinksDoNotLeadReadsOut(t *testing.T) {
	dir, f := secretTree(t, Policy{})
	link(t, filepath.Join(dir, "secret", "key.txt"), "data/key")
	link(t, "../../secret", "data/folder")
	link(t, "in.csv", "data/good")
	link(t, filepath.Join(dir, "repo", "data", "in.csv"), "tools/absolute")
	for _, path := range []string{"data/key", "data/folder/key.txt", "data/folder", "data"} {
		if _, err := contents(f, path); err == nil {
			t.Errorf("Open(%q) is allowed", path)
		}
		if in, err := f.Input(path); err == nil {
			t.Errorf("Input(%q) is allowed: %q", path, in)
		}
	}
	for _, path := range []string{"data/good", "tools/absolute"} {
		if got, err := contents(f, path); err != nil || got != "in" {
			t.Errorf("%s: %q, %v", path, got, err)
		}
		if in, err := f.Input(path); err != nil || in != filepath.FromSlash("data/in.csv") {
			t.Errorf("%s: %q, %v", path, in, err)
		}
	}
	if _, err := f.Input("data"); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a folder with a link out: %v", err)
	}
}

func TestDotsBehindALinkMeanTheWrittenFolder(t *testing.T) {
	dir, f := secretTree(t, Policy{})
	link(t, filepath.Join(dir, "captures"), "tools/link") // the system takes tools/link/.. as DIR, a script means tools
	if in, err := f.Input("tools/link/../../data/in.csv"); err != nil || in != filepath.FromSlash("data/in.csv") {
		t.Errorf("got %q, %v", in, err)
	}
}

func TestReadsOfWhatIsNoFileAreErrors(t *testing.T) {
	_, f := secretTree(t, Policy{})
	if _, err := f.Open("data"); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder: %v", err)
	}
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("permissions do not bind this user")
	}
	if err := os.Chmod("data/in.csv", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Open("data/in.csv"); err == nil || !strings.Contains(err.Error(), "permission") {
		t.Errorf("an unreadable file: %v", err)
	}
}

func TestAPathThatWasGivenMustExist(t *testing.T) {
	tree(t, nil)
	if _, err := newFiles(Policy{Read: []string{"none"}}); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}

func TestWritesStayInTheOutputFolder(t *testing.T) {
	dir, f := secretTree(t, Policy{})
	out := filepath.Join(dir, "out")
	for _, c := range []struct {
		policy     Policy
		path, want string // "" is refused; relative to the working directory DIR/repo
	}{
		{Policy{}, "a.png", "a.png"},
		{Policy{}, "deep/er/a.png", "deep/er/a.png"},
		{Policy{}, "x/../a.png", "a.png"},
		{Policy{}, filepath.Join(dir, "repo", "a.png"), "a.png"},
		{Policy{}, "../a.png", ""},
		{Policy{}, "x/../../a.png", ""},
		{Policy{}, filepath.Join(dir, "a.png"), ""},
		{Policy{}, "/a.png", ""},
		{Policy{}, ".", ""},
		{Policy{}, "data", ""},
		{Policy{}, "", ""},
		{Policy{}, ".git/hooks/pre-commit", ""},
		{Policy{}, "x/.profile", ""},
		{Policy{Out: out}, "a.png", filepath.Join(out, "a.png")},
		{Policy{Out: out}, "new/a.png", filepath.Join(out, "new", "a.png")},
		{Policy{Out: out}, "../a.png", ""},
		{Policy{Out: out}, filepath.Join(dir, "repo", "a.png"), ""},
		{Policy{Out: out, OutFile: "../b.png"}, "../b.png", "../b.png"},
		{Policy{Out: out, OutFile: "../b.png"}, filepath.Join(dir, "b.png"), filepath.Join(dir, "b.png")},
		{Policy{Out: out, OutFile: "../b.png"}, "../c.png", ""},
		{Policy{Out: out, OutFile: "../b.png"}, "../b-2.png", "../b-2.png"},
		{Policy{Out: out, OutFile: filepath.Join(dir, "b.png")}, filepath.Join(dir, "b-12.png"),
			filepath.Join(dir, "b-12.png")},
		{Policy{Out: out, OutFile: "../b.png"}, "../b-fig1.png", ""},
		{Policy{Out: out, OutFile: "../b.png"}, "../b-.png", ""},
		{Policy{Out: out, OutFile: "../b.png"}, "../b-x.png", ""},
		{Policy{Out: out, OutFile: "../b.png"}, "../b--2.png", ""},
		{Policy{Out: out, OutFile: "../b.png"}, "../b-2.svg", ""},
		{Policy{Out: out, OutFile: "../b.png"}, "../../b-2.png", ""},
		{Policy{Out: out, OutFile: "../b.md"}, "../b-fig3.png", "../b-fig3.png"},
		{Policy{Out: out, OutFile: "../b.md"}, "../b-3.md", ""},
		{Policy{AnyWrite: true}, "../d.png", "../d.png"},
		{Policy{AnyWrite: true, Out: out}, "d.png", filepath.Join(out, "d.png")},
	} {
		f.policy = c.policy
		got, err := f.Output(c.path)
		if (err == nil) != (c.want != "") || got != filepath.FromSlash(c.want) {
			t.Errorf("%+v: Output(%q) = %q, %v; want %q", c.policy, c.path, got, err, c.want)
			continue
		}
		if err == nil {
			if err := os.WriteFile(got, nil, 0o666); err != nil {
				t.Errorf("%q cannot be written: %v", got, err)
			}
		}
	}
	f.policy = Policy{}
	if _, err := f.Output("../a.png"); err == nil || !strings.Contains(err.Error(), "--out=DIR") {
		t.Errorf("the error does not name the flag: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a.png")); err == nil {
		t.Error("a file was made outside")
	}
}

func TestSymbolicLinksDoNotLeadWritesOut(t *testing.T) {
	dir, f := secretTree(t, Policy{})
	link(t, filepath.Join(dir, "secret", "key.txt"), "file.png")
	link(t, filepath.Join(dir, "secret", "new.txt"), "dangling.png")
	link(t, filepath.Join(dir, "secret"), "folder")
	link(t, "data", "inside")
	link(t, "../secret/made", "unmade")
	for _, path := range []string{"file.png", "dangling.png", "folder/x.png", "folder/deep/x.png", "unmade/x.png"} {
		if got, err := f.Output(path); err == nil {
			t.Errorf("Output(%q) = %q", path, got)
		}
	}
	if got, err := f.Output("inside/x.png"); err != nil || got != filepath.FromSlash("data/x.png") {
		t.Errorf("a link that stays inside: %q, %v", got, err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "secret"))
	if err != nil || len(entries) != 1 {
		t.Errorf("something was made outside: %v, %v", entries, err)
	}
}

func TestARunReadsWhatItWrote(t *testing.T) {
	dir := tree(t, map[string]string{"repo/astrolabe.toml": "", "out/before.txt": "old",
		"repo/main.star": "write(\"a.txt\", \"new\")\nprint(read(\"a.txt\"))\nread(\"before.txt\")\n"})
	t.Chdir(filepath.Join(dir, "out"))
	r, lines := testRunner(t, Policy{Repo: Root("../repo/main.star")}, Limits{})
	_, err := r.LoadFile(t.Context(), "../repo/main.star")
	if len(*lines) != 1 || (*lines)[0] != "new" {
		t.Errorf("printed %q, %v", *lines, err)
	}
	if err == nil || !strings.Contains(err.Error(), "outside what this script may read") {
		t.Errorf("what lay in the output folder before can be read: %v", err)
	}
}

func TestAPersonReadsEverything(t *testing.T) {
	dir, _ := secretTree(t, Policy{})
	f, err := newFiles(Policy{AnyRead: true, AnyWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := contents(f, "../secret/key.txt"); err != nil || got != "key" {
		t.Errorf("got %q, %v", got, err)
	}
	if in, err := f.Input(filepath.Join(dir, "secret")); err != nil || in != filepath.Join(dir, "secret") {
		t.Errorf("got %q, %v", in, err)
	}
}

func TestTheRepositoryIsTheNearestMarkedFolder(t *testing.T) {
	dir := tree(t, map[string]string{"a/.git/HEAD": "", "a/b/astrolabe.toml": "", "a/b/c/s.star": "", "a/d/s.star": "",
		"e/s.star": ""})
	for path, want := range map[string]string{"a/b/c/s.star": "a/b", "a/d/s.star": "a", "a/d": "a", "a": "a",
		"a/b/none.star": "a/b", "e/s.star": "e"} {
		if got := Root(path); path != "a" && path != "a/d" && got != filepath.Join(dir, want) {
			t.Errorf("Root(%s) = %s, want %s", path, got, want)
		}
		if got, ok := FindRepo(path); want != "e" && (got != filepath.Join(dir, want) || !ok) {
			t.Errorf("FindRepo(%s) = %s, %t", path, got, ok)
		}
	}
	if got, ok := FindRepo("e"); ok {
		t.Logf("the temporary folder is inside the repository %s", got)
	}
}
