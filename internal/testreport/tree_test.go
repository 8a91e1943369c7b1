package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// site is a place where a test may be skipped.
type site struct {
	pkg, at string
	message string // with an asterisk where it says what differs
	own     bool   // in a test's file, so that the test is one of the package
}

var verb = regexp.MustCompile(`%[-+# 0]*[\d.]*[a-zA-Z]`)

// sites finds the places below root: calls of Skip, Skipf and SkipNow on what tests call t, b, f or tb, and skip in
// scripts of commands.
func sites(t *testing.T, root string) (found []site) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && path != root {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		pkg := filepath.ToSlash(filepath.Dir(rel))
		switch filepath.Ext(path) {
		case ".go":
			calls, err := skipCalls(path)
			if err != nil {
				return err
			}
			for line, message := range calls {
				found = append(found, site{pkg, rel + ":" + strconv.Itoa(line), message,
					strings.HasSuffix(rel, "_test.go")})
			}
		case ".txtar":
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			pkg, _, _ = strings.Cut(pkg, "/testdata")
			for _, m := range scriptSkip.FindAllStringSubmatch(string(text), -1) {
				found = append(found, site{pkg, rel, strings.Trim(m[1], "'"), true})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

var scriptSkip = regexp.MustCompile(`(?m)^(?:\[.*\] )?skip(?: +(.*))?$`)

// skipCalls are the messages of a file's skips, by line.
func skipCalls(path string) (map[int]string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	found := map[int]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, method.Sel.Name) {
			return true
		}
		name := ""
		switch x := method.X.(type) {
		case *ast.Ident:
			name = x.Name
		case *ast.SelectorExpr:
			name = x.Sel.Name
		}
		if !slices.Contains([]string{"t", "b", "f", "tb", "T", "B", "TB"}, name) {
			return true
		}
		var words []string
		for i, arg := range call.Args {
			lit, ok := arg.(*ast.BasicLit)
			switch {
			case ok && lit.Kind == token.STRING:
				text, _ := strconv.Unquote(lit.Value)
				if method.Sel.Name == "Skipf" && i == 0 {
					words = append(words, strings.ReplaceAll(verb.ReplaceAllString(text, "*"), "%%", "%"))
				} else {
					words = append(words, text)
				}
			case method.Sel.Name == "Skip":
				words = append(words, "*")
			}
		}
		found[set.Position(call.Pos()).Line] = strings.Join(words, " ")
		return true
	})
	return found, nil
}

// meet says whether some text fits both of two texts with asterisks.
func meet(a, b string) bool {
	switch {
	case a == "" && b == "":
		return true
	case a != "" && a[0] == '*':
		return meet(a[1:], b) || b != "" && meet(a, b[1:])
	case b != "" && b[0] == '*':
		return meet(b, a)
	}
	return a != "" && b != "" && a[0] == b[0] && meet(a[1:], b[1:])
}

func TestEverySkipOfTheTreeIsInTheList(t *testing.T) {
	root := filepath.Join("..", "..")
	list := filepath.Join(root, ".ci", "skips")
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := parseRules(list, string(text))
	if err != nil {
		t.Fatal(err)
	}
	used := make([]bool, len(rules))
	all := sites(t, root)
	for _, s := range all {
		if !regexp.MustCompile(`[a-z]{2}`).MatchString(s.message) && !strings.Contains(s.message, "SKIPPED") {
			t.Errorf("%s skips without saying why in words: %q", s.at, s.message)
			continue
		}
		listed := false
		for i := range rules {
			// What is no test's file is called by tests of other packages.
			if (rules[i].covers(s.pkg) || !s.own) && meet(rules[i].reason, s.message) {
				listed, used[i] = true, true
			}
		}
		if !listed {
			t.Errorf("%s skips with %q: no line of .ci/skips allows it", s.at, s.message)
		}
	}
	if len(all) < 40 {
		t.Errorf("only %d skips were found: the test looks in the wrong place", len(all))
	}
	for i, r := range rules {
		if !used[i] {
			t.Logf(".ci/skips:%d is of no skip in the tree: %s", r.line, r.reason)
		}
	}
}

func TestSkipsAreFoundInFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/a_test.go":        "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tt.Skipf(\"no %s here: %v\", 1, 2)\n\tt.Skip(\"gone:\", 3)\n\tt.SkipNow()\n}\n",
		"a/b.go":             "package a\n\nimport \"testing\"\n\ntype rig struct{ t testing.TB }\n\nfunc (r rig) f(l interface{ Skip() }) {\n\tr.t.Skip(1)\n\tl.Skip()\n}\n",
		"a/testdata/x.txtar": "[!linux] skip 'needs Linux'\n# skip this\nstdout skip\n",
		".git/c_test.go":     "no Go",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, s := range sites(t, dir) {
		got = append(got, s.pkg+" "+s.at+" "+s.message+" "+strconv.FormatBool(s.own))
	}
	slices.Sort(got)
	want := []string{"a a/a_test.go:6 no * here: * true", "a a/a_test.go:7 gone: * true", "a a/a_test.go:8  true",
		"a a/b.go:8 * false", "a a/testdata/x.txtar needs Linux true"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestTextsWithAsterisksMeet(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"abc", "abc", true}, {"abc", "ab", false}, {"a*", "abc", true}, {"*c", "abc", true}, {"*d", "abc", false},
		{"a*", "*c", true},
		{"no * here", "no font*", true}, {"no * here", "some font*", false}, {"", "*", true}, {"x", "", false},
	} {
		if meet(c.a, c.b) != c.want || meet(c.b, c.a) != c.want {
			t.Errorf("%q and %q: want %v", c.a, c.b, c.want)
		}
	}
}
