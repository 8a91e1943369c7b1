package lsp

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins/binding"
	"astrolabe/capture/metrics"
	"astrolabe/internal/script"
	"astrolabe/internal/script/infer"
	"astrolabe/internal/script/lint"
)

// complete lists what may stand at a place.
func (d *document) complete(at position) completionList {
	offset := d.offset(at)
	c := cursorAt(d.text[:offset])
	list := completion{doc: d, cursor: c, file: d.file, edit: span{d.at(c.start), d.at(offset)},
		seen: map[string]bool{}}
	if d.file.Syntax == nil {
		list.file = d.repaired(c.first, offset)
	}
	line, col := d.place(offset)
	list.path = enclosing(list.file, line, col)
	switch {
	case c.comment:
		list.comment()
	case c.str:
		list.text()
	case c.dot:
		list.attributes()
	default:
		list.names()
	}
	slices.SortStableFunc(list.items, func(a, b completionItem) int { return cmp.Compare(a.Label, b.Label) })
	return completionList{IsIncomplete: list.incomplete, Items: append([]completionItem{}, list.items...)}
}

// repaired reads the document without the statement that is being typed, which is why it does not parse. Lines stay
// where they are.
func (d *document) repaired(first, offset int) *infer.File {
	from, to := d.at(first).Line, d.at(offset).Line
	indent := d.line(from)
	indent = indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
	lines := d.everyLine()
	for i := from; i <= to && i < len(lines); i++ {
		lines[i] = ""
	}
	lines[from] = indent + "pass"
	if f := d.read(strings.Join(lines, "\n")); f.Syntax != nil {
		return f
	}
	return d.read(strings.Join(lines[:from+1], "\n")) // there are more mistakes behind
}

// enclosing lists the functions that a place is in, outermost first.
func enclosing(f *infer.File, line, col int) []syntax.Node {
	if f.Syntax == nil {
		return nil
	}
	var out []syntax.Node
	syntax.Walk(f.Syntax, func(n syntax.Node) bool {
		switch n.(type) {
		case nil, *syntax.File:
			return true
		}
		if !covers(n, line, col) {
			return false
		}
		switch n.(type) {
		case *syntax.DefStmt, *syntax.LambdaExpr:
			out = append(out, n)
		}
		return true
	})
	return out
}

// covers reports whether a place is in a node or at its end.
func covers(n syntax.Node, line, col int) bool {
	start, end := infer.Span(n)
	before := line < int(start.Line) || line == int(start.Line) && col < int(start.Col)
	behind := line > int(end.Line) || line == int(end.Line) && col > int(end.Col)
	return !before && !behind
}

// completion collects items.
type completion struct {
	doc    *document
	cursor cursor
	file   *infer.File
	path   []syntax.Node
	edit   span
	items  []completionItem
	seen   map[string]bool

	incomplete bool // what is typed on may bring other items
}

// maxItems bounds an answer; the client is not told of more, as a longer prefix brings others.
const maxItems = 5000

// add offers a word, if it begins with what was typed in whatever case.
func (c *completion) add(word string, kind int, detail, doc string) {
	prefix := c.cursor.prefix
	if c.cursor.comment {
		prefix = "" // the words of a comment are added with it
	}
	if hasPrefix(word, prefix) {
		c.offer(word, kind, detail, doc)
	}
}

func hasPrefix(word, prefix string) bool {
	return len(word) >= len(prefix) && strings.EqualFold(word[:len(prefix)], prefix)
}

// offer offers a word that fits what was typed. An editor that looks for itself whether words fit is told that one does
// which does not begin so, and to ask again.
func (c *completion) offer(word string, kind int, detail, doc string) {
	if c.seen[word] || len(c.items) >= maxItems {
		return
	}
	c.seen[word] = true
	item := completionItem{Label: word, Kind: kind, Detail: detail, Documentation: doc,
		TextEdit: textEdit{c.edit, word}}
	if !c.cursor.comment && !hasPrefix(word, c.cursor.prefix) {
		item.FilterText = c.cursor.prefix + " " + word
		c.incomplete = true
	}
	c.items = append(c.items, item)
}

