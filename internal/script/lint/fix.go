package lint

import (
	"strings"
	"unicode/utf8"

	"go.starlark.net/syntax"

	"astrolabe/capture/spelling"
	"astrolabe/internal/script/infer"
)

// fix offers a change for the finding that was noted last.
func (c *checker) fix(title string, start, end syntax.Position, text string) {
	f := &c.findings[len(c.findings)-1]
	f.Fixes = append(f.Fixes, Fix{title, int(start.Line), int(start.Col), int(end.Line), int(end.Col), text})
}

// rename offers another name for an identifier, where one is near.
func (c *checker) rename(id *syntax.Ident, names []string) {
	if name, ok := nearest(id.Name, names); ok {
		start, end := infer.Span(id)
		c.fix(changeTo(name), start, end, name)
	}
}

// retext offers another text for a part of a string, where the string stands there itself.
func (c *checker) retext(arg syntax.Expr, part, text string) {
	lit, ok := arg.(*syntax.Literal)
	if !ok || lit.Token != syntax.STRING || strings.ContainsAny(text, "\\\"'\n") || strings.Count(lit.Raw, part) != 1 {
		return
	}
	start, end := infer.Span(lit)
	c.fix(changeTo(text), start, end, strings.Replace(lit.Raw, part, text, 1))
}

func changeTo(name string) string { return "Change to " + name }

// nearest is the name that a mistyped one may have meant.
func nearest(name string, names []string) (string, bool) {
	if found := spelling.Near(name, names); len(found) > 0 {
		return found[0], true
	}
	return "", false
}

// near is " (did you mean X?)", or nothing where no name is near.
func near(name string, names []string) string {
	if found, ok := nearest(name, names); ok {
		return " (did you mean " + found + "?)"
	}
	return ""
}

// offset is where a place of the file is in its text, in bytes.
func (c *checker) offset(p syntax.Position) int {
	if c.lines == nil {
		c.lines = lineStarts(c.f.Source.Text)
	}
	if p.Line < 1 || int(p.Line) > len(c.lines) {
		return len(c.f.Source.Text)
	}
	at := c.lines[p.Line-1]
	for col := int32(1); col < p.Col && at < len(c.f.Source.Text); col++ {
		_, size := utf8.DecodeRune(c.f.Source.Text[at:])
		at += size
	}
	return at
}

// text is an expression as it stands in the file.
func (c *checker) text(e syntax.Expr) string {
	start, end := infer.Span(e)
	from, to := c.offset(start), c.offset(end)
	return string(c.f.Source.Text[from:max(from, to)])
}

// receiver is an expression as it stands before a dot.
func (c *checker) receiver(e syntax.Expr) string {
	switch e.(type) {
	case *syntax.Ident, *syntax.DotExpr, *syntax.IndexExpr, *syntax.SliceExpr, *syntax.CallExpr, *syntax.ParenExpr:
		return c.text(e)
	}
	return "(" + c.text(e) + ")"
}

// reduce offers to ask a Mask whether any or all of it is true.
func (c *checker) reduce(e syntax.Expr) {
	start, end := infer.Span(e)
	for _, method := range []string{"any", "all"} {
		c.fix("Ask ."+method+"()", start, end, c.receiver(e)+"."+method+"()")
	}
}

// unload offers to load a name no longer; of a statement that loads no other, to leave the statement away.
func (c *checker) unload(load *syntax.LoadStmt, i int) {
	title := "Do not load " + load.From[i].Name
	start, end := infer.Span(load)
	if len(load.From) == 1 {
		end.Line, end.Col = end.Line+1, 1
		if int(end.Line) > strings.Count(string(c.f.Source.Text), "\n")+1 {
			_, end = infer.Span(load)
		}
		c.fix(title, start, end, "")
		return
	}
	// An item is a string, or NAME = and one; of From the place is behind the quote.
	item := func(i int) (start, end syntax.Position) {
		start = load.To[i].NamePos
		end = load.From[i].NamePos
		if load.To[i].NamePos == end {
			start.Col--
		}
		end.Col += int32(utf8.RuneCountInString(load.From[i].Name)) + 1
		return start, end
	}
	if i == 0 {
		start, _ = item(0)
		end, _ = item(1)
	} else {
		_, start = item(i - 1)
		_, end = item(i)
	}
	c.fix(title, start, end, "")
}
