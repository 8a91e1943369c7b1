package script

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture/formats/all"
	"astrolabe/scripts"
)

func TestTheLibraryIsShippedCompiled(t *testing.T) {
	env := &binding.Env{Registry: all.Registry(), Warn: func(string) {}}
	if err := (Policy{}).Apply(env); err != nil {
		t.Fatal(err)
	}
	want, err := CompileLibrary(env, scripts.Library)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) < 20 {
		t.Fatalf("the library has %d modules", len(want))
	}
	shipped, err := fs.Sub(scripts.Library, CompiledFolder)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]byte{}
	err = fs.WalkDir(shipped, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got[name], err = fs.ReadFile(shipped, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range want {
		if !bytes.Equal(got[name], data) {
			t.Errorf("scripts/%s/%s is not what its text compiles to: run go generate ./scripts", CompiledFolder, name)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("scripts/%s/%s is of no module: run go generate ./scripts", CompiledFolder, name)
	}
}

// A compiled module runs as its text does: values, flags, and the lines of its errors. One that is stale, or damaged, or
// compiled for other names is not used.
func TestACompiledModuleRunsAsItsText(t *testing.T) {
	texts := fstest.MapFS{
		"triage/a.star": {Data: []byte("load(\"//lib/b.star\", \"b\", \"fails\")\n_f = flags(n = 4, quick = False)\na = b + _f.n\n" +
			"def show():\n    \"\"\"Fails.\"\"\"\n    return fails(1)\n")},
		"lib/b.star": {Data: []byte("b = 42\n\ndef fails(x):\n    y = x * 2\n    return [][y]\n")},
	}
	compile := func() fstest.MapFS {
		files, err := CompileLibrary(&binding.Env{}, texts)
		if err != nil {
			t.Fatal(err)
		}
		out := maps.Clone(texts)
		for name, data := range files {
			out[CompiledFolder+"/"+name] = &fstest.MapFile{Data: data}
		}
		return out
	}
	run := func(library fs.FS, args ...string) (said string, compiled int) {
		r := NewRunner(Options{Env: &binding.Env{Args: args}, Print: func(string) {}, Library: library})
		for _, name := range []string{"lib/b.star", "triage/a.star"} {
			if m, err := r.libraryModule(name); err != nil {
				t.Fatal(err)
			} else if _, code, ok := r.compiledModule(m); ok {
				if _, err := readProgram(m, code); err == nil {
					compiled++
				}
			}
		}
		if err := r.Declare(t.Context(), libraryPrefix+"triage/a.star"); err != nil {
			return err.Error(), compiled
		}
		g, err := r.LoadLibrary(t.Context(), "triage/a.star")
		if err != nil {
			return err.Error(), compiled
		}
		_, err = r.Call(t.Context(), g["show"], nil, nil)
		var failed *starlark.EvalError
		if !errors.As(err, &failed) {
			t.Fatalf("the error is %v", err)
		}
		return fmt.Sprint(g["a"], " ", failed.Backtrace()), compiled
	}
	library := compile()
	for _, args := range [][]string{nil, {"--n=5"}, {"--quick", "--n", "7"}, {"--none=1"}} {
		want, n := run(texts, args...)
		if n != 0 {
			t.Fatalf("%d modules are compiled where there is text alone", n)
		}
		got, n := run(library, args...)
		if got != want || n != 2 {
			t.Errorf("%v: %d compiled modules say %q, their texts %q", args, n, got, want)
		}
	}
	if want, _ := run(texts); !strings.Contains(want, "46 ") || !strings.Contains(want, "b.star:5") {
		t.Errorf("the texts say %q", want)
	}

	other := compile()
	other["lib/b.star"] = &fstest.MapFile{Data: bytes.Replace(texts["lib/b.star"].Data, []byte("42"), []byte("1"), 1)}
	if got, n := run(other); !strings.HasPrefix(got, "5 ") || n != 1 {
		t.Errorf("with a text that is newer, %d modules are compiled, and say %q", n, got)
	}
	want, _ := run(texts)
	damage := map[string]func([]byte) []byte{
		"no code": func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')] },
		"other names": func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"names":"`), []byte(`"names":"0`), 1)
		},
		"of a newer language": func(b []byte) []byte {
			at := bytes.IndexByte(b, '\n') + 1
			return slices.Concat(b[:at], []byte("sky!"), b[at+4:])
		},
		"another's": func([]byte) []byte { return library[CompiledFolder+"/triage/a.bin"].Data },
		"empty":     func([]byte) []byte { return nil },
	}
	for what, spoil := range damage {
		spoilt := compile()
		file := spoilt[CompiledFolder+"/lib/b.bin"]
		file.Data = spoil(bytes.Clone(file.Data))
		if got, n := run(spoilt); got != want || n != 1 {
			t.Errorf("%s: %d compiled modules say %q, want %q", what, n, got, want)
		}
	}
}
