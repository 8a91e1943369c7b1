package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/internal/script"
	"astrolabe/internal/script/infer"
	"astrolabe/scripts"
)

func source(t testing.TB, path string, text []byte) (*infer.World, *script.Source) {
	w := infer.NewWorld(script.NewReader(scripts.Library))
	return w, w.Reader().Text(path, text)
}

// lint checks a text as a file of a folder that holds nothing else.
func lint(t testing.TB, text string) []Finding {
	w, s := source(t, filepath.Join(t.TempDir(), "x.star"), []byte(text))
	return Run(w, s)
}

func TestEveryMarkedLineHasItsFindingsAndNoOther(t *testing.T) {
	files, err := filepath.Glob("testdata/*.star")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	covered := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for i, line := range strings.Split(string(text), "\n") {
			_, codes, ok := strings.Cut(line, "### ")
			if !ok || strings.HasPrefix(line, `"""`) {
				continue
			}
			for _, code := range strings.Fields(codes) {
				want = append(want, fmt.Sprintf("%d %s", i+1, code))
			}
		}
		w, s := source(t, file, text)
		for _, f := range Run(w, s) {
			covered[f.Code] = true
			got = append(got, fmt.Sprintf("%d %s", f.Line, f.Code))
			if f.Message == "" || f.EndLine < f.Line || f.EndLine == f.Line && f.EndCol <= f.Col {
				t.Errorf("%+v", f)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		for _, f := range want {
			i := slices.Index(got, f)
			if i < 0 {
				t.Errorf("%s: no finding at line %s", file, f)
				continue
			}
			got = slices.Delete(got, i, i+1)
		}
		for _, f := range got {
			t.Errorf("%s: unexpected finding at line %s", file, f)
		}
	}
	for _, c := range ownChecks {
		if !covered[c.Code] && c.Code != codeSyntax {
			t.Errorf("no test makes a finding of %s", c.Code)
		}
	}
}

func TestSyntaxErrorsAreFindingsWithTheirPlace(t *testing.T) {
	got := lint(t, "x = 1\ny = = 2\n")
	if len(got) != 1 || got[0].Code != codeSyntax || got[0].Line != 2 {
		t.Errorf("%+v", got)
	}
	got = lint(t, strings.Repeat("(", 5000))
	if len(got) != 1 || got[0].Code != codeSyntax || !strings.Contains(got[0].Message, "brackets") {
		t.Errorf("%+v", got)
	}
}

func TestTheGPUOfACommentMustExist(t *testing.T) {
	got := lint(t, "# gpu: mali-g6155\nprint(1)\n")
	if len(got) != 1 || got[0].Code != codeGPU || got[0].Line != 1 ||
		!strings.Contains(got[0].Message, "did you mean mali-g615?") {
		t.Errorf("%+v", got)
	}
}

func TestColumnsCountCharacters(t *testing.T) {
	for _, text := range []string{"é = \"äöü\" + undefinedd\n", "print(\"äöü\"); 1 + 1\n"} {
		got := lint(t, text)
		if len(got) != 1 || got[0].Col != 13 && got[0].Col != 15 {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestEveryCheckHasASentence(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Checks() {
		if seen[c.Code] || !strings.HasSuffix(c.Doc, ".") {
			t.Errorf("%+v", c)
		}
		seen[c.Code] = true
	}
}

func FuzzLintSurvivesEveryText(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.star")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("def f(cap, *a, **k):\n    x = cap\n    for i in x: x = x[i]\n    return f(x)\n")
	f.Add("a = b = 1\nload(\"\", \"x\")\n[(a, b)] = [x for (x, y) in {}.items() if y]\n")
	f.Add("x = \"\"\"\n# lint: ignore=a,b\n\\")
	w := infer.NewWorld(script.NewReader(scripts.Library))
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		s := w.Reader().Text("fuzz_test.star", []byte(text))
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 2 // either ends a line
		for _, finding := range Run(w, s) {
			if finding.Line < 1 || finding.Line > lines || finding.Col < 1 {
				t.Errorf("%+v of %d lines", finding, lines)
			}
		}
	})
}
