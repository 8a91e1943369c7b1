package session

import (
	"slices"
	"strings"

	"astrolabe/capture/spelling"
)

// GetNumCounters gives how many counters the current context has.
func (l *Library) GetNumCounters(n *int) (err error) {
	return l.count("GetNumCounters", n, func(s *state) int { return len(s.counters) })
}

// GetEnabledCount gives how many counters are enabled.
func (l *Library) GetEnabledCount(n *int) (err error) {
	return l.count("GetEnabledCount", n, func(s *state) int { return len(s.enabled) })
}

func (l *Library) count(call string, n *int, of func(*state) int) (err error) {
	defer l.done(call, &err)
	if l.current == nil {
		return fail(call, CountersNotOpen, notOpen)
	}
	if n == nil {
		return fail(call, NullPointer, "no place for the number is given")
	}
	*n = of(l.current)
	return nil
}

// counter checks the index of a counter.
func (l *Library) counter(call string, i int) (*Counter, error) {
	if l.current == nil {
		return nil, fail(call, CountersNotOpen, notOpen)
	}
	return l.inRange(call, i)
}

func (l *Library) inRange(call string, i int) (*Counter, error) {
	if l.current == nil {
		return nil, fail(call, IndexOutOfRange, "there is no counter %d, because no context is open", i)
	}
	if i < 0 || i >= len(l.current.counters) {
		return nil, fail(call, IndexOutOfRange, "there is no counter %d: they are numbered 0 to %d", i, len(l.current.counters)-1)
	}
	return &l.current.counters[i], nil
}

// GetCounter gives everything about a counter: what the guide's GetCounterName, GetCounterCategory, GetCounterDescription, GetCounterDataType and
// GetCounterUsageType give.
func (l *Library) GetCounter(i int, c *Counter) (err error) {
	const call = "GetCounter"
	defer l.done(call, &err)
	have, err := l.counter(call, i)
	if err != nil {
		return err
	}
	if c == nil {
		return fail(call, NullPointer, "no place for the counter is given")
	}
	*c = *have
	return nil
}

// GetCounterIndex finds a counter by its name, in any case.
func (l *Library) GetCounterIndex(name *string, i *int) (err error) {
	const call = "GetCounterIndex"
	defer l.done(call, &err)
	if name == nil || i == nil {
		return fail(call, NullPointer, "no name, or no place for the number, is given")
	}
	if l.current == nil {
		return fail(call, CountersNotOpen, notOpen)
	}
	at, err := l.named(call, *name)
	if err != nil {
		return err
	}
	*i = at
	return nil
}

// named looks a name up in the current context, or where there is none in the one that was current last.
func (l *Library) named(call, name string) (int, error) {
	if l.current != nil {
		if i, ok := l.current.index[strings.ToLower(name)]; ok {
			return i, nil
		}
	} else if i := slices.IndexFunc(l.known, func(k string) bool { return strings.EqualFold(k, name) }); i >= 0 {
		return i, nil
	}
	if near := spelling.Near(name, l.known); len(near) > 0 {
		return 0, fail(call, NotFound, "no counter is called %q; did you mean %s?", name, strings.Join(near, " or "))
	}
	return 0, fail(call, NotFound, "no counter is called %q", name)
}

// EnableCounter enables a counter for the sessions to come.
func (l *Library) EnableCounter(i int) (err error) {
	const call = "EnableCounter"
	defer l.done(call, &err)
	return l.enable(call, i)
}

func (l *Library) enable(call string, i int) error {
	c, err := l.changeable(call, i)
	if err != nil {
		return err
	}
	if slices.Contains(l.current.enabled, i) {
		return fail(call, AlreadyEnabled, "%s is enabled", c.Name)
	}
	l.current.enabled = append(l.current.enabled, i)
	l.current.plan = nil
	return nil
}

// changeable checks what enabling and disabling share.
func (l *Library) changeable(call string, i int) (*Counter, error) {
	c, err := l.counter(call, i)
	if err != nil {
		return nil, err
	}
	return c, l.idle(call)
}

