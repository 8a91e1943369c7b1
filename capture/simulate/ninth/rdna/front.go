package rdna

import "math"

// front is a draw on its way to and from its waves: vertices are fetched and shaded, their primitives set up in order
// and rasterized into units of 64 pixels, which are tested, wait for room, are shaded, and leave for the color blocks.
type front struct {
	vertices, units              float64 // that are followed
	costs                        stageCosts
	vertexCosts, pixelCosts      costs
	vertexRounds, pixelRounds    int
	started, inFlight, assembled int     // vertex waves
	done                         []agent // vertex waves that ended, in the order in which they did
	current                      agent   // the primitives that are being rasterized
	left, made                   int     // units of them, and of all
	carry, survivors             float64
	ready                        []agent
	blocked                      bool // units had no place in ready
	colorBy                      int
	from, to                     [3]float64
}

// stageCosts are clocks of the stages for a vertex wave's primitives, or for a unit.
type stageCosts struct {
	fetch, setup                                                            float64
	scan, early, late, color, depthCache, depthMemory, colorCache, colorMem float64
}

const (
	readyUnits = 8
	// A share of a stage serves a unit so slowly that waves of one work-group processor, which end together, would
	// fill its queue although others' do not: the queue is that many units longer.
	queuedUnits = 8
	followed    = 110.0 // vertex waves and units of a draw
	blocksMiss  = 0.7   // share of what color and depth blocks move that GL2 does not keep, assumed
)

// stages gives the costs where so many work-group processors share the stages.
func (j *job) stages(m *machine, active, clock float64, ease *[things]float64) (c stageCosts) {
	share := active / m.engines
	c.fetch = max(j.vertex.lanes*1.1, j.prims*0.55) * share * ease[fetch]
	c.setup = j.prims * (1 - 0.5*j.culled) * share * ease[setup]
	kept := j.vertex.waves * j.prims * (1 - j.culled)
	pixels := 64 * (1 - 0.75*j.hidden) / math.Sqrt(max(0.05, j.cover)) * (1 + 0.15*(j.samples-1)) * active / m.rops
	c.scan = max(pixels/0.95, 0.5*kept/max(1, j.units)*share) * ease[scan]
	// What a unit's depth or color takes of GL2 and memory, after compression.
	packed := func(bytes float64) (inCache, inMemory float64) {
		n := bytes / 64 * j.squeeze
		return m.cached(0, n, active) * ease[cache], m.moved(n*blocksMiss, n*blocksMiss*j.shader.ic, 0.85, active, clock) * ease[memory]
	}
	if j.tested > 0 {
		rate := 64 * j.samples * active / (4 * m.rops) / 0.85 * (1 + 0.3*j.zwrite)
		if j.late > 0 {
			c.late = rate * 2 * ease[depth]
		} else {
			c.early = rate * (1 - j.hidden) * ease[depth]
		}
		c.depthCache, c.depthMemory = packed(j.depthBytes())
	}
	if j.colors > 0 {
		c.color = 64 * j.passes * (1 + 0.5*(min(2, j.samples)-1)) * active / m.rops / colorReached * ease[color]
		c.colorCache, c.colorMem = packed(j.colorBytes())
	}
	return c
}

// depthBytes and colorBytes are the traffic of a unit that reaches the blocks, before compression.
func (j *job) depthBytes() float64 {
	return 64 * 4 * j.tested * (1 + j.zwrite) * j.samples * (1 - j.hidden)
}

func (j *job) colorBytes() float64 {
	return 64 * j.colors * (1 + j.blend) * max(0.3, j.cover) * (1 + 0.3*(j.samples-1))
}

// shaded is the share of units that become waves.
func (j *job) shaded() float64 {
	if j.shader.valu == 0 {
		return 0
	}
	return (1 - j.hidden) * (1 - j.failing)
}

// drawn follows a draw.
func (s *sim) drawn(start agent) result {
	j, f := s.job, &s.front
	active := min(s.m.wgps, max(1, math.Ceil(max(j.vertex.waves, j.units))))
	vertices, units := j.vertex.waves/active, j.units/active
	part := min(1, followed/(vertices+units))
	f.vertices, f.units = max(1, math.Round(vertices*part)), max(1, math.Round(units*part))
	perVertex, perUnit := vertices*part/f.vertices, units*part/f.units
	f.costs = j.stages(s.m, active, s.clock, s.ease)
	f.costs.fetch, f.costs.setup = f.costs.fetch*perVertex, f.costs.setup*perVertex
	for _, x := range []*float64{&f.costs.scan, &f.costs.early, &f.costs.late, &f.costs.color, &f.costs.depthCache, &f.costs.depthMemory,
		&f.costs.colorCache, &f.costs.colorMem} {
		*x *= perUnit
	}
	var times float64
	f.vertexCosts, f.pixelCosts = j.vertex.at(s.m, active, s.clock, s.ease), j.shader.at(s.m, active, s.clock, s.ease)
	f.vertexRounds, times = fold(j.vertex.rounds, 3)
	f.vertexCosts.scale(times, perVertex)
	f.pixelRounds, times = fold(j.shader.rounds, 4)
	f.pixelCosts.scale(times, perUnit)
	f.colorBy, s.last = color, start
	s.pump(&start)
	s.run(s.leaves)
	end := s.last
	for _, by := range []int{depth, color, cache, memory} {
		end.to(s.server[by], by)
	}
	work := end.t - start.t
	scale := work
	ends, n, all := s.ends, f.units, units
	if f.vertices > f.units {
		ends, n, all = s.built, f.vertices, vertices
	}
	if part < 1 && all > n {
		work += slope(ends, int(n/3), int(n*3/4)) * (all - n)
	}
	r := s.result(&end, start.t, work, (j.vertex.waves+j.units*j.shaded())/max(1, s.sum.waves), 1/part, active)
	for i := range f.to {
		if f.to[i] > 0 {
			r.from[i] = (start.t + (f.from[i]-start.t)*work/scale) / r.clocks
			r.to[i] = min(1, (start.t+(f.to[i]-start.t)*work/scale)/r.clocks)
		}
	}
	return r
}

