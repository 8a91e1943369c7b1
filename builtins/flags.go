package builtins

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
)

// flags declares the script's flags, reads them from the arguments and returns their values. What is left of the
// arguments is in the field args.
func flags(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	var list []binding.Flag
	for _, kv := range c.Extra {
		f := binding.Flag{Name: string(kv[0].(starlark.String)), Default: kv[1]}
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
			return nil, fmt.Errorf("flag %s: the default is %s, want bool, int, float, str or a list of str", f.Name,
				f.Default.Type())
		}
		list = append(list, f)
	}
	e.Declare(list)

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
			return nil, &binding.UsageError{Msg: flagHelp(e, list), Help: true}
		}
		f, no, ok := findFlag(list, name)
		if !ok {
			return nil, &binding.UsageError{Msg: fmt.Sprintf("unknown flag --%s%s\n\n%s", name,
				binding.DidYouMean("--"+name, names), flagHelp(e, list))}
		}
		_, isBool := f.Default.(starlark.Bool)
		switch {
		case no && has:
			return nil, &binding.UsageError{Msg: fmt.Sprintf("flag --%s takes no value", name)}
		case no:
			text = "false"
		case isBool && !has:
			text = "true"
		case !has:
			if i++; i >= len(e.Args) {
				return nil, &binding.UsageError{Msg: fmt.Sprintf("flag --%s needs a value", name)}
			}
			text = e.Args[i]
		}
		v, err := parseFlag(f, text)
		if err != nil {
			return nil, &binding.UsageError{Msg: fmt.Sprintf("flag --%s: %v", name, err)}
		}
		if l, ok := values[f.Name].(*starlark.List); ok && l != f.Default {
			v = binding.FrozenList(append(elements(l), elements(v.(*starlark.List))...)) // given again: one more
		}
		values[f.Name] = v
		used = append(used, f.Name+"="+text)
	}
	values["args"] = binding.StringList(rest)
	e.Given(used)
	s := starlarkstruct.FromStringDict(starlark.String("flags"), values)
	s.Freeze()
	return s, nil
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
func findFlag(list []binding.Flag, name string) (f binding.Flag, no, ok bool) {
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
	return binding.Flag{}, false, false
}

var errFlagType = errors.New("a flag has no such type")

// parseFlag reads text as the type of the flag's default.
func parseFlag(f binding.Flag, text string) (starlark.Value, error) {
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
		return binding.FrozenList(out), nil
	}
	return nil, errFlagType
}

// flagHelp describes the script's flags.
func flagHelp(e *binding.Env, list []binding.Flag) string {
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
		width = max(width, notation.TextCells(left[i]))
	}
	for i, f := range list {
		text := f.Help
		if f.Default != starlark.None {
			text = strings.TrimSpace(fmt.Sprintf("%s (default %s)", text, f.Default))
		}
		fmt.Fprintf(&b, "  %s  %s\n", notation.Pad(left[i], width), text)
	}
	fmt.Fprintf(&b, "  %s  show this\n", notation.Pad("--help", width))
	return strings.TrimSuffix(b.String(), "\n")
}
