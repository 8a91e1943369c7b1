package session

import (
	"context"
	"fmt"
	"slices"

	"astrolabe/capture"
)

// session finds a session that is still buffered.
func (l *Library) session(id uint32) (*run, error) {
	if l.current != nil {
		for _, r := range l.current.ring {
			if r.id == id {
				return r, nil
			}
		}
		if id >= 1 && id <= l.current.began {
			return nil, fail(SessionNotFound, "session %d was dropped: the last %d are kept", id, buffered)
		}
	}
	return nil, fail(SessionNotFound, "there is no session %d", id)
}

// Sessions lists the sessions that are buffered, the oldest first.
func (l *Library) Sessions() []uint32 {
	var out []uint32
	if l.current != nil {
		for _, r := range l.current.ring {
			out = append(out, r.id)
		}
	}
	return out
}

// IsSessionReady tells whether every result of a session can be had without waiting.
func (l *Library) IsSessionReady(session uint32) (ready bool, err error) {
	defer l.done("IsSessionReady", &err)
	r, err := l.kept(session)
	if err != nil || !r.ended || len(r.passes) < len(r.plan.passes) {
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
func (l *Library) IsSampleReady(session, sample uint32) (ready bool, err error) {
	defer l.done("IsSampleReady", &err)
	r, err := l.kept(session)
	if err != nil {
		return false, err
	}
	for k := range r.plan.passes {
		if !r.has(k, sample) {
			return false, fail(SampleNotFoundInAllPasses, "session %d has no sample %d in pass %d of %d", session, sample, k+1, len(r.plan.passes))
		}
	}
	for k := range r.plan.passes {
		if !r.arrived(k, sample) {
			return false, nil
		}
	}
	return true, nil
}

// kept is session where there must be a context.
func (l *Library) kept(session uint32) (*run, error) {
	if _, err := l.open(); err != nil {
		return nil, err
	}
	return l.session(session)
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
func (l *Library) Samples(session uint32) (list []uint32, err error) {
	defer l.done("GetSampleCount", &err)
	r, err := l.session(session)
	if err != nil || len(r.passes) == 0 {
		return nil, err
	}
	return slices.Clone(r.passes[0].order), nil
}

// Result gives one result of a counter, exactly, which must have the type unless that is nil. It waits until it is there.
func (l *Library) Result(ctx context.Context, session, sample uint32, counter int, t *Type) (v capture.Value, err error) {
	defer l.done("GetSample", &err)
	return l.result(ctx, t, session, sample, counter)
}

func (l *Library) result(ctx context.Context, want *Type, session, sample uint32, counter int) (capture.Value, error) {
	c, err := l.counter(counter)
	if err != nil {
		return capture.Value{}, err
	}
	if want != nil && *want != c.Type {
		return capture.Value{}, fail(CounterNotOfSpecifiedType, "results of %s are %s, not %s", c.Name, c.Type.Name(), want.Name())
	}
	r, err := l.session(session)
	if err != nil {
		return capture.Value{}, err
	}
	at := slices.Index(r.enabled, counter)
	if at < 0 {
		return capture.Value{}, fail(NotEnabled, "%s was not enabled in session %d", c.Name, session)
	}
	operands, err := r.operands(ctx, c, at, sample)
	if err != nil {
		return capture.Value{}, err
	}
	v, err := l.current.backend.Evaluate(c, operands)
	if err != nil {
		return v, failCause(ReadingCounterResult, err)
	}
	if v.Missing() {
		return v, fail(ReadingCounterResult, "%s has no value in sample %d", c.Name, sample)
	}
	return v, nil
}

// operands are the values of the hardware counters of an enabled counter in one sample, each from the counter's own pass.
func (r *run) operands(ctx context.Context, c *Counter, at int, sample uint32) ([]capture.Value, error) {
	for _, p := range r.plan.where[at] {
		if !r.has(p.pass, sample) {
			return nil, fail(SampleNotFound, "session %d has no sample %d in pass %d, which measures %s", r.id, sample, p.pass+1, c.Name)
		}
	}
	out := make([]capture.Value, len(r.plan.where[at]))
	for i, p := range r.plan.where[at] {
		m, err := r.passes[p.pass].samples[sample].wait(ctx)
		if err != nil {
			return nil, failCause(ReadingCounterResult, err)
		}
		if p.offset >= len(m.Values) {
			return nil, fail(ReadingCounterResult, "pass %d gave %d values of %d", p.pass+1, len(m.Values), len(r.plan.passes[p.pass]))
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
func (l *Library) EnabledIn(session uint32) ([]int, error) {
	r, err := l.session(session)
	if err != nil {
		return nil, err
	}
	return slices.Clone(r.enabled), nil
}
