package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/hwio/hwtest/programs"
)

func TestValuesThatHoldThemselvesAreNoRows(t *testing.T) {
	list := starlark.NewList(nil)
	if err := list.Append(list); err != nil {
		t.Fatal(err)
	}
	d := starlark.NewDict(1)
	if err := d.SetKey(starlark.String("x"), list); err != nil {
		t.Fatal(err)
	}
	if _, err := mapRows(d); err == nil {
		t.Error("a list that holds itself made a row")
	}
}

// FuzzMapRows gives values of any kind to the collection of rows: an error or valid JSON.
func FuzzMapRows(f *testing.F) {
	for _, s := range []string{"{'a': 1, 'b': [1.5, None, float('inf')]}", "[{'x': 'é\\n'}, {'y': {'z': (1, 2)}}]",
		"None", "3", "{'capture': 1}", "{1: 2}", "[1]", "{'a': 1 << 200}", "{'a': float('nan')}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		thread := &starlark.Thread{Name: "fuzz"}
		thread.SetMaxExecutionSteps(1000)
		if len(src) > 200 {
			return
		}
		v, err := starlark.EvalOptions(&syntax.FileOptions{Set: true}, thread, "fuzz", src, nil)
		if err != nil {
			return
		}
		rows, err := mapRows(v)
		if err != nil {
			return
		}
		for _, r := range rows {
			if !json.Valid(r.JSON()) {
				t.Errorf("%s gives %s", src, r.JSON())
			}
		}
	})
}

// BenchmarkMap measures a script over 200 captures with one worker and with one per core.
func BenchmarkMap(b *testing.B) {
	dir := b.TempDir()
	exe := programs.Path(b, "astrolabe")
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
		return path
	}
	args := []string{"map", put("m.star",
		"def map(cap):\n    s = 0\n    for i in range(200000):\n        s += i % 7\n    return {\"s\": s, \"n\": cap.total(\"n\")}\n")}
	for i := range 200 {
		args = append(args, put(fmt.Sprintf("%d.csv", i), "time,n\n0.0,1\n0.1,2\n"))
	}
	for _, jobs := range []string{"1", "0"} {
		b.Run("jobs="+jobs, func(b *testing.B) {
			run := args
			if jobs != "0" {
				run = append(slices.Clone(args), "--jobs="+jobs)
			}
			for b.Loop() {
				if err := exec.Command(exe, run...).Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
