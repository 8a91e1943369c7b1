package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"go.starlark.net/starlark"

	"astrolabe/capture/spelling"
)

// command is one : command. The table of them feeds the dispatch, :help and completion.
type command struct {
	name string
	args string // for :help, such as "FILE"
	doc  string
	file bool // its argument is a path, for completion
	run  func(s *Session, ctx context.Context, arg string) error
}

// ErrQuit is what an entry answers that ends the session.
var ErrQuit = errors.New("quit")

// commands is set by the function below it, because :help reads the table that it is in.
func commands() []command {
	return []command{
		{name: "help", args: "[NAME|WORDS]", doc: "list these commands, explain a value, module or name, or search the documentation",
			run: (*Session).helpCommand},
		{name: "open", args: "FILE [NAME]", doc: "open a capture and bind it, to cap unless NAME is given", file: true,
			run: (*Session).openCommand},
		{name: "load", args: "FILE", doc: "run the statements of a script here, as if typed", file: true,
			run: (*Session).loadCommand},
		{name: "reload", doc: "run the script of the last :load again", run: (*Session).reloadCommand},
		{name: "time", args: "STATEMENT", doc: "run a statement and say how long it took", run: (*Session).timeCommand},
		{name: "edit", args: "[TEXT]", doc: "open the last entry, or the last one with TEXT, in $EDITOR and run what it becomes",
			run: (*Session).editCommand},
		{name: "copy", args: "[csv|markdown] [FILE]",
			doc: "copy the last table to the terminal's clipboard, or to a file that does not exist", file: true,
			run: (*Session).copyCommand},
		{name: "theme", args: "[light|dark]", doc: "the look of pictures that are shown in the terminal; the same as :set theme",
			run: (*Session).themeCommand},
		{name: "save", args: "FILE",
			doc:  "write the statements that succeeded as a script (FILE.star), or everything as a transcript (FILE.md); never over a file",
			file: true, run: (*Session).saveCommand},
		{name: "set", args: "[NAME [VALUE]]", doc: "show or change how the session behaves",
			run: (*Session).setCommand},
		{name: "sources", doc: "what this machine can measure, and why not the rest", run: (*Session).sourcesCommand},
		{name: "doc", args: "NAME|PAGE|WORDS", doc: "the same as help(NAME), a page of the documentation, or where its words stand", run: (*Session).docCommand},
		{name: "clear", doc: "clear the screen; in a notebook what the cell shows", run: (*Session).clearCommand},
		{name: "quit", doc: "leave; so do exit, quit and Ctrl-D", run: func(*Session, context.Context, string) error {
			return ErrQuit
		}},
	}
}

// command runs a line that begins with a colon. A unique beginning of a name will do.
func (s *Session) command(ctx context.Context, line string) error {
	name, arg, _ := strings.Cut(strings.TrimPrefix(line, ":"), " ")
	arg = strings.TrimSpace(arg)
	var found []command
	names := make([]string, 0, 16)
	for _, c := range commands() {
		if c.name == name {
			return c.run(s, ctx, arg)
		}
		if name != "" && strings.HasPrefix(c.name, name) {
			found = append(found, c)
		}
		names = append(names, c.name)
	}
	if len(found) == 1 {
		return found[0].run(s, ctx, arg)
	}
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Errorf("no command :%s (did you mean :%s?); :help lists them", name, near)
	}
	return fmt.Errorf("no command :%s; :help lists them", name)
}

func (s *Session) helpCommand(ctx context.Context, arg string) error {
	if arg = strings.TrimPrefix(arg, ":"); arg != "" {
		for _, c := range commands() {
			if c.name == arg {
				_, err := fmt.Fprintf(s.cfg.Out, ":%s %s\n    %s\n", c.name, c.args, c.doc)
				return err
			}
		}
		return s.docCommand(ctx, arg)
	}
	var out strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&out, "  %-22s %s\n", strings.TrimSpace(":"+c.name+" "+c.args), c.doc)
	}
	out.WriteString("  NAME?                  the same as help(NAME)\n")
	out.WriteString("  !COMMAND               run a command of the shell, in a session with --allow-exec\n")
	out.WriteString("The names that every script has: " + strings.Join(s.predeclaredNames(), ", ") + "\n")
	_, err := io.WriteString(s.cfg.Out, out.String())
	return err
}

// isTopic reports whether a text is words, and no code.
func isTopic(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" -_#/", r)
	})
}

