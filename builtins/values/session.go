package values

import (
	"errors"
	"fmt"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"astrolabe/builtins/binding"
	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/hwio/session"
)

// Session is a context of counters that are measured in passes.
type Session struct {
	env     *binding.Env
	name    string
	backend session.Backend
	flags   session.Flags
}

var _ starlark.HasAttrs = (*Session)(nil)

// NewSession opens a context of the run's library over a backend.
func NewSession(e *binding.Env, name string, backend session.Backend, flags session.Flags) (starlark.Value, error) {
	if err := e.Sessions.OpenContext(e.Context(), backend, flags); err != nil {
		return nil, err
	}
	return &Session{e, name, backend, flags}, nil
}

func (s *Session) Type() string          { return "Session" }
func (s *Session) Freeze()               {}
func (s *Session) Truth() starlark.Bool  { return true }
func (s *Session) Hash() (uint32, error) { return 0, errors.New("unhashable: Session") }
func (s *Session) AttrNames() []string   { return sessionTable.AttrNames() }

func (s *Session) Attr(name string) (starlark.Value, error) { return sessionTable.Attr(s.env, s, name) }

func (s *Session) String() string {
	lib := s.use()
	counters, err := lib.Counters()
	if err != nil {
		return fmt.Sprintf("Session of %s, closed", s.name)
	}
	enabled, _ := lib.Enabled() // the context is open
	passes, _ := lib.Passes()
	return fmt.Sprintf("Session of %s: %d of %d counters enabled, %d passes", s.name, len(enabled),
		len(counters), len(passes))
}

// use makes the context the current one of the run's library.
func (s *Session) use() *session.Library {
	lib := &s.env.Sessions
	lib.Use(s.backend)
	return lib
}

// deviceStruct describes a device.
func deviceStruct(d capture.Device) starlark.Value {
	return starlarkstruct.FromStringDict(starlark.String("device"), starlark.StringDict{
		"name": binding.Text(d.Name), "vendor": binding.Text(d.Vendor), "driver": binding.Text(d.Driver),
		"id": binding.Text(d.ID)})
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
		name := string(v)
		return lib.Index(&name)
	}
	return lib.Index(nil)
}

// change enables or disables counters by name or number.
func (s *Session) change(list starlark.Tuple, byName func(*string) error,
	byIndex func(int) error) (starlark.Value, error) {
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
func id(c *binding.Call, name string) (uint32, error) {
	n, ok := c.Arg(name).(starlark.Int).Uint64()
	if !ok || n > 1<<32-1 {
		return 0, fmt.Errorf("parameter %s: %v is no number from 0 to 4294967295", name, c.Arg(name))
	}
	return uint32(n), nil
}

// describedCapture is a capture of a session as the script sees it, with what its catalogue knows of the columns.
func describedCapture(e *binding.Env, c *capture.Capture) (starlark.Value, error) {
	out, err := metrics.Describe(c)
	if err != nil {
		return nil, err
	}
	return NewCapture(e, out), nil
}

// durationOf is a number of ns as a duration.
func durationOf(ns int64) time.Duration { return time.Duration(ns) }
