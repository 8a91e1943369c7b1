package intel

import (
	"math"

	"astrolabe/capture/simulate"
)

// maker draws passes for a machine.
type maker struct {
	m *machine
	r simulate.Random
	q float64 // quads of the picture
	v float64 // vertices of the scene
}

func newMaker(m *machine, r simulate.Random) *maker {
	k := &maker{m: m, r: r}
	if m.discrete {
		k.q = simulate.Pick(r, 1920*1080, 2560*1440, 2560*1440, 3840*2160.0) / 4
		k.v = r.Log(3e5, 2e6)
	} else {
		k.q = simulate.Pick(r, 1280*720, 1366*768, 1600*900, 1920*1080.0) / 4
		k.v = r.Log(3e4, 3.5e5)
	}
	return k
}

// plain is a pass without work.
func (k *maker) plain(name string) work {
	r := k.r
	w := work{name: name, draws: 1, launches: 1, clipping: r.Between(0.8, 1.3), setting: r.Between(0.7, 1.2), depthCost: 1,
		both: r.Between(0.15, 0.5), first: r.Between(0.5, 0.58), most: r.Between(0.88, 0.97), lanes: simulate.Pick(r, 8, 16, 16, 32.0),
		filter: 1, spread: 1, bad: 1, outCost: 1, occupancy: r.Between(0.55, 0.95), parallel: r.Between(2, 5), elements: float64(r.Whole(2, 4)),
		farMisses: r.Between(0.2, 0.5), leak: r.Between(0.06, 0.4), sharp: r.Chance(0.6)}
	if k.m.discrete { // whose second pipe is for functions only
		w.both, w.first = r.Between(0.06, 0.25), r.Between(0.62, 0.78)
	}
	w.vary(r, r.Between(0.15, 0.6), r.Between(0.1, 0.4))
	return w
}

// mesh gives a pass vertices and triangles.
func (k *maker) mesh(w *work, vertices float64) {
	r := k.r
	w.vertices = vertices
	w.vsClocks = r.Log(25, 110) / 8 * 2 * k.m.simd // instructions, for eight at a time
	w.primitives = vertices * r.Between(0.7, 1.2)
	w.triangles = w.primitives * r.Between(0.3, 0.6)
	w.vertexBytes = vertices * w.elements * r.Between(3, 8)
	w.draws = r.Log(30, 400)
}

// cover gives a pass quads, of which shaders see those that no depth test takes.
func (k *maker) cover(w *work, quads, coarse, early float64) {
	w.quads, w.hizFails, w.ezFails = quads, coarse, early
	w.blocks = quads/8*k.r.Between(1, 1.6) + w.triangles*0.5
}

// depth gives a pass traffic of depths.
func (k *maker) depth(w *work, writes bool) {
	w.depthRead = w.quads * k.r.Between(1.5, 4)
	if writes {
		w.depthWrite = w.quads * (1 - w.hizFails) * k.r.Between(2, 6)
	}
}

// shade gives a pass instructions and textures for each shaded quad.
func (k *maker) shade(w *work, instructions, taps float64) {
	r := k.r
	n := w.shaded()
	w.euClocks = n * instructions * k.m.simd / (1 + w.both)
	w.texels = n * taps
	w.filter = simulate.Pick(r, 1, 1, 1.4, 2)
	w.texMisses = r.Log(0.05, 0.3)
	w.messages = n * r.Between(0.1, 0.8)
	w.firstLevel = k.firstLevel()
}

func (k *maker) firstLevel() float64 {
	if k.m.discrete {
		return k.r.Between(0.3, 0.75)
	}
	return k.r.Between(0, 0.15)
}

// output lets a pass write targets of some bytes a pixel.
func (k *maker) output(w *work, targets, bytes float64, blend float64) {
	w.out = w.shaded() * targets * (1 - w.killed)
	w.blended = blend
	w.outCost = max(1, bytes/4) * (1 + blend)
	w.outWritten = 4 * bytes * k.r.Between(0.45, 0.9)
	w.outRead = w.outWritten * blend * 0.9
}

// heavy is how many more instructions shaders of a GPU have than one of 2016 for the same picture.
func (k *maker) heavy() float64 {
	if k.m.discrete {
		return k.r.Between(3, 9)
	}
	return 1
}

