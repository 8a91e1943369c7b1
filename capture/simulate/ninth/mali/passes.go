package mali

import "astrolabe/capture/simulate"

// span is a range that a number is drawn from, evenly on a logarithmic scale.
type span [2]float64

func (s span) draw(r simulate.Random) float64 {
	if s[0] >= s[1] {
		return s[0]
	}
	return r.Log(s[0], s[1])
}

// style is what passes of a kind are like. Numbers are of a thread, or of a pixel.
type style struct {
	kind               int
	instr, tex, filter span
	lines, slots       span
	reads, writes      span // accesses of a warp
	bytes              span // written per pixel of the target, after compression
	over               span // pixels shaded per pixel of the target
	ezs, fpk, alpha    span // zero stands for none
	prims              span // per pixel of the target
	miss, phases       span
	rays               float64 // share of threads that trace one
	atomics            float64
	size               span // share of the frame's pixels
}

// styles are invented after what engines do; see doc.go.
var styles = map[string]style{
	"shadow": {instr: span{2, 8}, tex: span{0, 0}, filter: span{1, 1}, lines: span{.1, .2}, slots: span{.2, .6}, bytes: span{1, 2},
		over: span{.8, 2}, ezs: span{.2, .5}, fpk: span{.01, .1}, prims: span{.03, .25}, miss: span{.2, .5}, phases: span{1, 1.5}, size: span{.3, 1.2}},
	"opaque": {instr: span{25, 140}, tex: span{2, 7}, filter: span{1, 2.2}, lines: span{.12, .6}, slots: span{2.5, 8}, reads: span{.5, 4},
		bytes: span{2, 4.5}, over: span{1, 1.7}, ezs: span{.15, .5}, fpk: span{.08, .3}, alpha: span{.02, .1}, prims: span{.02, .3}, miss: span{.2, .55},
		phases: span{1, 3}, size: span{.7, 1}},
	"gbuffer": {instr: span{18, 60}, tex: span{2, 5}, filter: span{1, 2.4}, lines: span{.12, .5}, slots: span{3, 8}, reads: span{.3, 2},
		bytes: span{8, 16}, over: span{1, 1.4}, ezs: span{.15, .5}, fpk: span{.1, .35}, prims: span{.03, .3}, miss: span{.25, .6}, phases: span{1, 2}, size: span{.7, 1}},
	"light": {instr: span{50, 260}, tex: span{3, 8}, filter: span{1, 1.3}, lines: span{.25, .55}, slots: span{1, 2}, reads: span{1, 8},
		bytes: span{2.5, 6}, over: span{1, 1.3}, alpha: span{.05, .6}, prims: span{1e-5, 2e-3}, miss: span{.4, .8}, phases: span{1.5, 4}, size: span{.7, 1}},
	"alpha": {instr: span{7, 35}, tex: span{1, 2.5}, filter: span{1, 1.5}, lines: span{.08, .35}, slots: span{1.5, 4}, reads: span{.2, 1},
		bytes: span{.1, .4}, over: span{1.5, 9}, ezs: span{.03, .25}, alpha: span{.8, 1}, prims: span{.002, .05}, miss: span{.15, .5}, phases: span{1, 1.5}, size: span{.5, 1}},
	"ui": {instr: span{4, 18}, tex: span{.6, 1.2}, filter: span{1, 1}, lines: span{.2, .5}, slots: span{1, 2.5}, bytes: span{2, 4}, over: span{1, 3.5},
		ezs: span{.02, .1}, alpha: span{.3, .9}, prims: span{2e-4, 5e-3}, miss: span{.4, .9}, phases: span{1, 1.3}, size: span{.8, 1}},
	"post": {instr: span{12, 90}, tex: span{3, 14}, filter: span{1, 1.1}, lines: span{.12, .4}, slots: span{.8, 1.5}, bytes: span{2, 6}, over: span{1, 1},
		prims: span{1e-6, 1e-5}, miss: span{.35, .85}, phases: span{1, 2}, size: span{.1, 1}},
	"video": {instr: span{8, 25}, tex: span{2, 3}, filter: span{1, 2}, lines: span{.3, .6}, slots: span{.8, 1.2}, bytes: span{3, 4}, over: span{1, 1.2},
		prims: span{1e-6, 1e-5}, miss: span{.8, .95}, phases: span{1, 1.3}, size: span{.9, 1}},
	"rays": {instr: span{60, 200}, tex: span{1, 4}, filter: span{1, 1.2}, lines: span{.2, .6}, slots: span{1, 2}, reads: span{3, 12}, bytes: span{2, 8},
		over: span{.3, 1}, prims: span{1e-5, 1e-3}, miss: span{.3, .6}, phases: span{2, 6}, rays: .5, size: span{.4, 1}},
	"particles": {kind: kindComp, instr: span{30, 150}, reads: span{3, 14}, writes: span{2, 8}, miss: span{.3, .8}, phases: span{1.5, 6}, over: span{.05, .5}, size: span{.2, 1}},
	"matrix":    {kind: kindComp, instr: span{300, 1500}, reads: span{20, 180}, writes: span{1, 4}, miss: span{.05, .3}, phases: span{3, 12}, over: span{.02, .3}, size: span{.1, 1}},
	"layer":     {kind: kindComp, instr: span{40, 500}, tex: span{0, 0}, reads: span{8, 90}, writes: span{1, 6}, miss: span{.1, .7}, phases: span{2, 8}, over: span{.01, .3}, size: span{.05, 1}},
	"image":     {kind: kindComp, instr: span{20, 200}, tex: span{3, 20}, filter: span{1, 1.1}, lines: span{.1, .4}, writes: span{1, 3}, miss: span{.3, .8}, phases: span{1, 3}, over: span{.3, 1}, size: span{.3, 1}},
	"gather":    {kind: kindComp, instr: span{20, 120}, reads: span{6, 24}, writes: span{1, 3}, atomics: .4, miss: span{.4, .9}, phases: span{8, 40}, over: span{.05, .3}, size: span{.2, 1}},
}

