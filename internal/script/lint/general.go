package lint

import (
	"unicode/utf8"

	"github.com/bazelbuild/buildtools/build"
	"github.com/bazelbuild/buildtools/warn"
)

// generalChecks are those of buildtools that fit Starlark outside of Bazel. Left out are the rules of BUILD files, what
// is a matter of taste, and checks of rules that Starlark has here in another form: / divides numbers, names may be
// used before they are bound in functions, and our own checks of unused names know the scopes.
var generalChecks = []Check{
	{"confusing-name", "A variable called l, I or O."},
	{"dict-method-named-arg", "A keyword argument for a method of dict, which takes none."},
	{"keyword-positional-params", "Keyword arguments for functions of the language that take positional ones only."},
	{"no-effect", "An expression as a statement that does nothing."},
	{"return-value", "A function that returns a value on some ways only."},
	{"string-iteration", "Going through a string, which Starlark does not allow."},
	{"uninitialized", "A variable that is not bound on every way to where it is read."},
	{"unreachable", "A statement that is never reached."},
}

// general runs the checks of buildtools. Their parser knows less of the language than Starlark's own: what it cannot
// read, which runs all the same, it says nothing about.
func (c *checker) general() {
	defer func() {
		_ = recover() // a mistake in buildtools costs its findings only
	}()
	file, err := build.ParseDefault(c.f.Source.Name, c.f.Source.Text)
	if err != nil {
		return
	}
	var names []string
	for _, check := range generalChecks {
		names = append(names, check.Code)
	}
	lines := lineStarts(c.f.Source.Text)
	for _, w := range warn.FileWarnings(file, names, nil, warn.ModeWarn, nil) {
		message := w.Message
		c.findings = append(c.findings, Finding{
			File: c.f.Source.Name, Line: w.Start.Line, Col: column(c.f.Source.Text, lines, w.Start),
			EndLine: w.End.Line, EndCol: column(c.f.Source.Text, lines, w.End),
			Code: w.Category, Message: firstLine(message),
		})
	}
}

// lineStarts are the offsets at which lines begin.
func lineStarts(text []byte) []int {
	out := []int{0}
	for i, b := range text {
		if b == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// column is a position's column in characters: that of buildtools counts bytes or characters, by the token.
func column(text []byte, lines []int, p build.Position) int {
	if p.Line < 1 || p.Line > len(lines) || p.Byte < lines[p.Line-1] || p.Byte > len(text) {
		return max(1, p.LineRune)
	}
	return utf8.RuneCount(text[lines[p.Line-1]:p.Byte]) + 1
}

func firstLine(s string) string {
	for i, r := range s {
		if r == '\n' {
			return s[:i]
		}
	}
	return s
}
