package mali

import (
	"math"
	"math/rand/v2"
)

// look is what shading costs: per warp of 16 threads, and per pixel.
type look struct {
	fma, cvt, sfu float64 // instructions
	messages      float64 // of two quads each
	filter        float64 // cycles per message: 1 is bilinear
	path          int     // which way through the G720's texture unit is the longest; 0 is the filter
	slots         float64 // interpolated
	narrow        float64 // share of them of 16 bits
	reads, writes float64 // of the load/store unit
	atomics       float64
	boxes         float64 // cycles of the ray tracing unit
	overdraw      float64
	killed        float64 // share of quads that early tests kill
	hidden        float64 // share of the others that is removed before shading
	bytes         float64 // per pixel written to memory
	blend         float64 // cycles of the blender per shaded quad: one, and up to four for wide formats or many samples
	size          float64 // pixels per primitive
	texMiss       float64 // share of the texture unit's beats that come from memory
	loadMiss      float64
	texBeats      float64 // per message
	occupancy     float64 // share of the reads that can be in flight
	waited        float64 // share of missing reads that a warp has to wait for
	scattered     bool    // loads of single words
}

func drawLook(r *rand.Rand) look {
	return look{fma: uniform(r, 20, 90), cvt: uniform(r, 5, 30), sfu: uniform(r, 1, 8), messages: uniform(r, 4, 18),
		filter: uniform(r, 1, 2.6), path: r.IntN(5), slots: uniform(r, 8, 40), narrow: uniform(r, 0.1, 0.7), reads: uniform(r, 1, 10),
		writes: uniform(r, 0, 0.5), overdraw: uniform(r, 1.3, 3), killed: uniform(r, 0.1, 0.4), hidden: uniform(r, 0.02, 0.25),
		bytes: uniform(r, 2, 6), blend: uniform(r, 1, 2), size: uniform(r, 30, 250), texMiss: uniform(r, 0.05, 0.3),
		loadMiss: uniform(r, 0.03, 0.2), texBeats: uniform(r, 0.5, 1.7), occupancy: uniform(r, 0.5, 1), waited: uniform(r, 0.3, 0.7)}
}

// layered is what blended layers cost that hardly calculate: they ask more of the blender than of anything else. It takes
// four pixels per cycle at most and a quarter of that where formats are wide, so that no longer shader can wait for it.
func layered(r *rand.Rand) look {
	l := drawLook(r)
	l.fma, l.cvt, l.sfu, l.messages, l.slots = uniform(r, 1.5, 4), uniform(r, 0.5, 1.2), uniform(r, 0, 0.3), uniform(r, 0.5, 1.5), uniform(r, 2, 5)
	l.filter, l.texBeats, l.reads, l.writes = uniform(r, 1, 1.6), uniform(r, 0.3, 0.8), uniform(r, 0.05, 0.4), 0
	l.overdraw, l.killed, l.hidden, l.blend = uniform(r, 4, 12), uniform(r, 0, 0.05), 0, uniform(r, 2, 4)
	l.size = uniform(r, 400, 2000)
	return l
}

// shade adds what warps do.
func (w *work) shade(l *look, warps float64) {
	w[qWarp] += warps
	w[qFMA] += warps * l.fma
	w[qCVT] += warps * l.cvt
	w[qSFU] += warps * l.sfu
	n := warps * l.messages
	w[qMessage] += n
	w[qFilter] += n * l.filter
	costs := [...]float64{qIndex: 0.8, qLookup: 0.85, qComplex: 0.5, qTexOut: 0.7}
	for q := qIndex; q <= qTexOut; q++ {
		c := costs[q]
		if l.path == q-qFilter {
			c = 1.25
		}
		w[q] += n * l.filter * c
	}
	w[qSlot16] += warps * l.slots * l.narrow
	w[qSlot32] += warps * l.slots * (1 - l.narrow)
	full, per := 0.7, 3.2
	if l.scattered {
		full, per = 0.1, 2.0
	}
	w[qReadFull] += warps * l.reads * full
	w[qReadPart] += warps * l.reads * (1 - full)
	w[qWriteFull] += warps * l.writes * full
	w[qWritePart] += warps * l.writes * (1 - full)
	w[qAtomic] += warps * l.atomics
	w[qBox] += warps * l.boxes
	w[qTriangle] += warps * l.boxes * 0.45
	w[qRay] += warps * l.boxes * 0.5
	loads := warps * (l.reads*per + l.boxes*1.2)
	w[qLoadRead] += loads
	w[qTexRead] += n * l.texBeats
	w[qLoadWrite] += warps * (l.writes*per + l.atomics*0.3)
	w[qMissLoad] += loads * l.loadMiss
	w[qMissTex] += n * l.texBeats * l.texMiss
	w[qMemWrite] += warps * l.writes * per * 0.8
	w[qWaited] += (loads*l.loadMiss + n*l.texBeats*l.texMiss) * beat / line * l.waited / l.occupancy
}

