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
	Args   []starlark.Value // one per parameter, nil where the default holds; Arg and the like read them by name
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

// place is the place of the parameter of that name. A test compares the names that functions ask for with their
// signatures.
func (c *Call) place(name string) int {
	i := slices.IndexFunc(c.Sig.Params, func(p Param) bool { return p.Name == name })
	if i < 0 {
		panic(fmt.Sprintf("%s has no parameter %s", c.Sig.Call(), name))
	}
	return i
}

// Arg is the argument of that name, nil where it was not given or is None.
func (c *Call) Arg(name string) starlark.Value { return c.Args[c.place(name)] }

// Has reports whether the argument was given and is not None.
func (c *Call) Has(name string) bool { return c.Arg(name) != nil }

// Value is the argument of that name, None where it was not given.
func (c *Call) Value(name string) starlark.Value {
	if v := c.Arg(name); v != nil {
		return v
	}
	return starlark.None
}

// Str is the argument of that name as text, or def.
func (c *Call) Str(name, def string) string {
	if s, ok := c.Arg(name).(starlark.String); ok {
		return string(s)
	}
	return def
}

// Float is the argument of that name as a double, or def.
func (c *Call) Float(name string, def float64) float64 {
	v := c.Arg(name)
	if v == nil {
		return def
	}
	f, _ := starlark.AsFloat(v)
	return f
}

// Flag is the argument of that name as a bool, or def.
func (c *Call) Flag(name string, def bool) bool {
	if b, ok := c.Arg(name).(starlark.Bool); ok {
		return bool(b)
	}
	return def
}

// Integer is the argument of that name as an int, or def. Numbers that no int can hold are an error.
func (c *Call) Integer(name string, def int) (int, error) {
	v := c.Arg(name)
	if v == nil {
		return def, nil
	}
	n, err := starlark.AsInt32(v)
	if err != nil {
		return 0, fmt.Errorf("parameter %s: %w", name, err)
	}
	return n, nil
}

// Duration is the argument of that name in ns, or def.
func (c *Call) Duration(name string, def int64) (int64, error) {
	v := c.Arg(name)
	if v == nil {
		return def, nil
	}
	ns, err := AsDuration(v)
	if err != nil {
		return 0, fmt.Errorf("parameter %s: %w", name, err)
	}
	return ns, nil
}
