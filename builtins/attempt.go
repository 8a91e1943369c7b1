package builtins

import (
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
)

// attempt calls a function. Where the run goes on after errors (Env.Contain) one in it is told there and something else
// stands for its result. What stops the run itself goes through: an interruption, a limit, and the script's own fail.
func attempt(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	v, err := try(e, c.Thread, c.Arg("f"))
	if err == nil {
		return v, nil
	}
	if !e.Contains(err) {
		return nil, err
	}
	e.Contain(c.Str("what", ""), err)
	return c.Value("otherwise"), nil
}

// try calls a function without arguments. A panic, of a value used where one bool is needed or by a mistake in a
// builtin, is an error where the run goes on after those.
func try(e *binding.Env, thread *starlark.Thread, f starlark.Value) (v starlark.Value, err error) {
	if e.Contain != nil {
		defer func() {
			switch p := recover().(type) {
			case nil:
			case *starlark.EvalError:
				err = p
			default:
				err = fmt.Errorf("internal error: %v", p)
			}
		}()
	}
	return starlark.Call(thread, f, nil, nil)
}
