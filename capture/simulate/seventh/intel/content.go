package intel

import (
	"math"

	"astrolabe/capture/simulate"
)

// shares are how long each unit works on a pass, as shares of the time of the one that works longest.
type shares [units]float64

// sort is what a pass is.
type sort uint8

const (
	draws sort = iota
	depthOnly
	fullScreen
	dispatches
	copies
)

// template is a pass of an archetype: its weight in the frame's time, and what it is like.
type template struct {
	name   string
	sort   sort
	weight float64
	at     shares
}

// like makes shares from a few, the others having what such a pass usually has.
func like(s sort, own map[unit]float64) (out shares) {
	usual := map[sort]shares{
		draws: {command: 0.1, fetch: 0.25, clip: 0.2, setup: 0.25, raster: 0.3, coarse: 0.15, early: 0.3, backend: 0.35,
			arith: 0.38, texture: 0.45, port: 0.15, cache: 0.3, memory: 0.4, latency: 0.3},
		depthOnly: {command: 0.15, fetch: 0.5, clip: 0.4, setup: 0.5, raster: 0.5, coarse: 0.4, early: 0.5, arith: 0.25,
			cache: 0.2, memory: 0.35, latency: 0.1},
		fullScreen: {command: 0.01, fetch: 0.001, clip: 0.001, setup: 0.001, raster: 0.12, coarse: 0.02, early: 0.02,
			backend: 0.4, arith: 0.4, texture: 0.55, port: 0.05, cache: 0.35, memory: 0.5, latency: 0.3},
		dispatches: {arith: 0.42, texture: 0.15, port: 0.4, local: 0.15, cache: 0.3, memory: 0.4, latency: 0.35},
		copies:     {memory: 1},
	}
	out = usual[s]
	for u, x := range own {
		out[u] = x
	}
	return out
}

// archetypes are what programs do, by names. Weights and shares are invented after what profiles of such programs show.
var archetypes = []struct {
	name   string
	passes []template
	rays   bool // needs hardware for it
}{
	{name: "forward game", passes: []template{
		{"shadows", depthOnly, 0.2, like(depthOnly, nil)},
		{"opaque", draws, 0.5, like(draws, map[unit]float64{arith: 0.6, texture: 0.7})},
		{"transparent", draws, 0.15, like(draws, map[unit]float64{backend: 0.8, memory: 0.5})},
		{"post", fullScreen, 0.15, like(fullScreen, nil)}}},
	{name: "deferred game", passes: []template{
		{"depth", depthOnly, 0.1, like(depthOnly, nil)},
		{"materials", draws, 0.3, like(draws, map[unit]float64{backend: 0.75, memory: 0.7, texture: 0.6})},
		{"shadows", depthOnly, 0.15, like(depthOnly, map[unit]float64{setup: 0.8})},
		{"lighting", dispatches, 0.3, like(dispatches, map[unit]float64{arith: 0.7, texture: 0.6, local: 0.4})},
		{"post", fullScreen, 0.15, like(fullScreen, map[unit]float64{memory: 0.7})}}},
	{name: "particles and smoke", passes: []template{
		{"opaque", draws, 0.3, like(draws, nil)},
		{"particles", draws, 0.7, like(draws, map[unit]float64{backend: 0.95, early: 0.5, raster: 0.5, memory: 0.6, arith: 0.3})}}},
	{name: "drawing of machines", passes: []template{
		{"model", draws, 0.85, like(draws, map[unit]float64{fetch: 0.9, setup: 0.75, clip: 0.6, arith: 0.3, texture: 0.1})},
		{"lines", draws, 0.15, like(draws, map[unit]float64{setup: 0.9, raster: 0.4, texture: 0.05})}}},
	{name: "desktop", passes: []template{
		{"windows", draws, 0.7, like(draws, map[unit]float64{texture: 0.6, memory: 0.85, backend: 0.6, arith: 0.15, command: 0.3})},
		{"blur", fullScreen, 0.3, like(fullScreen, map[unit]float64{texture: 0.9})}}},
	{name: "neural network", passes: []template{
		{"products", dispatches, 0.7, like(dispatches, map[unit]float64{arith: 0.8, local: 0.7, cache: 0.5, latency: 0.25})},
		{"layers", dispatches, 0.3, like(dispatches, map[unit]float64{memory: 0.95, arith: 0.2, port: 0.5})}}},
	{name: "simulation", passes: []template{
		{"forces", dispatches, 0.5, like(dispatches, map[unit]float64{arith: 0.75, latency: 0.6})},
		{"gather", dispatches, 0.3, like(dispatches, map[unit]float64{latency: 0.95, port: 0.6, cache: 0.5})},
		{"sort", dispatches, 0.2, like(dispatches, map[unit]float64{local: 0.8, port: 0.6})}}},
	{name: "video", passes: []template{
		{"upload", copies, 0.15, like(copies, nil)},
		{"convert", dispatches, 0.3, like(dispatches, map[unit]float64{texture: 0.7, memory: 0.8})},
		{"scale", fullScreen, 0.55, like(fullScreen, map[unit]float64{texture: 0.95, arith: 0.4})}}},
	{name: "open world", passes: []template{
		{"stream", copies, 0.08, like(copies, nil)},
		{"culling", dispatches, 0.07, like(dispatches, map[unit]float64{latency: 0.7, port: 0.6})},
		{"shadows", depthOnly, 0.25, like(depthOnly, map[unit]float64{fetch: 0.7, coarse: 0.6})},
		{"terrain", draws, 0.4, like(draws, map[unit]float64{texture: 0.9, latency: 0.4})},
		{"post", fullScreen, 0.2, like(fullScreen, map[unit]float64{arith: 0.8})}}},
	{name: "many small draws", passes: []template{
		{"objects", draws, 0.9, like(draws, map[unit]float64{command: 0.9})},
		{"overlay", draws, 0.1, like(draws, map[unit]float64{command: 0.6, backend: 0.5})}}},
	{name: "path tracer", rays: true, passes: []template{
		{"paths", dispatches, 0.8, like(dispatches, map[unit]float64{rays: 0.9, latency: 0.6, cache: 0.5, arith: 0.6})},
		{"denoise", dispatches, 0.2, like(dispatches, map[unit]float64{texture: 0.5, local: 0.5, memory: 0.6})}}},
}

