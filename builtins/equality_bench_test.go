package builtins_test

import (
	"testing"

	"go.starlark.net/starlark"

	"astrolabe/builtins/guards"
)

// BenchmarkEquality is a loop with one comparison, as Starlark compiles it and guarded.
func BenchmarkEquality(b *testing.B) {
	for _, c := range []struct{ name, setup, cond string }{
		{"loop variable", "k = 5", "i % 7 == k"},
		{"element and number", "l = [str(n)]", "l[0] == 5"},
		{"two elements", "l = [str(n)]", "l[0] == l[-1]"},
		{"lists of 1000", "a = list(range(1000)); c = list(a)", "a == c"},
	} {
		src := "def f(n):\n    m = 0\n    " + c.setup + "\n    for i in range(n):\n        if " + c.cond +
			":\n            m += 1\n    return m\n"
		for _, guarded := range []bool{false, true} {
			how := "/plain"
			if guarded {
				how = "/guarded"
			}
			b.Run(c.name+how, func(b *testing.B) {
				file, err := options.Parse("x", src, 0)
				if err != nil {
					b.Fatal(err)
				}
				names := starlark.StringDict{}
				guards.Add(nil, names)
				if guarded {
					guards.Rewrite(file, names)
				}
				program, err := starlark.FileProgram(file, names.Has)
				if err != nil {
					b.Fatal(err)
				}
				thread := new(starlark.Thread)
				globals, err := program.Init(thread, names)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				if _, err := starlark.Call(thread, globals["f"], starlark.Tuple{starlark.MakeInt(b.N)},
					nil); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
