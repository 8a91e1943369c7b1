package rdna

import "math"

// front is a draw on its way to and from its waves: vertices are fetched and shaded, their primitives set up in order
// and rasterized into units of 64 pixels, which are tested, wait for room, are shaded, and leave for the color blocks.
type front struct {
	vertices, units    int     // that are followed
	perVertex, perUnit float64 // what one stands for
	costs              stageCosts
	vertexCosts        costs
	pixelCosts         costs
	vertexRounds       int
	pixelRounds        int
	vertexTimes        float64
	pixelTimes         float64

	started, inFlight int     // vertex waves
	done              []agent // vertex waves that ended, in the order in which they did
	assembled         int
	current           agent // the primitives that are being rasterized
	left              int   // units of them
	made              int
	carry, survivors  float64
	ready             []agent
	blocked           bool // units had no place in ready
	colorBy           int
	from, to          [2]float64
}

// stageCosts are clocks of the stages for a vertex wave's primitives, or for a unit.
type stageCosts struct {
	fetch, setup, scan, early, late, color        float64
	depthCache, depthMemory, colorCache, colorMem float64
}

// stages gives the costs where so many work-group processors share the stages.
func (j *job) stages(m *machine, active, clock float64, ease *[things]float64) (c stageCosts) {
	share := active / m.engines
	v := &j.vertex
	c.fetch = max(v.lanes*1.1, j.prims*0.55) * share * ease[fetch]
	c.setup = j.prims * (1 - 0.5*j.culled) * share * ease[setup]
	kept := j.vertex.waves * j.prims * (1 - j.culled)
	pixels := 64 * (1 - 0.75*j.hidden) / math.Sqrt(max(0.05, j.cover)) * (1 + 0.15*(j.samples-1)) * active / m.rops
	c.scan = max(pixels/0.95, 0.5*kept/max(1, j.units)*share) * ease[scan]
	if j.tested {
		rate := 64 * j.samples * active / (4 * m.rops) / 0.85
		if j.zwrite {
			rate *= 1.3
		}
		if j.late {
			c.late = rate * 2 * ease[depth]
		} else {
			c.early = rate * (1 - j.hidden) * ease[depth]
		}
		c.depthCache, c.depthMemory = j.packed(m, j.depthBytes(), active, clock, ease)
	}
	if j.colors > 0 {
		c.color = 64 * j.passes * (1 + 0.5*(min(2, j.samples)-1)) * active / m.rops / colorReached * ease[color]
		c.colorCache, c.colorMem = j.packed(m, j.colorBytes(), active, clock, ease)
	}
	return c
}

// packed are the clocks that a unit's depth or color takes of GL2 and memory, after compression.
func (j *job) packed(m *machine, bytes, active, clock float64, ease *[things]float64) (inCache, inMemory float64) {
	n := bytes / 64 * j.squeeze
	return m.cached(0, n, active) * ease[cache],
		m.moved(n*blocksMiss, n*blocksMiss*j.shader.miss[3], 0.85, active, clock) * ease[memory]
}

// blocksMiss is the share of what color and depth blocks move that GL2 does not keep.
const blocksMiss = 0.7

// depthBytes and colorBytes are the traffic of a unit that reaches the blocks, before compression.
func (j *job) depthBytes() float64 {
	if !j.tested {
		return 0
	}
	n := 4.0
	if j.zwrite {
		n = 8
	}
	return 64 * n * j.samples * (1 - j.hidden)
}

func (j *job) colorBytes() float64 {
	n := j.colors
	if j.blend {
		n *= 2
	}
	return 64 * n * max(0.3, j.cover) * (1 + 0.3*(j.samples-1))
}

// shaded is the share of units that become waves.
func (j *job) shaded() float64 {
	if j.shader.valu == 0 {
		return 0
	}
	return (1 - j.hidden) * (1 - j.failing)
}

const (
	readyUnits = 8
	// A share of a stage serves a unit so slowly that waves of one work-group processor, which end together, would
	// fill its queue although others' do not: the queue is that many units longer.
	queuedUnits = 8
	setupQueue  = 150.0 // clocks of rasterization that primitive assembly may be ahead
	followed    = 110.0 // vertex waves and units of a draw
)

