package repl

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/guards"
	"astrolabe/builtins/mistakes"
	"astrolabe/builtins/values"
	"astrolabe/capture/formats"
	"astrolabe/capture/memory"
)

// Config is what a session needs from its surroundings.
type Config struct {
	Predeclared starlark.StringDict // copied: a session may rebind any of them
	Env         *binding.Env        // what the predeclared values share; it is told which statement runs
	Load        func(*starlark.Thread, string) (starlark.StringDict, error)
	Library     fs.FS     // the built-in scripts, for completion inside load("…"); may be nil
	Out         io.Writer // results and print
	Talk        io.Writer // errors, prompts, warnings
	Version     string
	Quiet       bool   // say nothing of its own: no banner, nothing about a capture that was opened
	MaxSteps    uint64 // of one statement; 0 is no limit
	// Limit runs a statement under further limits; nil runs it freely.
	Limit   func(ctx context.Context, run func(context.Context) error) error
	History string // path of the history file; "" means the user's own, "-" none
	Repo    string // folder of the repository, whose start-up file is asked about; "" is none
	// Screen is how many cells a line of output may take now, and how many lines there are, 0 if that is not known; nil leaves what Env says.
	Screen   func() (width, height int)
	Settings []Setting // further ones for :set
	// Help is what the documentation says of words that are no name, false for nothing; nil knows nothing.
	Help  func(words string) (text string, ok bool)
	Shell bool // lines that begin with ! run commands
	JSON  bool // values are printed as lines of JSON, not for people
	// Display takes the value of each expression in place of Out, as a notebook shows it, with the text that Out would
	// get; last is true of an entry's last statement. Page takes what NAME? explains, and Clear empties the screen; a
	// nil one is not there.
	Display func(v starlark.Value, text string, last bool) error
	Page    func(text string)
	Clear   func()
	// Capture is a file that is opened and bound to cap when a statement uses that name and nothing has bound it; "" is
	// none.
	Capture string
}

// Session runs statements one after another over one set of variables, as if typed.
type Session struct {
	cfg     Config
	names   starlark.StringDict // every name a statement can use, live: functions see later changes
	own     map[string]bool     // names that statements bound
	opts    *syntax.FileOptions
	source  *sourceText
	done    []doneStatement // for :save
	log     *transcript
	shown   printedAs // how the running statement printed its value
	final   bool      // the running statement is the last of its entry
	loaded  string    // the file of the last :load
	hist    *history  // nil until it is asked for
	last    string    // the last entry that is no command
	width   int       // of :set width; 0 asks Config.Screen
	console *console  // nil where no person sits there
	look    looks
	table   *values.Table // the last one that was shown; nil for none
	printer printer
}

// dialect is what a session allows beyond a script: names may be bound again, and load binds for the whole session.
func dialect() *syntax.FileOptions {
	return &syntax.FileOptions{Set: true, TopLevelControl: true, GlobalReassign: true, LoadBindsGlobally: true}
}

// NewSession returns a session that knows the predeclared names only.
func NewSession(cfg Config) *Session {
	s := &Session{cfg: cfg, names: make(starlark.StringDict, len(cfg.Predeclared)+8), own: map[string]bool{},
		opts: dialect(), source: newSourceText(), log: new(transcript), printer: printer{items: shortItems}}
	for name, v := range cfg.Predeclared {
		s.names[name] = v
	}
	s.printer.short = cfg.Display != nil
	guards.Add(cfg.Env, s.names)
	s.cfg.Out, s.cfg.Talk = loggedWriter{cfg.Out, s.log}, loggedWriter{cfg.Talk, s.log}
	if cfg.Env != nil {
		s.log.watch(cfg.Env)
	}
	return s
}

// bind gives a variable a value, as a statement would.
func (s *Session) bind(name string, v starlark.Value) {
	s.names[name] = v
	s.own[name] = true
}

// Eval runs the statements of text and prints the value of each expression that is not None. name and line say where
// the text came from. What was bound before an error stays bound. The error is not printed.
func (s *Session) Eval(ctx context.Context, name string, line int, text string) error {
	s.source.add(name, line, text)
	if err := guards.CheckNumbers(name, []byte(text)); err != nil {
		return err
	}
	file, err := s.opts.Parse(name, portion(text, line), 0)
	if err != nil {
		return mistakes.Explain(err, text, line, s.names)
	}
	for i, stmt := range file.Stmts {
		s.shown, s.final = notPrinted, i == len(file.Stmts)-1
		if err := s.statement(ctx, name, stmt); err != nil {
			return mistakes.Explain(err, text, line, s.names)
		}
		d := sliceStatement(file.Stmts, i, text, line)
		d.printed = s.shown
		s.done = append(s.done, d)
	}
	return nil
}

// statement runs one statement under the session's limits.
func (s *Session) statement(ctx context.Context, name string, stmt syntax.Stmt) error {
	if s.cfg.Capture != "" && !s.names.Has(captureName) && s.needs(stmt, captureName) {
		if err := s.Eval(ctx, "<command>", 1, openStatement(captureName, s.cfg.Capture)); err != nil {
			return err
		}
	}
	if s.cfg.Limit == nil {
		return s.perform(ctx, name, stmt)
	}
	return s.cfg.Limit(ctx, func(ctx context.Context) error { return s.perform(ctx, name, stmt) })
}

// perform runs one statement in a thread of its own.
func (s *Session) perform(ctx context.Context, name string, stmt syntax.Stmt) error {
	return s.thread(ctx, name, func(thread *starlark.Thread) error {
		e, ok := stmt.(*syntax.ExprStmt)
		if !ok {
			return s.execute(thread, name, stmt)
		}
		v, err := s.evaluate(thread, e.X)
		if err != nil {
			return err
		}
		return s.show(v, s.isText(e.X))
	})
}

