package repl

import (
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// doneStatement is a statement that succeeded, as :save writes it.
type doneStatement struct {
	stmt     syntax.Stmt
	comments string // lines above it that belong to no statement
	text     string // its source
	rest     string // what follows it on its last line, such as a comment
	printed  printedAs
}

// printedAs says how the session printed the value of an expression.
type printedAs uint8

const (
	notPrinted printedAs = iota
	asValue
	asQuoted // a string
	asProse  // a string made for reading
)

// sliceStatement cuts statement i out of the text that it was parsed from. The text begins at line first.
func sliceStatement(stmts []syntax.Stmt, i int, text string, first int) doneStatement {
	lines := strings.SplitAfter(text, "\n")
	offsets := make([]int, len(lines)+1)
	for k, l := range lines {
		offsets[k+1] = offsets[k] + len(l)
	}
	at := func(p syntax.Position) int {
		k := min(max(int(p.Line)-first, 0), len(lines)-1)
		col := 0
		for n := int(p.Col) - 1; n > 0 && col < len(lines[k]); n-- {
			_, size := utf8.DecodeRuneInString(lines[k][col:])
			col += size
		}
		return offsets[k] + col
	}
	startPos, endPos := stmts[i].Span()
	start, end := at(startPos), at(endPos)
	end += unclosed(text[start:end], text[end:])
	d := doneStatement{stmt: stmts[i], text: text[start:end]}

	lineStart := offsets[min(max(int(startPos.Line)-first, 0), len(lines)-1)]
	from := 0 // where the comments above begin
	if i > 0 {
		_, before := stmts[i-1].Span()
		from = offsets[min(max(int(before.Line)-first+1, 0), len(lines))]
	}
	if from < lineStart {
		d.comments = strings.Trim(text[from:lineStart], "\n")
		if d.comments != "" {
			d.comments += "\n"
		}
	}
	lineEnd := offsets[min(max(int(endPos.Line)-first+1, 0), len(lines))]
	if i+1 < len(stmts) {
		if next, _ := stmts[i+1].Span(); at(next) < lineEnd { // another statement on the line
			lineEnd = at(next)
		}
	}
	if end < lineEnd {
		d.rest = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(text[end:lineEnd], " \t\r\n"), ";"), " \t")
	}
	return d
}

// unclosed is how many closing brackets at the start of rest belong to code: the parser ends some expressions before
// their last bracket.
func unclosed(code, rest string) int {
	var e entry
	for line := range strings.Lines(code) {
		e.add(strings.TrimRight(line, "\n"))
	}
	n := 0
	for n < e.depth && n < len(rest) && strings.IndexByte(")]}", rest[n]) >= 0 {
		n++
	}
	return n
}

// source is the statement as it was typed.
func (d doneStatement) source() string { return d.comments + d.text + d.rest + "\n" }

// printing is the statement so that a script prints what the session did; name, where not empty, keeps the value.
func (d doneStatement) printing(name string) string {
	if d.printed == notPrinted {
		return d.source()
	}
	expr := d.text
	if x, ok := d.stmt.(*syntax.ExprStmt); ok {
		if tuple, ok := x.X.(*syntax.TupleExpr); ok && !tuple.Lparen.IsValid() {
			expr = "(" + expr + ")"
		}
	}
	out := d.comments
	if name != "" {
		out += name + " = " + expr + "\n"
		expr = name
	}
	switch d.printed {
	case asQuoted:
		expr = "repr(" + expr + ")"
	case asProse:
		expr = "(" + expr + `).rstrip("\n")`
	}
	return out + "print(" + expr + ")" + d.rest + "\n"
}

// uses reports whether a statement mentions a name.
func (d doneStatement) uses(name string) bool {
	found := false
	syntax.Walk(d.stmt, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	return found
}

func (d doneStatement) binds(name string) bool {
	for _, id := range boundNames(d.stmt) {
		if id.Name == name {
			return true
		}
	}
	return false
}

// howPrinted says how show printed v.
func howPrinted(v starlark.Value, prose bool) printedAs {
	_, isString := v.(starlark.String)
	switch {
	case v == starlark.None:
		return notPrinted
	case isString && prose:
		return asProse
	case isString:
		return asQuoted
	}
	return asValue
}