// maker draws programs.
type maker struct {
	r simulate.Random
	m *machine
	w *load
}

func (k *maker) add(s segment) int {
	k.w.segments = append(k.w.segments, s)
	return len(k.w.segments) - 1
}

// groups are segments around one: draws of a pass differ.
func (k *maker) groups(s segment, n int) (out []int) {
	r, left := k.r, s.warps
	for i := range n {
		g := s
		g.warps = left / float64(n-i) * r.Spread(0.5)
		if g.warps = min(g.warps, left*0.9); i == n-1 {
			g.warps = left
		}
		left -= g.warps
		for _, v := range []*float64{&g.instr, &g.quads, &g.slots, &g.lsRead, &g.lsWrite, &g.lines, &g.rast, &g.prims, &g.phases} {
			*v *= r.Spread(0.9)
		}
		g.phases = max(1, g.phases)
		if g.kind == kindFrag {
			g.rast = max(g.rast, float64(g.warpQuads(k.m))/(1-g.ezs-g.fpk)*g.fill)
		}
		g.miss = min(0.97, g.miss*r.Spread(0.4))
		g.occupancy = min(1, g.occupancy*r.Spread(0.12))
		out = append(out, k.add(g))
	}
	return out
}

func (s *segment) warpQuads(m *machine) int { return m.warp / 4 }

// shader draws what warps of a style do.
func (k *maker) shader(st *style) segment {
	r, warp := k.r, float64(k.m.warp)
	s := segment{kind: st.kind, queue: queueFrag, instr: st.instr.draw(r), quads: st.tex.draw(r) * warp / 4,
		filter: max(1, st.filter.draw(r)), lines: st.lines.draw(r), slots: st.slots.draw(r) * warp / 4,
		lsRead: st.reads.draw(r), lsWrite: st.writes.draw(r), full: r.Between(.3, .95), miss: st.miss.draw(r),
		phases: max(1, st.phases.draw(r)), registers: r.Chance(.3), occupancy: r.Log(.2, .85), half: r.Between(0, .7),
		sfu: r.Between(.01, .1), diverged: r.Between(.005, .15), mip: r.Between(.4, 1), compressed: r.Between(.3, 1)}
	// A large GPU gets longer shaders, and larger caches; most textures are compressed.
	if k.m.csf {
		s.instr, s.lines, s.miss = 2.2*s.instr, .6*s.lines, .33*s.miss
	} else {
		s.lines, s.miss = .75*s.lines, .6*s.miss
	}
	s.trilinear = min(1, max(0, s.filter-1))
	if st.kind == kindComp {
		s.queue = queueComp
		if !k.m.csf {
			s.queue = queueGeom
		}
		s.atomic = st.atomics * r.Between(0, 2) * warp / 8
	}
	spread := r.Log(.5, 4) // lines that an access needs: one thread beside the other, or scattered
	if st.phases[1] >= 30 {
		spread = r.Log(3, warp)
	}
	s.lsLines, s.lsWriteLines = .5*s.lsRead*spread, .7*s.lsWrite*min(spread, 2)
	s.lsRead *= max(1, spread/2)
	if st.rays > 0 && k.m.csf {
		s.rays = warp * st.rays
		s.box, s.tri = s.rays*r.Between(8, 26)/4, s.rays*r.Between(2, 7)/4
	}
	return s
}

