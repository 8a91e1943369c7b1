package intel

import (
	"fmt"
	"math"
)

// step goes on to the next event.
func (x *simulation) step() error {
	x.begin()
	next := x.nextTick
	starts := -1
	for q := range x.queues {
		c := &x.queues[q]
		at := math.Inf(1)
		if c.running {
			at = x.now + c.left*x.rate(q)
		} else {
			if before, _, ok := x.ready(q); ok {
				at = max(x.now, x.end(before))
			}
			if q == 0 && x.nextOther <= at {
				at = max(x.now, x.nextOther)
			}
		}
		if at < next {
			next, starts = at, q
		}
	}
	if next > 1e12 {
		return fmt.Errorf("nothing can go on")
	}
	x.advance(next)
	if starts < 0 {
		x.tick()
		return nil
	}
	if x.queues[starts].running {
		x.finish(starts)
	} else {
		x.start(starts)
	}
	return nil
}

// ns is the time of a pass at the clock, and what it would be at the ceiling and at the highest clock.
func (t *timing) ns(x *simulation, ghz float64) float64 {
	i := 0
	if ghz > x.clock[1] {
		i = 1
	}
	a, b := 1/x.clock[i], 1/x.clock[i+1]
	u := (1/ghz - b) / (a - b)
	return t.at[i+1].ns + (t.at[i].ns-t.at[i+1].ns)*u
}

func (t *timing) near(x *simulation) *profile {
	best := 0
	for i := range knots {
		if math.Abs(x.clock[i]-x.ghz) < math.Abs(x.clock[best]-x.ghz) {
			best = i
		}
	}
	return t.at[best]
}

// rate is how long all of a queue's pass takes as things are, which is longer where another one needs the same units.
func (x *simulation) rate(q int) float64 {
	c := &x.queues[q]
	slow := 1.0
	if o := &x.queues[1-q]; o.running && c.running {
		a, b := c.timing.near(x), o.timing.near(x)
		for u := range uses {
			slow = max(slow, a.use[u]+b.use[u])
		}
		slow *= 1.02
	}
	return c.timing.ns(x, x.ghz) * c.scale * slow
}

// advance lets passes go on up to a time.
func (x *simulation) advance(to float64) {
	dt := to - x.now
	busy := false
	var done [queues]float64
	for q := range x.queues {
		c := &x.queues[q]
		if !c.running || dt <= 0 {
			continue
		}
		busy = true
		done[q] = min(c.left, dt/x.rate(q))
	}
	for q := range x.queues {
		c := &x.queues[q]
		if !c.running || dt <= 0 {
			continue
		}
		t := c.timing
		all, top, highest := t.ns(x, x.ghz), t.ns(x, x.ceiling), t.at[knots-1].ns
		n := &x.nodes[c.node]
		n.held[2] += dt * max(0, 1-top/all)
		by := 0
		if x.s.clocking.by == power {
			by = 1
		}
		n.held[by] += dt * max(0, (top-highest)/all)
	}
	if x.rec != nil && dt > 0 {
		x.rec.stretch(x, to, &done)
	}
	for q := range x.queues {
		c := &x.queues[q]
		c.left -= done[q]
		c.wentOn += done[q]
	}
	if busy {
		x.busy += dt
	}
	if s := &x.s.clocking; s.by == power && s.budget > 0 {
		p := x.power()
		x.heat += (p - x.heat) * min(1, dt/40e6)
	}
	x.now = to
}

// power is that of the GPU now, as a share of the highest.
func (x *simulation) power() float64 {
	at := 0.0
	for q := range x.queues {
		if c := &x.queues[q]; c.running {
			p := c.timing.near(x)
			at += 0.4 + 0.45*p.use[useEU] + 0.15*p.use[useMemory]
		}
	}
	v := x.ghz / x.s.machine.highest
	return 0.12 + 0.88*min(1, at)*v*v*math.Sqrt(v)
}

func (x *simulation) start(q int) {
	c := &x.queues[q]
	before, needless, ok := x.ready(q)
	if q == 0 && (!ok || x.nextOther <= max(x.now, x.end(before))) && x.nextOther <= x.now {
		c.running, c.other, c.left, c.wentOn, c.scale = true, true, 1, 0, 1
		c.timing = &x.times[len(x.times)-1][0][0]
		c.node = x.add(node{start: x.now, before: c.last, leaf: leaves, share: &c.timing.near(x).share, queue: int8(q)})
		x.nextOther += x.s.others.every
		return
	}
	if !ok {
		return
	}
	f, d := &x.frames[c.frame], &x.s.frames[c.frame]
	c.running, c.other, c.left, c.wentOn, c.scale = true, false, 1, 0, d.gpu
	c.timing = &x.times[d.content][c.pass][d.variant]
	c.node = x.add(node{start: x.now, before: before, leaf: leaves, share: &c.timing.near(x).share, needless: needless, queue: int8(q)})
	f.passes[c.pass] = c.node
	if f.gpuBegin == 0 {
		f.gpuBegin = x.now
	}
}

func (x *simulation) finish(q int) {
	c := &x.queues[q]
	x.nodes[c.node].end = x.now
	c.running, c.last = false, c.node
	if c.other {
		return
	}
	f := &x.frames[c.frame]
	f.finished++
	c.pass++
	if f.finished == len(f.passes) {
		f.done, f.end = x.now, c.node
		x.flip(c)
	}
}
