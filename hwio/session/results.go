package session

import (
	"context"
	"fmt"
	"math"
	"slices"

	"astrolabe/capture"
)

// session finds a session that is still buffered.
func (l *Library) session(call string, id uint32) (*run, error) {
	if l.current != nil {
		for _, r := range l.current.ring {
			if r.id == id {
				return r, nil
			}
		}
		if id >= 1 && id <= l.current.began {
			return nil, fail(call, SessionNotFound, "session %d was dropped: the last %d are kept", id, Buffered)
		}
	}
	return nil, fail(call, SessionNotFound, "there is no session %d", id)
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
func (l *Library) IsSessionReady(ready *bool, session uint32) (err error) {
	const call = "IsSessionReady"
	defer l.done(call, &err)
	r, err := l.readiness(call, ready, session)
	if err != nil {
		return err
	}
	*ready = r.ended && len(r.passes) >= len(r.plan.passes)
	if !*ready {
		return nil
	}
	for k := range r.plan.passes {
		for _, sample := range r.passes[0].order {
			*ready = *ready && r.arrived(k, sample)
		}
	}
	return nil
}

// IsSampleReady tells whether the results of one sample can be had without waiting.
func (l *Library) IsSampleReady(ready *bool, session, sample uint32) (err error) {
	const call = "IsSampleReady"
	defer l.done(call, &err)
	r, err := l.readiness(call, ready, session)
	if err != nil {
		return err
	}
	for k := range r.plan.passes {
		if !r.has(k, sample) {
			return fail(call, SampleNotFoundInAllPasses, "session %d has no sample %d in pass %d of %d", session, sample, k+1, len(r.plan.passes))
		}
	}
	*ready = true
	for k := range r.plan.passes {
		*ready = *ready && r.arrived(k, sample)
	}
	return nil
}

func (l *Library) readiness(call string, ready *bool, session uint32) (*run, error) {
	if l.current == nil {
		return nil, fail(call, CountersNotOpen, notOpen)
	}
	if ready == nil {
		return nil, fail(call, NullPointer, "no place for the answer is given")
	}
	return l.session(call, session)
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

// GetSampleCount gives how many samples the first pass of a session has.
func (l *Library) GetSampleCount(session uint32, n *int) (err error) {
	const call = "GetSampleCount"
	defer l.done(call, &err)
	if n == nil {
		return fail(call, NullPointer, "no place for the number is given")
	}
	r, err := l.session(call, session)
	if err != nil {
		return err
	}
	*n = 0
	if len(r.passes) > 0 {
		*n = len(r.passes[0].order)
	}
	return nil
}

// Samples lists the numbers of the samples of a session in the order of its first pass.
func (l *Library) Samples(session uint32) ([]uint32, error) {
	r, err := l.session("GetSampleCount", session)
	if err != nil || len(r.passes) == 0 {
		return nil, err
	}
	return slices.Clone(r.passes[0].order), nil
}

// GetSampleUint32, GetSampleUint64, GetSampleFloat32 and GetSampleFloat64 give one result of a counter of that type. They wait until it
// is there.
func (l *Library) GetSampleUint32(ctx context.Context, session, sample uint32, counter int, v *uint32) error {
	return typed(ctx, l, "GetSampleUInt32", Uint32, session, sample, counter, v, func(x capture.Value) uint32 { u, _ := x.Uint64(); return uint32(u) })
}

// GetSampleUint64 is described at GetSampleUint32.
func (l *Library) GetSampleUint64(ctx context.Context, session, sample uint32, counter int, v *uint64) error {
	return typed(ctx, l, "GetSampleUInt64", Uint64, session, sample, counter, v, wholeOf)
}

// GetSampleFloat32 is described at GetSampleUint32.
func (l *Library) GetSampleFloat32(ctx context.Context, session, sample uint32, counter int, v *float32) error {
	return typed(ctx, l, "GetSampleFloat32", Float32, session, sample, counter, v, func(x capture.Value) float32 { return float32(x.Float()) })
}

// GetSampleFloat64 is described at GetSampleUint32.
func (l *Library) GetSampleFloat64(ctx context.Context, session, sample uint32, counter int, v *float64) error {
	return typed(ctx, l, "GetSampleFloat64", Float64, session, sample, counter, v, capture.Value.Float)
}

// wholeOf is a value as an unsigned integer, cut off where it is none.
func wholeOf(x capture.Value) uint64 {
	if u, ok := x.Uint64(); ok {
		return u
	}
	return uint64(max(0, math.Trunc(x.Float())))
}

func typed[T any](ctx context.Context, l *Library, call string, want Type, session, sample uint32, counter int, v *T, convert func(capture.Value) T) (err error) {
	defer l.done(call, &err)
	if v == nil {
		return fail(call, NullPointer, "no place for the result is given")
	}
	x, err := l.result(ctx, call, &want, session, sample, counter)
	if err != nil {
		return err
	}
	*v = convert(x)
	return nil
}

// Result gives one result of a counter of any type, exactly. It waits until it is there.
func (l *Library) Result(ctx context.Context, session, sample uint32, counter int) (v capture.Value, err error) {
	const call = "GetSample"
	defer l.done(call, &err)
	return l.result(ctx, call, nil, session, sample, counter)
}

// ResultAs is Result of a counter that must have the type.
func (l *Library) ResultAs(ctx context.Context, t Type, session, sample uint32, counter int) (v capture.Value, err error) {
	const call = "GetSample"
	defer l.done(call, &err)
	return l.result(ctx, call, &t, session, sample, counter)
}

func (l *Library) result(ctx context.Context, call string, want *Type, session, sample uint32, counter int) (capture.Value, error) {
	c, err := l.counter(call, counter)
	if err != nil {
		return capture.Value{}, err
	}
	if want != nil && *want != c.Type {
		return capture.Value{}, fail(call, CounterNotOfSpecifiedType, "results of %s are %s, not %s", c.Name, c.Type.Name(), want.Name())
	}
	r, err := l.session(call, session)
	if err != nil {
		return capture.Value{}, err
	}
	at := slices.Index(r.enabled, counter)
	if at < 0 {
		return capture.Value{}, fail(call, NotEnabled, "%s was not enabled in session %d", c.Name, session)
	}
	operands, err := r.operands(ctx, call, c, at, sample)
	if err != nil {
		return capture.Value{}, err
	}
	v, err := l.current.backend.Evaluate(c, operands)
	if err != nil {
		return v, failCause(call, ReadingCounterResult, err)
	}
	if v.Missing() {
		return v, fail(call, ReadingCounterResult, "%s has no value in sample %d", c.Name, sample)
	}
	return v, nil
}

// operands are the values of the hardware counters of an enabled counter in one sample, each from the counter's own pass.
func (r *run) operands(ctx context.Context, call string, c *Counter, at int, sample uint32) ([]capture.Value, error) {
	for _, p := range r.plan.where[at] {
		if !r.has(p.pass, sample) {
			return nil, fail(call, SampleNotFound, "session %d has no sample %d in pass %d, which measures %s", r.id, sample, p.pass+1, c.Name)
		}
	}
	out := make([]capture.Value, len(r.plan.where[at]))
	for i, p := range r.plan.where[at] {
		m, err := r.passes[p.pass].samples[sample].wait(ctx)
		if err != nil {
			return nil, failCause(call, ReadingCounterResult, err)
		}
		if p.offset >= len(m.Values) {
			return nil, fail(call, ReadingCounterResult, "pass %d gave %d values of %d", p.pass+1, len(m.Values), len(r.plan.passes[p.pass]))
		}
		out[i] = m.Values[p.offset]
		if out[i].Missing() && m.Why != nil {
			return nil, fail(call, ReadingCounterResult, "%s: %s", c.Hardware[i].Name, m.Why[p.offset])
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

// Enabled lists the counters that a session was begun with, in the order of enabling.
func (l *Library) Enabled(session uint32) ([]int, error) {
	r, err := l.session("GetSample", session)
	if err != nil {
		return nil, err
	}
	return slices.Clone(r.enabled), nil
}
