package mistakes

import (
	"strings"
	"testing"
	"unicode/utf8"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

// names are what the programs of the tests see.
var names = starlark.StringDict{
	"capture": starlark.None, "args": starlark.None, "==": starlark.None,
	"plot": module{starlarkstruct.FromStringDict(starlark.String("plot"),
		starlark.StringDict{"timeline": starlark.None})},
}

type module struct{ *starlarkstruct.Struct }

func (module) Type() string { return "module" }

// complain parses and resolves a program and explains what is wrong with it.
func complain(text string) error {
	opts := &syntax.FileOptions{Set: true, TopLevelControl: true}
	file, err := opts.Parse("t.star", text, 0)
	if err == nil {
		err = resolve.File(file, names.Has, starlark.Universe.Has)
	}
	return Explain(err, text, 1, names)
}

func TestHabitsFromOtherLanguagesAreAnsweredWithWhatToWrite(t *testing.T) {
	for text, want := range map[string]string{
		"import os":                          "1:1: Starlark has no import: load(",
		"from os import path":                "Starlark has no import: load(",
		"x = f\"{1}\"":                       "Starlark has no f-strings",
		"x = 1\nprint(f'total {x}')":         "Starlark has no f-strings",
		"x = f\"\"\"a\nb\"\"\"":              "Starlark has no f-strings",
		"x = u'a'":                           "leave out the u",
		"x = 'a' 'b'":                        "put a + between",
		"try:\n  pass":                       "Starlark has no exceptions",
		"raise ValueError('x')":              "fail(\"why\")",
		"while True: pass":                   "Starlark has no while",
		"class A: pass":                      "Starlark has no classes",
		"def f(*a, **k): pass\nf(*[1], a=1)": "put it before",
		"def f(*a, **k): pass\nf(a=1, 2)":    "put it first",
		"def f(*a, **k): pass\nf(**{}, a=1)": "put it before",
		"with open('x') as f: pass":          "Starlark has no with",
		"x = lambda: return 1":               "lambda holds one expression",
		"x = lambda x: y = 1":                "lambda holds one expression",
		"x = 1 is None":                      "x == None",
		"x = 1 is not None":                  "x == None",
		"print 'x'":                          "print(x)",
		"x = 1\nprint x":                     "print(x)",
		"x = 2 ** 3":                         "math.pow",
		"x = {**{}}":                         "a | b joins dicts",
		"x = [*[], 1]":                       "joins lists",
		"(n := 5)":                           "has no :=",
		"def f():\n  global x\n  x = 1":      "has no global",
		"def f():\n  nonlocal x":             "has no nonlocal",
		"def f():\n  yield 1":                "has no generators",
		"async def f(): pass":                "has no async",
		"x = await f()":                      "has no await",
		"@wrap\ndef f(): pass":               "has no decorators",
		"x = [1][...]":                       "pass does nothing",
		"def f():\n... x":                    "is the prompt",
		"x = {}\ndel x['a']":                 "d.pop(key)",
		"assert 1 == 1":                      "has no assert statement",
		"x = 1 if True":                      "a if x > 5 else None",
		"x = 1 ? 2 : 3":                      "a if x > 5 else b",
		"x = 1\nx++":                         "x += 1",
		"x = 1 && 2":                         "&& is and",
		"x = 1 || 2":                         "|| is or",
		"x = !1":                             "! is not",
		"x = 1 <> 2":                         "<> is !=",
		"if 1 = 2: pass":                     "== compares",
		"if 1 == 2 pass":                     "ends in a colon",
		"for (i = 0; i < 5; i++) {}":         "for i in range(5):",
		"function f() {}":                    "def f(x):",
		"def f(x: int): pass":                "parameters have no types",
		"def f() -> int: pass":               "declare no result",
		"x: int = 5":                         "variables have no types",
		"x = 1 < 2 < 3":                      "comparisons do not chain",
		"x = 1_000":                          "digits of a number stand together",
		"x = 10ms":                           "a number with a unit is text",
		"x = 80GB":                           "a number with a unit is text",
		"x = [95%]":                          "write \"95%\"",
		"x = 10L":                            "numbers have no suffix",
		"x = `a`":                            "not between `",
		"x = 'abc":                           "the quote of this text is not closed",
		"x = “a”":                            "typographic quote",
		"x = 'C:\\data'":                     "r\"…\"",
		"match 1:\n  pass":                   "has no match",
		"let x = 5":                          "x = 5",
		"x = new Foo()":                      "there is no new",
		"x = 1 => 2":                         "lambda x: x + 1",
		"// a comment":                       "begins with #",
		"/* a comment */":                    "begins with #",
		">>> x = 1":                          ">>> is the prompt",
		"$ astrolabe report":                 "the prompt of a shell",
		"x = $Mali":                          "cap.eval",
		":open x.arrow":                      "for sessions",
		"%timeit 1":                          ":time STATEMENT",
		"astrolabe report x":                 "a command of the shell",
		"help x":                             "help(x)",
		"if 1:\n  pass\nelse if 2:\n  pass":  "else if is elif",
		"else: pass":                         "belongs to an if",
		"x = 1\n  y = 2":                     "indented more",
		"if 1:\nx = 1":                       "is indented below it",
		"x = 1 +":                            "the line ends where a value is expected",
		"x = 1 ≥ 2":                          ">= <= !=",
		"x = (1,\n  [2, 3":                   "the [ of line 2, column 3 is not closed",
		"x = (1,\n 2,\n\n":                   "the ( of line 1, column 5 is not closed",
		"x = (1, '(')\ny = foo(1, 2":         "the ( of line 2, column 8 is not closed",
		"x = 1)":                             "closes none",
		"x = true":                           "True",
		"x = null":                           "it is None",
		"x = np.mean([1])":                   "there is no numpy",
		"x = open('a')":                      "capture.open(path)",
		"x = isinstance(1, int)":             "type(x)",
		"x = timeline(1)":                    "did you mean plot.timeline?",
		"x = captrue":                        "did you mean capture?",
		"x = 1\ny = capture[GRBM_COUNT]":     "cap[\"GRBM_COUNT\"]",
		"x = cap.samples":                    "no capture is open",
		"x = 1\nx = 2":                       "put the statements into a function",
		"return 1":                           "ends at its last line",
		"load('x.star')":                     "load(\"file.star\", \"name\")",
		"load 'x.star'":                      "load(\"file.star\", \"name\")",
		"def f():\n  load('x.star', 'y')":    "at the top of a file",
	} {
		err := complain(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is answered with %v, want %q", text, err, want)
		}
	}
}

func TestWhatIsNoHabitKeepsItsMessage(t *testing.T) {
	for text, want := range map[string]string{
		"x = [1 2]":           "t.star:1:9: got int literal, want ']'",
		"break":               "t.star:1:1: break not in a loop",
		"x = '%s' % (a b)":    "t.star:1:16: got identifier, want ')'",
		"def f(a, a): pass":   "t.star:1:10: duplicate parameter: a",
		"x = 1\n\ny = 0777\n": "t.star:3:9: obsolete form of octal literal; use 0o777",
	} {
		err := complain(text)
		if list, ok := err.(resolve.ErrorList); ok {
			err = list[0]
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzExplainKeepsPlaces(f *testing.F) {
	for _, s := range []string{"x = f'a'", "f(\n(", "import a", "x[Y]", "µ = ≥", "\"\"\"", "x = 1\n\tif",
		"a \\\nb c", ")", "“"} {
		f.Add(s, 1)
	}
	f.Fuzz(func(t *testing.T, text string, first int) {
		if len(text) > 2000 || strings.Count(text, "(")+strings.Count(text, "[")+strings.Count(text, "{") > 200 {
			return
		}
		first = 1 + first&0xffff
		opts := &syntax.FileOptions{Set: true, TopLevelControl: true, GlobalReassign: true, LoadBindsGlobally: true}
		file, err := opts.Parse("t", syntax.FilePortion{Content: []byte(text), FirstLine: int32(first), FirstCol: 1}, 0)
		if err == nil {
			err = resolve.File(file, names.Has, starlark.Universe.Has)
		}
		switch was := err.(type) {
		case syntax.Error:
			now, ok := Explain(err, text, first, names).(syntax.Error)
			if !ok || now.Pos != was.Pos || now.Msg == "" || utf8.ValidString(text) && !utf8.ValidString(now.Msg) {
				t.Errorf("%q: %v became %v", text, was, now)
			}
		case resolve.ErrorList:
			now, ok := Explain(err, text, first, names).(resolve.ErrorList)
			if !ok || len(now) != len(was) {
				t.Fatalf("%q: %v became %v", text, was, now)
			}
			for i := range now {
				if now[i].Pos != was[i].Pos || now[i].Msg == "" {
					t.Errorf("%q: %v became %v", text, was[i], now[i])
				}
			}
		case nil:
			if Explain(nil, text, first, names) != nil {
				t.Error("no error became one")
			}
		}
		Runtime(text)
	})
}