// evaluate is the value of an expression.
func (s *Session) evaluate(thread *starlark.Thread, x syntax.Expr) (starlark.Value, error) {
	guards.Rewrite(x, s.names)
	return starlark.EvalExprOptions(s.opts, thread, x, s.names)
}

// thread calls f with a thread of the session that stops with ctx.
func (s *Session) thread(ctx context.Context, name string, f func(*starlark.Thread) error) (err error) {
	thread := &starlark.Thread{Name: name, Load: s.cfg.Load, Print: func(_ *starlark.Thread, text string) {
		if s.cfg.Display == nil { // a notebook scrolls what is long
			text = s.printer.output(text)
		}
		io.WriteString(s.cfg.Out, text+"\n")
	}}
	defer memory.FaultsPanic()()
	defer guards.Recover(&err)
	if s.cfg.Env != nil {
		s.fitScreen()
		defer s.cfg.Env.Enter(ctx, thread)()
	}
	if n := s.cfg.MaxSteps; n > 0 {
		thread.SetMaxExecutionSteps(n)
		thread.OnMaxSteps = func(t *starlark.Thread) {
			t.Cancel(fmt.Sprintf("limit of %d steps reached: raise --max-steps", n))
		}
	}
	stop := context.AfterFunc(ctx, func() { thread.Cancel("interrupted") })
	defer stop()
	return f(thread)
}

// fitScreen tells the values how large the terminal is now.
func (s *Session) fitScreen() {
	if s.cfg.Screen != nil {
		s.cfg.Env.Width, s.cfg.Env.Height = s.cfg.Screen()
	}
	if s.width > 0 {
		s.cfg.Env.Width = s.width
	}
}

// execute runs a statement that is no expression. Its program sees the session's variables as predeclared names, which
// Starlark looks up when they are used: so a function sees what a later statement binds. Names that this statement
// binds itself are variables of its program instead; they begin with the value that they have in the session.
func (s *Session) execute(thread *starlark.Thread, name string, stmt syntax.Stmt) error {
	var prelude []syntax.Stmt
	bound := boundNames(stmt)
	for _, id := range bound {
		v, ok := s.names[id.Name]
		if !ok {
			v, ok = starlark.Universe[id.Name]
		}
		if !ok {
			continue
		}
		old := oldValue + id.Name
		s.names[old] = v
		defer delete(s.names, old)
		start, _ := stmt.Span()
		prelude = append(prelude, &syntax.AssignStmt{
			OpPos: start, Op: syntax.EQ,
			LHS: &syntax.Ident{NamePos: start, Name: id.Name},
			RHS: &syntax.Ident{NamePos: start, Name: old},
		})
	}
	file := &syntax.File{Path: name, Stmts: append(prelude, stmt), Options: s.opts}
	guards.Rewrite(file, s.names)
	program, err := starlark.FileProgram(file, s.names.Has)
	if err != nil {
		return err
	}
	values, err := program.Init(thread, s.names)
	for _, id := range bound { // also after an error: what was bound stays bound
		if v, ok := values[id.Name]; ok {
			s.bind(id.Name, v)
		}
	}
	return err
}

// oldValue begins the hidden names under which execute hands over the values of variables. No identifier can begin so.
const oldValue = "="

// show prints the value of an expression and keeps it as _. A text made for reading is printed as it is.
func (s *Session) show(v starlark.Value, text bool) error {
	s.shown = howPrinted(v, text)
	if s.shown == notPrinted {
		return nil
	}
	s.bind("_", v)
	if t, ok := v.(*values.Table); ok {
		s.table = t
	}
	var out string
	switch {
	case s.cfg.JSON:
		text, err := encodeJSON(v)
		if err != nil {
			return err
		}
		out = text
	case s.shown == asProse:
		out = strings.TrimRight(string(v.(starlark.String)), "\n")
	default:
		out = s.printer.text(v)
	}
	s.log.value(v)
	if s.cfg.Display != nil {
		if _, drawn := v.(*values.Plot); !drawn { // a picture stands in the transcript when it is shown
			s.log.add(logPart{text: out + "\n"})
		}
		if err := s.cfg.Display(v, out, s.final); err != nil {
			return err
		}
	} else if _, err := io.WriteString(s.cfg.Out, out+"\n"); err != nil {
		return err
	}
	if m, ok := v.(*binding.Bound); ok {
		fmt.Fprintf(s.cfg.Talk, "this is a function that was not called: %s calls it, help(…) explains it\n",
			m.Entry().Title())
	}
	return nil
}

// isText reports whether an expression is a call of a builtin that explains something to people.
func (s *Session) isText(x syntax.Expr) bool {
	call, ok := x.(*syntax.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fn.(*syntax.Ident)
	return ok && (id.Name == "help" || id.Name == "explain") && !s.own[id.Name] && s.cfg.Predeclared.Has(id.Name)
}

// loadFile runs the statements of a file as if typed.
func (s *Session) loadFile(ctx context.Context, path string) error {
	text, err := formats.ReadRegular(path)
	if err != nil {
		return err
	}
	s.loaded = path
	return s.Eval(ctx, path, 1, string(text))
}

// timed runs f and says on Talk how long it took.
func (s *Session) timed(f func() error) error {
	begin := time.Now()
	err := f()
	fmt.Fprintf(s.cfg.Talk, "took %v\n", time.Since(begin).Round(time.Microsecond))
	return err
}