// drawer makes content.
type drawer struct {
	r simulate.Random
	m *machine
}

// vary draws around shares, and makes the largest 1. hot is a unit that weighs more, command for none: content of one
// author tends to lean on the same thing everywhere.
func (d *drawer) vary(x shares, sigma float64, hot unit, by float64) shares {
	most := 0.0
	if d.m.product != "intel-acm-gt3" {
		x[rays] = 0
	}
	for u := range x {
		x[u] *= d.r.Spread(sigma)
		if unit(u) == hot && by > 0 {
			x[u] *= by
		}
		most = max(most, x[u])
	}
	for u := range x {
		x[u] /= most
	}
	return x
}

// pass makes a pass that takes about a time in ns at the highest clock.
func (d *drawer) pass(name string, s sort, time float64, x shares) *pass {
	r, m := d.r, d.m
	f := m.clock()
	p := &pass{name: name, start: r.Log(3e3, 25e3), reads: r.Between(0.5, 0.9), seed: r.Uint64(), submit: 1}
	for u := range p.uneven {
		p.uneven[u] = r.Between(0.02, 0.3)
	}
	amount := func(u unit) float64 {
		if u == memory {
			return x[u] * time * m.rate[u]
		}
		return x[u] * time * f * m.rate[u]
	}
	fill := func(t *threads, part float64, list ...unit) {
		for _, u := range list {
			t.work[u-arith] = amount(u) * part
		}
		t.cost, t.misses = r.Between(1, 2.2), r.Between(0.03, 0.35)
		t.work[texture-arith] /= t.cost
		t.first, t.second, t.sends = r.Between(0.88, 0.98), r.Between(0.03, 0.45), r.Between(0.02, 0.14)
		t.most = 1
		if r.Chance(0.25) {
			t.most = r.Between(0.45, 0.95)
		}
	}
	waits := func(t *threads, wait float64) { // threads go through in waves
		waves := max(1, t.n/(t.most*m.slots()))
		t.wait = wait * time / waves / m.memWait
		t.near = r.Between(0.05, 0.3) * time * f / waves / m.l3Wait
	}
	switch s {
	case copies:
		p.engine = copying
		bytes := amount(memory)
		p.ps = threads{n: bytes / 256, most: 1, wait: 1, cost: 1}
		p.ps.work[memory-arith] = bytes
		if m.discrete { // uploads come over PCIe
			p.ps.near = 12 * m.rate[memory] / 8 * 256 / r.Between(11, 24) * f / m.l3Wait
			p.reads = 0.02
		}
	case dispatches:
		fill(&p.ps, 1, arith, texture, port, local, rays, cache, memory)
		p.ps.n = m.slots() * r.Log(2, 200)
		waits(&p.ps, x[latency])
		p.ps.atomics, p.ps.barriers = p.ps.work[port-arith]*r.Between(0, 0.03), p.ps.n*float64(r.IntN(4))*min(1, 5*x[local])
		if x[command] > 0 { // kernels with barriers between them
			p.gap = r.Between(4e3, 15e3)
			p.pieces = x[command] * time / p.gap
		}
	default:
		d.geometry(p, s, x, amount)
		v := r.Between(0.05, 0.3)
		switch s {
		case depthOnly:
			v = 1
		case fullScreen: // one triangle
			v = 1e-6
		}
		fill(&p.vs, v, arith)
		p.vs.work[memory-arith] = amount(memory) * min(0.3, v)
		p.vs.most = 1
		p.vs.n = p.items[fetching] / 8
		waits(&p.vs, r.Between(0.02, 0.1))
		shaded := p.px.rasterized - p.px.coarseFails - p.px.earlyFails
		if s == depthOnly {
			p.ps.cost = 1
			p.ps.work[cache-arith], p.ps.work[memory-arith] = amount(cache), amount(memory)*0.7
			break
		}
		fill(&p.ps, 1, texture, port, rays, cache)
		p.ps.work[0] = amount(arith) * (1 - v)
		p.ps.work[memory-arith] = amount(memory) * (1 - min(0.3, v))
		p.ps.n = max(16, shaded/4)
		waits(&p.ps, x[latency])
	}
	return p.settle()
}

