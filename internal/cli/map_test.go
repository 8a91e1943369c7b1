package cli

import (
	"encoding/json"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
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
	for _, s := range []string{"{'a': 1, 'b': [1.5, None, float('inf')]}", "[{'x': 'é\\n'}, {'y': {'z': (1, 2)}}]", "None", "3", "{'capture': 1}", "{1: 2}", "[1]", "{'a': 1 << 200}", "{'a': float('nan')}"} {
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
			if !json.Valid(r.json()) {
				t.Errorf("%s gives %s", src, r.json())
			}
		}
	})
}
