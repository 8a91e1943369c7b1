package intel

import "math"

// shown is what became of a frame.
type shown struct {
	begin, gpuBegin, done, flip float64
	submit                      []int32 // nodes of its batches
	passes                      []int32
	finished                    int
	end                         int32 // node of the last pass
	flipped                     int32
	missed                      int
}

// flip shows the frame that was finished.
func (x *simulation) flip(c *channel) {
	k := c.frame
	f, p := &x.frames[k], &x.s.pacing
	f.flip, f.flipped = f.done, f.end
	if k > 0 {
		f.flip = max(f.flip, x.frames[k-1].flip)
	}
	if p.refresh == 0 {
		return
	}
	before := f.end
	if k > 0 {
		before = x.later(before, x.frames[k-1].flipped)
	}
	ready := x.end(before)
	date := 0.0
	switch {
	case p.variable:
		date = ready
		if k > 0 {
			date = max(ready, x.frames[k-1].flip+p.refresh)
		}
	default:
		n := math.Ceil(ready/p.refresh - 1e-9)
		if k > 0 {
			n = max(n, math.Round(x.frames[k-1].flip/p.refresh)+1)
		}
		date = n * p.refresh
		if k > 0 {
			interval := 1.0
			if p.cap > 0 {
				interval = max(1, math.Ceil(p.cap/p.refresh-0.01))
			}
			if late := n - math.Round(x.frames[k-1].flip/p.refresh) - interval; late > 0 {
				f.missed += int(late)
			}
		}
	}
	f.flip, f.flipped = date, x.add(node{start: ready, end: date, before: before, leaf: vsync})
}

// limit sets what heat or power allow.
func (x *simulation) limit() {
	s := &x.s.clocking
	m := x.s.machine
	if s.ceiling == 0 || x.r.of[s.by] {
		x.ceiling = m.highest
		return
	}
	if s.by == thermal {
		x.ceiling = s.ceiling
		if s.period > 0 && x.ticks/s.period%2 == 1 {
			x.ceiling = min(m.highest, s.ceiling+s.swing)
		}
		return
	}
	switch {
	case x.ticks == 0:
		x.ceiling, x.heat = s.ceiling, s.budget
	case x.heat > s.budget:
		x.ceiling = max(m.lowest, x.ceiling-m.step)
	case x.heat < 0.94*s.budget:
		x.ceiling = min(m.highest, x.ceiling+m.step)
	}
}

// tick is the governor's.
func (x *simulation) tick() {
	s := &x.s.clocking
	x.ticks++
	x.nextTick = x.now + s.tick
	x.limit()
	x.load += 0.35 * (x.busy/s.tick - x.load)
	share := x.load
	x.busy = 0
	switch {
	case x.r.of[governor]:
		x.ghz = x.ceiling
	case share >= s.up:
		x.ghz += s.rise
		if s.boost && x.waited {
			x.ghz = x.ceiling
		}
	case share < s.down:
		x.ghz -= s.fall
	}
	x.ghz = max(x.s.machine.lowest, min(x.ghz, x.ceiling))
	if x.ghz != x.clocks[len(x.clocks)-1].ghz {
		x.clocks = append(x.clocks, clockAt{x.now, x.ghz})
	}
}
