package session

import (
	"slices"
	"strings"

	"astrolabe/capture/spelling"
)

// Counters lists the counters of the current context by their numbers. The list is the context's own.
func (l *Library) Counters() (list []Counter, err error) {
	defer l.done("GetNumCounters", &err)
	s, err := l.open()
	if err != nil {
		return nil, err
	}
	return s.counters, nil
}

// Enabled lists the numbers of the enabled counters, in the order of enabling.
func (l *Library) Enabled() (list []int, err error) {
	defer l.done("GetEnabledCount", &err)
	s, err := l.open()
	if err != nil {
		return nil, err
	}
	return slices.Clone(s.enabled), nil
}

// IsEnabled returns nil where the counter is enabled and NotFound where it is not.
func (l *Library) IsEnabled(i int) (err error) {
	defer l.done("IsCounterEnabled", &err)
	c, err := l.inRange(i)
	if err == nil && !slices.Contains(l.current.enabled, i) {
		return fail(NotFound, "%s is not enabled", c.Name)
	}
	return err
}

// open is the current context.
func (l *Library) open() (*state, error) {
	if l.current == nil {
		return nil, fail(CountersNotOpen, "no context is current: open one")
	}
	return l.current, nil
}

// counter checks the index of a counter.
func (l *Library) counter(i int) (*Counter, error) {
	if _, err := l.open(); err != nil {
		return nil, err
	}
	return l.inRange(i)
}

func (l *Library) inRange(i int) (*Counter, error) {
	if l.current == nil {
		return nil, fail(IndexOutOfRange, "there is no counter %d, because no context is open", i)
	}
	if i < 0 || i >= len(l.current.counters) {
		return nil, fail(IndexOutOfRange, "there is no counter %d: they are numbered 0 to %d", i, len(l.current.counters)-1)
	}
	return &l.current.counters[i], nil
}

// Index finds a counter by its name, in any case; nil is a null pointer.
func (l *Library) Index(name *string) (i int, err error) {
	defer l.done("GetCounterIndex", &err)
	if name == nil {
		return 0, fail(NullPointer, "no name is given")
	}
	if _, err := l.open(); err != nil {
		return 0, err
	}
	return l.named(name)
}

// named looks a name up in the current context, or where there is none in the one that was current last.
func (l *Library) named(name *string) (int, error) {
	if name == nil {
		return 0, fail(NullPointer, "no name is given")
	}
	if l.current != nil {
		if i, ok := l.current.index[strings.ToLower(*name)]; ok {
			return i, nil
		}
	} else if i := slices.IndexFunc(l.known, func(k string) bool { return strings.EqualFold(k, *name) }); i >= 0 {
		return i, nil
	}
	if near := spelling.Near(*name, l.known); len(near) > 0 {
		return 0, fail(NotFound, "no counter is called %q; did you mean %s?", *name, strings.Join(near, " or "))
	}
	return 0, fail(NotFound, "no counter is called %q", *name)
}

// Enable and Disable change by number what the sessions to come measure; EnableName and DisableName by name, in any case, nil being a null
// pointer.
func (l *Library) Enable(i int) error  { return l.change("EnableCounter", nil, i, true) }
func (l *Library) Disable(i int) error { return l.change("DisableCounter", nil, i, false) }
func (l *Library) EnableName(name *string) error {
	return l.change("EnableCounterStr", name, byName, true)
}
func (l *Library) DisableName(name *string) error {
	return l.change("DisableCounterStr", name, byName, false)
}

// byName instead of a number says that the counter is named.
const byName = -1 << 31

func (l *Library) change(call string, name *string, i int, enable bool) (err error) {
	defer l.done(call, &err)
	if i == byName {
		if i, err = l.named(name); err != nil {
			return err
		}
	}
	c, err := l.counter(i)
	if err != nil {
		return err
	}
	s, err := l.reach(idle, CannotChangeCountersWhenSampling)
	if err != nil {
		return err
	}
	at := slices.Index(s.enabled, i)
	switch {
	case enable && at >= 0:
		return fail(AlreadyEnabled, "%s is enabled", c.Name)
	case enable:
		s.enabled = append(s.enabled, i)
	case at < 0:
		return fail(NotEnabled, "%s is not enabled", c.Name)
	default:
		s.enabled = slices.Delete(slices.Clone(s.enabled), at, at+1)
	}
	s.plan = nil
	return nil
}

// EnableAll enables every counter, in the order of their numbers.
func (l *Library) EnableAll() error { return l.changeAll("EnableAllCounters", true) }

// DisableAll disables every counter.
func (l *Library) DisableAll() error { return l.changeAll("DisableAllCounters", false) }

func (l *Library) changeAll(call string, enable bool) (err error) {
	defer l.done(call, &err)
	s, err := l.reach(idle, CannotChangeCountersWhenSampling)
	if err != nil {
		return err
	}
	s.enabled, s.plan = nil, nil
	for i := range s.counters {
		if enable {
			s.enabled = append(s.enabled, i)
		}
	}
	return nil
}

// Passes lists the hardware counters of each pass that the enabled counters need: as often the work has to be repeated.
func (l *Library) Passes() (passes [][]Hardware, err error) {
	defer l.done("GetPassCount", &err)
	s, err := l.open()
	if err != nil {
		return nil, err
	}
	return s.schedule().passes, nil
}

func (s *state) schedule() *plan {
	if s.plan == nil {
		needs := make([]need, len(s.enabled))
		for k, i := range s.enabled {
			needs[k] = need{s.counters[i].Kind, s.counters[i].Hardware}
		}
		s.plan = schedule(needs, s.backend.Limits())
	}
	return s.plan
}
