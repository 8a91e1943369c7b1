package builtins

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/metrics"
	"astrolabe/capture/metrics/formula"
	"astrolabe/hwio"
	"astrolabe/hwio/session"
)

// Session is a context of counters that are measured in passes.
type Session struct {
	env     *Env
	name    string
	backend session.Backend
	flags   session.Flags
}

var _ starlark.HasAttrs = (*Session)(nil)

func (s *Session) Type() string          { return "Session" }
func (s *Session) Freeze()               {}
func (s *Session) Truth() starlark.Bool  { return true }
func (s *Session) Hash() (uint32, error) { return 0, errors.New("unhashable: Session") }
func (s *Session) AttrNames() []string   { return sessionTable.attrNames() }

func (s *Session) Attr(name string) (starlark.Value, error) { return sessionTable.attr(s.env, s, name) }

func (s *Session) String() string {
	lib := s.use()
	var n, enabled, passes int
	if errors.Join(lib.GetNumCounters(&n), lib.GetEnabledCount(&enabled), lib.GetPassCount(&passes)) != nil {
		return fmt.Sprintf("Session of %s, closed", s.name)
	}
	return fmt.Sprintf("Session of %s: %d of %d counters enabled, %d passes", s.name, enabled, n, passes)
}

// use makes the context the current one of the run's library.
func (s *Session) use() *session.Library {
	lib := &s.env.library
	lib.Use(s.backend)
	return lib
}

// openSession is capture.session.
func openSession(e *Env, c *call) (starlark.Value, error) {
	opt := map[string]starlark.Value{}
	for _, kv := range c.extra {
		if kv[1] != starlark.None {
			opt[string(kv[0].(starlark.String))] = kv[1]
		}
	}
	take := func(name string) starlark.Value {
		v := opt[name]
		delete(opt, name)
		return v
	}
	limit, err := c.integer(1, 0)
	if err != nil {
		return nil, err
	}
	if limit < 0 || c.has(1) && limit == 0 {
		return nil, fmt.Errorf("parameter max_per_pass: %d is no number of counters", limit)
	}
	s := &Session{env: e}
	if s.flags, err = hidden(take("hide")); err != nil {
		return nil, err
	}
	names, err := namesOf(c.args[0])
	if err != nil {
		return nil, fmt.Errorf("parameter source: %w", err)
	}
	if len(names) == 1 && names[0] == session.GPA {
		s.name = session.GPA
		s.backend, err = resultsBackend(e, c, take("raw"), limit, opt)
	} else {
		s.name, s.backend, err = sourcesBackend(e, names, take("counters"), take("pid"), limit, opt)
	}
	if err != nil {
		return nil, err
	}
	if err := e.library.OpenContext(e.Context(), s.backend, s.flags); err != nil {
		return nil, err
	}
	return s, nil
}

// namesOf is a text or a list of them.
func namesOf(v starlark.Value) ([]string, error) {
	if s, ok := v.(starlark.String); ok {
		return []string{string(s)}, nil
	}
	return asStrings(v)
}

// hidden reads the option hide. Hardware counters are hidden unless it says otherwise.
func hidden(v starlark.Value) (session.Flags, error) {
	if v == nil {
		return session.HideHardware, nil
	}
	names, err := namesOf(v)
	if err != nil {
		return 0, fmt.Errorf("option hide: %w", err)
	}
	var flags session.Flags
	for _, n := range names {
		switch n {
		case "public":
			flags |= session.HidePublic
		case "software":
			flags |= session.HideSoftware
		case "hardware":
			flags |= session.HideHardware
		default:
			return 0, fmt.Errorf("option hide: %q is none of \"public\", \"software\", \"hardware\"", n)
		}
	}
	return flags, nil
}