// entry offers a name of a method table.
func (c *completion) entry(en *binding.Entry, method int) {
	kind, detail := method, en.Title()
	if en.Sig == nil {
		kind, detail = kindField, en.Name
	}
	if en.Type != "" {
		detail += " -> " + en.Type
	}
	c.add(en.Name, kind, detail, en.Doc)
}

// attributes offers what stands behind a dot.
func (c *completion) attributes() {
	t := c.file.TypeAt(c.cursor.base, c.path)
	if t.Table != nil {
		for _, en := range t.Table.Entries() {
			c.entry(en, kindMethod)
		}
	}
	switch {
	case t.Kind == infer.Module:
		if m, ok := c.file.Predeclared()[t.Name].(starlark.HasAttrs); ok {
			for _, n := range m.AttrNames() {
				c.add(n, kindFunction, t.Name+"."+n, "")
			}
		}
	case t.Is("str"):
		c.language(starlark.String(""))
	case t.Is("list"):
		c.language(starlark.NewList(nil))
	case t.Is("dict"):
		c.language(starlark.NewDict(0))
	case t.Is("set"):
		c.language(starlark.NewSet(0))
	}
}

// language offers the methods of a value of the language.
func (c *completion) language(v starlark.HasAttrs) {
	for _, n := range v.AttrNames() {
		c.add(n, kindMethod, v.Type()+"."+n, "")
	}
}

// keywords are the words of the language.
var keywords = []string{"and", "break", "continue", "def", "elif", "else", "for", "if", "in", "lambda", "load", "not",
	"or", "pass", "return"}

// names offers the names that are visible, and the parameters of the call that the place is in.
func (c *completion) names() {
	if c.cursor.call != "" {
		c.parameters(c.file.TypeAt(c.cursor.call, c.path))
	}
	for _, id := range c.file.Locals(c.path) {
		c.variable(id)
	}
	for _, id := range c.file.Visible() {
		c.variable(id)
	}
	for _, name := range c.file.Predeclared().Keys() {
		t := c.file.TypeAt(name, nil)
		switch {
		case t.Entry != nil:
			c.entry(t.Entry, kindFunction)
		case t.Table != nil:
			c.add(name, kindModule, t.String(), t.Table.TypeDoc())
		default:
			c.add(name, kindVariable, t.String(), "")
		}
	}
	for _, name := range starlark.Universe.Keys() {
		c.add(name, kindFunction, "of the language", "")
	}
	for _, word := range keywords {
		c.add(word, kindKeyword, "", "")
	}
}

func (c *completion) variable(id *syntax.Ident) {
	t := c.file.Variable(id)
	kind, doc := kindVariable, ""
	if t.Kind == infer.Def {
		kind, doc = kindFunction, definitionDoc(t)
	}
	detail := t.String()
	if t.Kind == infer.Unknown {
		detail = ""
	}
	c.add(id.Name, kind, detail, doc)
}

func (c *completion) parameters(fn *infer.Type) {
	switch fn.Kind {
	case infer.Function:
		for _, p := range fn.Entry.Sig.Params {
			c.add(p.Name+"=", kindField, strings.ReplaceAll(p.Type, "|", " or "), "")
		}
	case infer.Def:
		for _, p := range fn.Def.Params {
			if b, ok := p.(*syntax.BinaryExpr); ok {
				p = b.X
			}
			if id, ok := p.(*syntax.Ident); ok {
				c.add(id.Name+"=", kindField, "", "")
			}
		}
	}
}

