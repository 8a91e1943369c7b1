package repl

import (
	"context"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins/guards"
	"astrolabe/builtins/mistakes"
)

// What a notebook asks a session beyond what a terminal does: cells in place of entries, and answers as values in place
// of keys. All of it serves one goroutine at a time.

// Cell runs the text of a cell. Its statements are read before the first runs, so that a mistake in the last keeps all
// from running. Lines that a terminal takes as more than a statement, such as :doc NAME and NAME?, do what they do
// there. quiet keeps the cell out of what :save writes. The error is not printed; ErrQuit asks to end the session.
func (s *Session) Cell(ctx context.Context, name, text string, quiet bool) error {
	if quiet {
		kept, log := s.done, s.log.entries
		defer func() { s.done, s.log.entries = kept, log }()
	}
	s.log.begin(text)
	parts := s.cellParts(text)
	for _, p := range parts {
		if p.special {
			continue
		}
		if _, err := s.opts.Parse(name, portion(p.text, p.line), 0); err != nil {
			s.source.add(name, p.line, p.text)
			return mistakes.Explain(err, p.text, p.line, s.names)
		}
	}
	for _, p := range parts {
		if err := s.cellPart(ctx, name, p); err != nil {
			return err
		}
	}
	return nil
}

// portion is a text that begins at a line of its file.
func portion(text string, line int) syntax.FilePortion {
	return syntax.FilePortion{Content: []byte(text), FirstLine: int32(line), FirstCol: 1}
}

func (s *Session) cellPart(ctx context.Context, name string, p cellPart) error {
	if !p.special {
		s.last = p.text
		return s.Eval(ctx, name, p.line, p.text)
	}
	trimmed := strings.TrimSpace(p.text)
	switch {
	case trimmed[0] == ':':
		return s.command(ctx, trimmed)
	case trimmed == "exit" || trimmed == "quit":
		return ErrQuit
	}
	asked, _ := s.question(trimmed)
	if s.cfg.Page == nil {
		return s.docCommand(ctx, asked)
	}
	v, err := s.Value(ctx, "help("+asked+")")
	if err == nil {
		text, _ := starlark.AsString(v)
		s.cfg.Page(text)
	}
	return err
}

// cellPart is a run of statements, or one line that is none.
type cellPart struct {
	text    string
	line    int // its first line in the cell
	special bool
}

// cellParts splits a cell where a line that begins outside of every statement is no statement.
func (s *Session) cellParts(text string) (parts []cellPart) {
	var e entry
	var code strings.Builder
	first, line := 1, 0
	end := func() {
		if !isBlank(strings.ReplaceAll(code.String(), "\n", "")) {
			parts = append(parts, cellPart{text: code.String(), line: first})
		}
		code.Reset()
	}
	for raw := range strings.Lines(text) {
		line++
		l := strings.TrimRight(raw, "\r\n")
		if e.endsBefore(l) || e.begun && !e.compound && !e.open() {
			e = entry{}
		}
		if !e.begun && !e.open() && s.isSpecial(l) {
			end()
			parts = append(parts, cellPart{text: l, line: line, special: true})
			first = line + 1
			continue
		}
		code.WriteString(l + "\n")
		e.add(l)
	}
	end()
	return parts
}

// isSpecial reports whether a line is a command, a question, or the wish to leave.
func (s *Session) isSpecial(line string) bool {
	trimmed := strings.TrimSpace(line)
	if strings.HasPrefix(line, ":") {
		return true
	}
	_, asked := s.question(trimmed)
	return asked || (trimmed == "exit" || trimmed == "quit") && !s.names.Has(trimmed)
}

// Value is the value of an expression, which is not printed and not kept as _.
func (s *Session) Value(ctx context.Context, expr string) (v starlark.Value, err error) {
	const name = "<expression>"
	s.source.add(name, 1, expr)
	if err := guards.CheckNumbers(name, []byte(expr)); err != nil {
		return nil, err
	}
	x, err := s.opts.ParseExpr(name, expr, 0)
	if err != nil {
		return nil, mistakes.Explain(err, expr, 1, s.names)
	}
	limit := s.cfg.Limit
	if limit == nil {
		limit = func(ctx context.Context, run func(context.Context) error) error { return run(ctx) }
	}
	err = limit(ctx, func(ctx context.Context) error {
		return s.thread(ctx, name, func(thread *starlark.Thread) (err error) {
			v, err = s.evaluate(thread, x)
			return err
		})
	})
	if err != nil {
		return nil, mistakes.Explain(err, expr, 1, s.names)
	}
	return v, nil
}

// Text is the value as the session prints it.
func (s *Session) Text(v starlark.Value) string { return s.printer.text(v) }

// ErrorText is the error as the session prints it: frames with their source lines, and the message.
func (s *Session) ErrorText(err error) string { return FormatError(err, s.source.line) }

