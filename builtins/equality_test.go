package builtins_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"astrolabe/builtins/guards"
)

// TestComparisonsThatCannotMeetACounterStayAsTheyAre compiles programs without the names that a guarded comparison
// needs.
func TestComparisonsThatCannotMeetACounterStayAsTheyAre(t *testing.T) {
	known := starlark.StringDict{"cap": starlark.None, "c": starlark.None, "float": starlark.None}
	for _, tc := range []struct {
		src  string
		stay bool
	}{
		{"x = cap == None", true},
		{"x = None != cap", true},
		{"x = len(cap) == 0", true},
		{"x = type(cap) != 'list'", true},
		{"x = [i for i in range(10) if i % 7 == 0]", true},
		{
			"def f(n):\n  k = 0\n  for i in range(n):\n    k += 1\n    if i == k or -k == 3 or k // 2 == (i):\n      k = k * 2\n",
			true},
		{"x = (cap == None) == True", true},
		{"x = 'of %s' % cap == 'of 1'", true},
		{"a = 1\nb = a + 1\nx = a == b", true},
		{"x = cap == 0", false},
		{"x = cap == cap", false},
		{"x = 'a' == cap", false},
		{"x = c[0] != 'a'", false},
		{"x = cap % 2 == 0", false},
		{"x = [v for v in cap if v == 1]", false},
		{"x = lambda v: v == 1", false},
		{"x = lambda *v: v[0] == 1", false},
		{"def f(n):\n  for i in range(3):\n    n += 1\n  return n == 3", false},
		{"def f():\n  i = 0\n  for j, i in enumerate(cap):\n    pass\n  return i == 3", false},
		{"def f():\n  i = 0\n  i += cap\n  return i == 3", false},
		{"i = 0\ndef f():\n  return i == 3\ndef g(i):\n  return f()", false}, // in doubt: a name is one in all scopes
		{"x = float(cap) == 1.0", false},                                     // the program sees another float
		{"x = [len(cap) == 1 for len in cap]", false},
		{"def range(n):\n  return cap\nx = [i for i in range(3) if i == 1]", false},
		{"x = [c for c in range(3) if c == 1] or c == 1", false},
	} {
		file, err := options.Parse("x", tc.src, 0)
		if err != nil {
			t.Fatal(err)
		}
		guards.Rewrite(file, known)
		// the guards of memory are there, those of equality are not
		_, err = starlark.FileProgram(file, func(name string) bool {
			return known.Has(name) || strings.HasPrefix(name, "=") && name != "=="
		})
		if stays := err == nil; stays != tc.stay {
			t.Errorf("%q: stays as it is: %v (%v), want %v", tc.src, stays, err, tc.stay)
		}
	}
}

func TestARefusedComparisonPointsAtItsOperator(t *testing.T) {
	r := newRun(t)
	err := r.exec("p.star",
		"cap = capture.from_columns({'a': [1]})\ndef f(x):\n    return [x,\n        cap['a']  ==  x]\nf(3)\n")
	var eval *starlark.EvalError
	if !errors.As(err, &eval) {
		t.Fatalf("%v", err)
	}
	var frames []string
	for _, f := range eval.CallStack {
		frames = append(frames, fmt.Sprintf("%s %s", f.Pos, f.Name))
	}
	if got, want := strings.Join(frames, ", "), "p.star:5:2 <toplevel>, p.star:4:19 f"; got != want {
		t.Errorf("the stack is %s, want %s", got, want)
	}
}

// outcome is what a program of the fuzz target comes to.
func outcome(src string, guarded bool, steps uint64) (result string, stopped bool) {
	file, err := options.Parse("fuzz", src, 0)
	if err != nil {
		return "", true
	}
	names := starlark.StringDict{}
	guards.Add(nil, names)
	if guarded {
		guards.Rewrite(file, names)
	}
	program, err := starlark.FileProgram(file, names.Has)
	if err != nil {
		return err.Error(), false
	}
	var out strings.Builder
	thread := &starlark.Thread{Print: func(_ *starlark.Thread, s string) { out.WriteString(s + "\n") }}
	thread.SetMaxExecutionSteps(steps)
	thread.OnMaxSteps = func(t *starlark.Thread) { stopped = true; t.Cancel("steps") }
	globals, err := program.Init(thread, names)
	if err != nil {
		var eval *starlark.EvalError
		if errors.As(err, &eval) {
			out.WriteString(eval.Backtrace())
		}
	}
	for _, name := range globals.Keys() {
		fmt.Fprintf(&out, "%s = %v\n", name, globals[name])
	}
	return out.String(), stopped
}

// growing finds what can fill the memory in a few steps.
var growing = regexp.MustCompile(`[*+]|<<|replace|join|\d{5}`)

// FuzzGuardedEqualityAgrees runs programs without counters as Starlark compiles them, and guarded: nothing they do may
// differ.
func FuzzGuardedEqualityAgrees(f *testing.F) {
	for _, src := range []string{
		"def f(a, b = 1 == 2):\n  return a == b != True\n",
		"def f(a):\n  print(a)\n  return a\nx = [f(1) == f(2), f(3) != f([1 / 0])]\n",
		"x = [i == j for i in [1, 'a', None, 1.0] for j in [[i], i, (i,), {i: [i]}] if not (i != j)]",
		"a = []\na.append(a)\nx = a == [a, [a]]\ny = a == [a]\n",
		"x = {1: [2]} == {1: (2,)}\ny = set([1]) == set([1])\nz = (1 == 1) == (2 == 2)\n",
		"len = [1]\nx = len == 1 == None", "for None in [1, 2]:\n  x = None == 1 and 2 != x\n",
		"x = (lambda a, k = 1 == 1: a == k)(1, k = 2)\nx, y = 1 == 2, y == x\n",
		"for i in range(2):\n  if i == 1:\n    x %= 2\n  x = 5\n", "x *= 2\nx, y = 1, x\n",
		"x = [1, 'a%s']\nx[1] %= 'b'\nx[0] *= 3\nx[2] *= 1\n", "x = {}\nx['a'] *= 2\n", "x = [1]\ny = x\nx *= 2\nx %= 1\n",
		"def f():\n  for i in range(3):\n    if i == k:\n      k = i\nf()\n",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 1000 || growing.MatchString(src) {
			return
		}
		want, stopped := outcome(src, false, 10_000)
		if stopped {
			return
		}
		if got, _ := outcome(src, true, 100_000); got != want {
			t.Errorf("%s\ngives guarded\n%s\nand plain\n%s", src, got, want)
		}
	})
}