func (l *Library) idle(call string) error {
	if r := l.current.active; r != nil {
		return fail(call, CannotChangeCountersWhenSampling, "session %d is under way: end it first", r.id)
	}
	return nil
}

// EnableCounterStr enables a counter by its name, in any case.
func (l *Library) EnableCounterStr(name *string) (err error) {
	return l.byName("EnableCounterStr", name, l.enable)
}

// DisableCounterStr disables a counter by its name, in any case.
func (l *Library) DisableCounterStr(name *string) (err error) {
	return l.byName("DisableCounterStr", name, l.disable)
}

func (l *Library) byName(call string, name *string, do func(call string, i int) error) (err error) {
	defer l.done(call, &err)
	if name == nil {
		return fail(call, NullPointer, "no name is given")
	}
	i, err := l.named(call, *name)
	if err != nil {
		return err
	}
	return do(call, i)
}

// EnableAllCounters enables every counter, in the order of their numbers.
func (l *Library) EnableAllCounters() (err error) {
	const call = "EnableAllCounters"
	defer l.done(call, &err)
	if l.current == nil {
		return fail(call, CountersNotOpen, notOpen)
	}
	if err := l.idle(call); err != nil {
		return err
	}
	s := l.current
	s.enabled, s.plan = nil, nil
	for i := range s.counters {
		s.enabled = append(s.enabled, i)
	}
	return nil
}

// DisableCounter disables a counter for the sessions to come.
func (l *Library) DisableCounter(i int) (err error) {
	const call = "DisableCounter"
	defer l.done(call, &err)
	return l.disable(call, i)
}

func (l *Library) disable(call string, i int) error {
	c, err := l.changeable(call, i)
	if err != nil {
		return err
	}
	at := slices.Index(l.current.enabled, i)
	if at < 0 {
		return fail(call, NotEnabled, "%s is not enabled", c.Name)
	}
	l.current.enabled = slices.Delete(slices.Clone(l.current.enabled), at, at+1)
	l.current.plan = nil
	return nil
}

// DisableAllCounters disables every counter.
func (l *Library) DisableAllCounters() (err error) {
	const call = "DisableAllCounters"
	defer l.done(call, &err)
	if l.current == nil {
		return fail(call, CountersNotOpen, notOpen)
	}
	if err := l.idle(call); err != nil {
		return err
	}
	l.current.enabled, l.current.plan = nil, nil
	return nil
}

// GetEnabledIndex gives the number of the n-th enabled counter, in the order of enabling.
func (l *Library) GetEnabledIndex(n int, i *int) (err error) {
	const call = "GetEnabledIndex"
	defer l.done(call, &err)
	if l.current == nil {
		return fail(call, CountersNotOpen, notOpen)
	}
	if i == nil {
		return fail(call, NullPointer, "no place for the number is given")
	}
	if n < 0 || n >= len(l.current.enabled) {
		return fail(call, IndexOutOfRange, "%d counters are enabled", len(l.current.enabled))
	}
	*i = l.current.enabled[n]
	return nil
}

// IsCounterEnabled returns nil where the counter is enabled and NotFound where it is not.
func (l *Library) IsCounterEnabled(i int) (err error) {
	const call = "IsCounterEnabled"
	defer l.done(call, &err)
	c, err := l.inRange(call, i)
	if err != nil {
		return err
	}
	if !slices.Contains(l.current.enabled, i) {
		return fail(call, NotFound, "%s is not enabled", c.Name)
	}
	return nil
}

// GetPassCount gives how often the work has to be repeated for the enabled counters; 0 where none is enabled.
func (l *Library) GetPassCount(n *int) (err error) {
	const call = "GetPassCount"
	defer l.done(call, &err)
	if n == nil {
		return fail(call, NullPointer, "no place for the number is given")
	}
	if l.current == nil {
		return fail(call, CountersNotOpen, notOpen)
	}
	*n = len(l.current.schedule().passes)
	return nil
}

// Passes lists the hardware counters of each pass that the enabled counters need.
func (l *Library) Passes() [][]Hardware {
	if l.current == nil {
		return nil
	}
	return l.current.schedule().passes
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
