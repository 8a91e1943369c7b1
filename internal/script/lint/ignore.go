package lint

import (
	"slices"
	"strings"

	"astrolabe/capture/spelling"
	"astrolabe/internal/script/infer"
)

// ignoreMark begins a comment that silences findings.
const ignoreMark = "lint: ignore="

// ignored returns the findings that no comment silences, and those about such comments.
func (c *checker) ignored() []Finding {
	var known []string
	for _, check := range Checks() {
		known = append(known, check.Code)
	}
	codes := map[int][]string{} // by line
	for _, comment := range infer.Comments(c.f.Source.Text) {
		text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimLeft(comment.Text, "#")), ignoreMark)
		if !ok {
			continue
		}
		text, _, _ = strings.Cut(text, " ") // a reason may follow
		for code := range strings.SplitSeq(text, ",") {
			if !slices.Contains(known, code) {
				c.findings = append(c.findings, Finding{
					File: c.f.Source.Name, Line: comment.Line, Col: comment.Col, EndLine: comment.Line,
					EndCol: comment.Col + len([]rune(comment.Text)),
					Code:   codeIgnore, Message: "no check is called " + quote(code) + near(code, known),
				})
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

// near is " (did you mean X?)", or nothing where no name is near.
func near(name string, names []string) string {
	if found := spelling.Near(name, names); len(found) > 0 {
		return " (did you mean " + found[0] + "?)"
	}
	return ""
}

// maxQuoted bounds how much of a name from a script is shown, in characters.
const maxQuoted = 80

func quote(name string) string {
	if r := []rune(name); len(r) > maxQuoted {
		name = string(r[:maxQuoted]) + "…"
	}
	return `"` + strings.ToValidUTF8(name, "?") + `"`
}
