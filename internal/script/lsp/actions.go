package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"astrolabe/capture/metrics"
	"astrolabe/internal/script/infer"
	"astrolabe/internal/script/lint"
)

// Kinds of actions.
const (
	actionFix    = "quickfix"
	actionSource = "source"
)

type codeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []diagnostic  `json:"diagnostics,omitempty"` // that it mends
	Preferred   bool          `json:"isPreferred,omitempty"`
	Edit        workspaceEdit `json:"edit"`
}

// tries is how many fixes one question may try, each of which takes reading the script and all that is found in it: many
// for the findings of a line, and some for those of a whole script that is long or full of them.
func (d *document) tries() int {
	const least, most = 8, 3000
	return max(least, most/(1+len(d.findings())+len(d.text)/1000))
}

// actions are what can be done about what lint finds in a part of the document, and the comment that names the GPU.
func (d *document) actions(ctx context.Context, p actionParams) ([]codeAction, error) {
	out := []codeAction{}
	if d.file.Syntax == nil {
		return out, nil
	}
	wants := func(kind string) bool {
		return len(p.Context.Only) == 0 || slices.ContainsFunc(p.Context.Only, func(only string) bool {
			return kind == only || strings.HasPrefix(kind, only+".") || only == ""
		})
	}
	if wants(actionFix) {
		left := d.tries()
		for _, f := range d.findings() {
			at := d.diagnostic(f)
			if !touch(d.offset(at.Range.Start), d.offset(at.Range.End), d.offset(p.Range.Start), d.offset(p.Range.End)) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if left -= 1 + len(f.Fixes); left < 0 {
				d.s.log(ctx, fmt.Sprintf("astrolabe: fixes are offered for findings up to line %d: select fewer lines", f.Line))
				break
			}
			out = append(out, d.fixes(f, at)...)
		}
	}
	if wants(actionSource) {
		out = append(out, d.nameGPU()...)
	}
	return out, nil
}

// touch reports whether two parts of a text share a place, be it only an end.
func touch(a, b, c, e int) bool { return a <= e && c <= b }

// fixes are the actions for one finding: those of lint, where they mend it, and the comment that ignores it.
func (d *document) fixes(f lint.Finding, at diagnostic) []codeAction {
	var out []codeAction
	add := func(title string, edit textEdit, preferred bool) {
		if d.mends(f, edit) {
			out = append(out, codeAction{Title: title, Kind: actionFix, Diagnostics: []diagnostic{at},
				Preferred: preferred, Edit: workspaceEdit{map[string][]textEdit{d.uri: {edit}}}})
		}
	}
	for _, fix := range f.Fixes {
		add(fix.Title, textEdit{span{d.position(fix.Line, fix.Col), d.position(fix.EndLine, fix.EndCol)}, fix.Text},
			len(f.Fixes) == 1)
	}
	add("Ignore "+f.Code+" here", d.ignoring(f), false)
	return out
}

// ignoring writes the comment that silences a finding.
func (d *document) ignoring(f lint.Finding) textEdit {
	comment := "# " + lint.IgnoreMark + f.Code
	line := d.line(f.Line - 1)
	for _, c := range infer.Comments([]byte(d.text)) {
		if c.Line != f.Line {
			continue
		}
		if _, codes, ok := strings.Cut(c.Text, lint.IgnoreMark); ok { // one more code
			codes, _, _ = strings.Cut(codes, " ")
			before, _, _ := strings.Cut(c.Text, lint.IgnoreMark)
			end := d.position(c.Line, c.Col+len([]rune(before+lint.IgnoreMark+codes)))
			return textEdit{span{end, end}, "," + f.Code}
		}
		start := position{f.Line - 1, 0}
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		return textEdit{span{start, start}, indent + comment + "\n"}
	}
	end := position{f.Line - 1, d.width(line)}
	return textEdit{span{end, end}, "  " + comment}
}

// mends reports whether an edit makes a finding go away and breaks nothing.
func (d *document) mends(f lint.Finding, edit textEdit) bool {
	from, to := d.offset(edit.Range.Start), d.offset(edit.Range.End)
	if from > to {
		return false
	}
	after := d.read(d.text[:from] + edit.NewText + d.text[to:])
	if after.Syntax == nil || len(after.Errors) > len(d.file.Errors) {
		return false
	}
	count := func(list []lint.Finding) (n int) {
		for _, g := range list {
			if g.Code == f.Code && g.Message == f.Message {
				n++
			}
		}
		return n
	}
	return count(lint.File(after)) < count(d.findings())
}

// nameGPU offers the comment that says which GPU the script is for, where it has none: that of the captures beside it,
// or, where they are of several, one of theirs.
func (d *document) nameGPU() []codeAction {
	if d.file.GPU != "" {
		return nil
	}
	line := 0 // behind what begins a script: #! and comments
	for line < len(d.lines) && strings.HasPrefix(d.line(line), "#") {
		line++
	}
	if line == len(d.lines) {
		return nil // nothing but comments
	}
	at := position{line, 0}
	var out []codeAction
	found := d.s.folders.beside(d.path)
	for _, gpu := range slices.Sorted(maps.Keys(found)) {
		if _, err := metrics.Get(gpu); err != nil {
			continue
		}
		title := "Add # gpu: " + gpu + ", as " + found[gpu][0] + " says"
		if n := len(found[gpu]); n > 1 {
			title = fmt.Sprintf("Add # gpu: %s, as %s and %d more captures beside it say", gpu, found[gpu][0], n-1)
		}
		out = append(out, codeAction{Title: title, Kind: actionSource,
			Edit: workspaceEdit{map[string][]textEdit{d.uri: {{span{at, at}, "# gpu: " + gpu + "\n"}}}}})
	}
	return out
}
