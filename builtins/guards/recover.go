package guards

import (
	"go.starlark.net/starlark"

	"astrolabe/capture/memory"
)

// Recover turns the panic of a guarded value into the error of the statement that it stopped, and adds to errors of the
// language what it cannot know about our values. Every function that calls into Starlark from the outside defers it:
// defer guards.Recover(&err). Other panics pass through.
func Recover(err *error) {
	switch p := recover().(type) {
	case nil:
		*err = hint(*err)
	case *starlark.EvalError: // of Env.Stop
		*err = p
	default:
		known := memory.Caught(p)
		if known == nil {
			panic(p)
		}
		*err = known
	}
}
