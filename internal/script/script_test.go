package script

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/repl"
)

var update = flag.Bool("update", false, "write the golden files")

// library stands in for the embedded scripts.
var library = fstest.MapFS{
	"triage/a.star":    {Data: []byte("load(\"//lib/b.star\", \"b\")\nload(\"near.star\", \"near\")\na = b + near\n")},
	"triage/near.star": {Data: []byte("near = 10\n")},
	"lib/b.star":       {Data: []byte("b = 1\n")},
	"lib/out.star":     {Data: []byte("load(\"../../x.star\", \"x\")\n")},
	"lib/flags.star":   {Data: []byte("t = flags(depth = (3, \"how deep\"), loud = False)\n")},
}

// tree makes a folder with the given files and makes it the working directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := realPath(t.TempDir())
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

// testRunner makes a runner over the test library whose prints go to lines.
func testRunner(t *testing.T, p Policy, limits Limits, args ...string) (r *Runner, lines *[]string) {
	t.Helper()
	env := &binding.Env{Args: args}
	if err := p.Apply(env); err != nil {
		t.Fatal(err)
	}
	lines = new([]string)
	return NewRunner(Options{Env: env, Library: library, Limits: limits, Print: func(s string) {
		*lines = append(*lines, s)
	}}), lines
}

// load runs main.star and returns its globals as text.
func load(t *testing.T, args ...string) (globals map[string]string, printed []string, err error) {
	t.Helper()
	r, lines := testRunner(t, Policy{Repo: Root("main.star")}, Limits{}, args...)
	g, err := r.LoadFile(context.Background(), "main.star")
	globals = map[string]string{}
	for k, v := range g {
		globals[k] = v.String()
	}
	return globals, *lines, err
}

func TestLoadsFollowTheRules(t *testing.T) {
	tree(t, map[string]string{
		"astrolabe.toml": "",
		"lib/x.star":     "load(\"sub/y.star\", \"y\")\nload(\"//lib/sub/y.star\", z = \"y\")\nx = y + z\n",
		"lib/sub/y.star": "load(\"../w.star\", \"w\")\nprint(\"y runs\")\ny = w\n",
		"lib/w.star":     "w = 21\n",
		"main.star":      "load(\"lib/x.star\", \"x\")\nload(\"//lib/x.star\", again = \"x\")\nload(\"@astrolabe//triage/a.star\", \"a\")\nout = [x, again, a]\n",
	})
	g, printed, err := load(t)
	if err != nil {
		t.Fatal(repl.FormatError(err, nil))
	}
	if g["out"] != "[42, 42, 11]" {
		t.Errorf("out = %s", g["out"])
	}
	if !slices.Equal(printed, []string{"y runs"}) {
		t.Errorf("printed %q: a module runs once", printed)
	}
}

func TestScriptsHaveSetsAndTopLevelControlOnly(t *testing.T) {
	universe := len(starlark.Universe)
	tree(t, map[string]string{"main.star": "s = set([1])\nfor i in range(3):\n    if i:\n        s = s | set([i])\n"})
	if _, _, err := load(t); err == nil || !strings.Contains(err.Error(), "cannot reassign") {
		t.Errorf("a global was bound twice: %v", err)
	}
	tree(t,
		map[string]string{
			"main.star": "out = []\nfor i in range(3):\n    if i:\n        out.append(i)\nlater = set(out)\n"})
	if g, _, err := load(t); err != nil || g["later"] != "set([1, 2])" {
		t.Errorf("got %v, %v", g, err)
	}
	tree(t, map[string]string{"main.star": "def f():\n    while True:\n        pass\n"})
	if _, _, err := load(t); err == nil || !strings.Contains(err.Error(), "while") {
		t.Errorf("while is allowed: %v", err)
	}
	tree(t, map[string]string{"main.star": "def f(n):\n    return f(n)\nf(1)\n"})
	if _, _, err := load(t); err == nil || !strings.Contains(err.Error(), "recursive") {
		t.Errorf("recursion is allowed: %v", err)
	}
	if len(starlark.Universe) != universe {
		t.Error("the universe changed")
	}
}

func TestModulesAreFrozen(t *testing.T) {
	tree(t, map[string]string{"m.star": "l = []\n", "main.star": "load(\"m.star\", \"l\")\nl.append(1)\n"})
	if _, _, err := load(t); err == nil || !strings.Contains(err.Error(), "frozen") {
		t.Errorf("got %v", err)
	}
}

