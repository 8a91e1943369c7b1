package intel

import (
	"fmt"
	"time"

	"astrolabe/hwio/hwtest"
)

// Stream is an open stream of an OA unit, as both drivers have it. Its fields are guarded by the GPU's lock.
type Stream struct {
	GPU    *GPU
	Unit   *Unit
	Format *Format
	Config *Config
	Poll   time.Duration // between two looks of the driver for new reports
	Driver Driver

	Enabled   bool
	EnabledAt int64 // ns
	Closed    bool
	Pending   []Event // of the kernel's buffer, from Head
	Head      int
	Filter    uint32 // context whose reports are wanted, 0: all
	Overrun   int    // reports that an overflow took, which no read has been told of

	Truth *StreamTruth
	acct  account

	ready   *hwtest.Readiness
	period  uint64 // ticks between timer reports, 0: no timer
	prog    programming
	seg     *Segment
	gen     uint64 // reports before this time have been generated
	configs int    // changes of configuration so far
	started bool   // the goroutine that watches the buffer runs
	stop    chan struct{}
}

// Driver is what a driver does with its stream. It is called with the GPU locked.
type Driver interface {
	// Emit is the hardware writing a report: Append puts it into the kernel's buffer.
	Emit(t uint64, reason uint32)
	// Waiting says whether a read would find something.
	Waiting(now int64) bool
	// Cleared is told that the stream was enabled, at time t: its buffer is empty.
	Cleared(t uint64)
}

// OpenStream takes a unit; the GPU is locked. exponent is -1 for a stream without a timer.
func (g *GPU) OpenStream(u *Unit, f *Format, exponent int, cfg *Config, poll time.Duration, d Driver) *Stream {
	s := &Stream{GPU: g, Unit: u, Format: f, Config: cfg, Poll: poll, Driver: d, prog: cfg.program(u, g.Part),
		stop: make(chan struct{}), ready: hwtest.NewReadiness(nil)}
	s.Truth = &StreamTruth{Unit: u.ID, Format: f.Name, Exponent: exponent, PollNS: int64(poll),
		Configs: []ConfigTruth{cfg.truth()}}
	if exponent >= 0 {
		s.period = 2 << exponent
		s.Truth.PeriodTicks = s.period
	}
	s.acct.start(s)
	t := g.Clock.At(g.Now())
	sp := g.work.At(t)
	s.seg = &Segment{Span: sp, rates: s.prog.ratesOf(&sp, g.Part), clocks: g.Part.clocks()}
	s.seg.T0, s.gen = t, t
	s.firstValues(&s.seg.base)
	g.open[u.ID] = s
	g.streams = append(g.streams, s)
	return s
}

// firstValues are what the counters hold when the stream is opened: something, more than 40 bits where they have 64, or
// nearly their all where a wrap is to come.
func (s *Stream) firstValues(v *Counters) {
	r := s.GPU.Settings.Rand(fmt.Sprintf("stream %d", len(s.GPU.streams)))
	wrap := s.GPU.Has("wrap") || s.GPU.Has("wrap-36")
	first := func(width int) uint64 {
		switch {
		case width == 64:
			return r.Uint64N(1 << 52)
		case wrap:
			return 1<<width - 1 - r.Uint64N(1<<27) // a quarter of a second of clocks at most
		}
		return r.Uint64N(1 << (width - 2))
	}
	v.Clocks = first(s.Format.headerBits())
	for _, fd := range s.Format.fields {
		v.C[fd.slot] = first(fd.bits)
	}
}

// Periodic says whether the stream has a timer.
func (s *Stream) Periodic() bool { return s.period != 0 }

// Attach implements hwtest.Pollable.
func (s *Stream) Attach(r *hwtest.Readiness) {
	s.GPU.Mu.Lock()
	s.ready = r
	s.GPU.Mu.Unlock()
}

// Wake says that a read would find something, or no longer.
func (s *Stream) Wake(ready bool) {
	s.GPU.Mu.Lock()
	r := s.ready
	s.GPU.Mu.Unlock()
	r.Set(ready)
}

// Ready is what was said last.
func (s *Stream) Ready() bool { return s.ready.Ready() }

// Enable starts the unit with an empty buffer.
func (s *Stream) Enable() {
	g := s.GPU
	g.Mu.Lock()
	defer g.Mu.Unlock()
	if s.Enabled {
		return
	}
	now := g.Now()
	s.Generate(now)
	s.Enabled, s.EnabledAt = true, now
	s.Driver.Cleared(s.gen)
	s.acct.why = "enable"
	if !s.started && !g.ByHand && s.period != 0 {
		s.started = true
		g.waits.Add(1)
		go s.watch()
	}
}

// Disable stops the unit; what was not read is gone.
func (s *Stream) Disable() {
	g := s.GPU
	g.Mu.Lock()
	if s.Enabled {
		s.Generate(g.Now())
		s.Discard("disable")
		s.Enabled = false
	}
	r := s.ready
	g.Mu.Unlock()
	r.Set(false)
}

// watch is the driver's timer, which looks every poll period whether reports have landed.
func (s *Stream) watch() {
	defer s.GPU.waits.Done()
	t := time.NewTicker(s.Poll)
	defer t.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-s.GPU.stopped:
			return
		case <-t.C:
			s.Check()
		}
	}
}

// Check is one look of the driver's timer.
func (s *Stream) Check() {
	g := s.GPU
	g.Mu.Lock()
	ready := false
	if s.Enabled && !g.Gone {
		now := g.Now()
		s.Generate(now)
		ready = s.Driver.Waiting(now)
	}
	r := s.ready
	g.Mu.Unlock()
	if ready {
		r.Set(true)
	}
}

