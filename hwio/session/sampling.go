package session

import (
	"context"
	"slices"
)

// run is one session of a context.
type run struct {
	id      uint32
	enabled []int // snapshot
	plan    *plan
	passes  []*passRun // begun so far
	inPass  bool
	ended   bool
}

// passRun is one pass of a session.
type passRun struct {
	samples map[uint32]*sampleRun
	order   []uint32 // of the samples that were begun
	counted int      // samples that were ended
	open    *sampleRun
	measure Pass // nil before the first sample, and in a pass that nothing is measured in
}

// sampleRun is one sample of one pass.
type sampleRun struct {
	id      uint32
	result  Result // nil until it is ended
	outcome *Measurement
	failed  error
}

func (r *run) pass() *passRun { return r.passes[len(r.passes)-1] }

// closePass lets the backend go.
func (r *run) closePass() {
	if len(r.passes) == 0 {
		return
	}
	if p := r.pass(); p.measure != nil {
		// What was measured is kept; there is nothing more to be had from a pass that does not close.
		_ = p.measure.Close()
		p.measure = nil
	}
}

// phase is how far the current context is on its way from a session to a sample, which stand inside each other.
type phase uint8

const (
	idle phase = iota
	inSession
	inPass
	inSample
)

func (s *state) phase() phase {
	switch r := s.active; {
	case r == nil:
		return idle
	case !r.inPass:
		return inSession
	case r.pass().open == nil:
		return inPass
	}
	return inSample
}

// reach is the current context where it is in the phase that a call begins from. It is the one place that says which call may follow
// which: what was not begun has a status of its own, and what was not ended the status further, by the call.
func (l *Library) reach(want phase, further Status) (*state, error) {
	s, err := l.open()
	if err != nil {
		return nil, err
	}
	switch at := s.phase(); {
	case at == want:
		return s, nil
	case at < want && want == inSample:
		return nil, fail(SampleNotStarted, "begin a sample first")
	case at < want && at == idle:
		return nil, fail(SamplingNotStarted, "begin a session first")
	case at < want:
		return nil, fail(PassNotStarted, "begin a pass first")
	case want == idle:
		return nil, fail(further, "session %d is under way: end it first", s.active.id)
	case want == inSession:
		return nil, fail(further, "pass %d is under way: end it first", len(s.active.passes))
	}
	return nil, fail(further, "sample %d is under way: end it first", s.active.pass().open.id)
}

// BeginSession begins a session with the enabled counters and gives its number, which counts from 1 in a fresh context.
func (l *Library) BeginSession() (id uint32, err error) {
	defer l.done("BeginSession", &err)
	s, err := l.reach(idle, SamplingAlreadyStarted)
	if l.current != nil && len(l.current.schedule().passes) == 0 {
		return 0, fail(NoCountersEnabled, "enable a counter first")
	}
	if err != nil {
		return 0, err
	}
	s.began++
	r := &run{id: s.began, enabled: slices.Clone(s.enabled), plan: s.plan}
	if len(s.ring) == buffered {
		l.log(LogMessage, "the oldest session is dropped")
		s.ring = slices.Delete(s.ring, 0, 1)
	}
	s.ring = append(s.ring, r)
	s.active = r
	return r.id, nil
}

// BeginPass begins the next pass of the session. Passes beyond those needed are accepted, and nothing is measured in them.
func (l *Library) BeginPass() (err error) {
	defer l.done("BeginPass", &err)
	s, err := l.reach(inSession, PassAlreadyStarted)
	if err != nil {
		return err
	}
	r := s.active
	r.passes = append(r.passes, &passRun{samples: map[uint32]*sampleRun{}})
	r.inPass = true
	return nil
}

// BeginSample begins a sample. Its number tells which samples of the passes belong together.
func (l *Library) BeginSample(ctx context.Context, id uint32) (err error) {
	defer l.done("BeginSample", &err)
	s, err := l.reach(inPass, SampleAlreadyStarted)
	if err != nil {
		return err
	}
	r := s.active
	p := r.pass()
	if _, used := p.samples[id]; used {
		return fail(SampleAlreadyStarted, "pass %d has a sample %d: give each its own number", len(r.passes), id)
	}
	if k := len(r.passes) - 1; k < len(r.plan.passes) {
		if p.measure == nil {
			if p.measure, err = s.backend.StartPass(ctx, k, r.plan.passes[k]); err != nil {
				p.measure = nil
				return failCause(Failed, err)
			}
		}
		if err := p.measure.Begin(ctx, id); err != nil {
			return failCause(Failed, err)
		}
	}
	p.open = &sampleRun{id: id}
	p.samples[id] = p.open
	p.order = append(p.order, id)
	return nil
}

// EndSample ends the sample.
func (l *Library) EndSample(ctx context.Context) (err error) {
	defer l.done("EndSample", &err)
	s, err := l.reach(inSample, OK)
	if err != nil {
		return err
	}
	p := s.active.pass()
	sample := p.open
	if p.measure != nil {
		if sample.result, err = p.measure.End(ctx); err != nil {
			sample.failed = err
		}
	} else {
		sample.result = resultOf(&Measurement{})
	}
	p.open = nil
	p.counted++
	if sample.failed != nil {
		return failCause(Failed, sample.failed)
	}
	return nil
}

// EndPass ends the pass. It does so too where the number of its samples is not that of the first pass, which is an error.
func (l *Library) EndPass() (err error) {
	defer l.done("EndPass", &err)
	s, err := l.reach(inPass, SampleNotEnded)
	if err != nil {
		return err
	}
	r := s.active
	p := r.pass()
	r.closePass()
	r.inPass = false
	if want := r.passes[0].counted; p.counted != want {
		return fail(VariableNumberOfSamplesInPasses, "pass %d has %d samples and the first pass %d; the pass is ended", len(r.passes), p.counted, want)
	}
	return nil
}

// EndSession ends the session. It does so too where passes are missing, which is an error.
func (l *Library) EndSession() (err error) {
	defer l.done("EndSession", &err)
	s, err := l.reach(inSession, PassNotEnded)
	if err != nil {
		return err
	}
	r := s.active
	r.ended, s.active = true, nil
	if len(r.passes) < len(r.plan.passes) {
		return fail(NotEnoughPasses, "%d of %d passes were made; the session is ended", len(r.passes), len(r.plan.passes))
	}
	return nil
}
