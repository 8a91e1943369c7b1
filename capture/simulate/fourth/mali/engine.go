package mali

import (
	"fmt"
	"math"

	"astrolabe/capture/simulate"
)

// relief is what a simulation makes faster, or takes away.
type relief struct {
	speeds
	app, drv, launch float64 // times of theirs
	noSync, noTurns  bool
	free             simulate.Candidate // what no longer holds the clock
}

func unrelieved() relief {
	r := relief{app: 1, drv: 1, launch: 1}
	r.latency = 1
	for i := range r.rate {
		r.rate[i] = 1
	}
	for i := range r.queue {
		r.queue[i] = 1
	}
	return r
}

// Why something began when it did.
const (
	causeNone   = iota
	causeApp    // the application's thread was at work on frame n
	causeDrv    // the driver was
	causeSubmit // frame n was not submitted before
	causeJob    // job n had not ended
	causeTurn   // it had not, and nothing of it is needed
	causeSync   // the application waited for job n
	causeShown  // frame n was not shown
	causeDone   // the GPU had not ended frame n
	causeDate   // by a timer or a request
	causeAlign  // by a refresh
)

type cause struct {
	kind, n int
	at      float64
}

// later keeps the later of two causes.
func (c *cause) later(kind, n int, at float64) {
	if at > c.at || c.kind == causeNone {
		*c = cause{kind, n, at}
	}
}

// instance is a job in a frame.
type instance struct {
	frame, job, queue         int
	submit, ready, start, end float64 // ready is when it is launched
	why, but                  cause   // but is why it began were it not for needless dependencies
}

// timeline is the frame's.
type timeline struct {
	begin, appEnd, drvStart, drvEnd, done, shown float64
	why, drvWhy                                  cause
	synced                                       float64 // from when on it could have begun but for a wait for the GPU
	date                                         float64
	left                                         int // jobs
}

// slice is a stretch of time in which a segment went on at one rate.
type slice struct {
	from, to float64
	inst     int32
	seg      int16
	n        int16 // jobs that ran
	step     int16
	share    float64 // of the segment
	weight   [resources]float32
	use      [resources]float32 // by this job
	load     float32            // of memory, by all
}

type clockChange struct {
	at   float64
	step int
}

type simulation struct {
	p       *program
	rel     *relief
	trace   bool
	frames  []timeline
	insts   []instance
	base    []int // of a frame's instances
	fifo    [queues][]int
	head    [queues]int
	run     [queues]*running
	until   [queues]float64 // of a launch; +Inf where there is none
	current [queues]int     // instance that is launched or runs, -1
	slices  []slice
	clocks  []clockChange
	step    int
	busy    float64
}

var never = math.Inf(1)

// simulate runs the program once.
func (p *program) simulate(rel *relief, trace bool) (*simulation, error) {
	s := &simulation{p: p, rel: rel, trace: trace, frames: make([]timeline, len(p.frames)), step: p.clock.start}
	if rel.free == simulate.ClockGovernor || rel.free == p.clock.holder && p.clock.holder.Level != "" {
		s.step = p.clock.decide(p.m, 0, len(p.m.steps)-1, 1, rel.free)
	}
	for i := range p.frames {
		s.base = append(s.base, len(s.insts))
		jobs := p.contents[p.frames[i].content].jobs
		for k := range jobs {
			s.insts = append(s.insts, instance{frame: i, job: k, queue: jobs[k].queue, submit: never, end: never})
		}
		s.frames[i] = timeline{begin: never, appEnd: never, drvStart: never, drvEnd: never, done: never, shown: never, left: len(jobs)}
	}
	for q := range queues {
		s.until[q], s.current[q] = never, -1
	}
	s.clocks = append(s.clocks, clockChange{0, s.step})
	return s, s.loop()
}

func (s *simulation) jobOf(inst int) *job {
	in := &s.insts[inst]
	return &s.p.contents[s.p.frames[in.frame].content].jobs[in.job]
}

