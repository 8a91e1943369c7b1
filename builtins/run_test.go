package builtins_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins"
	"astrolabe/builtins/binding"
	"astrolabe/builtins/guards"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/arrow"
	"astrolabe/capture/formats/csv"
)

// folder is the Files of a test: it reads and writes below one folder.
type folder string

func (f folder) Open(path string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(string(f), path))
}
func (f folder) Input(path string) (string, error) { return filepath.Join(string(f), path), nil }
func (f folder) Beside(string) error               { return nil }
func (f folder) Output(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	return filepath.Join(string(f), path), nil
}

// run is one run of Starlark code with everything predeclared.
type run struct {
	env    *binding.Env
	names  starlark.StringDict
	warned []string
	wrote  []string
	out    []string
	ctx    context.Context
}

func newRun(t testing.TB, args ...string) *run {
	r := &run{ctx: t.Context()}
	r.env = &binding.Env{
		Registry: formats.NewRegistry(arrow.Format{}, csv.Format{}),
		Files:    folder(t.TempDir()),
		Warn:     func(s string) { r.warned = append(r.warned, s) },
		Wrote:    func(p string) { r.wrote = append(r.wrote, p) },
		Show: func(p binding.Picture) (string, error) {
			return "", p.PNG(io.Discard)
		},
		Args:    args,
		Script:  binding.Script{Name: "test.star", Hash: "0123456789abcdef0123456789abcdef"},
		Version: "test",
		Testing: true,
		Golden:  func(name, text string) error { return nil },
	}
	r.names = builtins.Predeclared(r.env)
	guards.Add(r.env, r.names)
	return r
}

var options = &syntax.FileOptions{Set: true, TopLevelControl: true, GlobalReassign: true}

// exec runs a program. Its globals are predeclared in the next.
func (r *run) exec(name, src string) (err error) {
	thread := &starlark.Thread{Name: name, Print: func(_ *starlark.Thread, s string) { r.out = append(r.out, s) }}
	defer guards.Recover(&err)
	defer r.env.Enter(r.ctx, thread)()
	stop := context.AfterFunc(r.ctx, func() { thread.Cancel("interrupted") })
	defer stop()
	file, err := options.Parse(name, src, 0)
	if err != nil {
		return err
	}
	guards.Rewrite(file, r.names)
	program, err := starlark.FileProgram(file, r.names.Has)
	if err != nil {
		return err
	}
	globals, err := program.Init(thread, r.names)
	for k, v := range globals {
		r.names[k] = v
	}
	return err
}

// eval is the value of an expression.
func (r *run) eval(t testing.TB, expr string) starlark.Value {
	t.Helper()
	if err := r.exec("eval", "_it = ("+expr+")"); err != nil {
		t.Fatalf("%s: %v", expr, trace(err))
	}
	return r.names["_it"]
}

func trace(err error) string {
	var e *starlark.EvalError
	if errors.As(err, &e) {
		return e.Backtrace()
	}
	return err.Error()
}

// errorLine is the innermost line of a file in the error's stack.
func errorLine(err error, file string) int {
	var list resolve.ErrorList
	if errors.As(err, &list) {
		return int(list[0].Pos.Line)
	}
	var e *starlark.EvalError
	if errors.As(err, &e) {
		for i := range e.CallStack {
			if fr := e.CallStack.At(i); fr.Pos.Filename() == file {
				return int(fr.Pos.Line)
			}
		}
	}
	return 0
}
