package rdna

import (
	"math"
	"slices"
)

// sim follows the waves of one work-group processor, the one with the most of them, through their rounds. What is
// shared with others serves it at its share of the rate. Servers take what comes first; a queue that is too long
// holds up what fills it.
type sim struct {
	m     *machine
	clock float64
	ease  *[things]float64
	job   *job
	seed  uint32

	simd   [4]float64 // until when each is taken
	local  [2]float64
	l0     [2]float64
	server [things]float64 // cache, memory, spawn, and those of draws
	room   float64         // share of the registers that waves hold
	waves  []agent
	heap   []event
	now    float64
	groups []group
	next   int // group of compute that starts next
	front  front

	ends    []float64 // of groups, or of a draw's units
	vertexE []float64
	stalled [things]float64 // clocks in which something was held up by each
	sum     sums
	last    agent // that ended last
}

// sums are wave clocks, of the waves that were followed.
type sums struct{ life, count, issue, local, barrier, waves float64 }

// stages of waves.
const (
	ofCompute = iota
	ofVertex
	ofPixel
)

// agent is a wave, or a unit of a draw's front end, with the things that set the pace until now.
type agent struct {
	t       float64
	acc     [things]float64
	stage   uint8
	c       *costs
	p       *program
	rounds  int // left
	step    int
	group   int
	place   int
	factor  float64
	began   float64
	pending arrival
	serial  uint32
}

// arrival is when data comes, and how long each thing took to bring it, the last first.
type arrival struct {
	t, delay, memory, cache float64
	by                      int
}

type event struct {
	t float64
	w int32
}

type group struct{ left, waiting int }

// to lets a wave wait until a time because of a thing.
func (a *agent) to(t float64, by int) float64 {
	d := t - a.t
	if d <= 0 {
		return 0
	}
	a.acc[by] += d
	a.t = t
	return d
}

// chance is a number from 0 to 1 that only depends on what it is for.
func (s *sim) chance(serial uint32, what uint32) float64 {
	x := s.seed ^ serial*2654435761 ^ what*0x9e3779b1
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	x ^= x >> 16
	return float64(x) / (1 << 32)
}

func (s *sim) push(t float64, w int) {
	s.heap = append(s.heap, event{t, int32(w)})
	i := len(s.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if s.heap[up].t <= s.heap[i].t {
			break
		}
		s.heap[up], s.heap[i] = s.heap[i], s.heap[up]
		i = up
	}
}

func (s *sim) pop() event {
	top := s.heap[0]
	n := len(s.heap) - 1
	s.heap[0] = s.heap[n]
	s.heap = s.heap[:n]
	for i := 0; ; {
		k := 2*i + 1
		if k >= n {
			return top
		}
		if k+1 < n && s.heap[k+1].t < s.heap[k].t {
			k++
		}
		if s.heap[i].t <= s.heap[k].t {
			return top
		}
		s.heap[i], s.heap[k] = s.heap[k], s.heap[i]
		i = k
	}
}

// launch starts a wave that has room, after from.
func (s *sim) launch(from *agent, p *program, c *costs, stage uint8, rounds int, spawnCost float64) {
	a := *from
	a.stage, a.p, a.c, a.rounds, a.step = stage, p, c, rounds, 0
	a.serial = uint32(len(s.waves))
	a.place = len(s.waves)
	a.factor = 1 + p.spread*(2*s.chance(a.serial, 7)-1)
	a.pending = arrival{}
	a.to(max(a.t, s.server[spawn])+spawnCost, spawn)
	s.server[spawn] = a.t
	a.began = a.t
	s.sum.waves++
	s.waves = append(s.waves, a)
	s.push(a.t, len(s.waves)-1)
}

// fill starts groups of compute while there is room.
func (s *sim) fill(from *agent, c *costs, rounds, groups int, spawnCost float64) {
	p := &s.job.shader
	need := float64(p.group) / p.slots
	for s.next < groups && (s.room+need <= 1+1e-9 || s.room == 0) {
		s.room += need
		s.groups = append(s.groups, group{left: p.group})
		for range p.group {
			s.launch(from, p, c, ofCompute, rounds, spawnCost)
			s.waves[len(s.waves)-1].group = s.next
		}
		s.next++
	}
}