// after lets an agent go on where what happened to another made room for it.
func (a *agent) after(other *agent) {
	if other.t > a.t {
		a.t, a.acc = other.t, other.acc
	}
}

// begin launches a wave of a draw.
func (s *sim) begin(from *agent, p *program, c *costs, stage, rounds int) {
	f := &s.front
	if a := s.launch(from, p, c, stage, rounds, spawning*s.ease[spawn]); f.to[stage] == 0 {
		f.from[stage], f.to[stage] = a.began, a.began
	}
}

// pump moves a draw on as far as it can go after something that just happened.
func (s *sim) pump(from *agent) {
	j, f := s.job, &s.front
	for again := true; again; {
		again = false
		for ; len(f.ready) > 0 && s.fits(&j.shader, 1); again = true {
			a := f.ready[0]
			f.ready = f.ready[1:]
			a.after(from)
			s.begin(&a, &j.shader, &f.pixelCosts, ofPixel, f.pixelRounds)
		}
		for ; f.left > 0 && len(f.ready) < readyUnits; again = true {
			s.rasterize(from)
		}
		f.blocked = f.left > 0
		if f.left == 0 && f.assembled < len(f.done) {
			s.assemble()
			again = true
		}
		limit := int(max(2, j.vertex.slots/3))
		for ; f.started < int(f.vertices) && f.inFlight+len(f.done)-f.assembled < limit && s.fits(&j.vertex, 1); again = true {
			a := *from
			a.to(max(a.t, s.server[fetch])+f.costs.fetch, fetch)
			s.server[fetch] = a.t
			f.started++
			f.inFlight++
			s.begin(&a, &j.vertex, &f.vertexCosts, ofVertex, f.vertexRounds)
		}
	}
}

// assemble takes the primitives of the next vertex wave.
func (s *sim) assemble() {
	f := &s.front
	a := f.done[f.assembled]
	f.assembled++
	a.to(s.server[setup], setup)
	s.stalled[scan] += a.to(s.server[scan]-setupQueue-2*f.costs.setup, scan)
	a.to(a.t+f.costs.setup, setup)
	s.server[setup] = a.t
	s.built = append(s.built, a.t)
	f.current = a
	f.carry += f.units / f.vertices
	f.left = int(f.carry + 1e-9)
	f.carry -= float64(f.left)
	if f.assembled == int(f.vertices) {
		f.left = int(f.units) - f.made
	}
	s.last.after(&a)
}

// rasterize makes the next unit.
func (s *sim) rasterize(from *agent) {
	j, f := s.job, &s.front
	f.left--
	f.made++
	a := f.current
	if f.blocked {
		a.after(from)
		s.server[scan] = max(s.server[scan], a.t)
	}
	a.to(max(a.t, s.server[scan])+f.costs.scan, scan)
	s.server[scan] = a.t
	if f.costs.early > 0 {
		a.to(s.server[memory]-memoryQueue, memory)
		a.to(max(a.t, s.server[depth])+f.costs.early, depth)
		s.server[depth] = a.t
		s.below(a.t, f.costs.depthCache, f.costs.depthMemory)
		s.server[scan] = max(s.server[scan], a.t-exportQueue-queuedUnits*f.costs.early)
	}
	if f.survivors += j.shaded(); f.survivors < 1 {
		s.ends = append(s.ends, a.t)
		s.last.after(&a)
		return
	}
	f.survivors--
	f.ready = append(f.ready, a)
}

// leaves is what happens where a wave ends.
func (s *sim) leaves(a agent) {
	f := &s.front
	f.to[a.stage] = max(f.to[a.stage], a.t)
	if a.stage == ofVertex {
		f.inFlight--
		f.done = append(f.done, a)
		s.pump(&a)
		return
	}
	if f.costs.late > 0 {
		s.stalled[depth] += a.to(s.server[depth]-exportQueue-queuedUnits*f.costs.late, depth)
		s.server[depth] = max(a.t, s.server[depth]) + f.costs.late
		s.below(a.t, f.costs.depthCache, f.costs.depthMemory)
	}
	if f.costs.color > 0 {
		s.stalled[color] += a.to(s.server[color]-exportQueue-queuedUnits*f.costs.color, f.colorBy)
		start := max(a.t, s.server[color])
		f.colorBy = color
		if t := s.server[memory] - memoryQueue; t > start {
			start, f.colorBy = t, memory
		}
		s.server[color] = start + f.costs.color
		s.below(s.server[color], f.costs.colorCache, f.costs.colorMem)
	}
	s.ends = append(s.ends, max(a.t, s.server[color]))
	s.last.after(&a)
	s.pump(&a)
}