// drawn follows a draw.
func (s *sim) drawn(start agent) result {
	j, f := s.job, &s.front
	active := min(s.m.wgps, max(1, math.Ceil(max(j.vertex.waves, j.units))))
	vertices, units := j.vertex.waves/active, j.units/active
	part := min(1, followed/(vertices+units))
	f.vertices = int(max(1, math.Round(vertices*part)))
	f.units = int(math.Round(units * part))
	if units > 0 {
		f.units = max(1, f.units)
		f.perUnit = units * part / float64(f.units)
	}
	f.perVertex = vertices * part / float64(f.vertices)
	f.costs = j.stages(s.m, active, s.clock, s.ease)
	f.vertexCosts = j.vertex.at(s.m, active, s.clock, s.ease)
	f.pixelCosts = j.shader.at(s.m, active, s.clock, s.ease)
	f.vertexRounds, f.vertexTimes = fold(j.vertex.rounds, 3)
	f.pixelRounds, f.pixelTimes = fold(j.shader.rounds, 4)
	f.costs.scale(f.perVertex, f.perUnit)
	f.vertexCosts.scale(f.vertexTimes, f.perVertex)
	f.pixelCosts.scale(f.pixelTimes, f.perUnit)
	f.colorBy = color
	f.from = [2]float64{math.Inf(1), math.Inf(1)}
	s.last = start
	s.pump(&start)
	s.run(func(a *agent) {
		copied := *a
		s.leaves(&copied)
	})
	end := s.last
	for _, by := range []int{depth, color, cache, memory} {
		end.to(s.server[by], by)
	}
	work := end.t - start.t
	ends, n, all := s.ends, f.units, units
	if f.vertices > f.units {
		ends, n, all = s.vertexE, f.vertices, vertices
	}
	if part < 1 && n > 0 && all > float64(n) {
		work += slope(ends, n/3, n*3/4) * (all - float64(n))
	}
	waves := j.vertex.waves + j.units*j.shaded()
	r := s.result(end, start.t, work, waves/max(1, s.sum.waves), 1/part, active)
	for i := range f.from {
		r.from[i], r.to[i] = 0, 0
		if f.to[i] > f.from[i] {
			scale := work / max(1e-9, end.t-start.t)
			r.from[i] = (start.t + (f.from[i]-start.t)*scale) / r.clocks
			r.to[i] = min(1, (start.t+(f.to[i]-start.t)*scale)/r.clocks)
		}
	}
	return r
}

// scale lets a followed vertex wave or unit stand for another number.
func (c *stageCosts) scale(vertex, unit float64) {
	c.fetch *= vertex
	c.setup *= vertex
	for _, x := range []*float64{&c.scan, &c.early, &c.late, &c.color, &c.depthCache, &c.depthMemory, &c.colorCache, &c.colorMem} {
		*x *= unit
	}
}

// scale lets a round stand for times of them, in so many waves: what a wave takes for itself is a wave's alone.
func (c *costs) scale(times, waves float64) {
	for _, x := range []*float64{&c.issue, &c.local, &c.in, &c.out, &c.inCache, &c.inMem, &c.outCache, &c.outMem} {
		*x *= times * min(1, waves)
	}
	c.alone *= times
	c.localDelay *= times
	for i := range c.delay {
		c.delay[i] *= times
	}
}

// pump moves a draw on as far as it can go after something that just happened.
func (s *sim) pump(from *agent) {
	j, f := s.job, &s.front
	for again := true; again; {
		again = false
		for len(f.ready) > 0 && (s.room+1/j.shader.slots <= 1+1e-9 || s.room == 0) {
			a := f.ready[0]
			f.ready = f.ready[1:]
			if from.t > a.t {
				a.t, a.acc = from.t, from.acc
			}
			s.room += 1 / j.shader.slots
			s.launch(&a, &j.shader, &f.pixelCosts, ofPixel, f.pixelRounds, spawning*s.ease[spawn])
			f.from[1] = min(f.from[1], s.waves[len(s.waves)-1].began)
			again = true
		}
		for f.left > 0 && len(f.ready) < readyUnits {
			s.rasterize(from)
			again = true
		}
		f.blocked = f.left > 0
		if f.left == 0 && f.assembled < len(f.done) {
			s.assemble()
			again = true
		}
		limit := int(max(2, j.vertex.slots/3))
		for f.started < f.vertices && f.inFlight+len(f.done)-f.assembled < limit &&
			(s.room+1/j.vertex.slots <= 1+1e-9 || s.room == 0) {
			a := *from
			a.to(max(a.t, s.server[fetch])+f.costs.fetch, fetch)
			s.server[fetch] = a.t
			f.started++
			f.inFlight++
			s.room += 1 / j.vertex.slots
			s.launch(&a, &j.vertex, &f.vertexCosts, ofVertex, f.vertexRounds, spawning*s.ease[spawn])
			f.from[0] = min(f.from[0], s.waves[len(s.waves)-1].began)
			again = true
		}
	}
}