func (s *simulation) loop() error {
	p := s.p
	now, tick, nextTick, busyBefore := 0.0, 0, p.clock.tick, 0.0
	begun, driven := 0, 0 // frames
	dirty := true
	var list []*running
	for round := 0; ; round++ {
		if round > 2_000_000 {
			return fmt.Errorf("the simulation does not end: frame %d of %d", begun, len(s.frames))
		}
		for changed := true; changed; {
			changed = false
			if begun < len(s.frames) {
				if why, synced, ok := s.mayBegin(begun); ok && why.at <= now {
					f := &s.frames[begun]
					f.begin, f.why, f.synced = now, why, synced
					f.appEnd = now + p.contents[p.frames[begun].content].app*p.frames[begun].app*s.rel.app
					begun++
					changed = true
				}
			}
			if driven < begun && s.frames[driven].appEnd <= now && (driven == 0 || s.frames[driven-1].drvEnd <= now) {
				s.drive(driven, now)
				driven++
				changed = true
			}
			for q := range queues {
				switch {
				case s.current[q] >= 0 && s.until[q] <= now:
					i := s.current[q]
					s.insts[i].start, s.until[q] = now, never
					j := s.jobOf(i)
					s.run[q] = &running{seg: &j.segs[0], scale: p.frames[s.insts[i].frame].scale[s.insts[i].job], left: 1, inst: i}
					changed, dirty = true, true
				case s.current[q] < 0 && s.head[q] < len(s.fifo[q]):
					changed = s.launch(q, now) || changed
				}
			}
		}
		if s.frames[len(s.frames)-1].shown < never {
			return nil
		}
		if dirty {
			list = list[:0]
			for q := range queues {
				if s.run[q] != nil {
					list = append(list, s.run[q])
				}
			}
			flow(p.m, list, p.m.steps[s.step], &s.rel.speeds, func(i int) int { return s.insts[i].queue })
			dirty = false
		}
		next := nextTick
		if begun < len(s.frames) {
			if why, _, ok := s.mayBegin(begun); ok {
				next = min(next, why.at)
			}
		}
		if driven < begun {
			t := s.frames[driven].appEnd
			if driven > 0 {
				t = max(t, s.frames[driven-1].drvEnd)
			}
			next = min(next, t)
		}
		active := false
		for q := range queues {
			if s.current[q] >= 0 {
				active = true
			}
			next = min(next, s.until[q])
			if r := s.run[q]; r != nil {
				next = min(next, now+r.left*r.time)
			}
			if s.current[q] < 0 && s.head[q] < len(s.fifo[q]) {
				if in := &s.insts[s.fifo[q][s.head[q]]]; in.submit > now {
					next = min(next, in.submit)
				}
			}
		}
		next = max(next, now)
		dt := next - now
		if active {
			s.busy += dt
		}
		for q := range queues {
			r := s.run[q]
			if r == nil {
				continue
			}
			share := min(r.left, dt/r.time)
			if (r.left-share)*r.time < 0.5 {
				share = r.left
			}
			if s.trace && dt > 0 {
				s.record(r, now, next, share, len(list))
			}
			if r.left -= share; r.left <= 0 {
				dirty = true
				s.advance(q, r, next)
			}
		}
		now = next
		if now >= nextTick {
			tick++
			step := p.clock.decide(p.m, tick, s.step, (s.busy-busyBefore)/p.clock.tick, s.rel.free)
			busyBefore = s.busy
			nextTick += p.clock.tick
			if step != s.step {
				s.step, dirty = step, true
				s.clocks = append(s.clocks, clockChange{now, step})
			}
		}
	}
}

// record keeps what the path and the counters need of a stretch.
func (s *simulation) record(r *running, from, to, share float64, n int) {
	x := slice{from: from, to: to, inst: int32(r.inst), n: int16(n), step: int16(s.step), share: share}
	x.seg = int16(r.at)
	bus := 0.0
	for q := range queues {
		if o := s.run[q]; o != nil {
			bus += o.base[resDRAM] / o.time
		}
	}
	x.load = float32(min(1, bus))
	for i := range x.weight {
		x.weight[i], x.use[i] = float32(r.weight[i]), float32(r.base[i]/r.time)
	}
	s.slices = append(s.slices, x)
}

// advance goes on to the next segment, or ends the job.
func (s *simulation) advance(q int, r *running, now float64) {
	in := &s.insts[r.inst]
	j := s.jobOf(r.inst)
	if r.at++; r.at < len(j.segs) {
		r.seg, r.left = &j.segs[r.at], 1
		return
	}
	in.end = now
	s.run[q], s.current[q] = nil, -1
	s.head[q]++
	f := &s.frames[in.frame]
	if f.left--; f.left > 0 {
		return
	}
	f.done = now + s.p.m.flush*s.rel.launch
	for i := range s.frames { // those before are shown first
		if s.frames[i].shown < never {
			continue
		}
		if s.frames[i].done == never {
			break
		}
		before := 0.0
		if i > 0 {
			before = s.frames[i-1].shown
		}
		s.frames[i].shown = s.p.pace.show(s.frames[i].done, before)
	}
}

