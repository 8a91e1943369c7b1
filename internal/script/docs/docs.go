// Package docs writes the documentation of a script as Markdown, from its docstrings and its flags. Nothing is run.
package docs

import (
	"fmt"
	"strings"

	"go.starlark.net/syntax"

	"astrolabe/internal/script"
	"astrolabe/internal/script/infer"
)

// Markdown documents a file: its docstring, the flags that it and the parts that it is divided into declare, and its
// functions whose names do not begin with _. The error names the line of what is no Starlark.
func Markdown(s *script.Source, parts ...*script.Source) (string, error) {
	file, err := s.Parse()
	if err != nil {
		return "", err
	}
	list := flags(file)
	for _, p := range parts {
		part, err := p.Parse()
		if err != nil {
			return "", err
		}
		list = append(list, flags(part)...)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", s.Name)
	if doc := docstring(file.Stmts); doc != "" {
		b.WriteString("\n" + doc + "\n")
	}
	if len(list) > 0 {
		b.WriteString("\n## Flags\n\n| flag | default | what |\n| --- | --- | --- |\n")
		for _, f := range list {
			fmt.Fprintf(&b, "| `--%s` | %s | %s |\n", strings.ReplaceAll(f.name, "_", "-"), code(f.value), cell(f.help))
		}
	}
	var functions []*syntax.DefStmt
	for _, stmt := range file.Stmts {
		if def, ok := stmt.(*syntax.DefStmt); ok && !strings.HasPrefix(def.Name.Name, "_") {
			functions = append(functions, def)
		}
	}
	if len(functions) > 0 {
		b.WriteString("\n## Functions\n")
	}
	for _, def := range functions {
		fmt.Fprintf(&b, "\n### `%s`\n", Signature(s, def))
		if doc := docstring(def.Body); doc != "" {
			b.WriteString("\n" + doc + "\n")
		}
	}
	return b.String(), nil
}

// Docstring is the documentation of a function, "" where it has none.
func Docstring(def *syntax.DefStmt) string { return docstring(def.Body) }

// docstring is the text that begins a body, without the indentation that the body has itself.
func docstring(body []syntax.Stmt) string {
	if len(body) == 0 {
		return ""
	}
	e, ok := body[0].(*syntax.ExprStmt)
	if !ok {
		return ""
	}
	lit, ok := e.X.(*syntax.Literal)
	if !ok || lit.Token != syntax.STRING {
		return ""
	}
	text, _ := lit.Value.(string)
	indent := int(lit.TokenPos.Col) - 1
	lines := strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n")
	for i, line := range lines {
		if i > 0 {
			line = line[min(indent, len(line)-len(strings.TrimLeft(line, " "))):]
		}
		lines[i] = strings.TrimRight(line, " \r")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Signature is the head of a function as it stands in the file, on one line.
func Signature(s *script.Source, def *syntax.DefStmt) string {
	return def.Name.Name + "(" + strings.Join(Parameters(s, def), ", ") + ")"
}

// Parameters are those of a function as they stand in the file.
func Parameters(s *script.Source, def *syntax.DefStmt) []string {
	var params []string
	for _, p := range def.Params {
		switch p := p.(type) {
		case *syntax.Ident:
			params = append(params, p.Name)
		case *syntax.BinaryExpr:
			if id, ok := p.X.(*syntax.Ident); ok {
				params = append(params, id.Name+"="+text(s, p.Y))
			}
		case *syntax.UnaryExpr:
			name := ""
			if id, ok := p.X.(*syntax.Ident); ok {
				name = id.Name
			}
			params = append(params, p.Op.String()+name)
		}
	}
	return params
}

// text is an expression as it stands in the file, on one line.
func text(s *script.Source, e syntax.Expr) string {
	start, end := infer.Span(e)
	lines := strings.Split(string(s.Text), "\n")
	if start.Line < 1 || int(end.Line) > len(lines) || end.Line < start.Line {
		return "…"
	}
	part := lines[start.Line-1 : end.Line]
	var words []string
	for i, line := range part {
		r := []rune(line)
		from, to := 0, len(r)
		if i == 0 {
			from = min(int(start.Col)-1, len(r))
		}
		if i == len(part)-1 {
			to = min(int(end.Col)-1, len(r))
		}
		if from < to {
			words = append(words, strings.TrimSpace(string(r[from:to])))
		}
	}
	return strings.Join(words, " ")
}

// flag is a flag that a script declares.
type flag struct{ name, value, help string }

// flags lists the flags that the calls of flags in a file declare, as they stand there.
func flags(file *syntax.File) []flag {
	var out []flag
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok {
			return true
		}
		if id, ok := call.Fn.(*syntax.Ident); !ok || id.Name != "flags" {
			return true
		}
		for _, arg := range call.Args {
			kv, ok := arg.(*syntax.BinaryExpr)
			if !ok || kv.Op != syntax.EQ {
				continue
			}
			id, ok := kv.X.(*syntax.Ident)
			if !ok {
				continue
			}
			f := flag{name: id.Name}
			value := kv.Y
			if p, ok := value.(*syntax.ParenExpr); ok {
				value = p.X
			}
			if t, ok := value.(*syntax.TupleExpr); ok && len(t.List) == 2 {
				value = t.List[0]
				f.help = constant(t.List[1])
			}
			f.value = literal(value)
			out = append(out, f)
		}
		return true
	})
	return out
}

// constant is a text that is a literal, or several that are added.
func constant(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.Literal:
		s, _ := e.Value.(string)
		return s
	case *syntax.ParenExpr:
		return constant(e.X)
	case *syntax.BinaryExpr:
		if e.Op == syntax.PLUS {
			return constant(e.X) + constant(e.Y)
		}
	}
	return ""
}

// literal is a default as it stands in the file; what is computed is left out.
func literal(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.Literal:
		return e.Raw
	case *syntax.Ident:
		return e.Name
	case *syntax.UnaryExpr:
		if e.Op == syntax.MINUS {
			return "-" + literal(e.X)
		}
	case *syntax.ListExpr:
		var items []string
		for _, x := range e.List {
			items = append(items, literal(x))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return ""
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + cell(s) + "`"
}

func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", "\\|")
}