// load brings what a round of a wave loads or samples.
func (s *sim) load(a *agent) arrival {
	c := a.c
	cu := a.place >> 1 & 1
	held := a.t
	by := cache
	if t := s.server[cache] - cacheQueue; t > held {
		held = t
	}
	if t := s.server[memory] - memoryQueue; t > held {
		held, by = t, memory
	}
	start := max(a.t, s.l0[cu])
	s.sum.issue += start - a.t
	a.to(start, c.inBy)
	if held > start {
		s.stalled[access] += held - start
		s.stalled[by] += held - start
		s.sum.issue += held - start
		a.to(held, by)
		start = held
	}
	end := start + c.in*a.factor
	s.l0[cu] = end
	a.to(end, c.inBy)
	return s.below(a, end, c.inCache, c.inMem, true)
}

// below goes on to GL1, GL2 and memory from a time.
func (s *sim) below(a *agent, from, inCache, inMem float64, answered bool) arrival {
	r := arrival{t: from, by: a.c.inBy}
	// What arrives later than now waits for what is in the queue now, and holds up nothing before it arrives.
	if inCache > 0 {
		start := max(s.now, s.server[cache])
		if t := s.server[memory] - memoryQueue; t > start {
			s.stalled[memory] += t - start
			start = t
		}
		s.server[cache] = start + inCache*a.factor
		r.t = max(from, s.server[cache])
		r.cache = r.t - from
	}
	if inMem > 0 {
		was := r.t
		s.server[memory] = max(s.now, s.server[memory]) + inMem*a.factor
		r.t = max(was, s.server[memory])
		r.memory = r.t - was
	}
	if answered {
		u := s.chance(a.serial, uint32(16+a.rounds))
		level := 0
		for level < 4 && u < a.c.chance[level] {
			level++
		}
		r.delay = a.c.delay[level] * (0.9 + 0.2*s.chance(a.serial, uint32(1<<16+a.rounds)))
		r.t += r.delay
	}
	return r
}

// await lets a wave wait for what it loaded.
func (s *sim) await(a *agent) {
	r := a.pending
	a.pending = arrival{}
	d := r.t - a.t
	if d <= 0 {
		return
	}
	s.sum.count += d
	// What came last is what was waited for to the end: where the wave began to wait when some of it was over, that
	// was the earliest.
	a.t = r.t
	for _, part := range [...]struct {
		of float64
		by int
	}{{r.delay, wait}, {r.memory, memory}, {r.cache, cache}, {d, r.by}} {
		x := min(d, part.of)
		a.acc[part.by] += x
		d -= x
	}
}

// step lets a wave go on by one step of its round; done is true at its end.
func (s *sim) step(a *agent) (done bool) {
	c := a.c
	switch a.step {
	case 0: // loads
		if a.pending.t > 0 {
			s.await(a)
		}
		if c.in > 0 {
			a.pending = s.load(a)
			if !a.p.ahead {
				s.await(a)
			}
		}
	case 1: // arithmetic
		if c.alone == 0 {
			break
		}
		simd := a.place & 3
		start := max(a.t, s.simd[simd])
		s.sum.issue += start - a.t
		s.simd[simd] = start + c.issue*a.factor
		a.to(max(s.simd[simd], a.t+c.alone*a.factor), valu)
	case 2: // local memory
		if c.local == 0 {
			break
		}
		cu := a.place >> 1 & 1
		start := max(a.t, s.local[cu])
		s.sum.issue += start - a.t
		s.sum.local += start - a.t
		s.local[cu] = start + c.local*a.factor
		s.sum.count += c.localDelay
		a.to(s.local[cu]+c.localDelay, lds)
	case 3: // stores, which nobody waits for
		if c.out == 0 {
			break
		}
		cu := a.place >> 1 & 1
		start := max(a.t, s.l0[cu])
		s.sum.issue += start - a.t
		a.to(start, access)
		held, by := s.server[cache]-cacheQueue, cache
		if t := s.server[memory] - memoryQueue; t > held {
			held, by = t, memory
		}
		if d := a.to(held, by); d > 0 {
			s.stalled[access] += d
			s.stalled[by] += d
			s.sum.issue += d
		}
		s.l0[cu] = a.t + c.out*a.factor
		s.below(a, s.l0[cu], c.outCache, c.outMem, false)
	case 4: // barrier
		a.rounds--
		a.step = -1
		if done = a.rounds == 0; done && a.pending.t > 0 {
			s.await(a)
		}
	}
	a.step++
	return done
}

