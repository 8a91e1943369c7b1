package script

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins"
	"astrolabe/builtins/binding"
	"astrolabe/builtins/guards"
	"astrolabe/builtins/mistakes"
	"astrolabe/capture/memory"
	"astrolabe/repl"
)

// Options is what a Runner needs.
type Options struct {
	Env     *binding.Env // of the run; its Files contain what builtins read and write
	Library fs.FS        // the built-in scripts, the root of "@astrolabe//"; nil is none
	Bundle  *Bundle      // files that are loaded from it and not from the disk; nil is none
	Limits  Limits
	Print   func(text string) // a line of print without its end; nil writes it to standard output
	// Typed is for what a person types: loads may come from everywhere.
	Typed bool

	Talk io.Writer      // where a run that cannot be stopped says why the program ends; nil is standard error
	Exit func(code int) // ends the program then; nil is os.Exit
}

// Runner loads scripts and calls their functions: one run. Modules run once per Runner. It serves one goroutine at a
// time.
type Runner struct {
	opt         Options
	predeclared starlark.StringDict  // of scripts
	testing     starlark.StringDict  // of test files
	names       string               // hash of those that modules of the library see, see namesSum
	modules     map[string]*module   // by key
	ready       map[string]*prepared // modules that have not run yet, by their key
	loading     []*module            // those whose top level is running, outermost first
	text        *sourceText
	flags       *flagSets // nil until the first script
	scripts     []binding.Script

	began   time.Time
	steps   uint64       // taken by threads that ended
	threads []*stepCount // those that run, outermost first
	memory  *memoryWatch // nil while memory is not watched
	active  int          // depth of protect

	stopGrace, memoryGrace time.Duration // tests wait longer, or not at all
}

// NewRunner returns a Runner that has loaded nothing. What builtins write through opt.Env can be read again by the run.
func NewRunner(opt Options) *Runner {
	if opt.Print == nil {
		opt.Print = func(text string) { io.WriteString(os.Stdout, text+"\n") }
	}
	if opt.Talk == nil {
		opt.Talk = os.Stderr
	}
	if opt.Exit == nil {
		opt.Exit = os.Exit
	}
	opt.Limits = opt.Limits.withDefaults(opt.Typed)
	if files, ok := opt.Env.Files.(*Files); ok {
		next := opt.Env.Wrote
		opt.Env.Wrote = func(path string) {
			files.wrote(path)
			if next != nil {
				next(path)
			}
		}
	}
	r := &Runner{opt: opt, modules: map[string]*module{}, ready: map[string]*prepared{}, text: newSourceText(),
		testing: builtins.Predeclared(opt.Env), stopGrace: stopGrace, memoryGrace: memoryGrace}
	opt.Env.Table = r.table
	guards.Add(opt.Env, r.testing)
	r.predeclared = make(starlark.StringDict, len(r.testing))
	for name, v := range r.testing {
		if name != "assert" || opt.Typed {
			r.predeclared[name] = v
		}
	}
	return r
}

// dialect is what a script may use of the language: sets and control flow at the top level. While loops and recursion
// stay off, so that every script ends.
func dialect() *syntax.FileOptions { return &syntax.FileOptions{Set: true, TopLevelControl: true} }

// LoadFile runs the top level of a script and returns its frozen global variables. The script may load what is in its
// repository, or in its own folder and below where there is none. Errors are of type *Error.
func (r *Runner) LoadFile(ctx context.Context, path string) (starlark.StringDict, error) {
	return r.main(ctx, func() (*module, error) { return r.fileModule(path) })
}

// LoadText does the same for a script that stands in no file, as if it stood in the working directory.
func (r *Runner) LoadText(ctx context.Context, name string, text []byte) (starlark.StringDict, error) {
	return r.main(ctx, func() (*module, error) {
		base, err := filepath.Abs(".")
		if err != nil {
			return nil, err
		}
		m := &module{key: "text:" + name, name: name, base: realPath(base)}
		m.setText(text)
		if !r.opt.Typed {
			m.fence = realPath(Root(filepath.Join(base, "text")))
		}
		return m, nil
	})
}

