package builtins

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
)

// FailError is a script's own decision to stop: what it gave to fail.
type FailError struct{ Msg string }

func (e *FailError) Error() string { return "fail: " + e.Msg }

// attempt calls a function. Where the run goes on after errors (Env.Contain) one in it is told there and something else stands for its
// result. What stops the run itself goes through: an interruption, a limit, and the script's own fail.
func attempt(e *Env, c *call) (starlark.Value, error) {
	v, err := e.try(c.thread, c.args[1])
	if err == nil {
		return v, nil
	}
	if !e.Contains(err) {
		return nil, err
	}
	e.Contain(c.str(0, ""), err)
	return c.value(2), nil
}

// Contains reports whether the run goes on after an error.
func (e *Env) Contains(err error) bool {
	var own *FailError
	var usage *UsageError
	return e.Contain != nil && e.Context().Err() == nil && !errors.As(err, &own) && !errors.As(err, &usage)
}

// try calls a function without arguments. A panic, of a value used where one bool is needed or by a mistake in a builtin, is an error where
// the run goes on after those.
func (e *Env) try(thread *starlark.Thread, f starlark.Value) (v starlark.Value, err error) {
	if e.Contain != nil {
		defer func() {
			switch p := recover().(type) {
			case nil:
			case guard:
				err = &starlark.EvalError{Msg: p.msg, CallStack: p.stack}
			default:
				err = fmt.Errorf("internal error: %v", p)
			}
		}()
	}
	return starlark.Call(thread, f, nil, nil)
}

// Place is where in a script an error arose, such as "triage/mali.star:294"; "" where that is not known.
func Place(err error) string {
	var eval *starlark.EvalError
	place := ""
	for errors.As(err, &eval) {
		for _, frame := range eval.CallStack { // the innermost frame of a script is the last one with a line
			if frame.Pos.IsValid() && frame.Pos.Line > 0 {
				place = fmt.Sprintf("%s:%d", frame.Pos.Filename(), frame.Pos.Line)
			}
		}
		err = eval.Unwrap()
	}
	return place
}
