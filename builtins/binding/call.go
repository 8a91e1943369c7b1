package binding

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"

	"astrolabe/capture/spelling"
)

// Call is one call of a method with its arguments bound to the parameters of the signature.
type Call struct {
	Env    *Env
	Thread *starlark.Thread
	Sig    *Signature
	Args   []starlark.Value // one per parameter, nil where the default holds
	Rest   starlark.Tuple   // of the *parameter
	Extra  []starlark.Tuple // of the **parameter
}

// nameError puts the function's name before an error, unless it comes from Starlark code that the function called.
func nameError(name string, err error) error {
	var eval *starlark.EvalError
	var own *FailError
	if errors.As(err, &eval) || errors.As(err, &own) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Bind matches arguments to parameters and checks their types.
func (c *Call) Bind(args starlark.Tuple, kwargs []starlark.Tuple) error {
	params := c.Sig.Params
	c.Args = make([]starlark.Value, len(params))
	positional := 0
	for positional < len(params) && !params[positional].Keyword {
		positional++
	}
	for i, a := range args {
		switch {
		case i < positional:
			c.Args[i] = a
		case c.Sig.Rest != nil:
			if err := checkType(c.Sig.Rest, a); err != nil {
				return err
			}
			c.Rest = append(c.Rest, a)
		default:
			return fmt.Errorf("got %d positional arguments, want at most %d: %s", len(args), positional, c.Sig.Call())
		}
	}
keywords:
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		for i := range params {
			if params[i].Name == name {
				if c.Args[i] != nil {
					return fmt.Errorf("got two values for parameter %s", name)
				}
				c.Args[i] = kv[1]
				continue keywords
			}
		}
		if c.Sig.Extra != "" {
			c.Extra = append(c.Extra, kv)
			continue
		}
		return fmt.Errorf("no parameter is called %s%s: %s", name, DidYouMean(name, c.Sig.Keywords()), c.Sig.Call())
	}
	for i := range params {
		p := &params[i]
		switch {
		case c.Args[i] == nil:
			if p.Default == "" {
				return fmt.Errorf("missing argument for %s: %s", p.Name, c.Sig.Call())
			}
		case c.Args[i] == starlark.None && p.Default != "":
			c.Args[i] = nil // None asks for the default
		default:
			if err := checkType(p, c.Args[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// DidYouMean is " (did you mean X?)", or nothing where no name is near.
func DidYouMean(name string, names []string) string {
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
		return IsNumber(v)
	case "None":
		return v == starlark.None
	case "duration":
		switch v.(type) {
		case starlark.String, startime.Duration:
			return true
		}
		return IsNumber(v)
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

func IsNumber(v starlark.Value) bool {
	switch v.(type) {
	case starlark.Int, starlark.Float:
		return true
	}
	return false
}

// Has reports whether argument i was given and is not None.
func (c *Call) Has(i int) bool { return c.Args[i] != nil }

// Value is argument i, None where it was not given.
func (c *Call) Value(i int) starlark.Value {
	if c.Args[i] == nil {
		return starlark.None
	}
	return c.Args[i]
}

// Str is argument i as text, or def.
func (c *Call) Str(i int, def string) string {
	if s, ok := c.Args[i].(starlark.String); ok {
		return string(s)
	}
	return def
}

// Float is argument i as a double, or def.
func (c *Call) Float(i int, def float64) float64 {
	if c.Args[i] == nil {
		return def
	}
	f, _ := starlark.AsFloat(c.Args[i])
	return f
}

// Flag is argument i as a bool, or def.
func (c *Call) Flag(i int, def bool) bool {
	if b, ok := c.Args[i].(starlark.Bool); ok {
		return bool(b)
	}
	return def
}

// Integer is argument i as an int, or def. Numbers that no int can hold are an error.
func (c *Call) Integer(i int, def int) (int, error) {
	if c.Args[i] == nil {
		return def, nil
	}
	n, err := starlark.AsInt32(c.Args[i])
	if err != nil {
		return 0, fmt.Errorf("parameter %s: %w", c.Sig.Params[i].Name, err)
	}
	return n, nil
}

// Duration is argument i in ns, or def.
func (c *Call) Duration(i int, def int64) (int64, error) {
	if c.Args[i] == nil {
		return def, nil
	}
	ns, err := AsDuration(c.Args[i])
	if err != nil {
		return 0, fmt.Errorf("parameter %s: %w", c.Sig.Params[i].Name, err)
	}
	return ns, nil
}
