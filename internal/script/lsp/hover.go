package lsp

import (
	"cmp"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins"
	"astrolabe/capture/metrics"
	"astrolabe/internal/script/docs"
	"astrolabe/internal/script/infer"
)

// hover says what stands at a place; nil where there is nothing to say.
func (d *document) hover(at position) *hover {
	if d.file.Syntax == nil {
		return d.lastHover(at)
	}
	nodes := d.nodes(at)
	if len(nodes) == 0 {
		return nil
	}
	node := nodes[len(nodes)-1]
	text := ""
	switch n := node.(type) {
	case *syntax.Ident:
		text = d.identHover(n, nodes[:len(nodes)-1])
	case *syntax.Literal:
		text = d.literalHover(n, nodes[:len(nodes)-1])
	}
	if text == "" {
		return nil
	}
	return &hover{markup{"markdown", text}, d.node(node)}
}

// nodes lists the nodes that a place is in, outermost first.
func (d *document) nodes(at position) []syntax.Node {
	if d.file.Syntax == nil {
		return nil
	}
	line, col := d.place(d.offset(at))
	var out []syntax.Node
	syntax.Walk(d.file.Syntax, func(n syntax.Node) bool {
		switch n.(type) {
		case nil:
			return false
		case *syntax.File:
			return true
		}
		if !covers(n, line, col) {
			return false
		}
		if len(out) > 0 && !within(out[len(out)-1], n) { // two nodes meet at the place: the later one counts
			for len(out) > 0 && !within(out[len(out)-1], n) {
				out = out[:len(out)-1]
			}
		}
		out = append(out, n)
		return true
	})
	return out
}

// within reports whether one node contains another.
func within(outer, inner syntax.Node) bool {
	a, b := infer.Span(outer)
	c, e := infer.Span(inner)
	return !posLess(c, a) && !posLess(b, e)
}

func posLess(a, b syntax.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
}

func (d *document) identHover(id *syntax.Ident, around []syntax.Node) string {
	if len(around) > 0 {
		switch parent := around[len(around)-1].(type) {
		case *syntax.DotExpr:
			if parent.Name == id {
				return d.attributeHover(d.file.Type(parent.X), id.Name)
			}
		case *syntax.BinaryExpr:
			if call := callAround(around); parent.Op == syntax.EQ && parent.X == id && call != nil {
				return d.parameterHover(d.file.Type(call.Fn), id.Name)
			}
		}
	}
	t := d.file.Type(id)
	if infer.First(id) == nil && t.Kind == infer.Unknown && starlark.Universe.Has(id.Name) {
		return "`" + id.Name + "`: of the language; see the Starlark specification."
	}
	return d.typeHover(id.Name, t)
}

// callAround is the call whose argument the innermost node is.
func callAround(around []syntax.Node) *syntax.CallExpr {
	if len(around) < 2 {
		return nil
	}
	call, _ := around[len(around)-2].(*syntax.CallExpr)
	return call
}

func (d *document) typeHover(name string, t *infer.Type) string {
	switch t.Kind {
	case infer.Function:
		return topic(name)
	case infer.Module:
		return "**module " + t.Name + "**\n\n" + t.Table.TypeDoc()
	case infer.Def:
		return definitionDoc(t)
	case infer.Value:
		text := "`" + name + "`: " + t.String()
		if t.Table != nil {
			text += "\n\n" + t.Table.TypeDoc()
		}
		return text
	case infer.None:
		return "`" + name + "`: None"
	}
	return ""
}

// definitionDoc is the head and the docstring of a function of a script.
func definitionDoc(t *infer.Type) string {
	text := "```python\ndef " + docs.Signature(t.File.Source, t.Def) + "\n```"
	if doc := docs.Docstring(t.Def); doc != "" {
		text += "\n\n" + doc
	}
	return text
}

func (d *document) attributeHover(x *infer.Type, name string) string {
	if x.Table == nil {
		return ""
	}
	if x.Table.Entry(name) == nil {
		if m, ok := d.file.Predeclared()[x.Name].(starlark.HasAttrs); ok && x.Kind == infer.Module {
			if v, err := m.Attr(name); v != nil && err == nil {
				return "`" + x.Name + "." + name + "`: of the language's own library."
			}
		}
		return ""
	}
	return topic(x.Name + "." + name)
}

