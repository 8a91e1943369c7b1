package values

import (
	"testing"

	"go.starlark.net/starlark"
)

func TestTablesThatDifferHaveOtherKeys(t *testing.T) {
	list := func(v ...starlark.Value) starlark.Value { return starlark.NewList(v) }
	dict := func(kv ...starlark.Value) *starlark.Dict {
		d := starlark.NewDict(len(kv))
		for i := 0; i < len(kv); i += 2 {
			if err := d.SetKey(kv[i], kv[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		return d
	}
	s := func(x string) starlark.Value { return starlark.String(x) }
	all := []starlark.Value{
		dict(), dict(s("a"), s("b")), dict(s("a"), list(s("b"))), dict(s("a"), list(s("b"), s("c"))), dict(s("a"), list(s("b,c"))),
		dict(s("a"), list(list(s("b")), s("c"))), dict(s("a"), list(list(s("b"), s("c")))), dict(s("a"), starlark.MakeInt(1)),
		dict(s("a"), starlark.Float(1)), dict(s("a"), s("1")), dict(s("a"), starlark.True), dict(s("a"), starlark.None),
		dict(s("a"), starlark.Tuple{s("b")}), dict(s("a"), dict(s("b"), s("c"))), dict(s("a"), list(), s("b"), s("c")),
		dict(s("a"), s("b]")), dict(s("a"), list(s("b]"))), dict(s("a"), s("x"), s("b"), s("y")), dict(s("a"), s("x,s1b"), s("y"), s("")),
	}
	seen := map[string]starlark.Value{}
	for _, v := range all {
		key := string(appendKey(nil, v, 0))
		if w, ok := seen[key]; ok {
			t.Errorf("%v and %v have the same key", v, w)
		}
		seen[key] = v
		if again := string(appendKey(nil, v, 0)); again != key {
			t.Errorf("%v has two keys", v)
		}
	}
	self := dict()
	if err := self.SetKey(s("a"), self); err != nil {
		t.Fatal(err)
	}
	if key := appendKey(nil, self, 0); len(key) == 0 || len(key) > 1000 {
		t.Errorf("a table in itself has a key of %d bytes", len(key))
	}
}
