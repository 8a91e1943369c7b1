package lint

import (
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/syntax"

	"astrolabe/internal/script/infer"
)

// IgnoreMark begins a comment that silences findings.
const IgnoreMark = "lint: ignore="

// ignored returns the findings that no comment silences, and those about such comments.
func (c *checker) ignored() []Finding {
	var known []string
	for _, check := range Checks() {
		known = append(known, check.Code)
	}
	codes := map[int][]string{} // by line
	for _, comment := range infer.Comments(c.f.Source.Text) {
		text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimLeft(comment.Text, "#")), IgnoreMark)
		if !ok {
			continue
		}
		text, _, _ = strings.Cut(text, " ") // a reason may follow
		for code := range strings.SplitSeq(text, ",") {
			if !slices.Contains(known, code) {
				start := syntax.MakePosition(nil, int32(comment.Line), int32(comment.Col))
				end := start
				end.Col += int32(utf8.RuneCountInString(comment.Text))
				c.span(start, end, codeIgnore, "no check is called %s%s", quote(code), near(code, known))
				if name, ok := nearest(code, known); ok {
					c.fix(changeTo(name), start, end, strings.Replace(comment.Text, code, name, 1))
				}
				continue
			}
			codes[comment.Line] = append(codes[comment.Line], code)
			if comment.Alone {
				codes[comment.Line+1] = append(codes[comment.Line+1], code)
			}
		}
	}
	return slices.DeleteFunc(c.findings, func(f Finding) bool { return slices.Contains(codes[f.Line], f.Code) })
}

// maxQuoted bounds how much of a name from a script is shown, in characters.
const maxQuoted = 80

func quote(name string) string {
	if r := []rune(name); len(r) > maxQuoted {
		name = string(r[:maxQuoted]) + "…"
	}
	return `"` + strings.ToValidUTF8(name, "?") + `"`
}