// LoadLibrary does the same for a script of the built-in library, such as "triage/cpu.star".
func (r *Runner) LoadLibrary(ctx context.Context, name string) (starlark.StringDict, error) {
	return r.main(ctx, func() (*module, error) { return r.libraryModule(strings.TrimPrefix(name, libraryPrefix)) })
}

// LoadModule loads a module of the built-in library, such as "lib/summary.star", which is no script of the run: it has
// no flags of its own.
func (r *Runner) LoadModule(ctx context.Context, name string) (starlark.StringDict, error) {
	return r.within(ctx, func() (*module, error) { return r.libraryModule(strings.TrimPrefix(name, libraryPrefix)) })
}

// main loads a module as a script of its own.
func (r *Runner) main(ctx context.Context, find func() (*module, error)) (starlark.StringDict, error) {
	return r.within(ctx, func() (*module, error) {
		m, err := find()
		if err != nil {
			return nil, err
		}
		r.addScript(m)
		if r.flags == nil {
			r.flags = newFlagSets()
		}
		r.flags.scan(r, m)
		return m, r.flags.check(r.opt.Env.Args, false)
	})
}

// within runs the module that find finds, under the limits of the run.
func (r *Runner) within(ctx context.Context, find func() (*module, error)) (globals starlark.StringDict, err error) {
	err = r.protect(ctx, func(ctx context.Context) error {
		m, err := find()
		if err != nil {
			return err
		}
		globals, err = r.run(ctx, m)
		return err
	})
	if err != nil {
		return nil, err
	}
	return globals, nil
}

// addScript puts a script into the provenance of reports, beside those before it.
func (r *Runner) addScript(m *module) {
	s := binding.Script{Name: m.name, Hash: r.hashOf(m)}
	for _, old := range r.scripts {
		if old == s {
			return
		}
	}
	r.scripts = append(r.scripts, s)
	if len(r.scripts) > 1 {
		s.Name = r.opt.Env.Script.Name + " + " + s.Name
		s.Hash = r.opt.Env.Script.Hash + " + " + s.Hash
	}
	r.opt.Env.Script = s
}

