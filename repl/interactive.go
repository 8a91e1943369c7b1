package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"astrolabe/builtins/characters"
)

const (
	prompt     = ">>> "
	promptMore = "... "
)

// Interactive reads entries from a person until they leave. capturePath, if not empty, is opened first and bound to
// cap. An error is only what keeps the session from running; what goes wrong inside it is printed.
func (s *Session) Interactive(ctx context.Context, in, out, talk *os.File, capturePath string) error {
	s.printer.short = isTerminal(out)
	hist := s.history()
	if colors := characters.ColorsOf(os.Getenv) != characters.NoColors; isTerminal(out) {
		s.look.colors.Store(colors)
		s.look.suggestions.Store(colors) // without colours nobody could tell them from what was typed
	}
	ed, err := newEditor(in, out, talk, hist.reload, s.complete, &s.look)
	if err != nil {
		return err
	}
	defer ed.Close()
	// An interrupt between two statements, from whoever sends it, does not end the session.
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, os.Interrupt)
	defer signal.Stop(ignored)
	if !s.cfg.Quiet {
		io.WriteString(talk, s.banner())
	}
	line := 1
	remember := func(text string) {
		if err := hist.add(text); err != nil {
			fmt.Fprintln(talk, err)
		}
		ed.Remember(text)
	}
	s.console = &console{in: in, out: out, talk: talk, remember: remember, find: hist.find, line: &line}
	s.start(ctx, ed)
	if capturePath != "" {
		s.run(ctx, func(ctx context.Context) error { return s.Open(ctx, "cap", capturePath) })
	}
	return s.loop(ctx, ed)
}

func (s *Session) banner() string {
	return "astrolabe " + s.cfg.Version + " · try :open FILE, capture.sources() or help()\n" +
		"Tab completes, Ctrl-C stops a statement, :help lists commands, Ctrl-D leaves\n"
}

// loop reads and runs entries until the input ends or the person quits.
func (s *Session) loop(ctx context.Context, ed lineEditor) error {
	for {
		text, err := s.readEntry(ed)
		switch {
		case errors.Is(err, errInterrupt):
			continue
		case errors.Is(err, errTooLong):
			s.report(err)
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if errors.Is(s.runEntries(ctx, text), ErrQuit) {
			return nil
		}
	}
}

// runEntries runs what was entered: one entry, or those of a pasted transcript up to the first that fails. The error
// has been printed.
func (s *Session) runEntries(ctx context.Context, text string) error {
	entries := []string{text}
	if isTranscript(text) {
		var output int
		if entries, output = withoutPrompts(text); output > 0 {
			lines := "lines"
			if output == 1 {
				lines = "line"
			}
			fmt.Fprintf(s.cfg.Talk, "only what stands behind prompts runs: %d other %s left out\n", output, lines)
		}
	}
	for i, text := range entries {
		if isBlank(strings.ReplaceAll(text, "\n", "")) {
			continue
		}
		s.console.remember(text)
		first := *s.console.line
		*s.console.line += strings.Count(text, "\n")
		run := s.run
		if isShell(text) { // Ctrl-C is the command's, as often as it is typed
			run = func(ctx context.Context, f func(context.Context) error) error { return s.told(ctx, f(ctx)) }
		}
		if err := run(ctx, func(ctx context.Context) error { return s.entry(ctx, first, text) }); err != nil {
			if rest := len(entries) - i - 1; rest > 0 && !errors.Is(err, ErrQuit) {
				fmt.Fprintf(s.cfg.Talk, "what follows in the paste did not run: %d more\n", rest)
			}
			return err
		}
	}
	return nil
}

var errTooLong = fmt.Errorf("an entry can be %d MiB long: put the text into a file and :load it", maxEntry>>20)

// readEntry reads lines until they make a whole entry.
func (s *Session) readEntry(ed lineEditor) (string, error) {
	var e entry
	prompts := false // the lines come with prompts, one by one: from a terminal that does not say what is a paste
	for p := prompt; ; p = promptMore {
		text, err := ed.ReadLine(p)
		if err != nil {
			return "", err
		}
		switch {
		case e.lines == 0 && isTranscript(text) && strings.Contains(text, "\n"):
			return text + "\n", nil
		case e.lines == 0 && isTranscript(text):
			prompts = true
			text = text[len(firstPrompt.FindString(text)):]
		case prompts:
			text = text[len(morePrompt.FindString(text)):]
		}
		if e.text.Len()+len(text) > maxEntry {
			return "", errTooLong
		}
		if _, asked := s.question(text); e.lines == 0 &&
			(asked || (strings.HasPrefix(text, ":") || strings.HasPrefix(text, "!")) && !strings.Contains(text, "\n")) {
			return text + "\n", nil
		}
		pasted := strings.Contains(text, "\n")
		if pasted && e.lines == 0 {
			text = dedent(text)
		}
		lines := strings.Split(text, "\n")
		for _, l := range lines {
			e.add(strings.TrimRight(l, "\r"))
		}
		last := lines[len(lines)-1]
		if pasted {
			// A paste is a whole entry unless it plainly ends in the middle: then what is typed next completes it.
			if !e.open() && !strings.HasSuffix(strings.TrimRight(e.text.String(), " \t\n"), ":") {
				return e.text.String(), nil
			}
			e.compound = true
			continue
		}
		if !e.begun || e.typedDone(last) {
			return e.text.String(), nil
		}
	}
}

// entry runs what a person entered.
func (s *Session) entry(ctx context.Context, line int, text string) error {
	trimmed := strings.TrimSpace(text)
	s.log.begin(text)
	switch {
	case trimmed[0] == ':':
		return s.command(ctx, trimmed)
	case isShell(text):
		return s.shell(trimmed[1:])
	case (trimmed == "exit" || trimmed == "quit") && !s.names.Has(trimmed):
		return ErrQuit
	}
	if name, ok := s.question(text); ok {
		return s.docCommand(ctx, name)
	}
	s.last = text
	return s.Eval(ctx, sessionName, line, text)
}

// question is what an entry of the form NAME? asks about. A comment or a text that ends in a question mark asks
// nothing.
func (s *Session) question(text string) (name string, ok bool) {
	name, ok = strings.CutSuffix(strings.TrimSpace(text), "?")
	return name, ok && s.isExpression(name)
}

// isExpression reports whether a text of one line is an expression and nothing else. A comment would take the bracket
// with it.
func (s *Session) isExpression(text string) bool {
	_, err := s.opts.ParseExpr(sessionName, "("+text+")", 0)
	return err == nil && !strings.Contains(text, "\n")
}

// run runs f so that Ctrl-C stops it, and prints its error.
func (s *Session) run(ctx context.Context, f func(context.Context) error) error {
	return interruptible(ctx, s.cfg.Talk, func(ctx context.Context) error { return s.told(ctx, f(ctx)) })
}

// told prints the error of an entry.
func (s *Session) told(ctx context.Context, err error) error {
	switch {
	case err == nil || errors.Is(err, ErrQuit):
	case ctx.Err() != nil:
		io.WriteString(s.cfg.Talk, "interrupted\n")
	default:
		s.report(err)
	}
	return err
}

// predeclaredNames lists the names that every script has, sorted.
func (s *Session) predeclaredNames() []string {
	names := make([]string, 0, len(s.cfg.Predeclared))
	for n := range s.cfg.Predeclared {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
