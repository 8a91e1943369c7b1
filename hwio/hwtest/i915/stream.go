package i915

import (
	"fmt"
	"syscall"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// Sizes of the kernel's report buffer.
const (
	bufferSize      = 16 << 20
	smallBufferSize = 16 << 10
)

// stream is an open OA stream. Its fields are guarded by the device's lock.
type stream struct {
	d          *device
	ready      *hwtest.Readiness
	format     *format
	period     uint64 // ticks between timer reports, 0: no timer
	pollPeriod time.Duration
	nonblock   bool
	filter     uint32 // context whose reports are wanted, 0: all
	config     *config
	configs    int // changes of configuration so far
	enabled    bool
	enabledAt  int64 // ns
	started    bool  // the goroutine that watches the buffer runs
	closed     bool
	stop       chan struct{}

	prog programming
	seg  *segment
	gen  uint64 // reports before this time have been generated

	pending  []event // of the kernel's buffer, from head
	head     int
	overflow bool
	lost     int // reports gone by the overflow
	spill    uint64
	lastCtx  uint32 // of the last report passed on, as the driver remembers it
	quiet    int    // reports delivered since the hardware last dropped some
	oddities int    // reports delivered since the last record of an unknown type
	timers   int    // timer reports so far

	truth *StreamTruth
	acct  account
}

func newStream(d *device, p *properties, cfg *config, nonblock bool) *stream {
	s := &stream{d: d, format: p.format, pollPeriod: p.pollPeriod, nonblock: nonblock, config: cfg,
		prog: newProgramming(cfg),
		stop: make(chan struct{}), lastCtx: invalidContext, ready: hwtest.NewReadiness(nil)}
	s.truth = &StreamTruth{Format: s.format.name, Exponent: p.exponent, Properties: p.given,
		PollNS: int64(p.pollPeriod), Powered: p.powered}
	if p.exponent >= 0 {
		s.period = 2 << p.exponent
		s.truth.PeriodTicks = s.period
	}
	s.truth.Configs = append(s.truth.Configs, cfg.truth())
	s.acct.start(s)

	t := d.clk.at(d.now())
	sp := d.work.at(t)
	s.seg = &segment{span: sp, rates: s.prog.ratesOf(sp.sig, d.part), clocks: d.part.clocks()}
	s.seg.t0 = t
	s.gen = t
	s.firstValues(&s.seg.base)
	return s
}

// firstValues are what the counters hold when the stream is opened: something, or nearly their all.
func (s *stream) firstValues(v *counters) {
	r := s.d.set.Rand(fmt.Sprintf("stream %d", len(s.d.streams)))
	wrap := s.d.has("wrap") || s.d.has("wrap-36")
	first := func(width int) uint64 {
		if wrap {
			return 1<<width - 1 - r.Uint64N(1<<27) // a quarter of a second of clocks at most
		}
		return r.Uint64N(1 << (width - 2))
	}
	v.clocks = first(32)
	for i := range v.c {
		width := 32
		if i < 32 {
			width = 40
		}
		v.c[i] = first(width)
	}
}

// Attach implements hwtest.Pollable.
func (s *stream) Attach(r *hwtest.Readiness) {
	s.d.mu.Lock()
	s.ready = r
	s.d.mu.Unlock()
}

// wake says that a read would find something, or no longer.
func (s *stream) wake(ready bool) {
	s.d.mu.Lock()
	r := s.ready
	s.d.mu.Unlock()
	r.Set(ready)
}

// enable starts the unit with an empty buffer.
func (s *stream) enable() {
	d := s.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.enabled {
		return
	}
	now := d.now()
	s.generate(d.clk.at(now))
	s.enabled, s.enabledAt = true, now
	s.spill = s.gen + d.part.TimestampHz*3/10
	s.acct.cut("enable")
	if !s.started && !d.byHand && s.period != 0 {
		s.started = true
		d.waits.Add(1)
		go s.watch()
	}
}

// disable stops the unit; what was not read is gone.
func (s *stream) disable() {
	d := s.d
	d.mu.Lock()
	if s.enabled {
		s.generate(d.clk.at(d.now()))
		s.discard("disable")
		s.enabled = false
	}
	r := s.ready
	d.mu.Unlock()
	r.Set(false)
}

// watch is the driver's timer, which looks every poll period whether reports have landed.
func (s *stream) watch() {
	defer s.d.waits.Done()
	t := time.NewTicker(s.pollPeriod)
	defer t.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-s.d.stopped:
			return
		case <-t.C:
			s.check()
		}
	}
}

// check is one look of the driver's timer.
func (s *stream) check() {
	d := s.d
	d.mu.Lock()
	ready := false
	if s.enabled && !d.gone {
		now := d.now()
		s.generate(d.clk.at(now))
		ready = s.overflow || s.visible(now) > 0
	}
	r := s.ready
	d.mu.Unlock()
	if ready {
		r.Set(true)
	}
}

