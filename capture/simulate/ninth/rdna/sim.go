package rdna

import (
	"cmp"
	"math"
	"slices"
)

// sim follows the waves of one work-group processor, the one with the most of them, through their rounds. What is
// shared with others serves it at its share of the rate. Servers take what comes first.
type sim struct {
	m           *machine
	clock       float64
	ease        *[things]float64
	job         *job
	seed        uint32
	simd        [4]float64 // until when each is taken
	local, l0   [2]float64
	server      [things]float64 // cache, memory, spawn, and those of draws
	room        float64         // share of the registers that waves hold
	waves       []agent
	events      []event
	now         float64
	groups      []group // of compute
	front       front   // of a draw
	ends, built []float64
	stalled     [things]float64 // clocks in which something was held up by each
	sum         sums
	last        agent // that ended last
}

// sums are wave clocks, and the number of waves.
type sums struct{ life, count, issue, local, barrier, waves float64 }

const (
	ofCompute = iota
	ofVertex
	ofPixel
)

// agent is a wave, or a unit of a draw before it is one, with the things that set the pace until its time.
type agent struct {
	t, began, factor           float64
	acc                        [things]float64
	c                          *costs
	p                          *program
	stage, rounds, step, group int // rounds that are left
	place                      int
	pending                    arrival
}

// arrival is when data comes, and how long each thing took to bring it.
type arrival struct{ t, delay, memory, cache float64 }

type event struct {
	t    float64
	wave int
}

type group struct{ left, waiting int }

// to lets a wave wait until a time because of a thing, and tells how long.
func (a *agent) to(t float64, by int) float64 {
	d := max(0, t-a.t)
	a.acc[by] += d
	a.t += d
	return d
}

// chance is a number from 0 to 1 that only depends on what it is for.
func (s *sim) chance(a *agent, what int) float64 {
	x := s.seed ^ uint32(a.place)*2654435761 ^ uint32(what)*0x9e3779b1
	for range 2 {
		x = (x ^ x>>16) * 0x85ebca6b
	}
	return float64(x^x>>15) / (1 << 32)
}

// push lets a wave go on at a time. Events are few, and in order, the next last.
func (s *sim) push(t float64, wave int) {
	at, _ := slices.BinarySearchFunc(s.events, t, func(e event, t float64) int { return cmp.Compare(t, e.t) })
	s.events = slices.Insert(s.events, at, event{t, wave})
}

// launch starts a wave after from, for which there is room.
func (s *sim) launch(from *agent, p *program, c *costs, stage, rounds int, cost float64) *agent {
	a := *from
	a.stage, a.p, a.c, a.rounds, a.step, a.place, a.pending = stage, p, c, rounds, 0, len(s.waves), arrival{}
	a.factor = 1 + p.spread*(2*s.chance(&a, 7)-1)
	s.server[spawn] = max(s.now, s.server[spawn]) + cost
	a.to(max(a.t+cost, s.server[spawn]), spawn)
	a.began = a.t
	s.room += 1 / p.slots
	s.sum.waves++
	s.waves = append(s.waves, a)
	s.push(a.t, a.place)
	return &s.waves[a.place]
}

// fits reports whether there is room for waves of a program.
func (s *sim) fits(p *program, waves float64) bool {
	return s.room < 1e-9 || s.room+waves/p.slots <= 1+1e-9
}

// serve takes a wave through a server of its own: it cannot be issued while that is taken.
func (s *sim) serve(a *agent, server *float64, cost float64) (waited float64) {
	waited = max(0, *server-a.t)
	s.sum.issue += waited
	*server = a.t + waited + cost
	return waited
}

// enter lets a wave wait for L0, which stands still where queues below it are full.
func (s *sim) enter(a *agent, cost float64, by int) {
	l0 := &s.l0[a.place>>1&1]
	before := a.t
	a.to(*l0, by)
	held, behind := s.server[cache]-cacheQueue, cache
	if t := s.server[memory] - memoryQueue; t > held {
		held, behind = t, memory
	}
	d := a.to(held, behind)
	s.stalled[access] += d
	s.stalled[behind] += d
	s.sum.issue += a.t - before
	*l0 = a.t + cost
}

// below goes on to GL1, GL2 and memory. What arrives later than now waits for what is in the queue now, and holds up
// nothing before it arrives.
func (s *sim) below(from, inCache, inMemory float64) (r arrival) {
	r.t = from
	if inCache > 0 {
		start := max(s.now, s.server[cache])
		if t := s.server[memory] - memoryQueue; t > start {
			s.stalled[memory] += t - start
			start = t
		}
		s.server[cache] = start + inCache
		r.t = max(from, s.server[cache])
		r.cache = r.t - from
	}
	if inMemory > 0 {
		s.server[memory] = max(s.now, s.server[memory]) + inMemory
		r.memory = max(0, s.server[memory]-r.t)
		r.t += r.memory
	}
	return r
}

// await lets a wave wait for what it loaded. What came last is what was waited for to the end: where the wave began to
// wait when some of it was over, that was the earliest.
func (s *sim) await(a *agent) {
	r, d := a.pending, a.pending.t-a.t
	if a.pending = (arrival{}); d <= 0 {
		return
	}
	s.sum.count += d
	a.t = r.t
	for i, x := range [...]float64{r.delay, r.memory, r.cache, d} {
		x = min(d, x)
		a.acc[[...]int{wait, memory, cache, a.c.inBy}[i]] += x
		d -= x
	}
}

