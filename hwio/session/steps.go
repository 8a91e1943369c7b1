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
}

// passRun is one pass of a session.
type passRun struct {
	samples map[uint32]*sampleRun
	order   []uint32 // of the samples that were begun
	measure Pass     // nil before the first sample, and in a pass that nothing is measured in
}

// sampleRun is one sample of one pass.
type sampleRun struct {
	id      uint32
	result  Result // nil until it is ended
	outcome *Measurement
	failed  error
}

func (c *Context) run() *run { return c.ring[len(c.ring)-1] }

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

// phase is how far a context is on its way from a session to a sample, which stand inside each other.
type phase uint8

const (
	idle phase = iota
	inSession
	inPass
	inSample
)

// Step is a call that leads a context from one phase to another.
type Step uint8

// The steps.
const (
	BeginSession Step = iota
	BeginPass
	BeginSample
	EndSample
	EndPass
	EndSession
)

// steps is the state machine. A step is made in the phase that it begins from; where the context is further, it fails
// with the status. What ends something does so though it fails: what was measured by then is kept, and the error says
// what is wrong with it.
var steps = [...]struct {
	call    string
	from    phase
	to      phase
	further Status
	do      func(c *Context, ctx context.Context, sample uint32) error
}{
	BeginSession: {"BeginSession", idle, inSession, SamplingAlreadyStarted, (*Context).beginSession},
	BeginPass:    {"BeginPass", inSession, inPass, PassAlreadyStarted, (*Context).beginPass},
	BeginSample:  {"BeginSample", inPass, inSample, SampleAlreadyStarted, (*Context).beginSample},
	EndSample:    {"EndSample", inSample, inPass, OK, (*Context).endSample},
	EndPass:      {"EndPass", inPass, inSession, SampleNotEnded, (*Context).endPass},
	EndSession:   {"EndSession", inSession, idle, PassNotEnded, (*Context).endSession},
}

// Step makes a step. The number is that of the sample to begin, which tells which samples of the passes belong
// together; other steps have none. Passes beyond those needed are accepted, and nothing is measured in them. A pass
// whose number of samples is not that of the first, and a session that lacks passes, end with an error.
func (c *Context) Step(ctx context.Context, step Step, sample uint32) (err error) {
	s := &steps[step]
	defer c.log.done(s.call, &err)
	if err := c.reach(s.from, s.further); err != nil {
		return err
	}
	err = s.do(c, ctx, sample)
	if err == nil || s.to < s.from {
		c.phase = s.to
	}
	return err
}

// Last is the number of the session that was begun last.
func (c *Context) Last() uint32 { return c.began }

// reach fails where the context is not in the phase that a call begins from. It is the one place that says which call
// may follow which: what was not begun has a status of its own, and what was not ended the status further, by the call.
func (c *Context) reach(want phase, further Status) error {
	if err := c.needOpen(); err != nil {
		return err
	}
	switch at := c.phase; {
	case at == want:
		return nil
	case at < want && want == inSample:
		return fail(SampleNotStarted, "begin a sample first")
	case at < want && at == idle:
		return fail(SamplingNotStarted, "begin a session first")
	case at < want:
		return fail(PassNotStarted, "begin a pass first")
	case want == idle:
		return fail(further, "session %d is under way: end it first", c.began)
	case want == inSession:
		return fail(further, "pass %d is under way: end it first", len(c.run().passes))
	}
	order := c.run().pass().order
	return fail(further, "sample %d is under way: end it first", order[len(order)-1])
}

func (c *Context) beginSession(context.Context, uint32) error {
	if len(c.schedule().passes) == 0 {
		return fail(NoCountersEnabled, "enable a counter first")
	}
	c.began++
	r := &run{id: c.began, enabled: slices.Clone(c.enabled), plan: c.plan}
	if len(c.ring) == buffered {
		c.log.say(logMessage, "the oldest session is dropped")
		c.ring = slices.Delete(c.ring, 0, 1)
	}
	c.ring = append(c.ring, r)
	return nil
}

func (c *Context) beginPass(context.Context, uint32) error {
	r := c.run()
	r.passes = append(r.passes, &passRun{samples: map[uint32]*sampleRun{}})
	return nil
}

func (c *Context) beginSample(ctx context.Context, id uint32) (err error) {
	r := c.run()
	p := r.pass()
	if _, used := p.samples[id]; used {
		return fail(SampleAlreadyStarted, "pass %d has a sample %d: give each its own number", len(r.passes), id)
	}
	if k := len(r.passes) - 1; k < len(r.plan.passes) {
		if p.measure == nil {
			if p.measure, err = c.backend.StartPass(ctx, k, r.plan.passes[k]); err != nil {
				p.measure = nil
				return failCause(Failed, err)
			}
		}
		if err := p.measure.Begin(ctx, id); err != nil {
			return failCause(Failed, err)
		}
	}
	p.add(&sampleRun{id: id})
	return nil
}

func (p *passRun) add(s *sampleRun) {
	p.samples[s.id] = s
	p.order = append(p.order, s.id)
}

func (c *Context) endSample(ctx context.Context, _ uint32) error {
	p := c.run().pass()
	s := p.samples[p.order[len(p.order)-1]]
	if p.measure == nil {
		s.result = resultOf(&Measurement{})
		return nil
	}
	if s.result, s.failed = p.measure.End(ctx); s.failed != nil {
		return failCause(Failed, s.failed)
	}
	return nil
}

func (c *Context) endPass(context.Context, uint32) error {
	r := c.run()
	r.closePass()
	if n, want := len(r.pass().order), len(r.passes[0].order); n != want {
		return fail(VariableNumberOfSamplesInPasses, "pass %d has %d samples and the first pass %d; the pass is ended",
			len(r.passes), n, want)
	}
	return nil
}

func (c *Context) endSession(context.Context, uint32) error {
	if r := c.run(); len(r.passes) < len(r.plan.passes) {
		return fail(NotEnoughPasses, "%d of %d passes were made; the session is ended", len(r.passes),
			len(r.plan.passes))
	}
	return nil
}
