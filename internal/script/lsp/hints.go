package lsp

import (
	"go.starlark.net/syntax"

	"astrolabe/internal/script/infer"
)

type inlayHint struct {
	Position position `json:"position"`
	Label    string   `json:"label"`
	Tooltip  string   `json:"tooltip,omitempty"`
	Left     bool     `json:"paddingLeft,omitempty"`
}

// hints are shown between the characters of a part of the document: the units of counters and metrics, and the GPU of a
// capture where only what lies beside the script says it.
func (d *document) hints(within span) []inlayHint {
	out := []inlayHint{}
	if d.file.Syntax == nil {
		return out
	}
	from, to := d.offset(within.Start), d.offset(within.End)
	add := func(n syntax.Node, label, tooltip string) {
		p := d.node(n).End
		if o := d.offset(p); from <= o && o <= to {
			out = append(out, inlayHint{Position: p, Label: label, Tooltip: tooltip, Left: true})
		}
	}
	syntax.Walk(d.file.Syntax, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.File:
		case syntax.Stmt:
			start, end := infer.Span(n)
			return int(start.Line)-1 <= within.End.Line && int(end.Line)-1 >= within.Start.Line
		case *syntax.IndexExpr:
			if lit, ok := n.Y.(*syntax.Literal); ok {
				if e := d.named(lit, n); e != nil && e.Unit != "" {
					add(n, e.Unit, e.Title)
				}
			}
		case *syntax.CallExpr:
			fn := d.file.Type(n.Fn)
			if fn.Kind != infer.Function || fn.Recv == nil {
				break
			}
			if lit, ok := infer.Argument(n, fn.Entry.Sig, "name").(*syntax.Literal); ok {
				if e := d.named(lit, n); e != nil && e.Unit != "" {
					add(lit, e.Unit, e.Title)
				}
			}
			t := d.file.Type(n)
			if fn.Recv.Kind == infer.Module && t.Is("Capture") && t.GPU == "" && d.file.GPU == "" {
				if gpu := d.s.folders.only(d.path); gpu != "" {
					add(n, "of "+gpu, "All captures beside this script say so. The comment \"# gpu: "+gpu+
						"\" makes lint check the names of counters.")
				}
			}
		}
		return true
	})
	return out
}
