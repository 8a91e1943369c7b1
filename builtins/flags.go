package builtins

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// Flag is a command-line flag that the script declared.
type Flag struct {
	Name    string
	Default starlark.Value
	Help    string
}

// UsageError is a mistake in the script's command line: the process exits 2. Help is set where the user asked for help, which
// is no mistake.
type UsageError struct {
	Msg  string
	Help bool
}

func (e *UsageError) Error() string { return e.Msg }

// flags declares the script's flags, reads them from the arguments and returns their values. What is left of the arguments is in
// the field args.
func flags(e *Env, c *call) (starlark.Value, error) {
	var list []Flag
	for _, kv := range c.extra {
		f := Flag{Name: string(kv[0].(starlark.String)), Default: kv[1]}
		if f.Name == "args" {
			return nil, errors.New("no flag can be called args: that field holds the other arguments")
		}
		if t, ok := kv[1].(starlark.Tuple); ok {
			help, isStr := starlark.AsString(last(t))
			if len(t) != 2 || !isStr {
				return nil, fmt.Errorf("flag %s: write name=default or name=(default, help)", f.Name)
			}
			f.Default, f.Help = t[0], help
		}
		if _, err := parseFlag(f, ""); errors.Is(err, errFlagType) {
			return nil, fmt.Errorf("flag %s: the default is %s, want bool, int, float, str or a list of str", f.Name, f.Default.Type())
		}
		list = append(list, f)
	}
	e.declare(list)

	values := starlark.StringDict{}
	for _, f := range list {
		values[f.Name] = f.Default
	}
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = "--" + strings.ReplaceAll(f.Name, "_", "-")
	}
	var rest, used []string
	for i := 0; i < len(e.Args); i++ {
		arg := e.Args[i]
		if arg == "--" {
			rest = append(rest, e.Args[i+1:]...)
			break
		}
		if !strings.HasPrefix(arg, "--") {
			rest = append(rest, arg)
			continue
		}
		name, text, has := strings.Cut(arg[2:], "=")
		if name == "help" {
			return nil, &UsageError{Msg: e.flagHelp(list), Help: true}
		}
		f, no, ok := findFlag(list, name)
		if !ok {
			return nil, &UsageError{Msg: fmt.Sprintf("unknown flag --%s%s\n\n%s", name, didYouMean("--"+name, names), e.flagHelp(list))}
		}
		_, isBool := f.Default.(starlark.Bool)
		switch {
		case no && has:
			return nil, &UsageError{Msg: fmt.Sprintf("flag --%s takes no value", name)}
		case no:
			text = "false"
		case isBool && !has:
			text = "true"
		case !has:
			if i++; i >= len(e.Args) {
				return nil, &UsageError{Msg: fmt.Sprintf("flag --%s needs a value", name)}
			}
			text = e.Args[i]
		}
		v, err := parseFlag(f, text)
		if err != nil {
			return nil, &UsageError{Msg: fmt.Sprintf("flag --%s: %v", name, err)}
		}
		if l, ok := values[f.Name].(*starlark.List); ok && l != f.Default {
			v = frozenList(append(elements(l), elements(v.(*starlark.List))...)) // given again: one more
		}
		values[f.Name] = v
		used = append(used, f.Name+"="+text)
	}
	values["args"] = stringList(rest)
	e.mu.Lock()
	e.used = append(e.used, used...)
	e.mu.Unlock()
	s := starlarkstruct.FromStringDict(starlark.String("flags"), values)
	s.Freeze()
	return s, nil
}

// declare remembers flags for the provenance of reports; several files of a run may declare some.
func (e *Env) declare(list []Flag) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range list {
		at := slices.IndexFunc(e.declared, func(have Flag) bool { return have.Name == f.Name })
		if at < 0 {
			e.declared = append(e.declared, f)
			continue
		}
		e.declared[at] = f
	}
}

func last(t starlark.Tuple) starlark.Value {
	if len(t) == 0 {
		return starlark.None
	}
	return t[len(t)-1]
}

func elements(l *starlark.List) []starlark.Value {
	out := make([]starlark.Value, l.Len())
	for i := range out {
		out[i] = l.Index(i)
	}
	return out
}

// findFlag finds a flag by its name, with - or _, or a bool's by no-NAME.
func findFlag(list []Flag, name string) (f Flag, no, ok bool) {
	name = strings.ReplaceAll(name, "-", "_")
	for _, f := range list {
		if f.Name == name {
			return f, false, true
		}
	}
	for _, f := range list {
		if _, isBool := f.Default.(starlark.Bool); isBool && "no_"+f.Name == name {
			return f, true, true
		}
	}
	return Flag{}, false, false
}

var errFlagType = errors.New("a flag has no such type")

// parseFlag reads text as the type of the flag's default.
func parseFlag(f Flag, text string) (starlark.Value, error) {
	switch f.Default.(type) {
	case starlark.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("%q is neither true nor false", text)
		}
		return starlark.Bool(b), nil
	case starlark.Int:
		n, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no integer", text)
		}
		return starlark.MakeInt64(n), nil
	case starlark.Float:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no number", text)
		}
		return starlark.Float(x), nil
	case starlark.String, starlark.NoneType:
		return starlark.String(text), nil
	case *starlark.List:
		var out []starlark.Value
		for s := range strings.SplitSeq(text, ",") {
			out = append(out, starlark.String(s))
		}
		return frozenList(out), nil
	}
	return nil, errFlagType
}

// flagHelp describes the script's flags.
func (e *Env) flagHelp(list []Flag) string {
	var b strings.Builder
	name := e.Script.Name
	if name == "" {
		name = "the script"
	}
	fmt.Fprintf(&b, "Flags of %s:\n", name)
	width := len("--help")
	left := make([]string, len(list))
	for i, f := range list {
		left[i] = "--" + strings.ReplaceAll(f.Name, "_", "-")
		if _, isBool := f.Default.(starlark.Bool); !isBool {
			kind := f.Default.Type()
			if kind == "NoneType" || kind == "string" {
				kind = "text"
			}
			left[i] += "=" + strings.ToUpper(kind)
		}
		width = max(width, len(left[i]))
	}
	for i, f := range list {
		text := f.Help
		if f.Default != starlark.None {
			text = strings.TrimSpace(fmt.Sprintf("%s (default %s)", text, f.Default))
		}
		fmt.Fprintf(&b, "  %-*s  %s\n", width, left[i], text)
	}
	fmt.Fprintf(&b, "  %-*s  show this\n", width, "--help")
	return strings.TrimSuffix(b.String(), "\n")
}

// parameters lists the values of the declared flags that decide what the script does, for the provenance of reports; and those of them
// that were given.
func (e *Env) parameters() (all, given []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	used := map[string]string{}
	for _, u := range e.used {
		k, v, _ := strings.Cut(u, "=")
		used[k] = v
	}
	for _, f := range e.declared {
		v, ok := used[f.Name]
		if ok {
			given = append(given, f.Name+"="+v)
		} else if f.Default != starlark.None {
			v = f.Default.String()
		} else {
			continue
		}
		all = append(all, f.Name+"="+v)
	}
	return all, given
}