// hashOf is the SHA-256 of a script with the files that it is divided into behind it: cat mali.star mali/*.star |
// sha256sum gives the same.
func (r *Runner) hashOf(m *module) string {
	h := sha256.New()
	for _, file := range append([]*module{m}, r.partsOf(m)...) {
		if file.mark {
			h.Write(byteOrderMark)
		}
		h.Write(file.text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// partsOf are the files that a script is divided into, in the order of their names: those in a folder of its name that
// it loads, directly or by others there.
func (r *Runner) partsOf(m *module) []*module {
	folder := strings.TrimSuffix(m.key, sourceSuffix)
	if m.library {
		folder = strings.TrimPrefix(folder, libraryPrefix)
	}
	parts := map[string]*module{}
	for next := []*module{m}; len(next) > 0; next = next[1:] {
		for _, name := range r.scanned(next[0]).loads {
			l, err := r.resolve(next[0], name)
			if err == nil && l.library == m.library && l.base == folder && parts[l.key] == nil {
				parts[l.key] = l
				next = append(next, l)
			}
		}
	}
	var out []*module
	for _, key := range slices.Sorted(maps.Keys(parts)) {
		out = append(out, parts[key])
	}
	return out
}

// Scripts lists the scripts that were loaded, without the modules that they load.
func (r *Runner) Scripts() []binding.Script { return r.scripts }

// Call calls a function of a loaded script in a thread of its own. Errors are of type *Error.
func (r *Runner) Call(ctx context.Context, fn starlark.Value, args starlark.Tuple,
	kwargs []starlark.Tuple) (v starlark.Value, err error) {
	name := "call"
	if f, ok := fn.(starlark.Callable); ok {
		name = f.Name()
	}
	err = r.protect(ctx, func(ctx context.Context) error {
		v, err = r.thread(ctx, name, func(thread *starlark.Thread) (starlark.Value, error) {
			return starlark.Call(thread, fn, args, kwargs)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Do runs Go code as Call runs a function: under the limits of the run, with ctx for what it asks of the run's
// environment.
func (r *Runner) Do(ctx context.Context, name string, f func() error) error {
	return r.protect(ctx, func(ctx context.Context) error {
		_, err := r.thread(ctx, name, func(*starlark.Thread) (starlark.Value, error) { return starlark.None, f() })
		return err
	})
}

// Loader is the load function for threads that a session runs itself. Relative paths are those of the file that the
// session runs, or of the working directory for what was typed.
func (r *Runner) Loader() func(*starlark.Thread, string) (starlark.StringDict, error) {
	return func(thread *starlark.Thread, name string) (globals starlark.StringDict, err error) {
		err = r.protect(r.opt.Env.Context(), func(ctx context.Context) error {
			globals, err = r.load(ctx, r.typedModule(thread), name)
			return err
		})
		if err != nil {
			return nil, err
		}
		return globals, nil
	}
}

// typedModule stands for the file that a session's thread runs.
func (r *Runner) typedModule(thread *starlark.Thread) *module {
	name := thread.Name
	if thread.CallStackDepth() > 0 {
		name = thread.CallFrame(0).Pos.Filename()
	}
	dir := "."
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		dir = filepath.Dir(name)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	m := &module{key: "typed:" + name, name: name, base: abs}
	if !r.opt.Typed {
		m.fence = realPath(Root(filepath.Join(abs, "typed")))
	}
	return m
}

// run runs the top level of a module once, and returns its globals.
func (r *Runner) run(ctx context.Context, m *module) (starlark.StringDict, error) {
	if old := r.modules[m.key]; old != nil {
		m = old
	}
	r.modules[m.key] = m
	if m.done {
		return m.globals, m.err
	}
	for i, l := range r.loading {
		if l == m {
			return nil, cycle(append(r.loading[i:len(r.loading):len(r.loading)], m))
		}
	}
	r.loading = append(r.loading, m)
	defer func() { r.loading = r.loading[:len(r.loading)-1] }()

	r.text.add(m.name, m.text)
	predeclared := r.predeclaredOf(m)
	program, err := r.program(m)
	if err != nil {
		delete(r.modules, m.key)
		return nil, mistakes.Explain(err, string(m.text), 1, predeclared)
	}
	defer r.flags.lend(r.opt.Env, m)()
	_, err = r.thread(ctx, m.name, func(thread *starlark.Thread) (starlark.Value, error) {
		globals, err := program.Init(thread, predeclared)
		globals.Freeze()
		m.globals = globals
		return starlark.None, err
	})
	if err != nil && (r.opt.Typed || ctx.Err() != nil) {
		delete(r.modules, m.key) // a person tries again
		return nil, err
	}
	if err != nil {
		m.globals = nil
	}
	m.done, m.err = true, err
	return m.globals, m.err
}

// predeclaredOf are the names that a module finds.
func (r *Runner) predeclaredOf(m *module) starlark.StringDict {
	if isTestFile(m.name) {
		return r.testing
	}
	return r.predeclared
}

// compile makes a module's text runnable.
func (r *Runner) compile(m *module) (*starlark.Program, error) {
	program, err := r.prepared(m).program()
	delete(r.ready, m.key) // it runs once
	return program, err
}

// prepared is a module on its way to be run: of a file whose flags were read before it runs, the same.
func (r *Runner) prepared(m *module) *prepared {
	if p := r.ready[m.key]; p != nil && bytes.Equal(p.text, m.text) {
		return p
	}
	predeclared := r.predeclaredOf(m)
	tree := sync.OnceValues(func() (*syntax.File, error) {
		if err := guards.CheckNumbers(m.name, m.text); err != nil {
			return nil, err
		}
		return dialect().Parse(m.name, m.text, 0)
	})
	p := &prepared{text: m.text}
	p.scanned = sync.OnceValue(func() scanned {
		file, err := tree()
		return scanFlags(p.text, file, err)
	})
	p.program = sync.OnceValues(func() (*starlark.Program, error) {
		p.scanned() // before what is compiled is written into the tree
		file, err := tree()
		if err != nil {
			return nil, err
		}
		guards.Rewrite(file, predeclared)
		return starlark.FileProgram(file, predeclared.Has)
	})
	if head, code, ok := r.compiledModule(m); ok {
		compile := p.program
		p.scanned = head.scanned
		p.program = sync.OnceValues(func() (*starlark.Program, error) {
			if program, err := readProgram(m, code); err == nil {
				return program, nil
			}
			return compile()
		})
	}
	r.ready[m.key] = p
	return p
}

// prepared is a module before it runs. Any goroutine may ask for it, and does what is yet to be done.
type prepared struct {
	text    []byte
	scanned func() scanned // its flags, and what it loads
	program func() (*starlark.Program, error)
}

// Ahead begins to prepare modules of the built-in library, which are named as LoadLibrary does, while the caller does
// something else. Those that are not there are nothing to it: loading them is an error.
func (r *Runner) Ahead(names ...string) {
	var list []*prepared
	for _, name := range names {
		if m, err := r.libraryModule(strings.TrimPrefix(name, libraryPrefix)); err == nil && !m.done && r.opt.Bundle == nil {
			list = append(list, r.prepared(m))
		}
	}
	go func() {
		for _, p := range list {
			p.program()
		}
	}()
}

// cycle is the error of modules that load each other.
func cycle(chain []*module) error {
	names := make([]string, len(chain))
	for i, m := range chain {
		names[i] = m.name
	}
	return fmt.Errorf("cycle of loads: %s", strings.Join(names, " loads "))
}

// thread runs f with a new thread under ctx: the one place that calls into Starlark. A value that was used where one
// bool is needed, and a mistake in a builtin, come back as errors.
func (r *Runner) thread(ctx context.Context, name string,
	f func(*starlark.Thread) (starlark.Value, error)) (v starlark.Value, err error) {
	thread := &starlark.Thread{
		Name:  name,
		Print: func(_ *starlark.Thread, text string) { r.opt.Print(text) },
		Load: func(_ *starlark.Thread, name string) (starlark.StringDict, error) {
			return r.load(ctx, r.loading[len(r.loading)-1], name)
		},
	}
	r.beginThread(ctx, thread)
	defer r.endThread()
	stop := context.AfterFunc(ctx, func() { thread.Cancel(context.Cause(ctx).Error()) })
	defer stop()
	defer r.opt.Env.Enter(ctx, thread)()
	defer memory.FaultsPanic()()
	defer recoverInternal(&err)
	defer guards.Recover(&err)
	return f(thread)
}

// protect runs f, which calls into Starlark, under the limits of the run, and gives its errors their final form.
func (r *Runner) protect(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ctx = context.WithValue(ctx, stopKey{}, cancel)
	if r.active == 0 {
		if r.began.IsZero() {
			r.began = time.Now()
		}
		defer r.watch(cancel)()
	}
	r.active++
	err := f(ctx)
	r.active--
	if err == nil {
		return nil
	}
	return r.finish(ctx, err)
}

// stopKey is the key of the function that stops a run with a cause.
type stopKey struct{}

func stopRun(ctx context.Context, cause error) {
	if cancel, ok := ctx.Value(stopKey{}).(context.CancelCauseFunc); ok {
		cancel(cause)
	}
}

// finish gives an error the reason why the run was stopped, if it was, and the source text.
func (r *Runner) finish(ctx context.Context, err error) error {
	var done *Error
	if errors.As(err, &done) {
		return err
	}
	e := &Error{err: err, text: r.text}
	if cause := context.Cause(ctx); cause != nil {
		var s *stopped
		if !errors.As(cause, &s) {
			s = &stopped{ErrInterrupted, "interrupted"}
			if errors.Is(cause, context.DeadlineExceeded) {
				s = &stopped{ErrTimeLimit, "time limit reached"}
			}
		}
		e.stop = s
		stack, _, _ := repl.Unwind(err)
		e.err = &starlark.EvalError{Msg: s.text, CallStack: stack}
	}
	return e
}
