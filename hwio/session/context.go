package session

import (
	"context"
	"slices"
	"strings"

	"astrolabe/capture"
)

// buffered is how many sessions a context keeps. When more are begun the oldest is dropped.
const buffered = 4

// Context is a backend that is measured with: what of it is enabled, and the sessions that were made.
type Context struct {
	log      *Log
	backend  Backend
	hidden   []Kind
	opened   bool
	counters []Counter      // kept when the context is closed, so that their names stay known
	index    map[string]int // by lower-case name
	enabled  []int
	plan     *plan  // of the enabled counters; nil where it is not made yet
	ring     []*run // the sessions that are kept; beyond the phase idle the last of them is under way
	began    uint32 // sessions so far
	phase    phase
}

// New makes a closed context whose calls are told to a log. Counters of the hidden kinds do not exist in it.
func New(log *Log, backend Backend, hidden ...Kind) *Context {
	return &Context{log: log, backend: backend, hidden: hidden}
}

// Open opens the backend. No counter is enabled.
func (c *Context) Open(ctx context.Context) (err error) {
	defer c.log.done("OpenContext", &err)
	if c.opened {
		return fail(CountersAlreadyOpen, "this context is open: select it, or close it first")
	}
	if err := c.backend.Open(ctx); err != nil {
		return failCause(Failed, err)
	}
	*c = Context{log: c.log, backend: c.backend, hidden: c.hidden, opened: true, index: map[string]int{}}
	for _, counter := range c.backend.Counters() {
		if slices.Contains(c.hidden, counter.Kind) {
			continue
		}
		// Of two counters of one name the first is meant by it.
		name := strings.ToLower(counter.Name)
		if _, taken := c.index[name]; !taken {
			c.index[name] = len(c.counters)
		}
		c.counters = append(c.counters, counter)
	}
	return nil
}

// Select succeeds where the context is open.
func (c *Context) Select() (err error) {
	defer c.log.done("SelectContext", &err)
	if !c.opened {
		return fail(CountersNotOpen, "this context is not open: open it first")
	}
	return nil
}

// Close closes the context. Its results are lost.
func (c *Context) Close() (err error) {
	defer c.log.done("CloseContext", &err)
	if err := c.reach(idle, SamplingNotEnded); err != nil {
		return err
	}
	c.opened, c.enabled, c.plan, c.ring, c.began = false, nil, nil, nil, 0
	if err := c.backend.Close(); err != nil {
		return failCause(Failed, err)
	}
	return nil
}

// Device describes what is measured; a closed context knows nothing of it.
func (c *Context) Device() capture.Device {
	if !c.opened {
		return capture.Device{}
	}
	return c.backend.Device()
}

// needOpen is the error of a call that needs an open context.
func (c *Context) needOpen() error {
	if !c.opened {
		return fail(CountersNotOpen, "no context is current: open one")
	}
	return nil
}
