package intel

import (
	"errors"
	"math"

	"astrolabe/capture/simulate"
)

// relief is what one simulation makes easier, see simulate.Relief.
type relief struct {
	unit                               unit // units for none
	engine                             int  // -1 for none
	gpu, app, driver, wait, loose, top bool
}

var nothing = relief{unit: units, engine: -1}

// Causes beyond the units, for the path.
const (
	byInterrupt = uint8(units) + iota
	byApp
	byDriver
	byVsync
	byCap
	byRequest
	causes
)

func candidateOf(cause uint8) simulate.Candidate {
	switch cause {
	case byInterrupt:
		return simulate.LaunchOverhead
	case byApp:
		return simulate.CPUApp
	case byDriver:
		return simulate.CPUDriver
	case byVsync:
		return simulate.DisplayVsync
	case byCap:
		return simulate.DisplayCap
	case byRequest:
		return simulate.DisplayRequest
	}
	return candidates[cause]
}

// event is when something was, and its place in the path.
type event struct {
	t    float64
	node int32
}

func (e *event) later(o event) {
	if o.t > e.t {
		*e = o
	}
}

type jobState struct {
	submit, end     event
	submitted, done bool
}

type frameState struct {
	begin, submitted, done, flip event
	gpu                          float64 // when the GPU began it
	left, missed                 int
	jobs                         []jobState
}

type place struct{ frame, job int }

// held is a time in which only a loose dependency kept an engine from working.
type held struct {
	engine   int
	from, to float64
}

// sim is one simulation. Time goes on in steps in which all rates stay.
type sim struct {
	p           *program
	m           *machine
	rel         relief
	speed       [units]float64
	engineSpeed [engines]float64
	now         float64
	clk         clockState
	run         [engines]*running
	order       [engines][]place
	pos         [engines]int
	free        [engines]event // when each engine ended what it had
	frames      []frameState
	shown       int
	left        int // frames that the GPU has not ended
	queue       [stations]float64
	dirty       bool
	path        simulate.Path
	host        hostState
	other       float64 // when another program draws next
	idleSince   float64
	held        []held
	busy        []change // at: when work began; share: when it ended
	rec         *recorder
	steps       int
}

// simulateOnce runs a program to its end. keep keeps the path.
func simulateOnce(p *program, rel relief, keep bool, rec *recorder) (*sim, error) {
	s := &sim{p: p, m: p.m, rel: rel, rec: rec, left: len(p.frames)}
	for u := range s.speed {
		s.speed[u] = 1
		if rel.gpu || rel.unit == unit(u) {
			s.speed[u] = simulate.Faster
		}
	}
	for e := range s.engineSpeed {
		s.engineSpeed[e] = 1
		if rel.engine == e {
			s.engineSpeed[e] = simulate.Faster
		}
	}
	s.frames = make([]frameState, len(p.frames))
	for i := range s.frames {
		jobs := p.contents[p.frames[i].content].jobs
		s.frames[i].jobs, s.frames[i].left = make([]jobState, len(jobs)), len(jobs)
		for j, x := range jobs {
			s.order[x.engine] = append(s.order[x.engine], place{i, j})
		}
	}
	s.path.Keep = keep
	s.path.Begin(byRequest)
	s.clk.begin(&p.gov, s.m.least/s.m.most, rel.top)
	s.other = 1e18
	if p.other.period > 0 {
		s.other = p.other.period / 3
	}
	for s.left > 0 {
		if s.steps++; s.steps > 3e6 {
			return nil, errors.New("intel: too many steps")
		}
		if err := s.turn(); err != nil {
			return nil, err
		}
	}
	s.advanceHost()
	if s.shown < len(s.frames) {
		return nil, errors.New("intel: frames are never shown")
	}
	return s, nil
}

func (s *sim) node(t float64, cause uint8, engine int, prev int32) int32 {
	q := uint8(simulate.NoQueue)
	if engine >= 0 {
		q = uint8(engine)
	}
	return s.path.At(int64(t), cause, q, prev)
}

// ready is when an engine may begin its next pass, as far as that is known. tight is the same without loose dependencies.
func (s *sim) ready(e int) (at event, tight float64, ok bool) {
	if s.pos[e] >= len(s.order[e]) {
		return at, 0, false
	}
	pl := s.order[e][s.pos[e]]
	f := &s.frames[pl.frame]
	j := &f.jobs[pl.job]
	if !j.submitted {
		return at, 0, false
	}
	at = s.free[e]
	at.later(j.submit)
	tight = at.t
	for _, d := range s.p.contents[s.p.frames[pl.frame].content].jobs[pl.job].after {
		if d.loose && s.rel.loose || pl.frame < d.back {
			continue
		}
		jobs := s.frames[pl.frame-d.back].jobs
		if d.job >= len(jobs) { // of other content
			continue
		}
		on := &jobs[d.job]
		if !on.done {
			return at, 0, false
		}
		at.later(on.end)
		if !d.loose {
			tight = max(tight, on.end.t)
		}
	}
	return at, tight, true
}

