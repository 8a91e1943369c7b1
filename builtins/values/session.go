package values

import (
	"errors"
	"fmt"
	"slices"

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
	context *session.Context
}

var _ starlark.HasAttrs = (*Session)(nil)

// NewSession opens a context over a backend, without counters of the hidden kinds.
func NewSession(e *binding.Env, name string, backend session.Backend, hide []session.Kind) (starlark.Value, error) {
	s := &Session{e, name, session.New(&e.SessionLog, backend, hide...)}
	if err := s.context.Open(e.Context()); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Session) Type() string          { return "Session" }
func (s *Session) Freeze()               {}
func (s *Session) Truth() starlark.Bool  { return true }
func (s *Session) Hash() (uint32, error) { return 0, errors.New("unhashable: Session") }
func (s *Session) AttrNames() []string   { return sessionTable.AttrNames() }

func (s *Session) Attr(name string) (starlark.Value, error) { return sessionTable.Attr(s.env, s, name) }

func (s *Session) String() string {
	counters, err := s.context.Counters()
	if err != nil {
		return fmt.Sprintf("Session of %s, closed", s.name)
	}
	enabled, _ := s.context.Enabled() // the context is open
	passes, _ := s.context.Passes()
	return fmt.Sprintf("Session of %s: %d of %d counters enabled, %d passes", s.name, len(enabled),
		len(counters), len(passes))
}

// deviceStruct describes a device.
func deviceStruct(d capture.Device) starlark.Value {
	return starlarkstruct.FromStringDict(starlark.String("device"), starlark.StringDict{
		"name": binding.Text(d.Name), "vendor": binding.Text(d.Vendor), "driver": binding.Text(d.Driver),
		"id": binding.Text(d.ID)})
}

// counterRef is the counter that a script gave by name or number; None is a null pointer.
func counterRef(v starlark.Value) session.Ref {
	switch v := v.(type) {
	case starlark.Int:
		n, err := starlark.AsInt32(v)
		if err != nil {
			n = -1 // no counter has such a number
		}
		return session.ByNumber(n)
	case starlark.String:
		return session.ByName(string(v))
	}
	return session.Ref{}
}

// change enables or disables counters by name or number.
func change(list starlark.Tuple, one func(session.Ref) error) (starlark.Value, error) {
	for _, v := range list {
		elements := []starlark.Value{v}
		if many, ok := v.(starlark.Iterable); ok {
			elements = slices.Collect(starlark.Elements(many))
		}
		for _, x := range elements {
			switch x.(type) {
			case starlark.Int, starlark.String, starlark.NoneType:
			default:
				return nil, errors.New("give names or numbers, or one list of them")
			}
			if err := one(counterRef(x)); err != nil {
				return nil, err
			}
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