// pass adds a render pass, or a dispatch, of so many pixels; it returns the groups of the two phases.
func (k *maker) pass(st *style, pixels float64) (geometry, fragments []int) {
	r, warp := k.r, float64(k.m.warp)
	s := k.shader(st)
	pixels *= st.size.draw(r)
	threads := pixels * st.over.draw(r)
	if s.kind == kindComp {
		s.warps, s.fill = max(1, threads/warp), 1
		return nil, k.groups(s, 1)
	}
	s.kind = kindFrag
	s.fill = r.Between(.8, .99)
	s.warps = threads / warp / s.fill
	s.area = pixels / s.warps
	s.tileBytes = st.bytes.draw(r) * s.area * r.Between(.35, .9) // frame buffer compression
	s.alpha, s.blend = st.alpha.draw(r), simulate.Pick(r, 1.0, 1, 1, 2, 4)
	s.ezs, s.fpk = st.ezs.draw(r), st.fpk.draw(r)
	s.lzs = r.Between(0, .06)
	s.rast = warp / 4 * s.fill / (1 - s.ezs - s.fpk)
	prims := pixels * st.prims.draw(r)
	cull := r.Between(.35, .7)
	s.prims = prims * (1 - cull) * r.Between(1.1, 2) / s.warps
	if s.prims > .02 {
		g := segment{kind: kindGeom, queue: queueGeom, instr: r.Between(18, 90), lsRead: r.Between(2, 7), full: r.Between(.5, 1),
			lsWrite: r.Between(1.5, 5), miss: r.Between(.25, .7), phases: r.Between(1, 2.5), occupancy: r.Between(.4, .8), cull: cull,
			sfu: .02, diverged: .01, fill: 1}
		threads := r.Between(.6, .9) + (1-cull)*r.Between(.4, .8)
		g.prims = warp / threads
		g.warps = prims / g.prims
		g.lsLines, g.lsWriteLines = warp*r.Between(.25, .7), warp*r.Between(.12, .35)
		geometry = k.groups(g, 1+r.IntN(2))
	} else {
		g := segment{kind: kindGeom, queue: queueGeom, instr: 15, lsRead: 3, lsWrite: 2, full: 1, miss: .4, phases: 1, occupancy: .5, cull: .1,
			prims: warp / 1.5, warps: max(1, prims/warp), lsLines: warp * .3, lsWriteLines: warp * .2, sfu: .02, fill: 1}
		geometry = []int{k.add(g)}
	}
	n := 1
	if st.prims[1] > 1e-3 {
		n = 3 + r.IntN(4)
	}
	return geometry, k.groups(s, n)
}

// push raises what a segment asks of a station until that is the longest by a factor.
func (m *machine) push(s *segment, station int, by float64) {
	s.occupancy = max(s.occupancy, .55)
	cy := m.cycles(s)
	ghz := m.ghz(1)
	cy[stDRAM] = float64(m.cores) * s.external() / m.dram * ghz
	most := 1.0
	for st, c := range cy {
		if st != station {
			most = max(most, c/m.eff[st])
		}
	}
	up := most * by / max(cy[station]/m.eff[station], 1e-3)
	switch station {
	case stArith:
		s.instr *= max(1, up)
	case stTex:
		s.quads = max(s.quads, float64(m.warp)/4)
		s.filter *= max(1, most*by*m.eff[stTex]/(s.quads/m.texQuads)/s.filter)
		s.lines, s.filter = min(s.lines, .1), min(s.filter, 16)
		s.quads *= max(1, most*by*m.eff[stTex]/m.texCycles(s))
	case stVary:
		s.slots = max(s.slots, 1) * max(1, most*by*m.eff[stVary]/(max(s.slots, 1)/m.varySlots))
	case stLS:
		s.lsRead = max(s.lsRead, .5)
		s.lsRead *= max(1, most*by*m.eff[stLS]/(s.lsRead+s.lsWrite+2*s.atomic))
		s.lsLines = min(s.lsLines, s.lsRead*.1)
	case stRay:
		s.rays = max(s.rays, float64(m.warp)/2)
		s.box = max(s.box, most*by)
		s.tri = s.box * .3
	case stRast:
		s.rast *= max(1, up)
		s.ezs = max(s.ezs, 1-s.fpk-float64(m.warp)/4*s.fill/s.rast)
	case stBack:
		s.alpha = max(s.alpha, .8)
		s.blend *= max(1, most*by*m.eff[stBack]/(cy[stBack]-s.tileBytes/16))
	case stTiler:
		s.instr, s.lsLines, s.lsWriteLines, s.miss = s.instr*.4, s.lsLines*.2, s.lsWriteLines*.2, .1
		s.prims *= max(1, up*.6)
		s.cull = min(s.cull, .3)
	case stL2:
		add := most * by * m.eff[stL2] / (float64(m.cores) / float64(m.slices) * m.l2Line)
		s.lsLines += max(0, add-s.readLines())
		s.miss, s.occupancy = min(s.miss, .03), max(s.occupancy, .4)
	case stDRAM:
		s.miss = max(s.miss, .9)
		add := most * by / (float64(m.cores) / m.dram * ghz) / 64
		s.lsLines += max(0, add-s.external()/64) / s.miss
	}
}
