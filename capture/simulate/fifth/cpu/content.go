package cpu

import "astrolabe/capture/simulate"

// step is a part of a frame's work.
type step struct {
	do   int // opRun, opIO; opLock runs inside of a lock
	seg  int
	lock int
	ns   float64 // at the machine's clock and with an idle memory
}

// shape is how threads share a frame's work.
type shape int

const (
	pooled   shape = iota // workers take frames from a queue
	forked                // one thread, then all of them, up to a barrier
	pipeline              // stages hand frames on, a few at once
	inTurn                // two stages of which the first needlessly waits until the second is done
)

// content is what a program does for some time.
type content struct {
	name    string
	shape   shape
	workers int
	serial  []step // of forked: what one thread does alone
	steps   []step // of pooled and forked: of each frame or worker; else one for each stage
	spread  float64
	uneven  float64 // between workers
	depth   int     // frames between stages
	period  int64   // between dates; 0 for none
}

// builder makes a program.
type builder struct {
	plain bool // locks do not spin
	paced bool // dates are to be kept
	busy  bool // another program runs whenever it may
	r     simulate.Random
	m     *machine
	p     *program
}

// instructions is how many take so many ns.
func (b *builder) instructions(seg int, ns float64) float64 {
	s := sim{m: b.m, share: b.m.clock.start}
	c := s.costOf(&b.p.segments[seg], 0)
	return max(1, ns/c.time(b.m.latency+b.m.queueing*0.1))
}

func (b *builder) ops(list []step, scale float64) (out []op) {
	for _, x := range list {
		switch x.do {
		case opIO:
			out = append(out, op{opIO, 0, x.ns * scale})
		case opLock:
			out = append(out, op{opLock, x.lock, 0}, op{opRun, x.seg, b.instructions(x.seg, x.ns*scale)}, op{opUnlock, x.lock, 0})
		default:
			out = append(out, op{opRun, x.seg, b.instructions(x.seg, x.ns*scale)})
		}
	}
	return out
}

// add appends a content's threads, which do so many frames.
func (b *builder) add(c *content, frames int) {
	p, first := b.p, len(b.p.threads)
	p.phases = append(p.phases, phase{c.name, p.frames})
	p.frames += frames
	date := -1
	if c.period > 0 {
		date = p.timer(timer{first: c.period/2 + int64(b.r.Float64()*float64(c.period)), period: c.period})
	}
	scales := make([]float64, frames)
	for i := range scales {
		scales[i] = b.r.Spread(c.spread)
	}
	frame := func(list *[]op) {
		if date >= 0 {
			*list = append(*list, op{opDate, date, 0})
		}
		*list = append(*list, op{opBegin, 0, 0})
	}
	switch c.shape {
	case pooled:
		pool := len(p.pools)
		var jobs [][]op
		for i := range frames {
			var list []op
			frame(&list)
			list = append(list, b.ops(c.steps, scales[i])...)
			jobs = append(jobs, append(list, op{opDone, 0, 0}))
		}
		p.pools = append(p.pools, jobs)
		for range c.workers {
			p.threads = append(p.threads, thread{ops: []op{{opTake, pool, 0}}})
		}
	case forked:
		gate, join := p.barrier(c.workers), p.barrier(c.workers)
		for w := range c.workers {
			own := 1 + b.r.Between(-c.uneven, c.uneven)
			var list []op
			for i := range frames {
				if w == 0 {
					frame(&list)
					list = append(list, b.ops(c.serial, scales[i])...)
				}
				list = append(list, op{opBarrier, gate, 0})
				list = append(list, b.ops(c.steps, scales[i]*own*b.r.Spread(c.uneven/2))...)
				if list = append(list, op{opBarrier, join, 0}); w == 0 {
					list = append(list, op{opDone, 0, 0})
				}
			}
			p.threads = append(p.threads, thread{ops: list})
		}
	default:
		before := -1 // the semaphore that says that the stage before has made a frame
		room := -1
		for k, x := range c.steps {
			last := k+1 == len(c.steps)
			made, next := -1, -1
			if !last {
				made = p.semaphore(0, false)
				start := c.depth
				if c.shape == inTurn {
					start = 1
				}
				next = p.semaphore(start, c.shape == inTurn)
			}
			var list []op
			for i := range frames {
				if k == 0 {
					frame(&list)
				}
				if before >= 0 {
					list = append(list, op{opWait, before, 0})
				}
				if !last {
					list = append(list, op{opWait, next, 0})
				}
				list = append(list, b.ops([]step{x}, scales[i]*b.r.Spread(c.spread/2))...)
				if !last {
					list = append(list, op{opPost, made, 0})
				}
				if room >= 0 {
					list = append(list, op{opPost, room, 0})
				}
				if last {
					list = append(list, op{opDone, 0, 0})
				}
			}
			p.threads = append(p.threads, thread{ops: list})
			before, room = made, next
		}
	}
	b.join(first)
}

// join lets threads from first on wait until those of the content before have ended.
func (b *builder) join(first int) {
	p := b.p
	if len(p.phases) < 2 {
		return
	}
	gate := p.barrier(0)
	for i := range p.threads {
		if i < first && !p.threads[i].other {
			p.threads[i].ops = append(p.threads[i].ops, op{opBarrier, gate, 0})
			p.barriers[gate]++
		} else if i >= first {
			p.threads[i].ops = append([]op{{opBarrier, gate, 0}}, p.threads[i].ops...)
			p.barriers[gate]++
		}
	}
}

// others adds threads of other programs: timers, daemons, work of low priority.
func (b *builder) others() {
	r, p := b.r, b.p
	for range r.Whole(0, 3) {
		period := r.Log(4e6, 90e6)
		seg := p.segment(drawSegment(r, b.m, flavour(r.IntN(int(flavours))), r.Float64()))
		date := p.timer(timer{first: int64(r.Float64() * period), period: int64(period), other: true})
		p.threads = append(p.threads, thread{ops: []op{{opDate, date, 0},
			{opRun, seg, b.instructions(seg, period*r.Log(0.003, 0.25))}}, other: true, nice: r.Chance(0.3)})
	}
	if b.busy = r.Chance(0.08); b.busy { // something that runs whenever it may
		seg := p.segment(drawSegment(r, b.m, flavour(r.IntN(int(flavours))), r.Float64()))
		nice := r.Chance(0.8) || b.paced
		for range r.Whole(1, len(b.m.cpus)/2) {
			p.threads = append(p.threads, thread{ops: []op{{opRun, seg, b.instructions(seg, r.Log(3e6, 30e6))}}, other: true,
				nice: nice})
		}
	}
	p.segment(spinSegment(r)) // the last
}

// frames is how many of a length a program may have: so many ns in all, and so many operations.
func frames(c *content, ns, most float64, length float64) int {
	each := float64(len(c.steps) + 2)
	if c.shape == forked {
		each = float64(c.workers*(len(c.steps)+2) + len(c.serial))
	}
	wide := 1.0
	if c.shape == pooled {
		wide = float64(c.workers)
	}
	return int(min(20000, max(16, min(ns/length*wide, most/each))))
}