// drawn is the work of the fragment queue for so many pixels.
func drawn(l *look, pixels float64) (w work) {
	w[qTile] = pixels / 1024
	w[qQuad] = pixels / 4 * l.overdraw * 1.12
	w[qKilled] = w[qQuad] * l.killed
	w[qRastPrim] = 1.7 * pixels * l.overdraw / l.size
	w.shade(l, w[qQuad]*(1-l.killed)*(1-l.hidden)/4)
	w[qBlend] = 4 * w[qWarp] * l.blend
	w[qTileWrite] = pixels * l.bytes / beat
	w[qMemWrite] += w[qTileWrite] * 0.85
	w[qFrontRead] = 2.5*w[qRastPrim] + 6*w[qTile]
	w[qMissFront] = 0.4 * w[qFrontRead]
	w[qOtherRead] = 0.05 * (w[qLoadRead] + w[qTexRead])
	return w
}

// binned is the work of the binning queue for so many primitives.
func binned(r *rand.Rand, l *look, prims float64) (w work) {
	w[qPrimitive] = prims
	w[qVisible] = prims * uniform(r, 0.3, 0.55)
	w[qPosition] = prims * uniform(r, 0.15, 0.3)
	w[qVarying] = w[qVisible] * uniform(r, 0.15, 0.3)
	v := look{fma: uniform(r, 15, 50), cvt: uniform(r, 5, 20), sfu: 0.5, reads: uniform(r, 3, 9), writes: uniform(r, 1, 3),
		loadMiss: uniform(r, 0.3, 0.6), occupancy: 0.8, waited: 0.5}
	w.shade(&v, (w[qPosition]+w[qVarying])/4)
	w[qTilerBeat] = 1.3 * w[qVisible]
	w[qMissTiler] = 0.4 * w[qTilerBeat]
	w[qMemWrite] += 0.3 * w[qTilerBeat]
	return w
}

// computed is the work of the compute queue for so many warps.
func computed(l *look, warps float64) (w work) {
	w.shade(l, warps)
	w[qOtherRead] = 0.02 * (w[qLoadRead] + w[qTexRead])
	return w
}

// classes of quantities that go up and down together in a frame: what meshes cost, what pixels cost, what memory costs.
func class(q int) int {
	switch q {
	case qPrimitive, qVisible, qPosition, qVarying, qRastPrim, qTilerBeat, qMissTiler:
		return 0
	case qMissFront, qMissLoad, qMissTex, qMemWrite, qWaited:
		return 2
	}
	return 1
}

// cut divides work into the parts of a pass: first few cores have something, then all, at last fewer and fewer. Work
// that is narrow never fills them.
func cut(r *rand.Rand, w work, uneven, cores float64) []chunk {
	n := 3 + r.IntN(3)
	shares := make([]float64, n+2)
	sum := 0.0
	for i := range n {
		shares[i+1] = uniform(r, 0.5, 1.5)
		sum += shares[i+1]
	}
	ends := uniform(r, 0.01, 0.025)
	for i := range n {
		shares[i+1] *= (1 - 2*ends) / sum
	}
	shares[0], shares[n+1] = ends, ends
	factors := make([][3]float64, n+2)
	var mean [3]float64
	for i := range factors {
		for c := range factors[i] {
			factors[i][c] = math.Exp(uneven * r.NormFloat64())
			mean[c] += shares[i] * factors[i][c]
		}
	}
	out := make([]chunk, n+2)
	for i := range out {
		out[i].cores = cores
		for q := range w {
			out[i].w[q] = w[q] * shares[i] * factors[i][class(q)] / mean[class(q)]
		}
		// Shares within a class keep to each other, those across classes within what there is.
		o := &out[i].w
		o[qMissTex] = min(o[qMissTex], o[qTexRead])
		o[qMissLoad] = min(o[qMissLoad], o[qLoadRead])
		o[qMissFront] = min(o[qMissFront], o[qFrontRead])
		o[qMemWrite] = min(o[qMemWrite], o[qTileWrite]+o[qLoadWrite]+o[qTilerBeat])
	}
	out[0].cores *= 0.5
	out[n+1].cores *= 0.4
	return out
}