func (k *maker) shadow() work {
	w := k.plain("shadow")
	k.mesh(&w, k.v*k.r.Between(0.4, 1.2))
	k.cover(&w, simulate.Pick(k.r, 1024, 2048, 2048.0)*1024*k.r.Between(0.2, 0.5)*float64(1+3*b2i(k.m.discrete)), k.r.Between(0.1, 0.4), k.r.Between(0.05, 0.2))
	k.depth(&w, true)
	w.launches = float64(k.r.Whole(1, 4))
	return w
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (k *maker) prepass() work {
	w := k.plain("depth prepass")
	k.mesh(&w, k.v)
	k.cover(&w, k.q*k.r.Between(1.2, 2.2), k.r.Between(0.1, 0.35), k.r.Between(0.1, 0.3))
	k.depth(&w, true)
	return w
}

func (k *maker) opaque() work {
	w := k.plain("opaque")
	k.mesh(&w, k.v)
	k.cover(&w, k.q*k.r.Between(1.3, 2.8), k.r.Between(0.15, 0.5), k.r.Between(0.05, 0.3))
	k.depth(&w, true)
	k.shade(&w, k.r.Log(50, 220)*k.heavy(), k.r.Log(2, 9))
	k.output(&w, 1, simulate.Pick(k.r, 4, 4, 8.0), 0)
	return w
}

func (k *maker) gbuffer() work {
	w := k.plain("geometry buffer")
	k.mesh(&w, k.v)
	k.cover(&w, k.q*k.r.Between(1.3, 2.5), k.r.Between(0.2, 0.5), k.r.Between(0.1, 0.3))
	k.depth(&w, true)
	k.shade(&w, k.r.Log(30, 110)*k.heavy(), k.r.Log(2, 6))
	k.output(&w, float64(k.r.Whole(3, 4)), 4, 0)
	return w
}

func (k *maker) lighting() work {
	w := k.screen("lighting", k.r.Log(70, 350)*k.heavy(), k.r.Log(4, 14))
	w.texMisses = k.r.Log(0.1, 0.4)
	return w
}

// screen is a pass over the picture.
func (k *maker) screen(name string, instructions, taps float64) work {
	w := k.plain(name)
	w.vertices, w.primitives, w.triangles, w.vsClocks = 3, 1, 1, 10
	k.cover(&w, k.q, 0, 0)
	k.shade(&w, instructions, taps)
	k.output(&w, 1, simulate.Pick(k.r, 4, 8.0), 0)
	return w
}

func (k *maker) alpha() work {
	w := k.plain("blended")
	k.mesh(&w, k.v*k.r.Log(0.02, 0.2))
	k.cover(&w, k.q*k.r.Log(0.6, 6), k.r.Between(0.1, 0.4), k.r.Between(0, 0.2))
	w.depthRead = w.quads * 1.5
	k.shade(&w, k.r.Log(15, 70)*math.Sqrt(k.heavy()), k.r.Between(1, 3))
	w.killed = k.r.Between(0, 0.2)
	k.output(&w, 1, simulate.Pick(k.r, 4, 4, 8.0), 1)
	w.outRead, w.outWritten = w.outRead*0.5, w.outWritten*0.5 // overdraw stays in the cache
	return w
}

func (k *maker) post() work {
	w := k.screen("post-processing", k.r.Log(40, 160)*k.heavy(), k.r.Log(5, 20))
	w.launches = float64(k.r.Whole(3, 12))
	w.texMisses = k.r.Log(0.05, 0.3)
	if k.r.Chance(0.4) {
		k.dispatch(&w)
		w.localReads, w.localWrites = k.q*k.r.Between(1, 4), k.q*k.r.Between(0.5, 1)
		w.barriers = w.lanes * 2
	}
	return w
}

// dispatch makes compute of a pass over the picture.
func (k *maker) dispatch(w *work) {
	w.compute, w.lanes = true, w.quads*4/16
	w.messages += w.out * w.outCost
	w.typed, w.written = 0.8, 0.7
	w.vertices, w.primitives, w.triangles, w.quads, w.blocks, w.out = 0, 0, 0, 0, 0, 0
	w.depthRead, w.depthWrite, w.vertexBytes = 0, 0, 0
}

func (k *maker) ui() work {
	w := k.plain("interface")
	k.mesh(&w, k.r.Log(2e3, 4e4))
	k.cover(&w, k.q*k.r.Between(0.2, 1.2), 0, 0)
	k.shade(&w, k.r.Log(8, 30), k.r.Between(1, 2))
	k.output(&w, 1, 4, 0.8)
	return w
}

// kernel is a dispatch of some items; per item are clocks of an EU for sixteen and lines of memory.
func (k *maker) kernel(name string, items, clocks, lines float64) work {
	w := k.plain(name)
	w.compute, w.draws = true, 1
	w.lanes = items / 16
	w.euClocks = items / 16 * clocks * 2 * k.m.simd / (1 + w.both)
	w.messages = items * lines
	w.written = k.r.Between(0.05, 0.35)
	if k.r.Chance(0.25) { // images
		w.typed = k.r.Between(0.4, 1)
	}
	w.firstLevel = k.firstLevel()
	w.farMisses = k.r.Between(0.3, 0.8)
	w.vary(k.r, 0.1, k.r.Between(0.05, 0.25))
	return w
}

func (k *maker) size() float64 {
	if k.m.discrete {
		return k.r.Log(2e6, 3e7)
	}
	return k.r.Log(2e5, 2e6)
}

func (k *maker) gemm() work {
	n := k.size()
	w := k.kernel("matrix multiplication", n, k.r.Log(400, 1600), k.r.Between(0.6, 1.6))
	w.farMisses = k.r.Between(0.03, 0.12)
	if !k.m.discrete {
		w.both = k.r.Between(0.35, 0.55)
	}
	w.firstLevel = max(w.firstLevel, 0.2)
	if k.r.Chance(0.5) {
		w.localReads, w.localWrites, w.barriers = n*k.r.Between(0.5, 2), n*0.15, n/16
	}
	return w
}

func (k *maker) stencil() work {
	w := k.kernel("stencil", k.size()*3, k.r.Log(20, 70), k.r.Between(0.15, 0.35))
	w.written, w.farMisses = k.r.Between(0.2, 0.35), k.r.Between(0.5, 0.85)
	return w
}

func (k *maker) sparse() work {
	w := k.kernel("sparse matrix", k.size(), k.r.Log(20, 60), k.r.Between(0.8, 2.5))
	w.spread, w.farMisses, w.parallel, w.occupancy = k.r.Between(1, 1.8), k.r.Between(0.2, 0.6), k.r.Between(1, 2), k.r.Between(0.4, 0.9)
	w.vary(k.r, 0.1, 0.6)
	return w
}

func (k *maker) transform() work {
	n := k.size()
	w := k.kernel("Fourier transform", n, k.r.Log(60, 160), k.r.Between(0.1, 0.3))
	w.localReads, w.localWrites, w.bad, w.barriers = n*k.r.Between(0.25, 0.8), n*k.r.Between(0.25, 0.6), k.r.Between(1, 2.2), n/8
	return w
}

func (k *maker) histogram() work {
	n := k.size() * 2
	w := k.kernel("histogram", n, k.r.Log(10, 30), 0.07)
	w.localReads, w.localWrites, w.bad, w.atomics = n*0.2, n*0.2, k.r.Between(1.5, 4), n
	return w
}

func (k *maker) walk() work {
	w := k.kernel("tree walk", k.size()*0.5, k.r.Log(60, 200), k.r.Between(1, 3))
	w.occupancy, w.parallel, w.farMisses = k.r.Between(0.25, 0.6), 1, k.r.Between(0.3, 0.7)
	w.vary(k.r, 0.1, 0.5)
	return w
}

func (k *maker) rays() work {
	w := k.screen("ray tracing", k.r.Log(100, 500), k.r.Between(1, 4))
	w.rays = k.q * 4 * k.r.Log(0.25, 2) * k.r.Log(20, 70)
	w.messages += w.rays / 40
	w.occupancy, w.parallel = k.r.Between(0.4, 0.8), k.r.Between(1.5, 3)
	k.dispatch(&w)
	w.vary(k.r, 0.1, k.r.Between(0.3, 0.6))
	return w
}

// copying moves bytes with the engine that does so.
func (k *maker) copying(bytes float64) pass {
	w := k.plain("copy")
	w.other, w.draws, w.copyRead, w.copyWrite = true, 0, bytes, bytes
	w.vary(k.r, 0.05, 0.05)
	return pass{work: w, queue: 1}
}

func list(works ...work) (out []pass) {
	for _, w := range works {
		out = append(out, pass{work: w})
	}
	return out
}

// archetype draws a kind of content.
func (k *maker) archetype() content {
	r := k.r
	kinds := []func() content{k.forward, k.deferred, k.effects, k.compositor, k.video, k.inference, k.physics, k.loading, k.menu, k.drawing}
	weights := []float64{3, 3, 2, 1.2, 0.8, 1.5, 1.8, 0.8, 0.8, 1.2}
	if k.m.discrete {
		kinds, weights = append(kinds, k.traced), append(weights, 2)
	}
	c := kinds[r.Weighted(weights)]()
	return c
}

func (k *maker) forward() content {
	w := []work{k.shadow()}
	if k.r.Chance(0.5) {
		w = append(w, k.prepass())
	}
	return content{text: "a game with forward shading", passes: list(append(w, k.opaque(), k.alpha(), k.post(), k.ui())...)}
}

func (k *maker) deferred() content {
	c := content{text: "a game with deferred shading", passes: list(k.shadow(), k.gbuffer(), k.lighting(), k.alpha(), k.post(), k.ui())}
	if k.m.discrete && k.r.Chance(0.4) { // occlusion beside the shadows
		w := k.screen("occlusion", k.r.Log(200, 800), k.r.Log(8, 24))
		k.dispatch(&w)
		c.passes = append(c.passes, pass{work: w, queue: 1})
		c.passes[2].after = []int{len(c.passes) - 1}
	}
	return c
}

func (k *maker) effects() content {
	return content{text: "a scene with many blended effects", passes: list(k.opaque(), k.alpha(), k.alpha(), k.post(), k.ui())}
}

func (k *maker) compositor() content {
	c := content{text: "a compositor of windows"}
	for range k.r.Whole(2, 6) {
		c.passes = append(c.passes, list(k.ui())...)
	}
	if k.r.Chance(0.5) {
		c.passes = append(c.passes, list(k.screen("blur", k.r.Log(20, 60), k.r.Log(8, 25)))...)
	}
	return c
}

func (k *maker) video() content {
	c := content{text: "video with scaling", passes: list(k.screen("conversion", k.r.Log(20, 60), k.r.Between(3, 6)),
		k.screen("scaling", k.r.Log(40, 200)*k.heavy(), k.r.Log(8, 30)), k.ui())}
	up := k.copying(k.q * 4 * 1.5)
	up.needless = nil
	c.passes = append(c.passes, up)
	return c
}

func (k *maker) inference() content {
	c := content{text: "inference of a network"}
	batch := k.r.Log(0.02, 1)
	for range k.r.Whole(4, 10) {
		w := k.gemm()
		w.scale(batch * k.r.Log(0.05, 0.4))
		w.launches = float64(k.r.Whole(2, 14))
		c.passes = append(c.passes, list(w)...)
	}
	if k.r.Chance(0.5) {
		w := k.stencil()
		w.name, w.launches = "normalisation", float64(k.r.Whole(4, 16))
		w.scale(batch * k.r.Log(0.1, 0.5))
		c.passes = append(c.passes, list(w)...)
	}
	return c
}

func (k *maker) physics() content {
	kinds := []func() work{k.stencil, k.sparse, k.transform, k.histogram, k.walk, k.gemm}
	c := content{text: "a simulation in compute"}
	for range k.r.Whole(2, 4) {
		w := kinds[k.r.IntN(len(kinds))]()
		w.launches = float64(k.r.Whole(1, 6))
		c.passes = append(c.passes, list(w)...)
	}
	return c
}

func (k *maker) loading() content {
	small := k.screen("small passes", k.r.Log(30, 90), k.r.Between(2, 6))
	small.launches = k.r.Log(20, 120)
	small.scale(k.r.Between(0.3, 1))
	return content{text: "a loading screen", passes: append(list(small, k.ui()), k.copying(k.r.Log(4e6, 6e7)))}
}

func (k *maker) menu() content {
	return content{text: "a menu over a blurred scene", passes: list(k.opaque(), k.screen("blur", k.r.Log(15, 50), k.r.Log(9, 25)), k.ui())}
}

func (k *maker) drawing() content {
	w := k.opaque()
	k.mesh(&w, k.v*k.r.Log(3, 20))
	w.name, w.vsClocks = "model", w.vsClocks*0.6
	k.shade(&w, k.r.Log(15, 60), k.r.Between(0, 0.5))
	if k.r.Chance(0.4) {
		w.depthCost = simulate.Pick(k.r, 2, 4.0) // samples
		w.outCost *= 1.5
	}
	return content{text: "a technical drawing", passes: list(w, k.ui())}
}

func (k *maker) traced() content {
	return content{text: "a game with ray tracing", passes: list(k.gbuffer(), k.rays(), k.lighting(), k.post(), k.ui())}
}

// scale makes a pass larger.
func (w *work) scale(by float64) {
	for _, v := range []*float64{&w.draws, &w.vertices, &w.primitives, &w.triangles, &w.quads, &w.blocks, &w.euClocks, &w.texels, &w.messages,
		&w.localReads, &w.localWrites, &w.atomics, &w.barriers, &w.rays, &w.out, &w.depthRead, &w.depthWrite, &w.vertexBytes, &w.copyRead,
		&w.copyWrite} {
		*v *= by
	}
	if w.compute {
		w.lanes *= by
	}
}