func (d *document) parameterHover(fn *infer.Type, name string) string {
	if fn.Kind != infer.Function {
		return ""
	}
	for _, p := range fn.Entry.Sig.Params {
		if p.Name == name {
			text := "`" + name + "`"
			if p.Type != "" {
				text += ": " + strings.ReplaceAll(p.Type, "|", " or ")
			}
			if p.Default != "" {
				text += " = `" + p.Default + "`"
			}
			return text + "\n\n" + topic(topicName(fn))
		}
	}
	return ""
}

func topicName(fn *infer.Type) string {
	if fn.Recv == nil {
		return fn.Entry.Name
	}
	return fn.Recv.Name + "." + fn.Entry.Name
}

// topic is what help says of a name.
func topic(name string) string {
	text, err := builtins.Topic(name)
	if err != nil {
		return ""
	}
	return "```\n" + text + "\n```"
}

// literalHover documents the counter or metric that a string names.
func (d *document) literalHover(lit *syntax.Literal, around []syntax.Node) string {
	if len(around) == 0 {
		return ""
	}
	if e := d.named(lit, around[len(around)-1]); e != nil {
		return metricHover(e)
	}
	return ""
}

// named is the counter or metric that a string names in an index or a call; nil where it names none that is known.
func (d *document) named(lit *syntax.Literal, parent syntax.Node) *metrics.Entry {
	name, ok := lit.Value.(string)
	if !ok || lit.Token != syntax.STRING {
		return nil
	}
	gpu := ""
	switch parent := parent.(type) {
	case *syntax.IndexExpr:
		x := d.file.Type(parent.X)
		if parent.Y != lit || !x.Is("Capture", "Sample", "CounterMap") {
			return nil
		}
		gpu = d.gpuOf(x)
	case *syntax.CallExpr:
		fn := d.file.Type(parent.Fn)
		if fn.Kind != infer.Function || fn.Recv == nil || infer.Argument(parent, fn.Entry.Sig, "name") != lit {
			return nil
		}
		gpu = d.gpuOf(fn.Recv)
		if fn.Recv.Kind == infer.Module {
			gpu, _ = d.file.Text(infer.Argument(parent, fn.Entry.Sig, "gpu"))
		}
	default:
		return nil
	}
	for _, id := range []string{gpu, "cpu"} {
		bare := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "$"), id+"/")
		if e := d.entry(id, bare); e != nil {
			return e
		}
	}
	return nil
}

// entry is a counter or metric of a catalogue, nil where it has none of that name; to find that out takes looking at all.
func (d *document) entry(id, name string) *metrics.Entry {
	key := [2]string{id, name}
	if e, ok := d.names[key]; ok {
		return e
	}
	cat, err := metrics.Get(id)
	if id == "" || err != nil {
		return nil
	}
	e, err := cat.Find(name)
	if err != nil {
		e = nil
	}
	if d.names == nil {
		d.names = map[[2]string]*metrics.Entry{}
	}
	d.names[key] = e
	return e
}

// gpuOf is the catalogue of what comes from a capture: the one that the script names, or else the one that the captures
// beside it say; "" where neither is known.
func (d *document) gpuOf(t *infer.Type) string {
	return cmp.Or(t.GPU, d.file.GPU, d.s.folders.only(d.path))
}

func metricHover(e *metrics.Entry) string {
	var b strings.Builder
	b.WriteString("**" + e.Title + "** (`" + e.Name + "`")
	if e.Unit != "" {
		b.WriteString(", " + e.Unit)
	}
	b.WriteString(")\n\n" + e.Doc)
	for _, line := range []struct{ key, text string }{{"High", e.High}, {"Low", e.Low}} {
		if line.text != "" {
			b.WriteString("\n\n" + line.key + ": " + line.text)
		}
	}
	if e.Expr != "" {
		b.WriteString("\n\n```\n" + e.Expr + "\n```")
	}
	if e.Source != "" {
		b.WriteString("\n\nSource: " + e.Source)
	}
	return b.String()
}