// assemble takes the primitives of the next vertex wave.
func (s *sim) assemble() {
	f := &s.front
	a := f.done[f.assembled]
	f.assembled++
	a.to(max(a.t, s.server[setup]), setup)
	if d := a.to(s.server[scan]-setupQueue-2*f.costs.setup, scan); d > 0 {
		s.stalled[scan] += d
	}
	a.to(a.t+f.costs.setup, setup)
	s.server[setup] = a.t
	s.vertexE = append(s.vertexE, a.t)
	f.current = a
	f.carry += float64(f.units) / float64(f.vertices)
	f.left = int(f.carry + 1e-9)
	f.carry -= float64(f.left)
	if f.assembled == f.vertices {
		f.left = f.units - f.made
	}
	s.lasts(&a)
}

func (s *sim) lasts(a *agent) {
	if a.t >= s.last.t {
		s.last = *a
	}
}

// rasterize makes the next unit.
func (s *sim) rasterize(from *agent) {
	j, f := s.job, &s.front
	f.left--
	f.made++
	a := f.current
	if f.blocked && from.t > a.t {
		a.t, a.acc = from.t, from.acc
		s.server[scan] = max(s.server[scan], from.t)
	}
	a.c = &f.pixelCosts
	a.to(max(a.t, s.server[scan])+f.costs.scan, scan)
	s.server[scan] = a.t
	if f.costs.early > 0 {
		a.to(s.server[memory]-memoryQueue, memory)
		a.to(max(a.t, s.server[depth])+f.costs.early, depth)
		s.server[depth] = a.t
		s.tests(&a)
		s.server[scan] = max(s.server[scan], a.t-exportQueue-queuedUnits*f.costs.early)
	}
	f.survivors += j.shaded()
	if f.survivors < 1 {
		s.ends = append(s.ends, a.t)
		s.lasts(&a)
		return
	}
	f.survivors--
	f.ready = append(f.ready, a)
}

// tests moves the depth that a unit was tested with.
func (s *sim) tests(a *agent) {
	a.factor = 1
	s.below(a, a.t, s.front.costs.depthCache, s.front.costs.depthMemory, false)
}

// leaves is what happens where a wave ends.
func (s *sim) leaves(a *agent) {
	j, f := s.job, &s.front
	if a.stage == ofVertex {
		f.inFlight--
		f.to[0] = max(f.to[0], a.t)
		f.done = append(f.done, *a)
		s.room -= 1 / j.vertex.slots
		s.pump(a)
		return
	}
	if f.costs.late > 0 {
		if d := a.to(s.server[depth]-exportQueue-queuedUnits*f.costs.late, depth); d > 0 {
			s.stalled[depth] += d
		}
		s.server[depth] = max(a.t, s.server[depth]) + f.costs.late
		s.tests(a)
	}
	if f.costs.color > 0 {
		if d := a.to(s.server[color]-exportQueue-queuedUnits*f.costs.color, f.colorBy); d > 0 {
			s.stalled[color] += d
		}
		start := max(a.t, s.server[color])
		f.colorBy = color
		if t := s.server[memory] - memoryQueue; t > start {
			start, f.colorBy = t, memory
		}
		s.server[color] = start + f.costs.color
		a.factor = 1
		s.below(a, s.server[color], f.costs.colorCache, f.costs.colorMem, false)
	}
	f.to[1] = max(f.to[1], a.t)
	s.ends = append(s.ends, max(a.t, s.server[color]))
	s.lasts(a)
	s.room -= 1 / j.shader.slots
	s.pump(a)
}