// Visible is how many pending reports the driver knew of when its timer last looked.
func (s *Stream) Visible(now int64) int {
	if s.period == 0 {
		return 0
	}
	looked := s.GPU.Clock.At(now - (now-s.EnabledAt)%int64(s.Poll))
	n := len(s.Pending)
	for n > s.Head && s.Pending[n-1].T >= looked {
		n--
	}
	return n - s.Head
}

// Waits is how many reports are in the buffer.
func (s *Stream) Waits() int { return len(s.Pending) - s.Head }

// Generate makes the reports before a moment of CLOCK_MONOTONIC.
func (s *Stream) Generate(now int64) {
	to := s.GPU.Clock.At(now)
	for s.gen < to {
		timer := ^uint64(0)
		if s.period != 0 {
			// The timer fires whenever the timestamp is a multiple of the period.
			ts := s.GPU.Clock.Base + s.gen
			timer = s.gen + (s.period-ts%s.period)%s.period
		}
		if timer < s.seg.T1 && timer < to {
			s.emit(timer, ReasonTimer)
			s.gen = timer + 1
			continue
		}
		if s.seg.T1 >= to {
			s.gen = to
			return
		}
		t, old := s.seg.T1, s.seg
		s.split(t, s.GPU.work.At(t))
		var reason uint32
		if s.seg.Ctx != old.Ctx && !s.seg.Silent && !s.Unit.Media {
			reason |= reasonContextSwitch
		}
		if s.seg.Gated && !old.Gated {
			reason |= reasonGoTransition
		}
		s.gen = t
		if timer == t {
			reason |= ReasonTimer
		}
		if reason != 0 {
			s.emit(t, reason)
			s.gen = t + 1
		}
	}
}

// emit is the hardware writing a report, where it runs.
func (s *Stream) emit(t uint64, reason uint32) {
	if s.Enabled {
		s.Truth.Produced++
		s.Driver.Emit(t, reason)
	}
}

// Append puts a report into the buffer. The result is where, and belongs to the buffer.
func (s *Stream) Append(t uint64, reason uint32) *Event {
	s.Pending = append(s.Pending, Event{T: t, seg: s.seg, Reason: reason})
	return &s.Pending[len(s.Pending)-1]
}

// SpuriousDue says once in a segment of the scenario that its report is due that wrongly has no context.
func (s *Stream) SpuriousDue(t uint64) bool {
	if s.seg.Spurious == 0 || t < s.seg.Spurious || s.seg.toldWrong {
		return false
	}
	s.seg.toldWrong = true
	return true
}

// split ends the current segment at a time and starts one with another span.
func (s *Stream) split(t uint64, sp Span) {
	s.seg = s.seg.follow(t, sp, s.prog.ratesOf(&sp, s.GPU.Part))
	s.seg.configs = s.configs
}

// Discard loses what is in the buffer and what an overflow took, and starts a new base.
func (s *Stream) Discard(why string) {
	n := s.Overrun + s.Waits()
	s.Pending, s.Head, s.Overrun = s.Pending[:0], 0, 0
	s.Lose(why, n)
	s.acct.why = why
}

// Lose notes a loss where a reader sees it.
func (s *Stream) Lose(why string, n int) {
	s.Truth.Lost += n
	s.Truth.Losses = append(s.Truth.Losses, LossTruth{Kind: why, Reports: n, AfterTimestamp: s.acct.lastTimestamp()})
}

// Skip leaves reports of the buffer out that the hardware did not write.
func (s *Stream) Skip(n int) {
	s.Head += n
	s.Lose("report", n)
	s.acct.gap = true
}

// Compact gives the room of what was read back, so that moving costs each report a constant share.
func (s *Stream) Compact() {
	if s.Head > len(s.Pending)/2 {
		s.Pending = s.Pending[:copy(s.Pending, s.Pending[s.Head:])]
		s.Head = 0
	}
}

// Deliver appends the next report of the buffer, and counts it.
func (s *Stream) Deliver(b []byte) []byte {
	e := &s.Pending[s.Head]
	s.Head++
	at := len(b)
	b = append(b, make([]byte, s.Format.Size)...)
	var v Counters
	e.seg.at(e.T, &v)
	s.Format.put(b[at:], e, s.GPU.Clock.Full(e.T), &v)
	if s.Filter != 0 && e.seg.Ctx != s.Filter {
		copy(b[at+2*s.Format.word():], []byte{0xff, 0xff, 0xff, 0xff})
	}
	s.Truth.Delivered++
	s.GPU.Delivered++
	s.GPU.Settings.Tell(s.GPU.Delivered)
	if e.Unlanded {
		clear(b[at : at+2*s.Format.word()])
		s.Truth.Unlanded++
		return b
	}
	s.acct.add(e, &v)
	return b
}

// Reconfigure changes the metric set, and returns the id of the old one.
func (s *Stream) Reconfigure(cfg *Config) uint64 {
	old := s.Config
	if cfg != old {
		s.Generate(s.GPU.Now())
		s.Config, s.prog = cfg, cfg.program(s.Unit, s.GPU.Part)
		s.configs++
		s.split(s.gen, s.seg.Span)
		s.Truth.Configs = append(s.Truth.Configs, cfg.truth())
	}
	return old.ID
}

// Close implements hwtest.File: the unit is free for others.
func (s *Stream) Close() {
	g := s.GPU
	g.Mu.Lock()
	defer g.Mu.Unlock()
	if s.Closed {
		return
	}
	if s.Enabled && !g.Gone {
		s.Generate(g.Now())
	}
	s.Truth.Unread = s.Waits() + s.Overrun
	s.Truth.Closed = true
	s.Closed, s.Enabled = true, false
	close(s.stop)
	if g.open[s.Unit.ID] == s {
		delete(g.open, s.Unit.ID)
	}
	g.closed++
}
