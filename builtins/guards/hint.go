package guards

import (
	"errors"
	"fmt"
	"regexp"

	"go.starlark.net/starlark"

	"astrolabe/builtins/mistakes"
	"astrolabe/builtins/values"
)

var (
	ordering  = regexp.MustCompile(`^(\w+) (<|>|<=|>=) (\w+) not implemented$`)
	boolIndex = regexp.MustCompile(`^\w+ index: got bool, want int$`)
	noMethod  = regexp.MustCompile(`^string has no \.(\w+) field or method`)
)

// hint adds to an error of the language what to write instead: what it cannot know about our values, and what is a
// habit from elsewhere.
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
	if m := noMethod.FindStringSubmatch(eval.Msg); m != nil && values.CounterTable.Entry(m[1]) != nil {
		more = "this is a name and no counter: cap[name]." + m[1] +
			"; cap.counters gives names, cap.counters.values() the counters"
	}
	if boolIndex.MatchString(eval.Msg) {
		more = "comparisons of counters are methods: c.eq(5) gives a Mask, and cap.where(mask) selects samples"
	}
	if more == "" {
		more = mistakes.Runtime(eval.Msg)
	}
	if more == "" {
		return err
	}
	out := *eval
	out.Msg += "; " + more
	return &out
}
