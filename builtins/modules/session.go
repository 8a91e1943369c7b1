package modules

import (
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/metrics/formula"
	"astrolabe/hwio"
	"astrolabe/hwio/session"
)

// openSession is capture.session.
func openSession(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	opt := map[string]starlark.Value{}
	for _, kv := range c.Extra {
		if kv[1] != starlark.None {
			opt[string(kv[0].(starlark.String))] = kv[1]
		}
	}
	take := func(name string) starlark.Value {
		v := opt[name]
		delete(opt, name)
		return v
	}
	limit, err := c.Integer("max_per_pass", 0)
	if err != nil {
		return nil, err
	}
	if limit < 0 || c.Has("max_per_pass") && limit == 0 {
		return nil, fmt.Errorf("parameter max_per_pass: %d is no number of counters", limit)
	}
	hide, err := hidden(take("hide"))
	if err != nil {
		return nil, err
	}
	names, err := namesOf(c.Arg("source"))
	if err != nil {
		return nil, fmt.Errorf("parameter source: %w", err)
	}
	name, backend := session.GPA, session.Backend(nil)
	if len(names) == 1 && names[0] == session.GPA {
		backend, err = resultsBackend(e, c, take("raw"), limit, opt)
	} else {
		name, backend, err = sourcesBackend(e, names, take("counters"), take("pid"), limit, opt)
	}
	if err != nil {
		return nil, err
	}
	return values.NewSession(e, name, backend, hide)
}

// namesOf is a text or a list of them.
func namesOf(v starlark.Value) ([]string, error) {
	if s, ok := v.(starlark.String); ok {
		return []string{string(s)}, nil
	}
	return binding.AsStrings(v)
}

// hidden reads the option hide. Hardware counters are hidden unless it says otherwise.
func hidden(v starlark.Value) ([]session.Kind, error) {
	if v == nil {
		return []session.Kind{session.KindHardware}, nil
	}
	names, err := namesOf(v)
	if err != nil {
		return nil, fmt.Errorf("option hide: %w", err)
	}
	var kinds []session.Kind
	for _, n := range names {
		if !slices.Contains(session.Kinds, session.Kind(n)) {
			return nil, fmt.Errorf("option hide: %q is none of \"public\", \"software\", \"hardware\"", n)
		}
		kinds = append(kinds, session.Kind(n))
	}
	return kinds, nil
}

// resultsBackend measures with stored hardware results. What is left of the options are constants of the device.
func resultsBackend(e *binding.Env, c *binding.Call, raw starlark.Value, limit int,
	opt map[string]starlark.Value) (session.Backend, error) {
	o := session.ResultOptions{MaxPerPass: limit}
	for name, dst := range map[string]*string{"generation": &o.Generation, "api": &o.API, "asic": &o.ASIC} {
		if v, given := opt[name]; given {
			text, ok := starlark.AsString(v)
			if !ok {
				return nil, fmt.Errorf("option %s: got %s, want str", name, v.Type())
			}
			*dst = text
			delete(opt, name)
		}
	}
	constants := starlark.NewDict(len(opt))
	for name, v := range opt {
		if !slices.Contains(formula.DeviceConstants(), name) {
			return nil, fmt.Errorf("no option is called %s%s; constants of the device are %q", name,
				binding.DidYouMean(name, formula.DeviceConstants()), formula.DeviceConstants())
		}
		constants.SetKey(starlark.String(name), v)
	}
	var err error
	if o.Properties, err = readProperties(constants); err != nil {
		return nil, err
	}
	results, err := rawResults(e, c, raw)
	if err != nil {
		return nil, fmt.Errorf("option raw: %w", err)
	}
	return session.OverResults(results, o), nil
}

// rawResults reads the option raw: a capture, the path of one, or a dict of columns, in which a number is a column of
// one sample.
func rawResults(e *binding.Env, c *binding.Call, raw starlark.Value) (*capture.Capture, error) {
	switch v := raw.(type) {
	case nil:
		return nil, errors.New(
			"give the hardware results that were measured: a file, a Capture, or a dict of hardware counter to values")
	case *values.Capture:
		return v.Capture, nil
	case starlark.String:
		path, err := e.Input(string(v))
		if err != nil {
			return nil, err
		}
		out, err := openPath(e, path, formats.Options{})
		if err != nil {
			return nil, err
		}
		return out.Capture, nil
	case starlark.IterableMapping:
		columns := starlark.NewDict(8)
		for _, kv := range v.Items() {
			x := kv[1]
			if binding.IsNumber(x) {
				x = starlark.NewList([]starlark.Value{x})
			}
			if err := columns.SetKey(kv[0], x); err != nil {
				return nil, err
			}
		}
		sig, err := binding.ParseSignature(
			"from_columns(columns, times=None, period=None, gpu=None, labels=None, properties=None, units=None, kinds=None, name=None)")
		if err != nil {
			return nil, err
		}
		build := &binding.Call{Env: e, Thread: c.Thread, Sig: sig}
		if err := build.Bind(starlark.Tuple{columns}, nil); err != nil {
			return nil, err
		}
		out, err := fromColumns(e, build)
		if err != nil {
			return nil, err
		}
		return out.(*values.Capture).Capture, nil
	}
	return nil, fmt.Errorf("got %s, want str, dict or Capture", raw.Type())
}

// sourcesBackend measures with readers. What is left of the options are the readers' own.
func sourcesBackend(e *binding.Env, names []string, counters, pid starlark.Value, limit int,
	opt map[string]starlark.Value) (string, session.Backend, error) {
	if e.Sources == nil {
		return "", nil, errors.New("this session has no readers of hardware")
	}
	o := session.SourceOptions{MaxPerPass: limit, Options: map[string]string{}}
	if counters != nil {
		list, err := namesOf(counters)
		if err != nil {
			return "", nil, fmt.Errorf("option counters: %w", err)
		}
		o.Counters = list
	}
	if pid != nil {
		n, err := starlark.AsInt32(pid)
		if err != nil || n < 0 {
			return "", nil, fmt.Errorf("option pid: %v is no process number", pid)
		}
		o.PID = n
	}
	// A user who may measure only own processes can still run commands.
	all := e.Sources()
	sel, err := hwio.Select(e.Context(), all, names, true)
	if err != nil {
		return "", nil, session.Refused(e.Context(), all, err)
	}
	for _, w := range sel.Warnings {
		e.Warnf("%s", w)
	}
	known := map[string]bool{}
	for _, src := range sel.Sources {
		if c, ok := src.(hwio.Configurable); ok {
			for _, own := range c.Options() {
				known[own.Name] = true
			}
		}
	}
	for name, v := range opt {
		if !known[name] {
			return "", nil, fmt.Errorf(
				"no option is called %s: sessions over readers take counters, pid, hide and the reader's own", name)
		}
		text, ok := starlark.AsString(v)
		if !ok {
			text = v.String()
		}
		o.Options[name] = text
	}
	return fmt.Sprint(sel.Names()[0]), session.OverSources(sel.Sources, o), nil
}