// visible is how many pending reports the driver knew of when its timer last looked.
func (s *stream) visible(now int64) int {
	if s.period == 0 {
		return 0
	}
	looked := s.d.clk.at(now - (now-s.enabledAt)%int64(s.pollPeriod))
	n := len(s.pending)
	for n > s.head && s.pending[n-1].t >= looked {
		n--
	}
	return n - s.head
}

// generate makes the reports before a time.
func (s *stream) generate(to uint64) {
	for s.gen < to {
		timer := ^uint64(0)
		if s.period != 0 {
			// The timer fires whenever the timestamp is a multiple of the period.
			ts := s.d.clk.base + s.gen
			timer = s.gen + (s.period-ts%s.period)%s.period
		}
		if timer < s.seg.t1 && timer < to {
			s.emit(timer, reasonTimer)
			s.gen = timer + 1
			continue
		}
		if s.seg.t1 >= to {
			s.gen = to
			return
		}
		t, old := s.seg.t1, s.seg
		s.split(t, s.d.work.at(t))
		var reason uint32
		if s.seg.ctx != old.ctx && !s.seg.silent {
			reason |= reasonContextSwitch
		}
		if s.seg.gated && !old.gated {
			reason |= reasonGoTransition
		}
		s.gen = t
		if timer == t {
			reason |= reasonTimer
		}
		if reason != 0 {
			s.emit(t, reason)
			s.gen = t + 1
		}
	}
}

// split ends the current segment at a time and starts one with another span.
func (s *stream) split(t uint64, sp span) {
	s.seg = s.seg.follow(t, sp, s.prog.ratesOf(sp.sig, s.d.part))
	s.seg.configs = s.configs
}

// emit is the hardware writing a report.
func (s *stream) emit(t uint64, reason uint32) {
	if !s.enabled {
		return
	}
	s.truth.Produced++
	if s.overflow {
		s.lost++
		return
	}
	size := bufferSize
	if s.d.has("small-buffer") {
		size = smallBufferSize
	}
	spilt := s.d.has("slow-reader") && t >= s.spill
	if spilt || len(s.pending)-s.head >= size/s.format.size {
		s.overflow = true
		s.lost = len(s.pending) - s.head + 1
		s.pending, s.head = s.pending[:0], 0
		s.spill = t + s.d.part.TimestampHz*3/10
		return
	}
	e := event{t: t, seg: s.seg, reason: reason}
	if reason == reasonTimer {
		s.timers++
		switch {
		case s.seg.spurious != 0 && t >= s.seg.spurious && !s.seg.toldWrong:
			s.seg.toldWrong, e.invalid = true, true
		case s.d.has("reason-zero") && s.timers%50 == 49:
			e.reason = 0
		case s.d.has("unlanded") && s.timers%40 == 39:
			e.unlanded = true
		}
	}
	s.pending = append(s.pending, e)
}

// discard loses what is pending, and starts a new base.
func (s *stream) discard(why string) {
	n := s.lost + len(s.pending) - s.head
	s.pending, s.head, s.lost, s.overflow = s.pending[:0], 0, 0, false
	s.truth.Lost += n
	s.truth.Losses = append(s.truth.Losses, LossTruth{Kind: why, Reports: n,
		AfterTimestamp: s.acct.lastTimestamp(s.d.clk)})
	s.acct.cut(why)
}

// Ioctl implements hwtest.File.
func (s *stream) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	s.d.mu.Lock()
	gone := s.d.gone
	s.d.mu.Unlock()
	if gone {
		return 0, syscall.ENODEV
	}
	switch request {
	case uapi.Ioctl("I915_PERF_IOCTL_ENABLE"):
		s.enable()
		return 0, nil
	case uapi.Ioctl("I915_PERF_IOCTL_DISABLE"):
		s.disable()
		return 0, nil
	case uapi.Ioctl("I915_PERF_IOCTL_CONFIG"):
		if s.d.revision >= 2 {
			return s.reconfigure(arg)
		}
	}
	return 0, syscall.EINVAL
}

// reconfigure changes the metric set, and returns the id of the old one.
func (s *stream) reconfigure(id uint64) (int64, error) {
	d := s.d
	d.mu.Lock()
	defer d.mu.Unlock()
	cfg := d.configs[id]
	if cfg == nil {
		return 0, syscall.EINVAL
	}
	old := s.config
	if cfg != old {
		t := d.clk.at(d.now())
		s.generate(t)
		s.config, s.prog = cfg, newProgramming(cfg)
		s.configs++
		s.split(s.gen, s.seg.span)
		s.truth.Configs = append(s.truth.Configs, cfg.truth())
	}
	return int64(old.id), nil
}

// Close implements hwtest.File: the unit is free for others.
func (s *stream) Close() {
	d := s.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.closed {
		return
	}
	if s.enabled && !d.gone {
		s.generate(d.clk.at(d.now()))
	}
	s.truth.Unread = len(s.pending) - s.head + s.lost
	s.truth.Closed = true
	s.closed, s.enabled = true, false
	close(s.stop)
	if d.stream == s {
		d.stream = nil
	}
	d.closed++
}