// resultsBackend measures with stored hardware results. What is left of the options are constants of the device.
func resultsBackend(e *Env, c *call, raw starlark.Value, limit int, opt map[string]starlark.Value) (session.Backend, error) {
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
			return nil, fmt.Errorf("no option is called %s%s; constants of the device are %q", name, didYouMean(name, formula.DeviceConstants()), formula.DeviceConstants())
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

// rawResults reads the option raw: a capture, the path of one, or a dict of columns, in which a number is a column of one sample.
func rawResults(e *Env, c *call, raw starlark.Value) (*capture.Capture, error) {
	switch v := raw.(type) {
	case nil:
		return nil, errors.New("give the hardware results that were measured: a file, a Capture, or a dict of hardware counter to values")
	case *Capture:
		return v.c, nil
	case starlark.String:
		path, err := e.input(string(v))
		if err != nil {
			return nil, err
		}
		out, err := e.openCapture(path, formats.Options{})
		if err != nil {
			return nil, err
		}
		return out.c, nil
	case starlark.IterableMapping:
		columns := starlark.NewDict(8)
		for _, kv := range v.Items() {
			x := kv[1]
			if isNumber(x) {
				x = starlark.NewList([]starlark.Value{x})
			}
			if err := columns.SetKey(kv[0], x); err != nil {
				return nil, err
			}
		}
		sig, err := parseSignature("from_columns(columns, times=None, period=None, gpu=None, labels=None, properties=None, units=None, kinds=None, name=None)")
		if err != nil {
			return nil, err
		}
		build := &call{env: e, thread: c.thread, sig: sig}
		if err := build.bind(starlark.Tuple{columns}, nil); err != nil {
			return nil, err
		}
		out, err := fromColumns(e, build)
		if err != nil {
			return nil, err
		}
		return out.(*Capture).c, nil
	}
	return nil, fmt.Errorf("got %s, want str, dict or Capture", raw.Type())
}

// sourcesBackend measures with readers. What is left of the options are the readers' own.
func sourcesBackend(e *Env, names []string, counters, pid starlark.Value, limit int, opt map[string]starlark.Value) (string, session.Backend, error) {
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
		e.warn("%s", w)
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
			return "", nil, fmt.Errorf("no option is called %s: sessions over readers take counters, pid, hide and the reader's own", name)
		}
		text, ok := starlark.AsString(v)
		if !ok {
			text = v.String()
		}
		o.Options[name] = text
	}
	return fmt.Sprint(sel.Names()[0]), session.OverSources(sel.Sources, o), nil
}

// deviceStruct describes a device.
func deviceStruct(d capture.Device) starlark.Value {
	return starlarkstruct.FromStringDict(starlark.String("device"), starlark.StringDict{
		"name": text(d.Name), "vendor": text(d.Vendor), "driver": text(d.Driver), "id": text(d.ID)})
}

// counterIndex is the number of a counter given by name or number. None is a null pointer.
func (s *Session) counterIndex(lib *session.Library, v starlark.Value) (int, error) {
	switch v := v.(type) {
	case starlark.Int:
		n, err := starlark.AsInt32(v)
		if err != nil {
			return -1, nil // no counter has such a number
		}
		return n, nil
	case starlark.String:
		var i int
		name := string(v)
		err := lib.GetCounterIndex(&name, &i)
		return i, err
	}
	return 0, lib.GetCounterIndex(nil, nil)
}

// change enables or disables counters by name or number.
func (s *Session) change(list starlark.Tuple, byName func(*string) error, byIndex func(int) error) (starlark.Value, error) {
	for _, v := range list {
		var err error
		switch v := v.(type) {
		case starlark.Int:
			n, convert := starlark.AsInt32(v)
			if convert != nil {
				n = -1
			}
			err = byIndex(n)
		case starlark.String:
			name := string(v)
			err = byName(&name)
		case starlark.NoneType:
			err = byName(nil)
		default:
			for x := range starlark.Elements(v.(starlark.Iterable)) {
				if _, nested := x.(*starlark.List); nested {
					return nil, errors.New("give names or numbers, or one list of them")
				}
				if _, err := s.change(starlark.Tuple{x}, byName, byIndex); err != nil {
					return nil, err
				}
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return starlark.None, nil
}

// id is a number that the script gave, of a session or sample.
func id(c *call, i int) (uint32, error) {
	n, ok := c.args[i].(starlark.Int).Uint64()
	if !ok || n > 1<<32-1 {
		return 0, fmt.Errorf("parameter %s: %v is no number from 0 to 4294967295", c.sig.Params[i].Name, c.args[i])
	}
	return uint32(n), nil
}

// describedCapture is a capture of a session as the script sees it, with what its catalogue knows of the columns.
func describedCapture(e *Env, c *capture.Capture) (starlark.Value, error) {
	out, err := metrics.Describe(c)
	if err != nil {
		return nil, err
	}
	return NewCapture(e, out), nil
}

// durationOf is a number of ns as a duration.
func durationOf(ns int64) time.Duration { return time.Duration(ns) }
