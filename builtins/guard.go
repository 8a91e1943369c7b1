package builtins

import (
	"errors"
	"fmt"
	"regexp"

	"go.starlark.net/starlark"
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
		panic(p)
	}
}

var (
	ordering  = regexp.MustCompile(`^(\w+) (<|>|<=|>=) (\w+) not implemented$`)
	boolIndex = regexp.MustCompile(`^\w+ index: got bool, want int$`)
)

// hint adds to an error of the language what to write instead.
func hint(err error) error {
	var eval *starlark.EvalError
	if !errors.As(err, &eval) || error(eval) != err {
		return err
	}
	more := ""
	if m := ordering.FindStringSubmatch(eval.Msg); m != nil {
		method := map[string]string{"<": "lt", ">": "gt", "<=": "le", ">=": "ge"}[m[2]]
		mirrored := map[string]string{"<": "gt", ">": "lt", "<=": "ge", ">=": "le"}[m[2]]
		switch {
		case m[1] == "Counter":
			more = fmt.Sprintf("comparisons of counters are methods: write c.%s(x), which gives a Mask", method)
		case m[3] == "Counter":
			more = fmt.Sprintf("comparisons of counters are methods: write c.%s(x), which gives a Mask", mirrored)
		case m[1] == "NoneType" || m[3] == "NoneType":
			more = "a missing value is None: test it with x != None first"
		}
	}
	if boolIndex.MatchString(eval.Msg) {
		more = "comparisons of counters are methods: c.eq(5) gives a Mask, and cap.where(mask) selects samples"
	}
	if more == "" {
		return err
	}
	out := *eval
	out.Msg += "; " + more
	return &out
}
