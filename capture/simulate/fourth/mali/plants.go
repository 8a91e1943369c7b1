package mali

import (
	"slices"

	"astrolabe/capture/simulate"
)

// plants are what content can be meant to be limited by, in the order of seeds.
func plants(csf bool) []simulate.Candidate {
	out := slices.Clone(leafOf[:resBus])
	out = append(out, simulate.MemoryBandwidth, simulate.MemoryLatency, simulate.LaunchOverhead, simulate.CPUApp, simulate.CPUDriver,
		simulate.CPUSync, simulate.QueuesInTurn, simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest, simulate.ClockThermal,
		simulate.ClockPower, simulate.ClockGovernor)
	if !csf {
		out = slices.Delete(out, resRays, resRays+1)
	}
	return out
}

// planted is a frame that one resource of the GPU limits: a usual frame in which one pass asks for much more of it.
func planted(m *machine, res int, seed uint64, r simulate.Random) *recipe {
	c := &recipe{name: "frame that asks much of " + leafOf[res].Name}
	more := r.Between(1.45, 2.5) // than of any other
	var main pass
	switch {
	case res == resLatency || res == resCache || res == resLoadStore || res == resRays && r.Chance(0.6) || res == resArith && r.Chance(0.4) || res == resDRAM && r.Chance(0.4):
		main.dispatch = work("kernel", r)
		main.dispatch.parts = r.Whole(3, 6)
		main.dispatch.warps *= 6
		if res == resRays {
			addRays(&main.dispatch.work, r)
		}
		c.compute(main.dispatch)
		if r.Chance(0.5) {
			x := overlay(r, 0)
			x.pixels *= 0.2
			c.draw(x)
		}
	case res == resBackend || res == resVarying && r.Chance(0.3):
		main.render = particles(r)
		main.render.parts = 5
		if res == resBackend { // several targets, deep formats, samples
			main.render.blend = simulate.Pick[float64](r, 2, 2, 2.7, 4)
			more = min(more, 0.8*main.render.blend)
		}
		c.draw(main.render)
	default:
		main.render = scene(r, 0.8)
		if res == resRays {
			addRays(&main.render.surface, r)
		}
		if r.Chance(0.4) {
			x := shadow(r)
			x.pixels, x.prims = x.pixels*0.2, x.prims*0.1
			c.draw(x)
		}
		i := c.draw(main.render)
		if r.Chance(0.5) {
			x := fullscreen("post", r, i)
			x.pixels *= 0.2
			c.draw(x)
		}
	}
	for range 12 {
		need := main.needs(m, seed, res)
		other := 0.0
		for i, v := range need {
			if leafOf[i] != leafOf[res] {
				other = max(other, v)
			}
		}
		f := more * other / max(need[res], 1e-9)
		if f < 1.02 {
			break
		}
		main.boost(res, min(f*1.03, 40), m)
	}
	if main.render != nil {
		c.balance(m, seed, res == resTiler)
	}
	return c
}

// balance takes from the geometry of all passes, or from their pixels, until the other part of the frame is the longer
// one: the two overlap.
func (c *recipe) balance(m *machine, seed uint64, geometry bool) {
	for range 30 {
		x := c.content(m, seed)
		binning, shading := x.halves()
		switch {
		case geometry && shading > 0.4*binning:
			for _, p := range c.passes {
				p.render.pixels *= 0.8
				p.render.tilesPer = max(1, p.render.tilesPer*0.9)
				p.render.deferred *= 0.8
			}
		case !geometry && binning > 0.25*shading:
			for _, p := range c.passes {
				p.render.prims *= 0.8
			}
		default:
			return
		}
	}
}

