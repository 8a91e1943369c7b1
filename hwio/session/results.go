package session

import (
	"context"
	"fmt"
	"slices"

	"astrolabe/capture"
)

// session finds a session that is still buffered.
func (c *Context) session(id uint32) (*run, error) {
	i := slices.IndexFunc(c.ring, func(r *run) bool { return r.id == id })
	switch {
	case i >= 0:
		return c.ring[i], nil
	case id >= 1 && id <= c.began:
		return nil, fail(SessionNotFound, "session %d was dropped: the last %d are kept", id, buffered)
	}
	return nil, fail(SessionNotFound, "there is no session %d", id)
}

// Sessions lists the sessions that are buffered, the oldest first.
func (c *Context) Sessions() []uint32 {
	var out []uint32
	for _, r := range c.ring {
		out = append(out, r.id)
	}
	return out
}

// underWay reports whether a session is not ended.
func (c *Context) underWay(r *run) bool { return c.phase != idle && r == c.run() }

// IsSessionReady tells whether every result of a session can be had without waiting.
func (c *Context) IsSessionReady(session uint32) (ready bool, err error) {
	defer c.log.done("IsSessionReady", &err)
	r, err := c.kept(session)
	if err != nil || c.underWay(r) || len(r.passes) < len(r.plan.passes) {
		return false, err
	}
	for k := range r.plan.passes {
		for _, sample := range r.passes[0].order {
			if !r.arrived(k, sample) {
				return false, nil
			}
		}
	}
	return true, nil
}

// IsSampleReady tells whether the results of one sample can be had without waiting.
func (c *Context) IsSampleReady(session, sample uint32) (ready bool, err error) {
	defer c.log.done("IsSampleReady", &err)
	r, err := c.kept(session)
	if err != nil {
		return false, err
	}
	for k := range r.plan.passes {
		if !r.has(k, sample) {
			return false, fail(SampleNotFoundInAllPasses, "session %d has no sample %d in pass %d of %d", session,
				sample, k+1, len(r.plan.passes))
		}
	}
	for k := range r.plan.passes {
		if !r.arrived(k, sample) {
			return false, nil
		}
	}
	return true, nil
}

// kept is session where the context must be open.
func (c *Context) kept(session uint32) (*run, error) {
	if err := c.needOpen(); err != nil {
		return nil, err
	}
	return c.session(session)
}

func (r *run) has(pass int, sample uint32) bool {
	return pass < len(r.passes) && r.passes[pass].samples[sample] != nil
}

// arrived reports whether the outcome of a sample in a pass is known, be it a failure.
func (r *run) arrived(pass int, sample uint32) bool {
	if !r.has(pass, sample) {
		return false
	}
	s := r.passes[pass].samples[sample]
	return s.failed != nil || s.result != nil && s.result.Ready()
}

// Samples lists the numbers of the samples of a session in the order of its first pass.
func (c *Context) Samples(session uint32) (list []uint32, err error) {
	defer c.log.done("GetSampleCount", &err)
	r, err := c.session(session)
	if err != nil || len(r.passes) == 0 {
		return nil, err
	}
	return slices.Clone(r.passes[0].order), nil
}

// Result gives one result of a counter, exactly, which must have the type unless that is "". It waits until it is
// there.
func (c *Context) Result(ctx context.Context, session, sample uint32, counter int, t Type) (v capture.Value,
	err error) {
	defer c.log.done("GetSample", &err)
	return c.result(ctx, t, session, sample, counter)
}

func (c *Context) result(ctx context.Context, want Type, session, sample uint32, i int) (v capture.Value, err error) {
	if err := c.needOpen(); err != nil {
		return v, err
	}
	counter, err := c.counter(i)
	if err != nil {
		return v, err
	}
	if want != "" && want != counter.Type {
		return v, fail(CounterNotOfSpecifiedType, "results of %s are %s, not %s", counter.Name, counter.Type, want)
	}
	r, err := c.session(session)
	if err != nil {
		return v, err
	}
	at := slices.Index(r.enabled, i)
	if at < 0 {
		return v, fail(NotEnabled, "%s was not enabled in session %d", counter.Name, session)
	}
	operands, err := r.operands(ctx, counter, at, sample)
	if err != nil {
		return v, err
	}
	v, err = c.backend.Evaluate(counter, operands)
	if err != nil {
		return v, failCause(ReadingCounterResult, err)
	}
	if v.Missing() {
		return v, fail(ReadingCounterResult, "%s has no value in sample %d", counter.Name, sample)
	}
	return v, nil
}

// operands are the values of the hardware counters of an enabled counter in one sample, each from the counter's own
// pass.
func (r *run) operands(ctx context.Context, c *Counter, at int, sample uint32) ([]capture.Value, error) {
	for _, p := range r.plan.where[at] {
		if !r.has(p.pass, sample) {
			return nil, fail(SampleNotFound, "session %d has no sample %d in pass %d, which measures %s", r.id, sample,
				p.pass+1, c.Name)
		}
	}
	out := make([]capture.Value, len(r.plan.where[at]))
	for i, p := range r.plan.where[at] {
		m, err := r.passes[p.pass].samples[sample].wait(ctx)
		if err != nil {
			return nil, failCause(ReadingCounterResult, err)
		}
		if p.offset >= len(m.Values) {
			return nil, fail(ReadingCounterResult, "pass %d gave %d values of %d", p.pass+1, len(m.Values),
				len(r.plan.passes[p.pass]))
		}
		out[i] = m.Values[p.offset]
		if out[i].Missing() && m.Why != nil {
			return nil, fail(ReadingCounterResult, "%s: %s", c.Hardware[i].Name, m.Why[p.offset])
		}
	}
	return out, nil
}

// wait is the outcome of a sample, once it is there.
func (s *sampleRun) wait(ctx context.Context) (*Measurement, error) {
	switch {
	case s.outcome != nil:
		return s.outcome, nil
	case s.failed != nil:
		return nil, s.failed
	case s.result == nil:
		return nil, fmt.Errorf("sample %d is not ended", s.id)
	}
	m, err := s.result.Wait(ctx)
	if err != nil {
		return nil, fmt.Errorf("sample %d: %w", s.id, err)
	}
	s.outcome = m
	return m, nil
}

// EnabledIn lists the counters that a session was begun with, in the order of enabling.
func (c *Context) EnabledIn(session uint32) ([]int, error) {
	r, err := c.session(session)
	if err != nil {
		return nil, err
	}
	return slices.Clone(r.enabled), nil
}
