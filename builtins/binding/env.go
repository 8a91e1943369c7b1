package binding

import (
	"context"
	"fmt"
	"io"
	"sync"

	"go.starlark.net/starlark"

	"astrolabe/builtins/characters"
	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/memory"
	"astrolabe/capture/metrics"
	"astrolabe/hwio"
	"astrolabe/hwio/session"
	"astrolabe/plots/canvas"
)

// Files decides what a run may read and write. Paths are as the script wrote them; those returned may be handed to the
// system.
type Files interface {
	// Open opens a file for reading.
	Open(path string) (io.ReadCloser, error)
	// Input returns where to read a file or folder from, after checking that the run may read all of it.
	Input(path string) (string, error)
	// Beside checks a file or folder that is read because a file beside it was opened.
	Beside(path string) error
	// Output returns where to write a file, after checking that the run may. It makes the folders above it.
	Output(path string) (string, error)
}

// RecordRequest is what capture.record asks for. Zero fields take the recorder's defaults.
type RecordRequest struct {
	Sources  []string
	Counters []string
	Period   int64 // ns
	Duration int64 // ns; 0 records until the command ends
	Split    int64 // ns of each part of a folder; 0 writes one file
	Last     int64 // ns of the end that is kept; 0 keeps all
	Command  []string
	Out      string            // path, already checked; "" lets the recorder choose
	Sets     []string          // metric sets to measure in turn
	Options  map[string]string // of the sources
}

// Picture is a chart to be shown.
type Picture struct {
	Name string      // what it is, in a line
	Size canvas.Size // as asked for; what is 0 is left to whoever shows it
	// Draw writes it in a format of pictures, such as "png".
	Draw func(w io.Writer, format string, size canvas.Size) error
	Text func(s characters.Style) (string, error) // the same in characters; nil where it is a picture only
}

// PNG writes the picture in the size that was asked for.
func (p Picture) PNG(w io.Writer) error { return p.Draw(w, "png", p.Size) }

// Script identifies the running script in the provenance of reports.
type Script struct {
	Name string // path as given, or the library's name of it
	Hash string // SHA-256 of the source, hex
}

// Env is everything the values of one run share: what they may touch, whom they talk to, and what stops them. One Env
// serves one thread at a time.
type Env struct {
	Registry *formats.Registry
	Sources  func() []hwio.Source // every reader; nil where there are none
	// Record makes a recording and returns its path; nil where the run may not record.
	Record func(ctx context.Context, r RecordRequest) (string, error)
	Files  Files
	Warn   func(text string) // talk for standard error
	Wrote  func(path string) // told of every file written
	// Busy is told what begins that may take long, such as "opening game.arrow", and returns the context that the work
	// runs under, whose meter of progress it may watch, and what is called at the end; nil is not told.
	Busy func(ctx context.Context, what string) (under context.Context, done func())
	// Show shows a picture and says how: "" where it drew it, else the path of a file.
	Show func(p Picture) (string, error)

	// Table is the table ACCOUNT of what a GPU has, by the GPU's id; nil where there is none of it.
	Table func(ctx context.Context, gpu string) (*starlark.Dict, error)

	// Contain is told of an error in a part of a page that attempt stands for, and the run goes on without that part;
	// nil ends the run.
	Contain func(what string, err error)

	Width   int      // display cells of a line of output; 0 if not known
	Height  int      // lines of the screen; 0 if not known
	ASCII   bool     // charts in characters have none beyond ASCII
	Theme   string   // the look of pictures that are shown where a script does not say; "" is the usual one
	Args    []string // of the script
	Script  Script
	Version string // of astrolabe
	Command string // the command line of the run, for reports to say how to make them again; "" where there is none
	Clock   bool   // time.now is allowed
	Exec    bool   // commands are allowed
	Testing bool   // assert is there
	// Golden compares text with a golden file of the running test file; nil outside tests.
	Golden func(name, text string) error

	// CommandOutput takes the output of commands that a session measures; nil discards it.
	CommandOutput io.Writer

	mu          sync.Mutex
	ctx         context.Context
	thread      *starlark.Thread
	definitions []*metrics.Entry
	defines     int
	warned      map[string]bool
	declared    []Flag
	used        []string // flags given, as name=value

	SessionLog session.Log // what capture.session.on_log asked for
	Logging    bool        // its callback runs
}

