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
	keyOf := func(v starlark.Value) string {
		var k tableKey
		k.add(v, 0)
		return string(k.text)
	}
	seen := map[string]starlark.Value{}
	for _, v := range all {
		key := keyOf(v)
		if w, ok := seen[key]; ok {
			t.Errorf("%v and %v have the same key", v, w)
		}
		seen[key] = v
		if again := keyOf(v); again != key {
			t.Errorf("%v has two keys", v)
		}
	}
	self := dict()
	if err := self.SetKey(s("a"), self); err != nil {
		t.Fatal(err)
	}
	if key := keyOf(self); len(key) == 0 || len(key) > 1000 {
		t.Errorf("a table in itself has a key of %d bytes", len(key))
	}
}

func TestWhatCannotChangeIsToldByWhereItIs(t *testing.T) {
	key := func(v starlark.Value) (string, int) {
		var k tableKey
		k.add(v, 0)
		return string(k.text), len(k.kept)
	}
	units := func(name string) *starlark.List { return starlark.NewList([]starlark.Value{starlark.String(name)}) }
	table := func(of *starlark.List) *starlark.Dict {
		d := starlark.NewDict(1)
		if err := d.SetKey(starlark.String("units"), of); err != nil {
			t.Fatal(err)
		}
		return d
	}
	a, b := units("a"), units("a")
	changed := table(a)
	before, kept := key(changed)
	if kept != 0 {
		t.Errorf("%d values are kept of a table that may change", kept)
	}
	if same, _ := key(table(b)); same != before {
		t.Errorf("equal tables that may change have other keys: %s, %s", before, same)
	}
	if err := a.Append(starlark.String("b")); err != nil {
		t.Fatal(err)
	}
	if after, _ := key(changed); after == before {
		t.Error("a table that changed has its key of before")
	}
	a.Freeze()
	b.Freeze()
	ofA, kept := key(table(a))
	again, _ := key(table(a))
	ofB, _ := key(table(b))
	if ofA != again || ofA == ofB || kept != 1 {
		t.Errorf("keys of frozen lists: %s, again %s, of another list %s, %d kept", ofA, again, ofB, kept)
	}
	// A list is not frozen while it is gone through.
	c := units("c")
	it := c.Iterate()
	defer it.Done()
	if _, kept := key(c); kept != 0 {
		t.Error("a list that is gone through counts as one that cannot change")
	}
	d := table(c)
	if _, kept := key(d); kept != 0 || d.Len() != 1 {
		t.Errorf("%d kept, %v", kept, d)
	}
}
