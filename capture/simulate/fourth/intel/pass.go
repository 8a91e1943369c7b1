package intel

import (
	"math"

	"astrolabe/capture/simulate"
)

const (
	strips   = 40 // that a pass is cut into
	variants = 2  // orders of strips, which frames take in turn
)

// work is what a pass asks of the GPU. Amounts are of the whole pass.
type work struct {
	name     string
	draws    float64
	launches float64 // passes or dispatches that each wait for the one before
	other    bool    // of an engine without shaders: copies, or video

	vertices, elements, vsClocks float64 // elements of a vertex; clocks of an EU for a vertex
	primitives, clipping         float64 // clipping is the cost of one beside the cheapest
	triangles, setting           float64
	quads, blocks                float64 // 2x2 pixels of the rasterizer; blocks that the coarse depth test looks at
	hizFails, ezFails            float64 // shares of what reaches the test
	depthCost                    float64 // of a quad in the early depth test
	killed, late                 float64 // shares of the shaded quads

	compute  bool
	euClocks float64 // clocks in which an EU calculates for pixels or compute
	both     float64 // share of these in which both pipes work
	first    float64 // share of the pipes' work in the first
	most     float64 // share of clocks in which an EU calculates at best
	lanes    float64 // pixels or items in a thread

	texels, filter, texMisses    float64 // blocks of 2x2 texels, clocks of a sampler for one, lines of L3 for one
	messages, spread             float64 // lines that the data port moves, and its clocks for one
	typed, written, firstLevel   float64 // shares of the messages
	localReads, localWrites, bad float64 // bad is the cost of one beside the cheapest
	atomics, barriers            float64
	rays                         float64 // clocks of a ray tracing unit
	farMisses                    float64 // share of L3's look-ups that miss

	out, blended, outCost float64 // quads written, share of them that blends, cost of one
	outRead, outWritten   float64 // bytes of memory for a quad
	depthRead, depthWrite float64 // bytes
	vertexBytes           float64
	copyRead, copyWrite   float64 // bytes of other engines

	leak                float64 // share of the time that a stage works with full ones behind it that counts as holding up
	occupancy, parallel float64 // share of the threads that are loaded; requests that a thread has under way
	sharp               bool    // limits give way to each other at once

	geometry, pixels [variants][strips]float64 // weights of the strips, with mean 1
}

// vary draws how work varies over the strips.
func (w *work) vary(r simulate.Random, geometry, pixels float64) {
	for v := range variants {
		weights(r, w.geometry[v][:], geometry)
		weights(r, w.pixels[v][:], pixels)
	}
}

func weights(r simulate.Random, out []float64, sigma float64) {
	x, sum := r.NormFloat64(), 0.0
	for i := range out {
		x = 0.5*x + 0.87*r.NormFloat64()
		// A power series keeps the numbers the same on every machine.
		y := sigma * x
		out[i] = max(0.05, 1+y+y*y/2)
		sum += out[i]
	}
	for i := range out {
		out[i] *= float64(len(out)) / sum
	}
}

// The stages of a pass, in the order in which strips go through them.
const (
	stCommands = iota
	stFetch
	stVertex
	stClip
	stSetup
	stRaster
	stCoarse
	stEarly
	stShade
	stBackend
	stMemory
	stages
)

// room is how many strips may have left a stage that the next one has not let go.
var room = [stages]int{1, 1, 1, 1, 1, 2, 1, 2, 2, 2, 1}

// Shared units, for which passes of two queues compete.
const (
	useEU = iota
	useTexture
	usePort
	useLocal
	useCache
	useMemory
	useRays
	uses
)

// profile is what a pass takes at one clock when it has the GPU for itself.
type profile struct {
	ns    float64
	share [leaves]float64 // of ns, by what it waited for
	use   [uses]float64
	cum   *cumulative // nil unless counters are wanted
}

// shader are the components of a strip's time in the shader cores.
var shader = [...]leaf{arithmetic, texture, loadStore, localMemory, rayTracing, cache, bandwidth, latency}

// mix is the time that components take together: more than the longest, because they are not spread evenly, and less
// than the sum.
func mix(sharp bool, t *[len(shader)]float64) (all float64, share [len(shader)]float64) {
	sum := 0.0
	for i, x := range t {
		x *= x
		x *= x
		if sharp {
			x *= x
		}
		share[i] = x
		sum += x
	}
	if sum == 0 {
		return 0, share
	}
	all = math.Sqrt(math.Sqrt(sum))
	if sharp {
		all = math.Sqrt(all)
	}
	for i := range share {
		share[i] /= sum
	}
	return all, share
}

