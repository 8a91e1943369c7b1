package repl

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"astrolabe/builtins"
	"astrolabe/builtins/binding"
)

// notebook is a session as a notebook has it, and what it shows.
func notebook(t testing.TB) (s *Session, shown *strings.Builder, page *string) {
	t.Helper()
	shown, page = &strings.Builder{}, new(string)
	env := &binding.Env{}
	s = NewSession(Config{Predeclared: builtins.Predeclared(env), Env: env, Out: shown, Talk: shown, History: "-",
		Page: func(text string) { *page = text }, Clear: func() { shown.Reset() },
		Display: func(_ starlark.Value, text string, last bool) error {
			if last {
				text += " (last)"
			}
			shown.WriteString(text + "\n")
			return nil
		}})
	return s, shown, page
}

func TestACellIsStatementsAndLinesThatAreNone(t *testing.T) {
	for cell, want := range map[string]string{
		"1\n2":             "1\n2 (last)\n",
		"x = 5\n:doc x\nx": "int, a type of the language. (last)\n5 (last)\n",
		"for i in range(2):\n    print(i)\n:clear\nprint(9)": "9\n",
		"text = '''\n:doc x\n'''\ntext":                      "\"\\n:doc x\\n\" (last)\n",
		"1 + \\\n  1":                                        "2 (last)\n",
		"if True:\n    print(1)\nelse:\n    print(2)\n3":     "1\n3 (last)\n",
		"\n# nothing\n":                                      "",
		"":                                                   "",
	} {
		s, shown, _ := notebook(t)
		if err := s.Cell(context.Background(), "<cell 1>", cell, false); err != nil || shown.String() != want {
			t.Errorf("%q shows %q, %v", cell, shown, err)
		}
	}
	s, shown, page := notebook(t)
	if err := s.Cell(context.Background(), "<cell 1>", "plot.bar?", false); err != nil || !strings.HasPrefix(*page, "plot.bar(") || shown.Len() > 0 {
		t.Errorf("%v: %q, %q", err, *page, shown)
	}
	if err := s.Cell(context.Background(), "<cell 1>", "quit", false); !errors.Is(err, ErrQuit) {
		t.Errorf("quit: %v", err)
	}
	err := s.Cell(context.Background(), "<cell 7>", "print(1)\n:time 1\n\nx = = 2", false)
	if reason, unread := Reason(err); !unread || shown.Len() > 0 || !strings.Contains(s.ErrorText(err), "<cell 7>:4:5") {
		t.Errorf("%q %v %q %q", reason, unread, shown, s.ErrorText(err))
	}
	if err := s.Cell(context.Background(), "<silent>", "1", true); err != nil || strings.Contains(s.script("."), "1") {
		t.Errorf("%v: a quiet cell is saved: %s", err, s.script("."))
	}
}

func TestCompletenessSaysWhetherACellCanRun(t *testing.T) {
	for text, want := range map[string]struct {
		c      Completeness
		indent string
	}{
		"1":                            {Complete, ""},
		"":                             {Complete, ""},
		"x = [1,":                      {Incomplete, ""},
		"def f():":                     {Incomplete, "    "},
		"def f():\n  return 1":         {Incomplete, "  "},
		"def f():\n  return 1\n":       {Complete, ""},
		"x = 1\nfor i in x: # all":     {Incomplete, "    "},
		"if x:\n    if y: # \"deep\":": {Incomplete, "        "},
		"'''open":                      {Incomplete, ""},
		"'closed too late":             {Invalid, ""},
		"x = = 1":                      {Invalid, ""},
		"1 +\\":                        {Incomplete, ""},
		":time x":                      {Complete, ""},
		"plot.bar?":                    {Complete, ""},
		"x = 1\ny = 2":                 {Complete, ""},
	} {
		s, _, _ := notebook(t)
		if c, indent := s.Completeness(text); c != want.c || indent != want.indent {
			t.Errorf("%q: %d %q, want %d %q", text, c, indent, want.c, want.indent)
		}
	}
}

func TestInspectExplainsWhatAPlaceIsAt(t *testing.T) {
	s, _, _ := notebook(t)
	code := "d = {'key': 5, 'n': 'text'}\ndef f(a):\n    'Adds.'\n    return a\n"
	if err := s.Cell(context.Background(), "<cell 1>", code, false); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{ // ^ is the place
		"plot.ti^meline(x)": "plot.timeline(", "plot.timeline(^": "plot.timeline(", "x = 1\nplot.ba^r\ny": "plot.bar(",
		"d['ke^y'] + 1": "int,", "f(^": "Adds.", "d['n']^": `str "text"`, "len(^": "len(", "sorted(^": "sorted(",
		"no_such_name^": "", "# plot.b^ar": "", "^": "", "1 + ^": "",
	} {
		pos := strings.IndexByte(text, '^')
		about, ok := s.Inspect(context.Background(), text[:pos]+text[pos+1:], pos)
		if ok != (want != "") || !strings.Contains(about, want) {
			t.Errorf("%q: %v %q, want %q", text, ok, about, want)
		}
	}
}

func FuzzNotebookQuestions(f *testing.F) {
	for _, text := range []string{"plot.bar(", "d['k'].x\n:doc y", "x = [\n", "if a:\n  b?", "'''", "\\\n", "ä.b[\"", "f(g(h[0]['"} {
		f.Add(text, len(text))
	}
	s, _, _ := notebook(f)
	f.Fuzz(func(t *testing.T, text string, pos int) {
		pos = min(max(pos, 0), len(text))
		s.Completeness(text)
		s.Inspect(context.Background(), text, pos)
		if c := s.Complete(text, pos); c.Replaced < 0 || c.Replaced > pos {
			t.Fatalf("%d bytes of %d are replaced", c.Replaced, pos)
		}
	})
}
