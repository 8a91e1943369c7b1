package modules

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/capture/formats"
)

// captureOptions reads the options that open and from_columns share. What is left over goes into Extra.
func captureOptions(c *binding.Call) (formats.Options, error) {
	o := formats.Options{}
	for _, kv := range c.Extra {
		name := string(kv[0].(starlark.String))
		v := kv[1]
		if v == starlark.None {
			continue
		}
		choice := func(dst *string, allowed ...string) error {
			s, ok := starlark.AsString(v)
			for _, a := range allowed {
				if ok && s == a {
					*dst = s
					return nil
				}
			}
			return fmt.Errorf("option %s: %s is none of %q", name, v, allowed)
		}
		var err error
		switch name {
		case "denom":
			err = choice(&o.Denom, "per_kernel", "per_wave", "per_cycle", "per_second")
		case "duration":
			err = choice(&o.Duration, "pass", "median", "first")
		case "zero":
			err = choice(&o.Zero, "missing", "vendor")
		case "properties":
			o.Properties, err = readProperties(v)
		default:
			if o.Extra == nil {
				o.Extra = map[string]any{}
			}
			o.Extra[name], err = plain(v)
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// openPath opens a capture of a file or folder that the run may read.
func openPath(e *binding.Env, path string, opt formats.Options) (*values.Capture, error) {
	if e.Files != nil {
		opt.Beside = e.Files.Beside
	}
	ctx, done := e.Begin("opening " + path)
	defer done()
	out, err := binding.Await(ctx, func() (*capture.Capture, error) { return e.Registry.Open(ctx, path, opt) })
	if err != nil {
		return nil, err
	}
	return values.NewCapture(e, out), nil
}

// plain is a Starlark value as formats take options: bool, int64, float64, string or []string.
func plain(v starlark.Value) (any, error) {
	switch v := v.(type) {
	case starlark.Bool:
		return bool(v), nil
	case starlark.String:
		return string(v), nil
	case starlark.Float:
		return float64(v), nil
	case starlark.Int:
		n, ok := v.Int64()
		if !ok {
			return nil, fmt.Errorf("%s is too large", v)
		}
		return n, nil
	}
	return binding.AsStrings(v)
}

// readKinds reads a dict of name or pattern to kind, or one kind.
func readKinds(v starlark.Value) (formats.Kinds, error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	if s, ok := starlark.AsString(v); ok {
		k, err := formats.ParseKind(s)
		return formats.Kinds{"*": k}, err
	}
	texts, err := textMap(v)
	if err != nil {
		return nil, err
	}
	out := formats.Kinds{}
	for name, text := range texts {
		if out[name], err = formats.ParseKind(text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func openCapture(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	if e.Registry == nil {
		return nil, errors.New("this session knows no file formats")
	}
	opt, err := captureOptions(c)
	if err != nil {
		return nil, err
	}
	opt.Format, opt.GPU, opt.Force = c.Str("format", ""), c.Str("gpu", ""), c.Flag("force", false)
	if opt.Kinds, err = readKinds(c.Arg("kinds")); err != nil {
		return nil, fmt.Errorf("parameter kinds: %w", err)
	}
	path, err := e.Input(c.Str("path", ""))
	if err != nil {
		return nil, err
	}
	out, err := openPath(e, path, opt)
	if err != nil {
		return nil, err
	}
	return out, nil
}