// Completion is what may stand for the end of a text.
type Completion struct {
	Words    []string          // the likeliest first
	Replaced int               // bytes before the cursor that they replace
	Notes    map[string]string // what is said of some words
}

// Complete is what may stand for the end of text[:pos].
func (s *Session) Complete(text string, pos int) Completion {
	before := text[:pos]
	if i := strings.LastIndexByte(before, '\n'); isBlank(before[i+1:]) {
		return Completion{} // a terminal indents
	}
	c := s.complete(text, pos)
	return Completion{Words: c.words, Replaced: c.replaced, Notes: c.notes}
}

// Inspect explains what stands around text[pos]: a name with what it is an attribute of, an index of literals, or the
// function whose arguments the place is in. It evaluates no more than completion does; ok is false where nothing is
// found.
func (s *Session) Inspect(ctx context.Context, text string, pos int) (about string, ok bool) {
	defer func() {
		if recover() != nil { // a value that cannot be asked explains nothing
			about, ok = "", false
		}
	}()
	for _, expr := range subjects(text, pos) {
		v := s.peek(expr)
		if v == nil {
			continue
		}
		help, known := s.cfg.Predeclared["help"]
		if !known {
			return "", false
		}
		err := s.thread(ctx, "<inspection>", func(thread *starlark.Thread) error {
			answer, err := starlark.Call(thread, help, starlark.Tuple{v}, nil)
			about, _ = starlark.AsString(answer)
			return err
		})
		if s, isText := v.(starlark.String); isText { // help takes it for the name of a topic
			about, err = "str "+s.String(), nil
		}
		if err == nil {
			return about, true
		}
	}
	return "", false
}

// subjects are the expressions that a place in a text may ask about, the closest first.
func subjects(text string, pos int) (exprs []string) {
	begin := strings.LastIndexByte(text[:pos], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
		end = pos + i
	}
	line, at := text[begin:end], pos-begin
	for at < len(line) && isNameByte(line[at]) {
		at++
	}
	c := contextOf(line[:at])
	switch {
	case c.comment:
		return nil
	case c.inString && c.index: // base["Na|me"]
		if close := endOfString(line, at-len(c.prefix)-1); close < len(line)-1 && line[close+1] == ']' {
			exprs = append(exprs, primaryBefore(line[:close+2]))
		}
		return append(exprs, c.base)
	case c.inString:
		return append(exprs, c.base)
	}
	if expr := primaryBefore(line[:at]); expr != "" {
		exprs = append(exprs, expr)
	}
	if c.call != "" {
		exprs = append(exprs, c.call)
	}
	return exprs
}

// Completeness says whether a text can run as it is.
type Completeness uint8

const (
	Complete   Completeness = iota
	Incomplete              // another line is wanted
	Invalid                 // no further line mends it
)

// Completeness says whether a cell can run, and how the next line of one that cannot is indented.
func (s *Session) Completeness(text string) (c Completeness, indent string) {
	var e entry
	last := ""
	for raw := range strings.Lines(text) {
		l := strings.TrimRight(raw, "\r\n")
		if e.endsBefore(l) || e.begun && !e.compound && !e.open() {
			e = entry{}
		}
		if !e.begun && !e.open() && s.isSpecial(l) {
			continue
		}
		e.add(l)
		if e.broken {
			return Invalid, ""
		}
		if last = l; isBlank(l) {
			continue
		}
		indent = l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		if code, _, _ := strings.Cut(l, "#"); strings.HasSuffix(strings.TrimRight(code, " \t"), ":") {
			indent += "    "
		}
	}
	if strings.HasSuffix(text, "\n") { // the line after it is empty
		last = ""
	}
	switch parts := s.cellParts(text); {
	case e.open():
		return Incomplete, indent
	case e.compound && !isBlank(last):
		return Incomplete, indent
	default:
		for _, p := range parts {
			if _, err := s.opts.Parse(sessionName, p.text, 0); err != nil && !p.special {
				if e.compound && indent != "" && strings.HasSuffix(strings.TrimSpace(text), ":") {
					return Incomplete, indent // a block without a line yet
				}
				return Invalid, ""
			}
		}
	}
	return Complete, ""
}

// Remember puts an entry into the history of the user's sessions. An error says why it is not kept; it comes once.
func (s *Session) Remember(text string) error { return s.history().add(text) }

// Remembered are the entries of this and earlier sessions, the oldest first, each where it stood last.
func (s *Session) Remembered() ([]string, error) { return s.history().reload() }

// Reason is what an error says without its frames; unread is true of a text that could not be read, of which nothing
// ran.
func Reason(err error) (reason string, unread bool) {
	_, innermost, cause := Unwind(err)
	switch wrong := cause.(type) {
	case syntax.Error:
		return wrong.Msg, innermost == nil
	case resolve.ErrorList:
		return wrong[0].Msg, false
	}
	if innermost != nil {
		return systemText(innermost.Msg, innermost), false
	}
	return strings.TrimRight(ErrorText(cause), "\n"), false
}
