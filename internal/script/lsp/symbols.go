package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"go.starlark.net/syntax"

	"astrolabe/capture/metrics"
	"astrolabe/internal/script/docs"
	"astrolabe/internal/script/infer"
)

// Kinds of symbols.
const (
	symbolFunction = 12
	symbolVariable = 13
)

type documentSymbol struct {
	Name     string           `json:"name"`
	Detail   string           `json:"detail,omitempty"`
	Kind     int              `json:"kind"`
	Range    span             `json:"range"`
	Selected span             `json:"selectionRange"`
	Children []documentSymbol `json:"children,omitempty"`
}

type symbolInformation struct {
	Name      string   `json:"name"`
	Kind      int      `json:"kind"`
	Location  location `json:"location"`
	Container string   `json:"containerName,omitempty"`
}

// symbols lists the functions of the document and its global variables: as a tree, or flat where the client knows no
// trees. While a line is being typed they are those of the last text that parsed, where they are now.
func (d *document) symbols() any {
	var tree []documentSymbol
	switch {
	case d.file.Syntax != nil:
		tree = d.outline(d.file)
	case d.last != nil:
		tree = d.movedSymbols(unchangedOf(d.last.text, d.text), d.last.outline(d.last.file))
	}
	if d.s.client.Capabilities.TextDocument.DocumentSymbol.Hierarchical {
		return append([]documentSymbol{}, tree...)
	}
	return append([]symbolInformation{}, flat(d.uri, "", tree)...)
}

// movedSymbols are those of the last text that parsed whose names still stand somewhere.
func (d *document) movedSymbols(u unchanged, list []documentSymbol) []documentSymbol {
	var out []documentSymbol
	for _, sym := range list {
		selected, ok := d.moved(u, sym.Selected)
		if !ok {
			continue
		}
		start, ok1 := u.now(d.last.offset(sym.Range.Start))
		end, ok2 := u.now(d.last.offset(sym.Range.End))
		if sym.Range = selected; ok1 && ok2 && start <= d.offset(selected.Start) && d.offset(selected.End) <= end {
			sym.Range = span{d.at(start), d.at(end)}
		}
		sym.Selected, sym.Children = selected, d.movedSymbols(u, sym.Children)
		out = append(out, sym)
	}
	return out
}

func flat(uri, container string, tree []documentSymbol) []symbolInformation {
	var out []symbolInformation
	for _, sym := range tree {
		out = append(out, symbolInformation{sym.Name, sym.Kind, location{uri, sym.Range}, container})
		out = append(out, flat(uri, sym.Name, sym.Children)...)
	}
	return out
}

// outline is the tree of symbols of a file, whose text the document has.
func (d *document) outline(f *infer.File) []documentSymbol {
	return d.outlineOf(f, f.Syntax.Stmts, true)
}

// outlineOf are the symbols of statements; variables are symbols where they are global.
func (d *document) outlineOf(f *infer.File, list []syntax.Stmt, global bool) []documentSymbol {
	var out []documentSymbol
	for _, s := range list {
		switch s := s.(type) {
		case *syntax.DefStmt:
			out = append(out, documentSymbol{Name: s.Name.Name, Detail: docs.Signature(f.Source, s), Kind: symbolFunction,
				Range: d.node(s), Selected: d.node(s.Name), Children: d.outlineOf(f, s.Body, false)})
		case *syntax.IfStmt:
			out = append(out, d.outlineOf(f, s.True, global)...)
			out = append(out, d.outlineOf(f, s.False, global)...)
		case *syntax.ForStmt:
			if global {
				out = append(out, d.bound(f, s.Vars, s.Vars)...)
			}
			out = append(out, d.outlineOf(f, s.Body, global)...)
		case *syntax.WhileStmt:
			out = append(out, d.outlineOf(f, s.Body, global)...)
		case *syntax.AssignStmt:
			if global {
				out = append(out, d.bound(f, s.LHS, s)...)
			}
		}
	}
	return out
}

// bound are the variables that the left side of an assignment binds first.
func (d *document) bound(f *infer.File, lhs syntax.Expr, whole syntax.Node) []documentSymbol {
	var out []documentSymbol
	switch x := lhs.(type) {
	case *syntax.Ident:
		if infer.First(x) != x {
			return nil
		}
		detail := ""
		if t := f.Variable(x); t.Kind != infer.Unknown {
			detail = t.String()
		}
		return []documentSymbol{{Name: x.Name, Detail: detail, Kind: symbolVariable, Range: d.node(whole),
			Selected: d.node(x)}}
	case *syntax.ParenExpr:
		return d.bound(f, x.X, whole)
	case *syntax.TupleExpr:
		for _, e := range x.List {
			out = append(out, d.bound(f, e, e)...)
		}
	case *syntax.ListExpr:
		for _, e := range x.List {
			out = append(out, d.bound(f, e, e)...)
		}
	}
	return out
}

// maxSymbols bounds what one question about all files is answered with; the client is told where it is reached.
const maxSymbols = 5000

// symbols lists those of all scripts that fit a text as names do in completion.
func (s *server) symbols(ctx context.Context, query string) ([]symbolInformation, error) {
	files, err := s.containing(ctx, s.world(), "")
	if err != nil {
		return nil, err
	}
	var all []symbolInformation
	var names []string
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.Syntax == nil {
			continue
		}
		d := plain(s, s.uriFor(f.Source), f.Source.Path, string(f.Source.Text))
		for _, sym := range flat(d.uri, "", d.outline(f)) {
			if sym.Container == "" {
				sym.Container = f.Source.Name
			}
			all = append(all, sym)
			names = append(names, sym.Name)
		}
	}
	slices.Sort(names)
	fit := map[string]int{} // the rank of a name
	for i, name := range metrics.SuggestWords(slices.Compact(names), query) {
		fit[name] = i
	}
	out := slices.DeleteFunc(all, func(sym symbolInformation) bool { _, ok := fit[sym.Name]; return !ok })
	slices.SortStableFunc(out, func(a, b symbolInformation) int { return cmp.Compare(fit[a.Name], fit[b.Name]) })
	if len(out) > maxSymbols {
		s.log(ctx, fmt.Sprintf("astrolabe: %d symbols fit %q, these are the first %d", len(out), query, maxSymbols))
		out = out[:maxSymbols]
	}
	return append([]symbolInformation{}, out...), nil
}