// text offers what may stand in a string.
func (c *completion) text() {
	cur := c.cursor
	if cur.base == "" {
		return
	}
	if cur.base == "load" && cur.arg == 0 {
		c.modules()
		return
	}
	t := c.file.TypeAt(cur.base, c.path)
	switch {
	case cur.index:
		if t.Is("Capture", "Sample", "CounterMap") {
			c.counters(t)
		}
	case t.Kind != infer.Function:
	default:
		c.argument(t)
	}
}

// argument offers what a parameter takes that is a name: of a counter, or of a GPU.
func (c *completion) argument(fn *infer.Type) {
	name := c.cursor.keyword
	if sig := fn.Entry.Sig; name == "" && c.cursor.arg < len(sig.Params) {
		name = sig.Params[c.cursor.arg].Name
	}
	switch {
	case name == "gpu":
		for _, id := range metrics.IDs() {
			c.add(id, kindValue, "catalogue", "")
		}
	case name != "name" || fn.Recv == nil:
	case fn.Recv.Is("Capture") && fn.Entry.Name != "region":
		c.counters(fn.Recv)
	case fn.Recv.Kind == infer.Module && fn.Recv.Name == "metrics":
		c.ofCall()
	}
}

// ofCall offers the names of the catalogue that stands before them in metrics.get("GPU", "…
func (c *completion) ofCall() {
	before := c.doc.text[:c.cursor.start]
	if i := strings.LastIndexByte(before, '('); i >= 0 {
		quoted, _, _ := strings.Cut(before[i+1:], ",")
		if cat, err := metrics.Get(strings.Trim(strings.TrimSpace(quoted), `"'`)); err == nil {
			c.catalogue(cat)
		}
	}
}

// counters offers the counters and metrics of a capture: the columns that it is known to have, and the catalogue of its
// GPU.
func (c *completion) counters(t *infer.Type) {
	for _, name := range t.Columns {
		c.add(name, kindValue, "column", "")
	}
	gpu := c.doc.gpuOf(t)
	if cat, err := metrics.Get(gpu); err == nil && gpu != "" {
		c.catalogue(cat)
	}
}

func (c *completion) catalogue(cat *metrics.Catalogue) {
	entries := cat.Entries()
	for _, s := range metrics.Suggest(cat.Known(), c.cursor.prefix) {
		e := entries[s.Index]
		detail := metricDetail(e)
		if s.Note != "" {
			detail = s.Note + " " + detail
		}
		c.offer(s.Text, kindValue, detail, e.Doc)
	}
}

func metricDetail(e *metrics.Entry) string {
	if e.Unit == "" {
		return e.Title
	}
	return e.Title + ", " + e.Unit
}

// modules offers the files of the built-in library, and those below the document's folder or its repository.
func (c *completion) modules() {
	const library = "@astrolabe//"
	if c.doc.s.opt.Library != nil {
		fs.WalkDir(c.doc.s.opt.Library, ".", func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.HasSuffix(name, ".star") && !script.IsTest(name) {
				c.add(library+name, kindFile, "built-in library", "")
			}
			return nil
		})
	}
	for _, name := range c.file.Siblings(c.cursor.prefix) {
		c.add(name, kindFile, "", "")
	}
}

// comment offers what comments can say to the tools.
func (c *completion) comment() {
	text := strings.TrimLeft(c.cursor.prefix, "# ")
	head := c.cursor.prefix[:len(c.cursor.prefix)-len(text)]
	switch {
	case strings.HasPrefix(text, "gpu:"):
		for _, id := range metrics.IDs() {
			if word := head + "gpu: " + id; strings.HasPrefix(word, c.cursor.prefix) {
				c.add(word, kindValue, "catalogue", "")
			}
		}
	case strings.HasPrefix(text, "lint: ignore="):
		for _, check := range lint.Checks() {
			if word := head + "lint: ignore=" + check.Code; strings.HasPrefix(word, c.cursor.prefix) {
				c.add(word, kindValue, "", check.Doc)
			}
		}
	}
}
