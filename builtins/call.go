package builtins

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"

	"astrolabe/capture/spelling"
)

// call is one call of a method with its arguments bound to the parameters of the signature.
type call struct {
	env    *Env
	thread *starlark.Thread
	sig    *Signature
	args   []starlark.Value // one per parameter, nil where the default holds
	rest   starlark.Tuple   // of the *parameter
	extra  []starlark.Tuple // of the **parameter
}

// errNamed wraps an error that already names the function it came from.
type errNamed struct{ error }

func (e errNamed) Unwrap() error { return e.error }

// nameError puts the function's name before an error, unless it comes from Starlark code that the function called.
func nameError(name string, err error) error {
	var eval *starlark.EvalError
	var named errNamed
	if errors.As(err, &eval) || errors.As(err, &named) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// bind matches arguments to parameters and checks their types.
func (c *call) bind(args starlark.Tuple, kwargs []starlark.Tuple) error {
	params := c.sig.Params
	c.args = make([]starlark.Value, len(params))
	positional := 0
	for positional < len(params) && !params[positional].Keyword {
		positional++
	}
	for i, a := range args {
		switch {
		case i < positional:
			c.args[i] = a
		case c.sig.Rest != nil:
			if err := checkType(c.sig.Rest, a); err != nil {
				return err
			}
			c.rest = append(c.rest, a)
		default:
			return fmt.Errorf("got %d positional arguments, want at most %d: %s", len(args), positional, c.sig.Call())
		}
	}
keywords:
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		for i := range params {
			if params[i].Name == name {
				if c.args[i] != nil {
					return fmt.Errorf("got two values for parameter %s", name)
				}
				c.args[i] = kv[1]
				continue keywords
			}
		}
		if c.sig.Extra != "" {
			c.extra = append(c.extra, kv)
			continue
		}
		return fmt.Errorf("no parameter is called %s%s: %s", name, didYouMean(name, c.sig.Keywords()), c.sig.Call())
	}
	for i := range params {
		p := &params[i]
		switch {
		case c.args[i] == nil:
			if p.Default == "" {
				return fmt.Errorf("missing argument for %s: %s", p.Name, c.sig.Call())
			}
		case c.args[i] == starlark.None && p.Default != "":
			c.args[i] = nil // None asks for the default
		default:
			if err := checkType(p, c.args[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// didYouMean is " (did you mean X?)", or nothing where no name is near.
func didYouMean(name string, names []string) string {
	near := spelling.Near(name, names)
	if len(near) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(near, " or ") + "?)"
}

func checkType(p *Param, v starlark.Value) error {
	if p.Type == "" {
		return nil
	}
	for t := range strings.SplitSeq(p.Type, "|") {
		if hasType(t, v) {
			return nil
		}
	}
	err := fmt.Errorf("parameter %s: got %s, want %s", p.Name, v.Type(), strings.ReplaceAll(p.Type, "|", " or "))
	wants := func(t string) bool { return slices.Contains(strings.Split(p.Type, "|"), t) }
	switch got := v.Type(); {
	case got == "bool":
		err = fmt.Errorf("%w; comparisons of counters are methods, such as c.gt(5) or c.eq(5)", err)
	case wants("Counter") && got == "string":
		err = fmt.Errorf("%w; a counter is cap[\"Name\"], which the name alone is not", err)
	case wants("Counter") && got == "Capture":
		err = fmt.Errorf("%w; a counter of it is cap[\"Name\"]", err)
	case wants("Mask"):
		err = fmt.Errorf("%w; a mask comes from a comparison, such as cap[\"Name\"].gt(5)", err)
	case wants("Capture") && got == "string":
		err = fmt.Errorf("%w; capture.open(path) opens one", err)
	case got == "builtin_function_or_method":
		err = fmt.Errorf("%w; a function is called with () behind its name", err)
	}
	if p.Type == "duration" {
		err = fmt.Errorf(`%w in seconds or as text such as "10ms"`, err)
	}
	return err
}

// hasType reports whether v is of a type as signatures name it.
func hasType(t string, v starlark.Value) bool {
	switch t {
	case "any":
		return true
	case "number":
		return isNumber(v)
	case "None":
		return v == starlark.None
	case "duration":
		switch v.(type) {
		case starlark.String, startime.Duration:
			return true
		}
		return isNumber(v)
	case "str":
		_, ok := v.(starlark.String)
		return ok
	case "int":
		_, ok := v.(starlark.Int)
		return ok
	case "bool":
		_, ok := v.(starlark.Bool)
		return ok
	case "list": // anything that can be gone through
		_, str := v.(starlark.String)
		_, ok := v.(starlark.Iterable)
		return ok && !str
	case "dict":
		_, ok := v.(starlark.IterableMapping)
		return ok
	case "function":
		_, ok := v.(starlark.Callable)
		return ok
	}
	return v.Type() == t
}

func isNumber(v starlark.Value) bool {
	switch v.(type) {
	case starlark.Int, starlark.Float:
		return true
	}
	return false
}

// has reports whether argument i was given and is not None.
func (c *call) has(i int) bool { return c.args[i] != nil }

// value is argument i, None where it was not given.
func (c *call) value(i int) starlark.Value {
	if c.args[i] == nil {
		return starlark.None
	}
	return c.args[i]
}

// str is argument i as text, or def.
func (c *call) str(i int, def string) string {
	if s, ok := c.args[i].(starlark.String); ok {
		return string(s)
	}
	return def
}

// float is argument i as a double, or def.
func (c *call) float(i int, def float64) float64 {
	if c.args[i] == nil {
		return def
	}
	f, _ := starlark.AsFloat(c.args[i])
	return f
}

// flag is argument i as a bool, or def.
func (c *call) flag(i int, def bool) bool {
	if b, ok := c.args[i].(starlark.Bool); ok {
		return bool(b)
	}
	return def
}

// integer is argument i as an int, or def. Numbers that no int can hold are an error.
func (c *call) integer(i int, def int) (int, error) {
	if c.args[i] == nil {
		return def, nil
	}
	n, err := starlark.AsInt32(c.args[i])
	if err != nil {
		return 0, fmt.Errorf("parameter %s: %w", c.sig.Params[i].Name, err)
	}
	return n, nil
}

// duration is argument i in ns, or def.
func (c *call) duration(i int, def int64) (int64, error) {
	if c.args[i] == nil {
		return def, nil
	}
	ns, err := asDuration(c.args[i])
	if err != nil {
		return 0, fmt.Errorf("parameter %s: %w", c.sig.Params[i].Name, err)
	}
	return ns, nil
}