// show is when a display shows a frame.
func (p *pacing) show(done, before float64) float64 {
	switch {
	case p.refresh <= 0:
		return max(done, before)
	case p.kind == paceVRR:
		return max(done, before+p.refresh)
	}
	next := before
	if p.kind == paceVsync {
		next += p.swap * p.refresh
	} else {
		next += p.refresh
	}
	return p.refresh * math.Ceil(max(done, next-1)/p.refresh-1e-9)
}

// mayBegin is when and why a frame's work in the application begins, if that is known.
func (s *simulation) mayBegin(i int) (why cause, synced float64, ok bool) {
	p, f := s.p, s.frames
	if i > 0 {
		if f[i-1].appEnd == never {
			return why, 0, false
		}
		why.later(causeApp, i-1, f[i-1].appEnd)
	} else {
		why.later(causeDate, 0, 0)
	}
	back := 2
	if p.single {
		back = 1
	}
	if i >= back {
		if f[i-back].drvEnd == never {
			return why, 0, false
		}
		why.later(causeDrv, i-back, f[i-back].drvEnd)
	}
	if d := p.pace.depth; i >= d {
		at, kind := f[i-d].shown, causeShown
		if p.pace.refresh <= 0 {
			at, kind = f[i-d].done, causeDone
		}
		if p.pace.refresh > 0 && i > d-1 && d > 1 { // a buffer is free when the next one is shown
			at = f[i-d+1].shown
			if at == never {
				return why, 0, false
			}
			why.later(kind, i-d+1, at)
		} else {
			if at == never {
				return why, 0, false
			}
			why.later(kind, i-d, at)
		}
	}
	synced = why.at
	if k := p.contents[p.frames[i].content].sync; k >= 0 && i > 0 && !s.rel.noSync {
		k = min(k, len(p.contents[p.frames[i-1].content].jobs)-1)
		in := &s.insts[s.base[i-1]+k]
		if in.end == never {
			return why, 0, false
		}
		why.later(causeSync, s.base[i-1]+k, in.end+p.m.irq)
	}
	switch p.pace.kind {
	case paceCap:
		if i > 0 {
			f[i].date = f[i-1].begin + p.pace.every
			why.later(causeDate, 0, f[i].date)
		}
	case paceRequest:
		f[i].date = p.frames[i].date
		why.later(causeDate, 0, f[i].date)
	}
	if p.pace.aligned {
		if at := p.pace.refresh * math.Ceil(why.at/p.pace.refresh-1e-6); at > why.at+1 {
			why.later(causeAlign, 0, at)
		}
	}
	return why, synced, true
}

// drive is the driver's work on a frame, which gives jobs to the queues bit by bit.
func (s *simulation) drive(i int, now float64) {
	f := &s.frames[i]
	c := &s.p.contents[s.p.frames[i].content]
	f.drvStart = now
	f.drvWhy.later(causeApp, i, f.appEnd)
	if i > 0 {
		f.drvWhy.later(causeDrv, i-1, s.frames[i-1].drvEnd)
	}
	ns := c.drv * s.p.frames[i].drv * s.rel.drv
	f.drvEnd = now + ns
	for k := range c.jobs {
		in := &s.insts[s.base[i]+k]
		in.submit = now + ns*c.jobs[k].submit
		s.fifo[in.queue] = append(s.fifo[in.queue], s.base[i]+k)
	}
}

// launch starts the first job of a queue if it may.
func (s *simulation) launch(q int, now float64) bool {
	at := s.fifo[q][s.head[q]]
	in := &s.insts[at]
	if in.submit > now {
		return false
	}
	var why, but cause
	why.later(causeSubmit, in.frame, in.submit)
	if s.head[q] > 0 {
		before := s.fifo[q][s.head[q]-1]
		why.later(causeJob, before, s.insts[before].end)
	}
	but = why
	for _, d := range s.jobOf(at).deps {
		if d.needless && s.rel.noTurns {
			continue
		}
		n := s.base[in.frame] + d.job
		if d.before {
			if in.frame == 0 {
				continue
			}
			n = s.base[in.frame] - 1
		}
		end := s.insts[n].end
		if end > now {
			return false
		}
		if d.needless {
			why.later(causeTurn, n, end)
		} else {
			why.later(causeJob, n, end)
			but.later(causeJob, n, end)
		}
	}
	ns := s.p.m.launch * s.jobOf(at).launch
	if (why.kind == causeJob || why.kind == causeTurn) && s.insts[why.n].queue != q {
		ns += s.p.m.cross
	}
	in.ready, in.why, in.but = now, why, but
	s.current[q], s.until[q] = at, now+ns*s.rel.launch
	return true
}
