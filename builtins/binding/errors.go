package binding

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
)

// FailError is a script's own decision to stop: what it gave to fail.
type FailError struct{ Msg string }

func (e *FailError) Error() string { return "fail: " + e.Msg }

// Contains reports whether the run goes on after an error.
func (e *Env) Contains(err error) bool {
	var own *FailError
	var usage *UsageError
	return e.Contain != nil && e.Context().Err() == nil && !errors.As(err, &own) && !errors.As(err, &usage)
}

// UsageError is a mistake in the script's command line: the process exits 2. Help is set where the user asked for help,
// which is no mistake.
type UsageError struct {
	Msg  string
	Help bool
}

func (e *UsageError) Error() string { return e.Msg }

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