func TestSymbolicLinksDoNotLeadLoadsOut(t *testing.T) {
	dir := tree(t, map[string]string{"repo/astrolabe.toml": "", "secret.star": "s = 1\n", "repo/real.star": "s = 2\n",
		"repo/main.star": "load(\"link.star\", \"s\")\n"})
	t.Chdir(filepath.Join(dir, "repo"))
	link(t, filepath.Join(dir, "secret.star"), "link.star")
	if _, _, err := load(t); err == nil || !strings.Contains(err.Error(), "outside the repository") {
		t.Errorf("got %v", err)
	}
	if err := os.Remove("link.star"); err != nil {
		t.Fatal(err)
	}
	link(t, "real.star", "link.star")
	if _, _, err := load(t); err != nil {
		t.Errorf("a link inside the repository: %v", err)
	}
}

// link makes a symbolic link, or skips the test where the system has none.
func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

// TestErrorTexts runs main.star of each archive and compares its error with the section "error" (-update writes it).
func TestErrorTexts(t *testing.T) {
	archives, err := filepath.Glob("testdata/errors/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			path, err := filepath.Abs(path)
			if err != nil {
				t.Fatal(err)
			}
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files, want, at := map[string]string{}, "", -1
			for i, f := range a.Files {
				if f.Name == "error" {
					want, at = string(f.Data), i
				} else {
					files[f.Name] = string(f.Data)
				}
			}
			dir := tree(t, files)
			if _, ok := files["repo/main.star"]; ok {
				t.Chdir(filepath.Join(dir, "repo"))
			}
			r, _ := testRunner(t, Policy{Repo: Root("main.star")}, Limits{MaxSteps: 100000},
				strings.Fields(string(a.Comment))...)
			g, err := r.LoadFile(context.Background(), "main.star")
			if fn := g["main"]; err == nil && fn != nil {
				_, err = r.Call(context.Background(), fn, nil, nil)
			}
			if err == nil {
				t.Fatal("no error")
			}
			got := strings.ReplaceAll(repl.FormatError(err, nil), dir, "DIR")
			if *update {
				if at < 0 {
					a.Files = append(a.Files, txtar.File{Name: "error"})
					at = len(a.Files) - 1
				}
				a.Files[at].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAScriptThatDoesNotExistIsAnError(t *testing.T) {
	tree(t, nil)
	r, _ := testRunner(t, Policy{}, Limits{})
	if _, err := r.LoadFile(context.Background(), "none.star"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := r.LoadFile(context.Background(), "."); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("got %v", err)
	}
}

func TestLibraryScriptsLoadByName(t *testing.T) {
	tree(t, nil)
	for _, name := range []string{"triage/a.star", "@astrolabe//triage/a.star"} {
		r, _ := testRunner(t, Policy{}, Limits{})
		g, err := r.LoadLibrary(context.Background(), name)
		if err != nil || g["a"].String() != "11" {
			t.Errorf("%s: %v, %v", name, g, err)
		}
		if s := r.Scripts(); len(s) != 1 || s[0].Name != "@astrolabe//triage/a.star" || len(s[0].Hash) != 64 {
			t.Errorf("scripts: %v", s)
		}
	}
	r, _ := testRunner(t, Policy{}, Limits{})
	if _, err := r.LoadLibrary(context.Background(), "lib/out.star"); err == nil ||
		!strings.Contains(err.Error(), "outside the built-in library") {
		t.Errorf("got %v", err)
	}
}

// The hash on a page is of a script with the files that it is divided into, and of no other file.
func TestTheHashIsOfTheFilesThatAScriptIsDividedInto(t *testing.T) {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	main := "load(\"main/b.star\", \"b\")\nload(\"other.star\", \"o\")\nload(\"@astrolabe//triage/a.star\", \"a\")\n"
	second, first := "load(\"a.star\", \"a\")\nb = a\n", "a = 1\n"
	files := map[string]string{"main.star": main, "main/b.star": second, "main/a.star": first, "main/none.star": "x = 1\n",
		"other.star": "o = 2\n", "single.star": first}
	for name, want := range map[string]string{"main.star": hash(main + first + second), "single.star": hash(first)} {
		tree(t, files)
		r, _ := testRunner(t, Policy{}, Limits{})
		if _, err := r.LoadFile(context.Background(), name); err != nil {
			t.Fatal(err)
		}
		if s := r.Scripts(); len(s) != 1 || s[0].Hash != want {
			t.Errorf("%s: %v, want %s", name, s, want)
		}
	}
}

func TestFunctionsAreCalledAfterLoading(t *testing.T) {
	tree(t, map[string]string{"main.star": "def add(a, b = 2):\n    print(\"adding\")\n    return a + b\n"})
	r, lines := testRunner(t, Policy{}, Limits{})
	g, err := r.LoadFile(context.Background(), "main.star")
	if err != nil {
		t.Fatal(err)
	}
	v, err := r.Call(context.Background(), g["add"], starlark.Tuple{starlark.MakeInt(1)},
		[]starlark.Tuple{{starlark.String("b"), starlark.MakeInt(5)}})
	if err != nil || v.String() != "6" || !slices.Equal(*lines, []string{"adding"}) {
		t.Errorf("got %v, %v, printed %q", v, err, *lines)
	}
}

func TestAPanicOfABuiltinNamesItsFunction(t *testing.T) {
	tree(t, map[string]string{"main.star": "def main(f):\n    f()\n"})
	r, _ := testRunner(t, Policy{}, Limits{})
	g, err := r.LoadFile(context.Background(), "main.star")
	if err != nil {
		t.Fatal(err)
	}
	bad := starlark.NewBuiltin("bad",
		func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, indexBeyond(nil)
		})
	_, err = r.Call(context.Background(), g["main"], starlark.Tuple{bad}, nil)
	var internal *internalError
	if !errors.As(err, &internal) {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(internal.Func, "indexBeyond") ||
		!strings.Contains(repl.FormatError(err, nil), "please report it") {
		t.Errorf("site %q, text %q", internal.Func, repl.FormatError(err, nil))
	}
	if v, err := r.Call(context.Background(), starlark.Universe["len"], starlark.Tuple{starlark.String("abc")},
		nil); err != nil || v.String() != "3" {
		t.Errorf("the runner does not work on: %v, %v", v, err)
	}
}

//go:noinline
func indexBeyond(l []error) error { return l[3] }

func TestTheSessionsLoadsComeFromEverywhere(t *testing.T) {
	dir := tree(t, map[string]string{"up.star": "u = 1\n", "repo/.git/HEAD": "",
		"repo/lib/x.star": "load(\"//lib/y.star\", \"y\")\nx = y\n", "repo/lib/y.star": "y = 2\n"})
	t.Chdir(filepath.Join(dir, "repo"))
	env := &binding.Env{}
	if err := (Policy{AnyRead: true, AnyWrite: true}).Apply(env); err != nil {
		t.Fatal(err)
	}
	r := NewRunner(Options{Env: env, Library: library, Typed: true})
	thread := &starlark.Thread{Name: "<stdin>", Load: r.Loader()}
	run := func(text string) error {
		defer env.Enter(context.Background(), thread)()
		_, err := starlark.ExecFileOptions(dialect(), thread, "<stdin>", text, nil)
		return err
	}
	for _, text := range []string{`load("../up.star", "u")`, `load("//lib/x.star", "x")`, `load("lib/x.star", "x")`,
		`load("@astrolabe//triage/a.star", "a")`} {
		if err := run(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := run(`load("later.star", "v")`); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile("later.star", []byte("v = fail(\"no\")\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(`load("later.star", "v")`); err == nil {
		t.Error("no error")
	}
	if err := os.WriteFile("later.star", []byte("v = 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(`load("later.star", "v")`); err != nil {
		t.Errorf("a file that was mended does not load: %v", err)
	}
}

// What is prepared beside is what runs: modules that load each other, one that is no Starlark and one that is not there
// behave as they do without.
func TestModulesPreparedAheadRunAsOthersDo(t *testing.T) {
	run := func(ahead bool) string {
		r := NewRunner(Options{Env: &binding.Env{}, Print: func(string) {}, Library: fstest.MapFS{
			"triage/a.star": {Data: []byte("load(\"//lib/b.star\", \"b\")\na = b + flags(n = 4).n\n")},
			"lib/b.star":    {Data: []byte("load(\"c.star\", \"c\")\nb = c * 2\nbad = lambda x: x == c\n")},
			"lib/c.star":    {Data: []byte("c = 21\n")},
			"lib/d.star":    {Data: []byte("def broken(:\n")},
		}})
		if ahead {
			r.Ahead("lib/b.star", "lib/c.star", "@astrolabe//lib/d.star", "lib/none.star")
		}
		var out []string
		for _, name := range []string{"triage/a.star", "lib/d.star", "lib/none.star"} {
			g, err := r.LoadLibrary(t.Context(), name)
			out = append(out, fmt.Sprint(g["a"], err))
		}
		r.Ahead("lib/b.star") // which has run
		return strings.Join(out, "\n")
	}
	got, want := run(true), run(false)
	if got != want || !strings.HasPrefix(want, "46 <nil>\n") {
		t.Errorf("prepared ahead: %s\nelse: %s", got, want)
	}
}