// maker puts together the passes of a frame.
type maker struct {
	r      *rand.Rand
	m      *machine
	uneven float64
	launch float64
	passes []pass
}

func newMaker(r *rand.Rand, m *machine) *maker {
	return &maker{r: r, m: m, uneven: uniform(r, 0.03, 0.3), launch: uniform(r, 12e3, 40e3)}
}

// add appends a pass and returns its number.
func (k *maker) add(name string, queue int, w work, cores float64, edges ...edge) int {
	k.passes = append(k.passes, pass{name: name, queue: queue, jobs: 1, launch: k.launch * uniform(k.r, 0.7, 1.4),
		chunks: cut(k.r, w, k.uneven, cores), edges: edges})
	return len(k.passes) - 1
}

// scene adds a binning and a fragment pass.
func (k *maker) scene(name string, l look, pixels float64, edges ...edge) int {
	prims := pixels * l.overdraw / l.size * uniform(k.r, 1.6, 3)
	b := k.add(name+" binning", binning, binned(k.r, &l, prims), 1)
	return k.add(name, fragment, drawn(&l, pixels), 1, append(edges, edge{pass: b})...)
}

// alone is how long the passes of a queue take by themselves.
func (m *machine) alone(passes []pass, queue int) (ns float64) {
	for i := range passes {
		if passes[i].queue != queue {
			continue
		}
		ns += passes[i].launch
		for _, c := range passes[i].chunks {
			ns += m.chunkTime(&c)
		}
	}
	return ns
}

func (m *machine) chunkTime(c *chunk) float64 {
	sum := 0.0
	for i, t := range m.terms(&c.w) {
		if i != rTiler && i != rCache && i != rBandwidth {
			t /= c.cores
		}
		sum += power6(t)
	}
	return root6(sum)
}

// sized makes all work so much larger that the busiest queue takes ns.
func sized(m *machine, passes []pass, ns float64) {
	for range 3 {
		longest, launch, at := 0.0, 0.0, 0
		for q := range queues {
			if t := m.alone(passes, q); t > longest {
				longest, at = t, q
			}
		}
		for i := range passes {
			if passes[i].queue == at {
				launch += passes[i].launch
			}
		}
		by := max(0.05*ns, ns-launch) / (longest - launch)
		for i := range passes {
			for c := range passes[i].chunks {
				passes[i].chunks[c].w.scale(by)
			}
		}
	}
}

// drivers are the quantities that load a resource and little else.
var drivers = [resources][]int{
	rArithmetic: {qFMA, qCVT, qSFU},
	rTexture:    {qMessage, qFilter, qIndex, qLookup, qComplex, qTexOut},
	rVarying:    {qSlot32, qSlot16},
	rLoadStore:  {qReadFull, qReadPart, qWriteFull, qWritePart},
	rRayTracing: {qBox, qTriangle, qRay},
	rTiler:      {qPrimitive},
	rRasterizer: {qRastPrim, qQuad, qKilled, qFrontRead},
	rBackend:    {qBlend},
	rCache:      {qLoadRead, qTexRead},
	rBandwidth:  {qMissLoad, qMissTex, qMemWrite},
	rLatency:    {qWaited},
}

// plant makes a resource the limit of the passes of a queue: by times as much as any other.
func (m *machine) plant(passes []pass, queue, resource int, by float64) {
	for range 6 {
		var sum [resources]float64
		for i := range passes {
			if passes[i].queue == queue {
				for _, c := range passes[i].chunks {
					for r, t := range m.terms(&c.w) {
						sum[r] += t
					}
				}
			}
		}
		most := 0.0
		for r, t := range sum {
			if r != resource {
				most = max(most, t)
			}
		}
		grow := by * most / sum[resource]
		if math.Abs(grow-1) < 0.02 {
			return
		}
		for i := range passes {
			if passes[i].queue == queue {
				for c := range passes[i].chunks {
					w := &passes[i].chunks[c].w
					for _, q := range drivers[resource] {
						w[q] *= grow
					}
					// What comes from memory goes through the cache.
					w[qLoadRead], w[qTexRead] = max(w[qLoadRead], w[qMissLoad]), max(w[qTexRead], w[qMissTex])
					if through := w[qTileWrite] + w[qLoadWrite] + w[qTilerBeat]; w[qMemWrite] > through {
						w[qLoadWrite] += w[qMemWrite] - through
					}
				}
			}
		}
	}
}
