package xe

import (
	"fmt"
	"syscall"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// pollPeriod is that of the driver's look at the hardware's tail pointer.
const pollPeriod = 5 * time.Millisecond

// Bits of a unit's status, in the order of DRM_XE_OASTATUS_*.
var (
	statusLost     = uint64(uapi.Const("DRM_XE_OASTATUS_REPORT_LOST"))
	statusOverflow = uint64(uapi.Const("DRM_XE_OASTATUS_BUFFER_OVERFLOW"))
	statusCounter  = uint64(uapi.Const("DRM_XE_OASTATUS_COUNTER_OVERFLOW"))
	statusTrigger  = uint64(uapi.Const("DRM_XE_OASTATUS_MMIO_TRG_Q_FULL"))
)

// stream is an open stream of an OA unit. Its fields are guarded by the device's lock.
type stream struct {
	d         *device
	unit      *unit
	ready     *hwtest.Readiness
	format    *format
	period    uint64 // ticks between timer reports, 0: no timer
	buffer    uint64 // bytes
	wait      int    // reports that make the descriptor readable
	config    *config
	configs   int // changes of configuration so far
	enabled   bool
	enabledAt int64 // ns
	started   bool  // the goroutine that watches the buffer runs
	closed    bool
	stop      chan struct{}

	prog programming
	seg  *segment
	gen  uint64 // reports before this time have been generated

	pending  []event // of the kernel's buffer, from head
	head     int
	hardware uint64 // status bits that no read has seen
	status   uint64 // what the last read saw
	dropping int    // reports that the hardware is still to drop; -1 while the buffer is full
	gap      bool   // reports were lost since the last one that was written
	spill    uint64 // when the next overflow comes in a scenario
	quiet    int    // reports written since the hardware last dropped some
	told     bool   // a scenario has shown its bit

	truth *StreamTruth
	acct  account
}

func newStream(d *device, u *unit, f *format, p map[int64]uint64, cfg *config) *stream {
	s := &stream{d: d, unit: u, format: f, buffer: d.bufferSize(p), wait: 1, config: cfg,
		prog: newProgramming(cfg, u.media), stop: make(chan struct{}), ready: hwtest.NewReadiness(nil)}
	if n, ok := p[propWait]; ok {
		s.wait = int(n)
	}
	s.truth = &StreamTruth{Unit: u.id, Format: f.name, Exponent: -1, Properties: p, BufferBytes: s.buffer}
	if e, ok := p[propExponent]; ok {
		s.period = 2 << e
		s.truth.Exponent, s.truth.PeriodTicks = int(e), s.period
	}
	s.truth.Configs = append(s.truth.Configs, cfg.truth())
	s.acct.start(s)
	t := d.clk.at(d.now())
	sp := d.work.at(t)
	s.seg = &segment{span: sp, rates: s.prog.ratesOf(&sp, d.part)}
	s.seg.t0, s.gen = t, t
	s.firstValues(&s.seg.base)
	return s
}

// firstValues are what the counters hold when the stream is opened: more than 40 bits where they have 64, and nearly
// their all in 32 bits where a wrap is to come.
func (s *stream) firstValues(v *counters) {
	r := s.d.set.Rand(fmt.Sprintf("stream %d", len(s.d.streams)))
	first := func() uint64 {
		switch {
		case s.format.bits == 64:
			return r.Uint64N(1 << 52)
		case s.d.has("wrap"):
			return 1<<32 - 1 - r.Uint64N(1<<27)
		}
		return r.Uint64N(1 << 30)
	}
	v.clocks = r.Uint64N(1 << 44)
	for i := range s.format.n {
		v.c[i] = first()
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
	s.hardware, s.status, s.dropping, s.gap = 0, 0, 0, false
	s.spill = s.gen + timestampHz*3/10
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
		n := len(s.pending) - s.head
		s.pending, s.head = s.pending[:0], 0
		s.truth.Lost += n
		s.truth.Losses = append(s.truth.Losses, LossTruth{Kind: "disable", Reports: n})
		s.enabled = false
	}
	r := s.ready
	d.mu.Unlock()
	r.Set(false)
}

// watch is the driver's timer, which looks every poll period whether reports have landed.
func (s *stream) watch() {
	defer s.d.waits.Done()
	t := time.NewTicker(pollPeriod)
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
		ready = s.hardware != 0 || s.visible(now) >= s.wait
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
	looked := s.d.clk.at(now - (now-s.enabledAt)%int64(pollPeriod))
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
		if s.seg.ctx != old.ctx && !s.unit.media {
			reason |= reasonContextSwitch
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
	s.seg = s.seg.follow(t, sp, s.prog.ratesOf(&sp, s.d.part))
	s.seg.configs = s.configs
}

// dropAfter is how many reports the hardware writes until it drops some, in the scenario of that.
const dropAfter = 150

// emit is the hardware writing a report. Where there is no room it drops it, and its counters run on: what waits in the
// buffer stays.
func (s *stream) emit(t uint64, reason uint32) {
	if !s.enabled {
		return
	}
	s.truth.Produced++
	room := int(s.buffer) / s.format.size
	spilt := s.d.has("slow-reader") && t >= s.spill
	switch {
	case s.dropping < 0 && (len(s.pending)-s.head >= room || t < s.spill):
	case spilt && s.dropping == 0, len(s.pending)-s.head >= room:
		// The overflow lasts until there is room, or 10 ms in the scenario.
		s.hardware |= statusOverflow
		s.dropping = -1
		s.truth.Losses = append(s.truth.Losses, LossTruth{Kind: "buffer"})
		if spilt {
			s.spill = t + timestampHz/100
		} else {
			s.spill = 0
		}
	case s.dropping < 0:
		s.dropping, s.spill = 0, t+timestampHz*3/10
	case s.dropping == 0 && s.d.has("report-loss") && s.quiet >= dropAfter:
		s.quiet, s.dropping = 0, 1+len(s.truth.Losses)%4
		s.hardware |= statusLost
		s.truth.Losses = append(s.truth.Losses, LossTruth{Kind: "report"})
	}
	if s.dropping != 0 {
		s.lose(reason)
		return
	}
	s.quiet++
	s.pending = append(s.pending, event{t: t, seg: s.seg, reason: reason, gap: s.gap})
	s.gap = false
	if n := s.truth.Produced; n >= 200 && !s.told {
		s.told = true
		if s.d.has("counter-overflow") {
			s.hardware |= statusCounter
		}
		if s.d.has("trigger-queue") {
			s.hardware |= statusTrigger
		}
	}
}

// lose drops a report. A loss by the hardware takes a timer's report at least, so that it can be seen by the times.
func (s *stream) lose(reason uint32) {
	l := &s.truth.Losses[len(s.truth.Losses)-1]
	l.Reports++
	s.truth.Lost++
	s.gap = true
	l.timers = l.timers || reason&reasonTimer != 0
	if s.dropping > 1 || s.dropping == 1 && l.timers {
		s.dropping--
	}
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
	case uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_ENABLE"):
		s.enable()
		return 0, nil
	case uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_DISABLE"):
		s.disable()
		return 0, nil
	case uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_CONFIG"):
		return s.reconfigure(c, arg)
	case uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_STATUS"):
		return 0, s.tell(c, arg, "drm_xe_oa_stream_status", "oa_status", func() uint64 { return s.status })
	case uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_INFO"):
		return 0, s.tell(c, arg, "drm_xe_oa_stream_info", "oa_buf_size", func() uint64 { return s.buffer })
	}
	return 0, syscall.EINVAL
}

// tell writes a structure with one number.
func (s *stream) tell(c *hwtest.Call, at uint64, name, field string, value func() uint64) error {
	l := uapi.Struct(name)
	b := make([]byte, l.Size)
	s.d.mu.Lock()
	l.Set(b, field, value())
	s.d.mu.Unlock()
	return write(c, at, b)
}

// reconfigure changes the metric set, and returns the id of the old one.
func (s *stream) reconfigure(c *hwtest.Call, chain uint64) (int64, error) {
	d := s.d
	p, err := d.readProperties(c, chain, []int64{propSet, propNumSyncs, propSyncs})
	if err != nil {
		return 0, err
	}
	fences, err := d.readSyncs(c, p)
	if err != nil {
		return 0, err
	}
	d.mu.Lock()
	cfg := d.configs[p[propSet]]
	if cfg == nil {
		d.mu.Unlock()
		return 0, syscall.EINVAL
	}
	old := s.config
	if cfg != old {
		s.generate(d.clk.at(d.now()))
		s.config, s.prog = cfg, newProgramming(cfg, s.unit.media)
		s.configs++
		s.split(s.gen, s.seg.span)
		s.truth.Configs = append(s.truth.Configs, cfg.truth())
	}
	d.mu.Unlock()
	return int64(old.id), signal(c, fences)
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
	s.truth.Unread = len(s.pending) - s.head
	s.truth.Closed = true
	s.closed, s.enabled = true, false
	close(s.stop)
	if d.open[s.unit.id] == s {
		delete(d.open, s.unit.id)
	}
	d.closed++
}
