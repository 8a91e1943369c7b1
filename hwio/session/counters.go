package session

import (
	"slices"
	"strings"

	"astrolabe/capture/spelling"
)

// Ref says which counter is meant: by its number, or by its name in any case. The zero Ref means none, as a null
// pointer does.
type Ref struct {
	number *int
	name   *string
}

// ByNumber means the counter of a number, which need not exist.
func ByNumber(i int) Ref { return Ref{number: &i} }

// ByName means the counter of a name.
func ByName(name string) Ref { return Ref{name: &name} }

// find is the number of the counter that is meant.
func (c *Context) find(r Ref) (int, error) {
	switch {
	case r.number != nil:
		return *r.number, nil
	case r.name != nil:
		return c.named(*r.name)
	}
	return 0, fail(NullPointer, "no name is given")
}

// named looks a name up, also of a context that is closed.
func (c *Context) named(name string) (int, error) {
	if i, ok := c.index[strings.ToLower(name)]; ok {
		return i, nil
	}
	known := make([]string, len(c.counters))
	for i := range c.counters {
		known[i] = c.counters[i].Name
	}
	if near := spelling.Near(name, known); len(near) > 0 {
		return 0, fail(NotFound, "no counter is called %q; did you mean %s?", name, strings.Join(near, " or "))
	}
	return 0, fail(NotFound, "no counter is called %q", name)
}

// Counters lists the counters by their numbers. The list is the context's own.
func (c *Context) Counters() (list []Counter, err error) {
	defer c.log.done("GetNumCounters", &err)
	return c.counters, c.needOpen()
}

// Enabled lists the numbers of the enabled counters, in the order of enabling.
func (c *Context) Enabled() (list []int, err error) {
	defer c.log.done("GetEnabledCount", &err)
	return slices.Clone(c.enabled), c.needOpen()
}

// IsEnabled returns nil where the counter is enabled and NotFound where it is not.
func (c *Context) IsEnabled(i int) (err error) {
	defer c.log.done("IsCounterEnabled", &err)
	counter, err := c.counter(i)
	if err == nil && !slices.Contains(c.enabled, i) {
		return fail(NotFound, "%s is not enabled", counter.Name)
	}
	return err
}

// counter checks the number of a counter.
func (c *Context) counter(i int) (*Counter, error) {
	switch {
	case !c.opened:
		return nil, fail(IndexOutOfRange, "there is no counter %d, because no context is open", i)
	case i < 0 || i >= len(c.counters):
		return nil, fail(IndexOutOfRange, "there is no counter %d: they are numbered 0 to %d", i, len(c.counters)-1)
	}
	return &c.counters[i], nil
}

// Number gives the number of a counter. One that is given by its number is not looked up.
func (c *Context) Number(r Ref) (i int, err error) {
	if r.number != nil {
		return *r.number, nil
	}
	defer c.log.done("GetCounterIndex", &err)
	if r.name != nil && !c.opened {
		return 0, c.needOpen()
	}
	return c.find(r)
}

// Enable adds a counter to those that the sessions to come measure.
func (c *Context) Enable(r Ref) error {
	return c.change("EnableCounter", r, func(i int, counter *Counter, at int) error {
		if at >= 0 {
			return fail(AlreadyEnabled, "%s is enabled", counter.Name)
		}
		c.enabled = append(c.enabled, i)
		return nil
	})
}

// Disable takes a counter from those that the sessions to come measure.
func (c *Context) Disable(r Ref) error {
	return c.change("DisableCounter", r, func(_ int, counter *Counter, at int) error {
		if at < 0 {
			return fail(NotEnabled, "%s is not enabled", counter.Name)
		}
		c.enabled = slices.Delete(slices.Clone(c.enabled), at, at+1)
		return nil
	})
}

// change lets f change what is enabled, where the counter exists and no session is under way. at is its place among the
// enabled counters.
func (c *Context) change(call string, r Ref, f func(i int, counter *Counter, at int) error) (err error) {
	if r.number == nil {
		call += "Str"
	}
	defer c.log.done(call, &err)
	i, err := c.find(r)
	if err != nil {
		return err
	}
	if err := c.needOpen(); err != nil {
		return err
	}
	counter, err := c.counter(i)
	if err != nil {
		return err
	}
	if err := c.reach(idle, CannotChangeCountersWhenSampling); err != nil {
		return err
	}
	c.plan = nil
	return f(i, counter, slices.Index(c.enabled, i))
}

// EnableAll enables every counter, in the order of their numbers.
func (c *Context) EnableAll() error { return c.changeAll("EnableAllCounters", len(c.counters)) }

// DisableAll disables every counter.
func (c *Context) DisableAll() error { return c.changeAll("DisableAllCounters", 0) }

// changeAll enables the first n counters and no other.
func (c *Context) changeAll(call string, n int) (err error) {
	defer c.log.done(call, &err)
	if err := c.reach(idle, CannotChangeCountersWhenSampling); err != nil {
		return err
	}
	c.enabled, c.plan = nil, nil
	for i := range n {
		c.enabled = append(c.enabled, i)
	}
	return nil
}

// Passes lists the hardware counters of each pass that the enabled counters need: as often the work has to be repeated.
func (c *Context) Passes() (passes [][]Hardware, err error) {
	defer c.log.done("GetPassCount", &err)
	if err := c.needOpen(); err != nil {
		return nil, err
	}
	return c.schedule().passes, nil
}

// schedule makes the plan of the enabled counters.
func (c *Context) schedule() *plan {
	if c.plan == nil {
		needs := make([]need, len(c.enabled))
		for k, i := range c.enabled {
			needs[k] = need{c.counters[i].Kind, c.counters[i].Hardware}
		}
		c.plan = schedule(needs, c.backend.Limits())
	}
	return c.plan
}
