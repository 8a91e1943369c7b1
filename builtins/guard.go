package builtins

import (
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/capture/memory"
)

// Guard is the panic of a value that was used where Starlark needs one bool (or another place that has no error result). It
// carries the stack of that moment, because the interpreter unwinds it on the way up. Recover turns it into an error.
type guard struct {
	msg   string
	stack starlark.CallStack
}

// stop ends the running statement with msg.
func (e *Env) stop(format string, args ...any) {
	g := guard{msg: fmt.Sprintf(format, args...)}
	if e != nil {
		if t := e.running(); t != nil {
			g.stack = t.CallStack()
		}
	}
	panic(g)
}

// Recover turns the panic of a guarded value into the error of the statement that it stopped, and adds to errors of the language what
// it cannot know about our values. Every function that calls into Starlark from the outside defers it: defer builtins.Recover(&err).
// Other panics pass through.
func Recover(err *error) {
	switch p := recover().(type) {
	case nil:
		*err = hint(*err)
	case guard:
		*err = &starlark.EvalError{Msg: p.msg, CallStack: p.stack}
	default:
		known := memory.Caught(p)
		if known == nil {
			panic(p)
		}
		*err = known
	}
}