func (s *Session) docCommand(ctx context.Context, arg string) error {
	if arg == "" {
		return errors.New(":doc needs a name, such as :doc capture.open, or a page, such as :doc recording")
	}
	if s.cfg.Help != nil && isTopic(arg) && !s.names.Has(firstWord(arg)) {
		if text, ok := s.cfg.Help(arg); ok {
			_, err := io.WriteString(s.cfg.Out, s.printer.output(text))
			return err
		}
	}
	if !s.isExpression(arg) {
		return fmt.Errorf(
			"%s is neither a name nor a value, such as capture.open or cap[\"Name\"]; help() lists the names", arg)
	}
	return s.evalHidden(ctx, "help("+arg+")")
}

func (s *Session) sourcesCommand(ctx context.Context, _ string) error {
	if err := s.evalHidden(ctx, "capture.sources()"); err != nil || s.cfg.Env == nil || s.cfg.Env.Width == 0 {
		return err
	}
	// The table hides its last columns where the terminal is narrow, and why not is half of what was asked.
	return s.evalHidden(ctx,
		`print("\n".join([s["name"] + ": " + s["reason"] + ("; " + s["fix"] if s["fix"] else "") for s in _ if not s["usable"] and s["reason"]]))`)
}

// evalHidden runs a statement that the person did not write: it is not part of what :save writes.
func (s *Session) evalHidden(ctx context.Context, text string) error {
	kept := s.done
	err := s.Eval(ctx, "<command>", 1, text+"\n")
	s.done = kept
	return err
}

func (s *Session) clearCommand(context.Context, string) error {
	if s.cfg.Clear == nil {
		return errors.New(":clear needs a session at a terminal, or a notebook")
	}
	s.cfg.Clear()
	return nil
}

func (s *Session) openCommand(ctx context.Context, arg string) error {
	path, name := splitPath(arg)
	if path == "" {
		return errors.New(":open needs a file or folder, such as :open game.arrow")
	}
	if name == "" {
		name = captureName
	}
	return s.Open(ctx, name, path)
}

// Open binds a capture as if the person had typed it, so that :save keeps it, and shows it.
func (s *Session) Open(ctx context.Context, name, path string) error {
	if err := s.Eval(ctx, "<command>", 1, openStatement(name, path)); err != nil {
		return err
	}
	if s.cfg.Quiet {
		return nil
	}
	_, err := fmt.Fprintln(s.cfg.Talk, name+" = "+s.printer.text(s.names[name]))
	return err
}

// openStatement is what opens a capture and binds it.
func openStatement(name, path string) string {
	return fmt.Sprintf("%s = capture.open(%s)\n", name, starlark.String(path))
}

// splitPath splits "FILE NAME" where FILE may be quoted or hold spaces; NAME is an identifier.
func splitPath(arg string) (path, name string) {
	if rest, ok := strings.CutPrefix(arg, `"`); ok {
		if path, name, ok = strings.Cut(rest, `"`); ok {
			return path, strings.TrimSpace(name)
		}
	}
	if i := strings.LastIndexByte(arg, ' '); i > 0 && isIdentifier(arg[i+1:]) {
		return strings.TrimSpace(arg[:i]), arg[i+1:]
	}
	return arg, ""
}

func isIdentifier(s string) bool {
	return s != "" && firstWord(s) == s && (s[0] < '0' || s[0] > '9')
}

func (s *Session) loadCommand(ctx context.Context, arg string) error {
	if arg == "" {
		return errors.New(":load needs a file, such as :load checks.star")
	}
	return s.loadFile(ctx, strings.Trim(arg, `"`))
}

func (s *Session) reloadCommand(ctx context.Context, _ string) error {
	if s.loaded == "" {
		return errors.New("nothing was loaded yet: :load FILE first")
	}
	return s.loadFile(ctx, s.loaded)
}

func (s *Session) timeCommand(ctx context.Context, arg string) error {
	if arg == "" {
		return errors.New(`:time needs a statement, such as :time cap["Name"].total()`)
	}
	return s.timed(func() error { return s.Eval(ctx, "<command>", 1, arg+"\n") })
}

func (s *Session) saveCommand(_ context.Context, arg string) error {
	path := strings.Trim(arg, `"`)
	var files []string
	var err error
	switch filepath.Ext(path) {
	case ".star":
		files, err = []string{path}, s.saveScript(path)
	case ".md":
		files, err = s.saveTranscript(path)
	default:
		return errors.New(":save needs a file name that ends in .star, for a script, or in .md, for a transcript")
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(s.cfg.Out, strings.Join(files, "\n")+"\n")
	return err
}
