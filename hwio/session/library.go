package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
)

// buffered is how many sessions a context keeps. When more are begun the oldest is dropped.
const buffered = 4

// Library is the state of GPA: the open contexts, the current one, and the logging callback.
type Library struct {
	contexts []*state
	current  *state
	known    []string // names of the counters of the context that was current last
	logTypes LogType
	logTo    func(t LogType, text string)
}

// state is one open context.
type state struct {
	backend  Backend
	counters []Counter
	index    map[string]int // by lower-case name
	enabled  []int
	plan     *plan // of the enabled counters; nil where it is not made yet
	ring     []*run
	active   *run
	began    uint32 // sessions so far
}

// done reports the outcome of a call to the logging callback.
func (l *Library) done(call string, err *error) {
	if *err != nil {
		l.log(LogError, call+": "+(*err).Error())
		return
	}
	l.log(LogTrace, call)
}

func (l *Library) log(t LogType, text string) {
	if l.logTypes&t != 0 && l.logTo != nil {
		l.logTo(t, strings.ReplaceAll(text, "\n", " "))
	}
}

func fail(s Status, format string, args ...any) error {
	return &Error{Status: s, Detail: fmt.Sprintf(format, args...)}
}

// failCause makes an error of what a backend said: its own status, or else the given one.
func failCause(s Status, cause error) error {
	for _, e := range flatten(cause) {
		if own, ok := e.(Status); ok {
			s = own
		}
	}
	var inner *Error
	if errors.As(cause, &inner) {
		return &Error{Status: s, Detail: inner.Detail, Cause: inner.Cause}
	}
	return &Error{Status: s, Cause: cause}
}

// OpenContext opens a backend and makes it the current context. No counter is enabled.
func (l *Library) OpenContext(ctx context.Context, handle Backend, flags Flags) (err error) {
	defer l.done("OpenContext", &err)
	if handle == nil {
		return fail(NullPointer, "no context is given")
	}
	if l.find(handle) != nil {
		return fail(CountersAlreadyOpen, "this context is open: select it, or close it first")
	}
	if err := handle.Open(ctx, flags); err != nil {
		return failCause(Failed, err)
	}
	if flags&(ClockPeak|ClockMinMemory|ClockMinEngine) != 0 {
		l.log(LogMessage, "the clock mode of OpenContext has no effect on this context")
	}
	s := &state{backend: handle, index: map[string]int{}}
	for _, c := range handle.Counters() {
		if c.Kind == kindPublic && flags&HidePublic != 0 || c.Kind == kindSoftware && flags&HideSoftware != 0 || c.Kind == kindHardware && flags&HideHardware != 0 {
			continue
		}
		c.Index = len(s.counters)
		if _, dup := s.index[strings.ToLower(c.Name)]; !dup {
			s.index[strings.ToLower(c.Name)] = c.Index
		}
		s.counters = append(s.counters, c)
	}
	l.contexts = append(l.contexts, s)
	l.choose(s)
	return nil
}

func (l *Library) find(handle Backend) *state {
	for _, s := range l.contexts {
		if s.backend == handle {
			return s
		}
	}
	return nil
}

func (l *Library) choose(s *state) {
	l.current, l.known = s, l.known[:0]
	for i := range s.counters {
		l.known = append(l.known, s.counters[i].Name)
	}
}

// SelectContext makes an open context the current one.
func (l *Library) SelectContext(handle Backend) (err error) {
	defer l.done("SelectContext", &err)
	if handle == nil {
		return fail(NullPointer, "no context is given")
	}
	s := l.find(handle)
	if s == nil {
		return fail(CountersNotOpen, "this context is not open: open it first")
	}
	l.choose(s)
	return nil
}

// CloseContext closes the current context. Its results are lost, and no context is current.
func (l *Library) CloseContext() (err error) {
	defer l.done("CloseContext", &err)
	s, err := l.reach(idle, SamplingNotEnded)
	if err != nil {
		return err
	}
	l.contexts = slices.DeleteFunc(l.contexts, func(x *state) bool { return x == s })
	l.current = nil
	if err := s.backend.Close(); err != nil {
		return failCause(Failed, err)
	}
	return nil
}

// RegisterLoggingCallback has to called with messages of the given types; the last call counts. A callback for messages gets one at once.
func (l *Library) RegisterLoggingCallback(types LogType, to func(t LogType, text string)) error {
	if to == nil && types != LogNone {
		err := fail(NullPointer, "no function is given")
		l.log(LogError, "RegisterLoggingCallback: "+err.Error())
		return err
	}
	l.logTypes, l.logTo = types, to
	l.log(LogMessage, "Logging callback registered successfully.")
	return nil
}

// Device describes what the current context measures.
func (l *Library) Device() capture.Device {
	if l.current == nil {
		return capture.Device{}
	}
	return l.current.backend.Device()
}

// Use makes an open context the current one, and none where the context is not open, so that calls about it fail as they would.
func (l *Library) Use(handle Backend) {
	if s := l.find(handle); s != nil {
		l.choose(s)
		return
	}
	l.current = nil
}
