package lsp

import (
	"slices"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/internal/script/infer"
)

// Types and modifiers of tokens, by the protocol's names. Keywords, numbers and comments are left to the editor.
var (
	tokenTypes = []string{"namespace", "function", "method", "property", "parameter", "variable",
		"enumMember"}
	tokenModifiers = []string{"declaration", "readonly", "defaultLibrary"}
)

const (
	tokenNamespace = iota
	tokenFunction
	tokenMethod
	tokenProperty
	tokenParameter
	tokenVariable
	tokenCounter // a name that a catalogue has
)

const (
	declared = 1 << iota
	readOnly
	ours // predeclared, or of the language
)

type semanticTokens struct {
	Data []int `json:"data"`
}

// semantic is a token: a node that is on one line.
type semantic struct {
	start, end      syntax.Position
	kind, modifiers int
}

// semanticTokens says what the names of the document are, and which strings name counters. Of a part of the document
// they are those of its lines.
func (d *document) semanticTokens(within *span) semanticTokens {
	out := semanticTokens{Data: []int{}}
	if d.file.Syntax == nil {
		return out
	}
	all := d.tokens(within)
	slices.SortStableFunc(all, func(a, b semantic) int { return comparePos(a.start, b.start) })
	along := lineWalk{d: d}
	var last position
	for i, t := range all {
		if i > 0 && comparePos(t.start, all[i-1].start) == 0 {
			continue // what was found first knows more
		}
		start := position{int(t.start.Line) - 1, along.to(t.start)}
		length := along.to(t.end) - start.Character
		if start.Line != last.Line {
			last = position{last.Line, 0}
		}
		out.Data = append(out.Data, start.Line-last.Line, start.Character-last.Character, length, t.kind, t.modifiers)
		last = start
	}
	return out
}

// lineWalk finds places that come one after the other: a line may be long, and is gone through once.
type lineWalk struct {
	d         *document
	line, col int32
	offset    int // in the line
	units     int
}

// to is how far a place is from the beginning of its line, for the client.
func (w *lineWalk) to(p syntax.Position) int {
	if p.Line != w.line {
		w.line, w.col, w.offset, w.units = p.Line, 1, 0, 0
	}
	for text := w.d.line(int(p.Line) - 1); w.col < p.Col && w.offset < len(text); w.col++ {
		r, size := utf8.DecodeRuneInString(text[w.offset:])
		w.units += w.d.s.units(r, size)
		w.offset += size
	}
	return w.units
}

// tokens finds the tokens in any order.
func (d *document) tokens(within *span) []semantic {
	var out []semantic
	add := func(n syntax.Node, kind, modifiers int) {
		start, end := infer.Span(n)
		if start.Line == end.Line && (within == nil || int(start.Line)-1 >= within.Start.Line &&
			int(start.Line)-1 <= within.End.Line) {
			out = append(out, semantic{start, end, kind, modifiers})
		}
	}
	params := map[*syntax.Ident]bool{}
	syntax.Walk(d.file.Syntax, func(n syntax.Node) bool {
		if s, ok := n.(syntax.Stmt); ok && within != nil {
			start, end := infer.Span(s)
			if int(start.Line)-1 > within.End.Line || int(end.Line)-1 < within.Start.Line {
				return false
			}
		}
		switch n := n.(type) {
		case *syntax.DefStmt:
			markParams(params, n.Params)
			add(n.Name, tokenFunction, declared)
		case *syntax.LambdaExpr:
			markParams(params, n.Params)
		case *syntax.Ident:
			if infer.First(n) != nil || d.file.Predeclared().Has(n.Name) || starlark.Universe.Has(n.Name) {
				kind, modifiers := d.identToken(n, params)
				add(n, kind, modifiers)
			}
		case *syntax.DotExpr:
			kind := tokenProperty
			if d.file.Type(n).Kind == infer.Function {
				kind = tokenMethod
			}
			if x := d.file.Type(n.X); x.Kind == infer.Module && kind == tokenMethod {
				kind = tokenFunction
			}
			add(n.Name, kind, 0)
		case *syntax.CallExpr:
			for _, a := range n.Args {
				if id := keywordOf(a); id != nil {
					add(id, tokenParameter, 0)
				}
			}
			if fn := d.file.Type(n.Fn); fn.Kind == infer.Function {
				if lit, ok := infer.Argument(n, fn.Entry.Sig, "name").(*syntax.Literal); ok && d.named(lit, n) != nil {
					add(lit, tokenCounter, readOnly)
				}
			}
		case *syntax.IndexExpr:
			if lit, ok := n.Y.(*syntax.Literal); ok && d.named(lit, n) != nil {
				add(lit, tokenCounter, readOnly)
			}
		}
		return true
	})
	return out
}

func markParams(params map[*syntax.Ident]bool, list []syntax.Expr) {
	for _, p := range list {
		switch x := p.(type) {
		case *syntax.BinaryExpr:
			p = x.X
		case *syntax.UnaryExpr:
			p = x.X
		}
		if id, ok := p.(*syntax.Ident); ok {
			params[infer.First(id)] = true
		}
	}
}

// identToken is the type and the modifiers of a name.
func (d *document) identToken(id *syntax.Ident, params map[*syntax.Ident]bool) (kind, modifiers int) {
	first := infer.First(id)
	if first == id {
		modifiers = declared
	}
	if first == nil {
		modifiers = ours
	}
	switch t := d.file.Type(id); {
	case params[first] && first != nil:
		return tokenParameter, modifiers
	case t.Kind == infer.Module:
		return tokenNamespace, modifiers
	case t.Kind == infer.Function, t.Kind == infer.Def:
		return tokenFunction, modifiers
	case first == nil && (id.Name == "None" || id.Name == "True" || id.Name == "False"):
		return tokenVariable, modifiers | readOnly
	case first == nil && starlark.Universe.Has(id.Name):
		return tokenFunction, modifiers
	}
	return tokenVariable, modifiers
}