// turn goes on to the next thing that changes rates, or by one step.
func (s *sim) turn() error {
	s.advanceHost()
	next := s.clk.next
	for e := range s.run {
		if s.run[e] != nil {
			continue
		}
		if e == render && s.other <= s.now {
			at := s.free[e]
			at.later(event{s.other, s.node(s.other, byRequest, -1, at.node)})
			s.begin(e, &running{p: s.p.other.pass, frame: -1, scale: 1, node: at.node})
			s.other += s.p.other.period * (1 + math.Floor((s.now-s.other)/s.p.other.period))
			continue
		}
		if e == render {
			next = min(next, s.other)
		}
		at, tight, ok := s.ready(e)
		switch {
		case !ok:
		case at.t <= s.now+0.5:
			pl := s.order[e][s.pos[e]]
			s.pos[e]++
			f := &s.frames[pl.frame]
			if f.gpu == 0 {
				f.gpu = s.now
			}
			if at.t > tight+1 {
				s.held = append(s.held, held{e, tight, at.t})
			}
			s.begin(e, &running{p: s.p.contents[s.p.frames[pl.frame].content].jobs[pl.job], frame: pl.frame, job: pl.job,
				scale: s.p.frames[pl.frame].scale, node: at.node})
		default:
			next = min(next, at.t)
		}
	}
	working := s.run != [engines]*running{}
	switch {
	case working:
		s.work(next)
	case next >= 1e17:
		return errors.New("intel: everything waits")
	default:
		s.rest(next)
	}
	if s.now >= s.clk.next-0.5 {
		was := s.clk.share()
		s.clk.look(s.m.watts)
		s.dirty = s.dirty || s.clk.share() != was
	}
	return nil
}

func (s *sim) begin(e int, r *running) {
	r.engine = e
	r.left = r.p.start
	if s.p.asleep && s.run == [engines]*running{} && s.now-s.idleSince > asleepAfter {
		r.left += wakes
	}
	r.left = r.left/s.speed[command]/s.engineSpeed[e] + 1
	r.prepare()
	s.run[e] = r
	s.dirty = true
}

// Sleep: how long nothing works until the GPU's clock is gated, and how long it takes to wake, in ns. Assumed.
const asleepAfter, wakes = 120e3, 45e3

// rest lets time pass without work.
func (s *sim) rest(until float64) {
	if s.rec != nil {
		from := s.now
		if s.p.asleep {
			from = min(until, max(from, s.idleSince+asleepAfter))
			s.rec.clock(s.now, from, s.clk.share()*s.m.clock())
		} else {
			s.rec.clock(from, until, s.clk.share()*s.m.clock())
		}
	}
	s.now = until
}

// work moves all running passes on, up to a time at most.
func (s *sim) work(until float64) {
	for _, r := range s.run {
		if r != nil && r.left <= 0 && r.moves() {
			s.dirty = true
		}
	}
	if s.dirty {
		s.refresh()
	}
	dt := until - s.now
	for _, r := range s.run {
		switch {
		case r == nil:
		case r.left > 0:
			dt = min(dt, r.left)
		default:
			dt = min(dt, r.step)
		}
	}
	dt = max(dt, 0.5)
	var to [engines][stages]float64
	var by [engines][stages]uint8
	// A pass that ends within the step ends the step.
	for range 2 {
		part := 1.0
		for e, r := range s.run {
			if r == nil || r.left > 0 {
				continue
			}
			to[e], by[e] = r.flow(dt)
			last := r.last()
			if x, was := to[e][last], r.at[last]; x >= 1 && r.rate[last] > 0 {
				if need := (1 - was) / r.rate[last] / dt; by[e][last] == free && need < part {
					part = need
				}
			}
		}
		if part > 0.999 {
			break
		}
		dt *= max(part, 1e-6)
	}
	end := s.now + dt
	if s.rec != nil {
		s.measure(dt, &to, &by)
	}
	s.clk.busy += dt
	for e, r := range s.run {
		if r == nil {
			continue
		}
		if r.left > 0 {
			if r.left -= dt; r.left <= 1e-6 {
				r.left = 0
				r.node = s.node(end, uint8(command), e, r.node)
				s.dirty = true
			}
			continue
		}
		s.clk.active += dt * r.power * r.duty
		if pace := r.pace(&by[e]); pace != command && r.duty < 0.999 && to[e][shading] > r.at[shading] {
			r.node = s.node(end-dt*r.duty, uint8(command), e, r.node)
			r.node = s.node(end, uint8(pace), e, r.node)
		} else {
			r.node = s.node(end, uint8(pace), e, r.node)
		}
		r.at = to[e]
		if r.at[r.last()] >= 1-1e-9 {
			s.finish(e, r, end)
		}
	}
	if n := len(s.busy); n > 0 && s.busy[n-1].share >= s.now-0.5 {
		s.busy[n-1].share = end
	} else {
		s.busy = append(s.busy, change{s.now, end})
	}
	s.now, s.idleSince = end, end
}

func (s *sim) finish(e int, r *running, end float64) {
	s.free[e] = event{end, r.node}
	s.run[e], s.dirty = nil, true
	if r.frame < 0 {
		return
	}
	f := &s.frames[r.frame]
	f.jobs[r.job].end, f.jobs[r.job].done = event{end, r.node}, true
	f.done.later(event{end, r.node})
	if f.left--; f.left == 0 {
		s.left--
	}
}