// needs are those of the job of the pass that a resource is of.
func (p *pass) needs(m *machine, seed uint64, res int) (out [resources]float64) {
	r := simulate.NewRandom(seed, "fourth mali plant")
	var j job
	if p.dispatch != nil {
		j = m.dispatchJob(p.dispatch, r)
	} else {
		binning, main := m.renderJobs(p.render, r)
		if j = main; res == resTiler {
			j = binning
		}
	}
	for i := range j.segs {
		for k, v := range j.segs[i].need {
			out[k] += v
		}
	}
	return out
}

// boost makes the pass ask more of a resource, in the way in which programs come to do so.
func (p *pass) boost(res int, f float64, m *machine) {
	var s *shader
	if p.dispatch != nil {
		s = &p.dispatch.work
	} else {
		s = &p.render.surface
	}
	switch res {
	case resArith:
		s.fma, s.cvt, s.sfu = s.fma*f, s.cvt*f, s.sfu*f
	case resTexture:
		if s.texCost < 3 {
			s.texCost = min(4, s.texCost*f)
			break
		}
		s.tex, s.texBytes = s.tex*f, s.texBytes/f
	case resVarying:
		s.v32, s.v16 = s.v32*f, s.v16*f
	case resLoadStore:
		s.reads, s.writes, s.lsBytes, s.wrBytes = s.reads*f, s.writes*f, s.lsBytes/f, s.wrBytes/f
	case resRays:
		s.boxes, s.tris = s.boxes*f, s.tris*f
		s.reads, s.tex = s.reads*0.8, s.tex*0.8
		if p.dispatch != nil {
			p.dispatch.mlp = min(200, p.dispatch.mlp*1.5)
		} else {
			p.render.mlp = min(200, p.render.mlp*1.5)
		}
	case resTiler:
		p.render.prims *= min(f, 3)
		p.render.position.fma, p.render.position.cvt, p.render.position.reads = p.render.position.fma*0.7, p.render.position.cvt*0.7, p.render.position.reads*0.7
		p.render.mlp = min(200, p.render.mlp*1.3)
		p.render.face, p.render.small = 0.5, 0.25
		p.render.tilesPer = max(1, p.render.tilesPer*0.7)
		p.render.frustum, p.render.scissor = 0.1, 0
	case resRaster:
		left := 1 - p.render.killed
		p.render.layers *= f
		p.render.killed = 1 - left/f
		p.render.opaque = 0.95
	case resBackend:
		s.tex, s.fma, s.cvt, s.v32, s.v16 = s.tex*0.8, s.fma*0.8, s.cvt*0.8, s.v32*0.8, s.v16*0.8
		s.reads *= 0.8
		p.render.killed, p.render.hidden = 0, 0
		p.render.layers *= 1.3
	case resDRAM:
		if p.render != nil {
			s.texMiss = min(0.9, s.texMiss*1.3)
			s.texBytes *= min(f, 2)
			p.render.store *= min(f, 1.5)
		} else {
			s.lsMiss, s.wrOut = min(0.95, s.lsMiss*1.3), 1
			s.lsBytes = min(64, s.lsBytes*min(f, 2))
			s.fma, s.cvt, s.sfu = s.fma*0.8, s.cvt*0.8, s.sfu*0.8
		}
		p.spread()
	case resCache:
		s.lsMiss, s.texMiss, s.wrOut = s.lsMiss*0.6, s.texMiss*0.6, s.wrOut*0.6
		s.lsBytes = min(64, s.lsBytes*min(f, 2))
		s.fma, s.cvt, s.sfu, s.tex, s.atomics = s.fma*0.8, s.cvt*0.8, s.sfu*0.8, s.tex*0.8, s.atomics*0.8
		p.spread()
	case resLatency:
		p.dispatch.mlp = max(0.8, p.dispatch.mlp/min(f, 3))
	}
}

// spread gives a pass enough reads under way to hide the latency of memory.
func (p *pass) spread() {
	if p.dispatch != nil {
		p.dispatch.mlp = min(240, p.dispatch.mlp*1.6)
	} else {
		p.render.mlp = min(240, p.render.mlp*1.6)
	}
}