// geometry fills in the stages of draws and their pixels: as many blocks as the stage can take that has least time for
// them, the others taking longer for each (partly covered blocks, samples, blending, wide targets).
func (d *drawer) geometry(p *pass, s sort, x shares, amount func(unit) float64) {
	r := d.r
	blocks := math.Inf(1)
	for st, u := range unitAt {
		if u == units || s == depthOnly && u == backend {
			continue
		}
		p.items[st] = max(1, amount(u))
		if u == raster || s != fullScreen && (u == coarse || u == early) || u == backend {
			blocks = min(blocks, p.items[st])
		}
	}
	if s == fullScreen {
		p.items[coarseTests], p.items[earlyTests] = 0, 0
		p.items[fetching], p.items[clipping], p.items[settingUp], p.items[commands] = 64, 30, 30, 200
	}
	q := &p.px
	q.rasterized = blocks * r.Between(0.5, 0.98)
	if s != fullScreen {
		q.coarseFails = q.rasterized * r.Between(0, 0.35)
		q.earlyFails = (q.rasterized - q.coarseFails) * r.Between(0, 0.3)
	}
	if s == depthOnly {
		return
	}
	left := q.rasterized - q.coarseFails - q.earlyFails
	if r.Chance(0.3) {
		q.killed = left * r.Between(0.02, 0.3)
	}
	left -= q.killed
	q.lateFails = left * r.Between(0, 0.02)
	q.written = min(left-q.lateFails, p.items[blending])
	if more := p.items[blending] / max(1, q.written); more > 2 && r.Chance(0.4) { // several targets
		q.written *= float64(min(4, int(more)))
	}
	if r.Chance(0.6) {
		q.blended = q.written * r.Between(0.1, 1)
	}
}