// totals are the clocks that the pass takes of each stage and component at a clock rate.
type totals struct {
	stage     [stages]float64 // the shaders' apart
	vertexEU  float64
	component [len(shader)]float64
	gap       float64 // between launches
	reads     float64 // bytes that leave the GPU
	writes    float64
	lines     float64 // look-ups of L3
	requests  float64
	dram      float64
	perLaunch float64 // launches of a strip that has any
}

func (w *work) reading() float64 {
	return w.vertexBytes + w.depthRead + w.out*w.outRead + w.copyRead + 64*w.farLines()*(1-w.written*w.portShare())
}

func (w *work) writing() float64 {
	return w.depthWrite + w.out*w.outWritten + w.copyWrite + 64*w.farLines()*w.written*w.portShare()
}

func (w *work) portLines() float64 { return w.messages * (1 - w.firstLevel) }
func (w *work) lines() float64     { return w.texels*w.texMisses + w.portLines() }
func (w *work) farLines() float64  { return w.lines() * w.farMisses }

// portShare is the data port's share of the look-ups of L3.
func (w *work) portShare() float64 {
	if l := w.lines(); l > 0 {
		return w.portLines() / l
	}
	return 0
}

// shaded is how many quads pixel shaders run for.
func (w *work) shaded() float64 { return w.quads * (1 - w.hizFails) * (1 - w.ezFails) }

// sends are the clocks in which EUs send messages.
func (w *work) sends() float64 { return w.messages + 0.4*w.texels + 0.8*(w.localReads+w.localWrites) }

// total adds up the work of a pass. relief may be that of any queue.
func (w *work) total(m *machine, ghz float64, ease func(leaf) float64) (t totals) {
	t.reads, t.writes, t.lines = w.reading(), w.writing(), w.lines()
	bytes := t.reads + t.writes
	memory := max(bytes*(1-m.llc)/m.dram*ghz, t.reads/m.ringRead, t.writes/m.ringWrite) * ease(bandwidth)
	t.dram = bytes * (1 - m.llc) / m.dram * ghz
	if w.other {
		memory = max(memory, bytes/m.copy*ghz*ease(bandwidth))
	}
	s := &t.stage
	s[stCommands] = w.draws * m.draw * ease(launch)
	s[stFetch] = w.vertices * w.elements / m.rate[vertexFetch] * ease(vertexFetch)
	s[stClip] = w.primitives * w.clipping / m.rate[clipper] * ease(clipper)
	s[stSetup] = w.triangles * w.setting / m.rate[setup] * ease(setup)
	s[stRaster] = max(w.quads, w.triangles*0.6) / m.rate[rasterizer] * ease(rasterizer)
	s[stCoarse] = w.blocks / m.rate[hierarchicalDepth] * ease(hierarchicalDepth)
	s[stEarly] = w.quads * (1 - w.hizFails) * w.depthCost / m.rate[earlyDepth] * ease(earlyDepth)
	s[stBackend] = w.out * w.outCost / m.rate[pixelBackend] * ease(pixelBackend)
	s[stMemory] = memory

	t.vertexEU = w.vertices * w.vsClocks / (m.eus * max(w.most, 0.5)) * ease(arithmetic)
	c := &t.component
	if w.most > 0 {
		c[0] = (w.euClocks+0.4*w.sends())/(m.eus*w.most)*ease(arithmetic) + t.vertexEU
	}
	c[1] = w.texels * w.filter / m.rate[texture] * ease(texture)
	c[2] = w.messages * w.spread / m.rate[loadStore] * ease(loadStore)
	c[3] = (w.localReads + w.localWrites) * w.bad / m.rate[localMemory] * ease(localMemory)
	if w.rays > 0 {
		c[4] = w.rays / m.rate[rayTracing] * ease(rayTracing)
	}
	c[5] = t.lines / m.rate[cache] * ease(cache)
	if bytes > 0 {
		c[6] = memory * 64 * w.farLines() / bytes
	}
	t.requests = w.messages/4 + w.texels/4 + w.rays/12
	if t.requests > 0 {
		// The longest other time says how much of the memory's bandwidth is asked for.
		longest := memory
		for _, x := range s {
			longest = max(longest, x)
		}
		for _, x := range c {
			longest = max(longest, x)
		}
		load := memory / max(longest, 1)
		far := m.far * ghz * (1 + 0.5*load*load + 0.6*load*load*load*load*load*load)
		long := min(1, (w.farLines()+w.rays/40)/t.requests)
		c[7] = t.requests * (m.near + long*far) / (m.eus * m.threads * w.occupancy * w.parallel) * ease(latency)
	}
	t.gap = m.launch * ghz * ease(launch)
	t.perLaunch = max(1, w.launches/strips)
	return t
}