// run follows waves until none is left.
func (s *sim) run(after func(a *agent)) {
	for len(s.heap) > 0 {
		e := s.pop()
		s.now = e.t
		a := &s.waves[e.w]
		for {
			t := a.t
			done := s.step(a)
			if done {
				s.sum.life += a.t - a.began
				after(a)
				break
			}
			if a.step == 0 && a.p.barrier && a.stage == ofCompute && a.p.group > 1 {
				s.barrier(a, int(e.w))
				break
			}
			if a.t > t {
				s.push(a.t, int(e.w))
				break
			}
		}
	}
}

// barrier lets a wave wait for the others of its group.
func (s *sim) barrier(a *agent, w int) {
	g := &s.groups[a.group]
	if g.waiting++; g.waiting < g.left {
		return
	}
	first := w - w%a.p.group
	for i := first; i < first+a.p.group; i++ {
		b := &s.waves[i]
		s.sum.barrier += a.t - b.t
		if i != w {
			b.t, b.acc = a.t, a.acc
		}
		s.push(b.t, i)
	}
	g.waiting = 0
}

// slope is the time from one end to the next between two of them: while as much is in work at the second as at the first.
func slope(ends []float64, from, to int) float64 {
	slices.Sort(ends)
	to = min(to, len(ends)-1)
	if to <= from {
		return ends[len(ends)-1] / float64(len(ends))
	}
	return (ends[to] - ends[from]) / float64(to-from)
}

// result is how long a job takes, in clocks, and what else of its waves counters tell.
type result struct {
	clocks   float64
	acc      [things]float64 // adds up to clocks
	sums     sums            // of all waves
	stalled  [things]float64 // of the busiest work-group processor
	active   float64         // work-group processors
	from, to [2]float64      // of vertex and pixel work, as shares of clocks
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
	all := math.Ceil(p.waves / float64(p.group))
	active := min(m.wgps, all)
	mine := math.Ceil(all / m.wgps)
	c := p.at(m, active, clock, ease)
	rounds, times := fold(p.rounds, 6)
	resident := max(1, math.Floor(p.slots/float64(p.group)))
	groups := int(min(mine, 3*resident, 400))
	spawnCost := spawning * active / m.engines * ease[spawn] / times
	s.fill(&start, &c, rounds, groups, spawnCost)
	s.run(func(a *agent) {
		g := &s.groups[a.group]
		if a.t >= s.last.t {
			s.last = *a
		}
		if g.left--; g.left == 0 {
			s.room -= float64(p.group) / p.slots
			s.ends = append(s.ends, a.t)
			s.fill(a, &c, rounds, groups, spawnCost)
		}
	})
	end := s.last
	end.to(s.server[cache], cache)
	end.to(s.server[memory], memory)
	first := start.t
	work := end.t - first
	if mine > float64(groups) {
		work += slope(s.ends, int(resident)-1, 2*int(resident)-1) * (mine - float64(groups))
	}
	work *= times
	return s.result(end, first, work, p.waves/s.sum.waves*times, times*mine/float64(groups), active)
}

// spawning is how many clocks a shader engine takes to start a wave, assumed.
const spawning = 1.5

// fold is how many rounds are followed and how many each stands for.
func fold(rounds float64, most int) (int, float64) {
	n := int(min(float64(most), max(1, math.Round(rounds))))
	return n, max(1, rounds) / float64(n)
}

func (s *sim) result(end agent, first, work, waves, stalls, active float64) result {
	r := result{clocks: first + work, active: active, acc: end.acc}
	scale := work / max(1e-9, end.t-first)
	for i := range r.acc {
		r.stalled[i] = s.stalled[i] * stalls
		if i == fixed {
			r.acc[i] = first + (r.acc[i]-first)*scale
			continue
		}
		r.acc[i] *= scale
	}
	r.sums = s.sum
	for _, x := range []*float64{&r.sums.life, &r.sums.count, &r.sums.issue, &r.sums.local, &r.sums.barrier} {
		*x *= waves
	}
	return r
}
