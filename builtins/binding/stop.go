package binding

import (
	"fmt"

	"go.starlark.net/starlark"
)

// Stop ends the running statement with msg: a value was used where Starlark needs one bool, or in another place that
// has no error result. It panics with the error and the stack of that moment, because the interpreter unwinds it on the
// way up; Recover makes it the statement's error.
func (e *Env) Stop(format string, args ...any) {
	stopped := &starlark.EvalError{Msg: fmt.Sprintf(format, args...)}
	if e != nil {
		if t := e.Running(); t != nil {
			stopped.CallStack = t.CallStack()
		}
	}
	panic(stopped)
}