// boundary reports whether a strip begins a launch.
func (w *work) boundary(k int) bool {
	n := min(w.launches, strips)
	return k == 0 || int(float64(k)*n/strips) != int(float64(k-1)*n/strips)
}

// flow is the way of the strips through the stages, in clocks.
type flow struct {
	begin, done, left [stages][strips]float64
	time              [stages][strips]float64
	parts             [strips][len(shader)]float64 // shares of a strip's time in the shaders
	backend           [strips]float64              // share of a strip's time in the backend that is memory's
	gap               float64
	end               float64
}

// run sends the strips through the stages. A strip enters a stage when it has left the one before and the strip ahead
// has made room, and leaves it when the next one has room.
func (f *flow) run(w *work, variant int, t *totals) {
	f.gap = t.gap * t.perLaunch
	for k := range strips {
		g, x := w.geometry[variant][k]/strips, w.pixels[variant][k]/strips
		for i := range stages {
			switch {
			case i <= stSetup:
				f.time[i][k] = t.stage[i] * g
			default:
				f.time[i][k] = t.stage[i] * x
			}
		}
		f.time[stVertex][k] = t.vertexEU * g
		parts := t.component
		for i := range parts {
			parts[i] *= x
		}
		if t.vertexEU > 0 { // it comes with the geometry
			parts[0] += t.vertexEU * (g - x)
		}
		f.time[stShade][k], f.parts[k] = mix(w.sharp, &parts)
		if bytes := t.reads + t.writes; bytes > 0 && w.out > 0 {
			colours := t.stage[stMemory] * x * w.out * (w.outRead + w.outWritten) / bytes
			pair := [len(shader)]float64{f.time[stBackend][k], colours}
			all, share := mix(true, &pair)
			f.time[stBackend][k], f.backend[k] = all, share[1]
		}
	}
	for k := range strips {
		start := 0.0
		if w.boundary(k) {
			start = f.gap
			if k > 0 {
				start += f.left[stages-1][k-1]
			}
		}
		for i := range stages {
			b := start
			if i > 0 {
				b = f.left[i-1][k]
			}
			if k > 0 {
				b = max(b, f.left[i][k-1])
			}
			f.begin[i][k], f.done[i][k] = b, b+f.time[i][k]
			// Whether there is room behind is known of earlier strips, which have gone further.
			f.left[i][k] = f.done[i][k]
			if i+1 < stages && k >= room[i] {
				f.left[i][k] = max(f.done[i][k], f.left[i+1][k-room[i]])
			}
		}
	}
	f.end = f.left[stages-1][strips-1]
}

var stageLeaf = [stages]leaf{launch, vertexFetch, arithmetic, clipper, setup, rasterizer, hierarchicalDepth, earlyDepth,
	arithmetic, pixelBackend, bandwidth}

// shares walks back from the last strip over what each waited for.
func (f *flow) shares(w *work) (out [leaves]float64) {
	i, k := stages-1, strips-1
	for {
		if f.left[i][k] > f.done[i][k] { // the next stage was full
			i, k = i+1, k-room[i]
			continue
		}
		d := f.time[i][k]
		switch i {
		case stShade:
			for j, s := range f.parts[k] {
				out[shader[j]] += d * s
			}
		case stBackend:
			out[pixelBackend] += d * (1 - f.backend[k])
			out[bandwidth] += d * f.backend[k]
		default:
			out[stageLeaf[i]] += d
		}
		b := f.begin[i][k]
		switch {
		case i > 0 && b == f.left[i-1][k]:
			i--
		case k > 0 && b == f.left[i][k-1]:
			k--
		default: // a launch begins
			out[launch] += f.gap
			if k == 0 {
				for l := range out {
					out[l] /= f.end
				}
				return out
			}
			i, k = stages-1, k-1
		}
	}
}

// profileOf evaluates a pass of a queue at a clock.
func (w *work) profileOf(m *machine, queue, variant int, ghz float64, r *relief, f *flow, counters bool) *profile {
	t := w.total(m, ghz, func(l leaf) float64 { return r.factor(l, queue) })
	f.run(w, variant, &t)
	p := &profile{ns: f.end / ghz, share: f.shares(w)}
	c := &t.component
	eu := c[0] * w.most
	for u, x := range [uses]float64{eu, c[1], c[2], c[3], c[5], t.dram, c[4]} {
		p.use[u] = min(1, x/f.end)
	}
	if counters {
		p.cum = w.count(m, variant, &t, f)
	}
	return p
}