// step lets a wave go on by one step of its round and reports whether it ended.
func (s *sim) step(a *agent) bool {
	c := a.c
	a.step++
	switch {
	case a.step == 1 && c.in > 0:
		s.await(a)
		s.enter(a, c.in*a.factor, c.inBy)
		a.to(a.t+c.in*a.factor, c.inBy)
		r := s.below(a.t, c.inCache*a.factor, c.inMemory*a.factor)
		level, u := 0, s.chance(a, 16+a.rounds)
		for level < 4 && u < c.chance[level] {
			level++
		}
		r.delay = c.delay[level] * (0.9 + 0.2*s.chance(a, 1<<16+a.rounds))
		r.t += r.delay
		if a.pending = r; a.p.ahead == 0 {
			s.await(a)
		}
	case a.step == 2 && c.alone > 0:
		simd := &s.simd[a.place&3]
		alone := a.t + c.alone*a.factor
		s.serve(a, simd, c.issue*a.factor)
		a.to(max(*simd, alone), valu)
	case a.step == 3 && c.local > 0:
		local := &s.local[a.place>>1&1]
		s.sum.local += s.serve(a, local, c.local*a.factor)
		s.sum.count += c.localDelay
		a.to(*local+c.localDelay, lds)
	case a.step == 4 && c.out > 0: // nobody waits for stores to arrive
		s.enter(a, c.out*a.factor, access)
		s.below(a.t+c.out*a.factor, c.outCache*a.factor, c.outMem*a.factor)
	case a.step == 5:
		a.rounds--
		a.step = 0
		if a.rounds == 0 {
			s.await(a)
			return true
		}
	}
	return false
}

// run follows waves until none is left.
func (s *sim) run(ended func(a agent)) {
	for len(s.events) > 0 {
		e := s.events[len(s.events)-1]
		s.events = s.events[:len(s.events)-1]
		s.now = e.t
		for a := &s.waves[e.wave]; ; {
			if s.step(a) {
				s.sum.life += a.t - a.began
				s.room -= 1 / a.p.slots
				ended(*a)
				break
			}
			if a.step == 0 && a.p.barrier > 0 && a.stage == ofCompute {
				s.barrier(a)
				break
			}
			if a.t > s.now {
				s.push(a.t, e.wave)
				break
			}
		}
	}
}

// barrier lets a wave wait for the others of its group, which follow each other.
func (s *sim) barrier(a *agent) {
	g, n := &s.groups[a.group], int(a.p.group)
	if g.waiting++; g.waiting < g.left {
		return
	}
	g.waiting = 0
	for i := a.place / n * n; i < a.place/n*n+n; i++ {
		b := &s.waves[i]
		s.sum.barrier += a.t - b.t
		b.t, b.acc = a.t, a.acc
		s.push(b.t, i)
	}
}

// slope is the time from one end to the next between two of them: while as much is in work at the second as at the first.
func slope(ends []float64, from, to int) float64 {
	slices.Sort(ends)
	if to = min(to, len(ends)-1); to <= from {
		return ends[len(ends)-1] / float64(len(ends))
	}
	return (ends[to] - ends[from]) / float64(to-from)
}

// fold is how many rounds are followed, and how many each stands for.
func fold(rounds, most float64) (int, float64) {
	n := min(most, max(1, math.Round(rounds)))
	return int(n), max(1, rounds) / n
}

// result is how long a job takes, in clocks, and what else of its waves counters tell.
type result struct {
	clocks   float64
	acc      [things]float64 // adds up to clocks
	sums     sums            // of all waves
	stalled  [things]float64 // of the busiest work-group processor
	active   float64         // work-group processors
	from, to [3]float64      // of the work of stages, as shares of clocks
}

// follow runs a job on a machine.
func follow(m *machine, clock, overhead float64, j *job, seed uint32, ease *[things]float64) result {
	s := &sim{m: m, clock: clock, ease: ease, job: j, seed: seed}
	start := agent{}
	start.to(overhead*clock*ease[fixed], fixed)
	if j.draw {
		return s.drawn(start)
	}
	p := &j.shader
	all := math.Ceil(p.waves / p.group)
	active, mine := min(m.wgps, all), math.Ceil(all/m.wgps)
	c := p.at(m, active, clock, ease)
	rounds, times := fold(p.rounds, 6)
	resident := max(1, math.Floor(p.slots/p.group))
	groups := min(mine, 3*resident)
	fill := func(from *agent) {
		for len(s.groups) < int(groups) && s.fits(p, p.group) {
			for range int(p.group) {
				s.launch(from, p, &c, ofCompute, rounds, spawning*active/m.engines*ease[spawn]/times).group = len(s.groups)
			}
			s.groups = append(s.groups, group{left: int(p.group)})
		}
	}
	fill(&start)
	s.run(func(a agent) {
		if a.t >= s.last.t {
			s.last = a
		}
		g := &s.groups[a.group]
		if g.left--; g.left == 0 {
			s.ends = append(s.ends, a.t)
			fill(&a)
		}
	})
	end := s.last
	end.to(s.server[cache], cache)
	end.to(s.server[memory], memory)
	work := end.t - start.t
	if mine > groups {
		work += slope(s.ends, int(resident)-1, 2*int(resident)-1) * (mine - groups)
	}
	return s.result(&end, start.t, work*times, p.waves/s.sum.waves*times, times*mine/groups, active)
}

// result lets what was followed stand for all of it.
func (s *sim) result(end *agent, first, work, waves, stalls, active float64) result {
	r := result{clocks: first + work, active: active, acc: end.acc, sums: s.sum}
	scale := work / max(1e-9, end.t-first)
	r.acc[fixed] -= first
	for i := range r.acc {
		r.acc[i] *= scale
		r.stalled[i] = s.stalled[i] * stalls
	}
	r.acc[fixed] += first
	for _, x := range []*float64{&r.sums.life, &r.sums.count, &r.sums.issue, &r.sums.local, &r.sums.barrier} {
		*x *= waves
	}
	return r
}