// Enter says that thread now runs under ctx. The function it returns undoes that.
func (e *Env) Enter(ctx context.Context, thread *starlark.Thread) (leave func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	oldCtx, oldThread := e.ctx, e.thread
	e.ctx, e.thread = ctx, thread
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.ctx, e.thread = oldCtx, oldThread
	}
}

// Plain reports whether charts in characters have none beyond ASCII.
func (e *Env) Plain() bool { return e != nil && e.ASCII }

// Context is the context of the running statement.
func (e *Env) Context() context.Context {
	if e == nil {
		return context.Background()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ctx == nil {
		return context.Background()
	}
	return e.ctx
}

func (e *Env) Running() *starlark.Thread {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.thread
}

// Told keeps the run quiet about what the user was told before it.
func (e *Env) Told(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.warned == nil {
		e.warned = map[string]bool{}
	}
	e.warned[text] = true
}

// Warnf tells the user something once per run.
func (e *Env) Warnf(format string, args ...any) { e.WarnText(fmt.Sprintf(format, args...)) }

func (e *Env) WarnText(text string) {
	e.mu.Lock()
	seen := e.warned[text]
	if e.warned == nil {
		e.warned = map[string]bool{}
	}
	e.warned[text] = true
	e.mu.Unlock()
	if !seen && e.Warn != nil {
		e.Warn(text)
	}
}

// Begin says that something begins which may take long, and under which context. The function it returns says that it
// is over.
func (e *Env) Begin(what string) (ctx context.Context, done func()) {
	ctx = e.Context()
	if e.Busy == nil {
		return ctx, func() {}
	}
	return e.Busy(ctx, what)
}

// Written reports a written file.
func (e *Env) Written(path string) {
	if e.Wrote != nil {
		e.Wrote(path)
	}
}

// Input, output and open ask Files, and refuse where there is none.
func (e *Env) Input(path string) (string, error) {
	if e.Files == nil {
		return "", fmt.Errorf("this session has no access to files")
	}
	return e.Files.Input(path)
}

func (e *Env) Output(path string) (string, error) {
	if e.Files == nil {
		return "", fmt.Errorf("this session has no access to files")
	}
	return e.Files.Output(path)
}

// Await runs f, which cannot be interrupted itself, and returns early where the run is stopped. f then goes on alone:
// it may only touch values that nobody changes.
func Await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	done := make(chan awaited[T], 1)
	go func() {
		var r awaited[T]
		defer func() { done <- r }()
		r.run(f)
	}()
	select {
	case r := <-done:
		if ctx.Err() == nil { // chance decides where both have happened
			return r.result()
		}
	case <-ctx.Done():
	}
	var zero T
	return zero, context.Cause(ctx)
}

// AwaitValues is Await for f that goes through the values of a counter. Where these are few and at hand it runs f at
// once: telling another goroutine takes longer, and a script asks a thousand times.
func AwaitValues[T any](ctx context.Context, of *capture.Counter, f func() (T, error)) (T, error) {
	if ctx.Err() != nil || !of.Brief() {
		return Await(ctx, f)
	}
	var r awaited[T]
	r.run(f)
	return r.result()
}

// awaited is what a function has come to.
type awaited[T any] struct {
	v     T
	err   error
	panic any
}

func (r *awaited[T]) run(f func() (T, error)) {
	defer memory.FaultsPanic()()
	defer func() {
		if r.panic = recover(); r.panic != nil {
			if err := memory.Caught(r.panic); err != nil {
				r.err, r.panic = err, nil
			}
		}
	}()
	r.v, r.err = f()
}

func (r *awaited[T]) result() (T, error) {
	if r.panic != nil {
		panic(r.panic)
	}
	return r.v, r.err
}

// Interruptible is await for the result of a method.
func Interruptible(c *Call, f func() (starlark.Value, error)) (starlark.Value, error) {
	v, err := Await(c.Env.Context(), f)
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (r *RecordRequest) SetOption(name, value string) {
	if r.Options == nil {
		r.Options = map[string]string{}
	}
	r.Options[name] = value
}
