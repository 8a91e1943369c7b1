package gpa

import "astrolabe/capture/capturetest"

// The draws of a frame that nothing limits in particular: in none of them is a unit busy for most of the time.

func shadow() draw {
	return draw{size: 1e5, verts: 0.7, vs: shader{60, 8}, culled: 0.5, clip: 1.4, quads: 3, depth: 4, hiz: 0.4,
		inFlight: 0.3, eff: 0.5}
}

func opaque() draw {
	return draw{size: 5e4, verts: 0.7, vs: shader{50, 8}, culled: 0.5, clip: 1.2, quads: 20, depth: 2, hiz: 0.4,
		early: 0.2, inFlight: 0.2,
		shades: true, ps: shader{70, 8}, tex: 3, tri: 0.2, aniso: 1.2, targets: 0.6, blend: 0.1, eff: 0.5}
}

func tessellated() draw {
	return draw{size: 2e4, verts: 0.3, patches: 0.3, tessVerts: 0.6, tessClocks: 1, vs: shader{60, 8},
		hs: shader{150, 20}, ds: shader{60, 8}, culled: 0.4, clip: 1.2, quads: 8,
		depth: 2, hiz: 0.3, early: 0.2, inFlight: 0.2, shades: true, ps: shader{40, 6}, tex: 1, aniso: 1,
		targets: 0.5, eff: 0.5}
}

// patches are tessellated draws of which little is seen: next to no work behind the tessellator.
func patches() draw {
	d := tessellated()
	d.quads, d.clip, d.vs = 2, 0.7, shader{20, 4}
	return d
}

func expanded() draw {
	return draw{size: 2e4, verts: 0.8, gsOut: 3, vs: shader{40, 6}, gs: shader{80, 10}, culled: 0.3, clip: 1.2,
		quads: 8, depth: 2, hiz: 0.3,
		early: 0.2, inFlight: 0.2, shades: true, ps: shader{40, 6}, tex: 1, aniso: 1, targets: 0.5, eff: 0.5}
}

func post() draw {
	return draw{size: 1e4, eff: 0.5,
		cs: &dispatch{shader: shader{300, 40}, lanes: 0.95, fetch: 12, spread: 1, l1: 0.7, l2: 0.8, written: 300,
			lds: 40, conflicts: 0.1}}
}

var healthy = []struct {
	draw  func() draw
	share float64
}{{shadow, 0.22}, {opaque, 0.36}, {tessellated, 0.10}, {expanded, 0.08}, {post, 0.24}}

// kernels are dispatches without graphics beside them.
var kernels = []struct {
	draw  func() draw
	share float64
}{{post, 0.4}, {blur, 0.35}, {reduce, 0.25}}

func blur() draw {
	d := post()
	d.cs.lds, d.cs.valu, d.cs.fetch = 80, 200, 10
	return d
}

func reduce() draw {
	d := post()
	d.cs.salu, d.cs.fetch, d.cs.l1, d.cs.l2 = 60, 16, 0.6, 0.7
	return d
}

// plant is a bottleneck and the draw that has it.
type plant struct {
	capturetest.Plant
	where func(m model) bool
	draw  func(load float64) draw
}

// share is the part of the GPU's time that the planted draw takes. What fixed units do is judged as a part of the whole
// time.
func (p plant) share(load float64, m model) float64 {
	if p.Rule == "stage_db" || p.Rule == "stage_tess" || m.fixed || m.stages || m.api == "cl" {
		return mix(0.9, 0.97, load)
	}
	return mix(0.76, 0.95, load)
}

// busyUnit is how much of the time a unit works that is the limit.
func busyUnit(load float64) float64 { return mix(0.84, 0.97, load) }

// allAlong is how much of the time a unit of fixed function works that is the limit: it has no instructions to issue
// between.
func allAlong(load float64) float64 { return mix(0.95, 0.99, load) }

// waits is how much of the time the busiest unit works where waves mostly wait.
func waits(load float64) float64 { return mix(0.42, 0.2, load) }

func change(base func() draw, f func(d *draw, load float64)) func(float64) draw {
	return func(load float64) draw {
		d := base()
		d.eff = busyUnit(load)
		f(&d, load)
		return d
	}
}

// kernel is a dispatch in which all units but those that f changes have little to do.
func kernel(f func(d *draw, c *dispatch, load float64)) func(float64) draw {
	return func(load float64) draw {
		d := post()
		d.eff = busyUnit(load)
		f(&d, d.cs, load)
		return d
	}
}

// pixels is a draw of large primitives: next to no work before the rasterizer.
func pixels(f func(d *draw, load float64)) func(float64) draw {
	return change(opaque, func(d *draw, load float64) {
		d.quads = 200
		d.verts = 0.6
		f(d, load)
	})
}

func timed(m model) bool         { return m.api != "cl" }
func drawing(m model) bool       { return m.api != "cl" && !m.fixed && !m.stages }
func dispatching(m model) bool   { return m.api == "cl" }
func fixedUnits(m model) bool    { return m.fixed }
func stagesAlone(m model) bool   { return m.stages }
func caches(m model) bool        { return drawing(m) && m.generation == "gfx9" }
func domainShaders(m model) bool { return drawing(m) && m.generation == "gfx8" }

var plants = []plant{
	{capturetest.Plant{ID: "cpu_bound", Rule: "gpu_starved", Doc: "The GPU waits for work within the samples."},
		timed, nil},
	{capturetest.Plant{ID: "bubbles", Rule: "bubbles",
		Doc: "Barriers and small draws: no stage has work for much of the time."}, drawing, nil},

	{capturetest.Plant{ID: "vs_valu", Rule: "vs_valu", Doc: "Vertex shaders calculate much."}, drawing,
		change(shadow, func(d *draw, load float64) { d.vs.valu = 4000 })},
	{capturetest.Plant{ID: "ps_valu", Rule: "ps_valu", Doc: "Pixel shaders calculate much."}, drawing,
		pixels(func(d *draw, load float64) { d.ps.valu = 600 })},
	{capturetest.Plant{ID: "cs_valu", Rule: "cs_valu", Doc: "Compute calculates much."}, drawing,
		kernel(func(d *draw, c *dispatch, load float64) { c.valu = 1500 })},
	{capturetest.Plant{ID: "vs_salu", Rule: "vs_salu", Doc: "Vertex shaders spend their time on control flow."},
		drawing, change(shadow, func(d *draw, load float64) { d.vs.salu, d.eff = 1500, mix(0.62, 0.95, load) })},
	{capturetest.Plant{ID: "ps_texture", Rule: "ps_texture", Doc: "Pixel shaders take many simple samples."}, drawing,
		pixels(func(d *draw, load float64) { d.tex, d.tri = 20, 0.1; d.eff = allAlong(load) })},
	{capturetest.Plant{ID: "cs_divergence", Rule: "cs_divergence", Doc: "Most lanes of compute do nothing."}, drawing,
		kernel(func(d *draw, c *dispatch, load float64) { c.valu, c.lanes = 1500, mix(0.48, 0.1, load) })},
	{capturetest.Plant{ID: "vs_latency", Rule: "vertices_bound", Doc: "Vertex waves wait, for data or for each other."},
		drawing, change(shadow, func(d *draw, load float64) { d.vs.valu, d.eff = 200, waits(load) })},
	{capturetest.Plant{ID: "trilinear", Rule: "trilinear", Doc: "Most samples blend two mip levels."}, drawing,
		pixels(func(d *draw, load float64) { d.tex, d.tri = 16, mix(0.62, 1, load); d.eff = allAlong(load) })},
	{capturetest.Plant{ID: "cs_salu", Rule: "cs_salu", Doc: "Compute spends its time on control flow."}, drawing,
		kernel(func(d *draw, c *dispatch, load float64) { c.salu, d.eff = 500, mix(0.62, 0.95, load) })},
	{capturetest.Plant{ID: "small_primitives", Rule: "small_primitives",
		Doc: "Primitives of a few pixels keep primitive assembly busy."}, drawing, change(shadow, tiny)},
	{capturetest.Plant{ID: "anisotropy", Rule: "anisotropy", Doc: "Many samples for one along steep surfaces."},
		drawing, pixels(func(d *draw, load float64) { d.tex, d.aniso = 6, mix(5, 14, load); d.eff = allAlong(load) })},
	{capturetest.Plant{ID: "cs_fetch_bound", Rule: "cs_fetch_bound",
		Doc: "Scattered addresses keep the memory unit busy."}, drawing, kernel(scattered)},
	{capturetest.Plant{ID: "culled_primitives", Rule: "culled_primitives",
		Doc: "Most primitives are culled after their vertices were shaded."}, drawing, change(shadow, culled)},
	{capturetest.Plant{ID: "volume", Rule: "volume", Doc: "Most samples are of volumes."}, drawing,
		pixels(func(d *draw, load float64) { d.tex, d.vol = 16, mix(0.62, 1, load); d.eff = allAlong(load) })},
	{capturetest.Plant{ID: "cs_memory_stalled", Rule: "cs_memory_stalled", Doc: "Compute waits for memory."}, drawing,
		kernel(starving)},
	{capturetest.Plant{ID: "clipped_primitives", Rule: "clipped_primitives",
		Doc: "Many primitives cross the view volume."}, drawing, change(shadow, clippedMuch)},
	{capturetest.Plant{ID: "ps_depth", Rule: "ps_depth", Doc: "Depth and stencil tests of many layers."}, drawing,
		pixels(func(d *draw, load float64) { d.depth, d.early, d.hiz = 24, 0.75, 0.2; d.eff = allAlong(load) })},
	{capturetest.Plant{ID: "cs_writes_stalled", Rule: "cs_writes_stalled",
		Doc: "Compute writes more than memory takes."}, drawing, kernel(func(d *draw, c *dispatch, load float64) {
		c.written, c.valu, d.eff = 8000, mix(1000, 200, load), mix(0.85, 0.97, load)
	})},
	{capturetest.Plant{ID: "vs_primitives", Rule: "vs_primitives",
		Doc: "Primitive assembly has much to do, for no reason that counters tell."}, drawing,
		change(shadow, assembling)},
	{capturetest.Plant{ID: "ps_latency", Rule: "ps_waits", Doc: "Pixel waves wait, for data or for each other."},
		drawing, pixels(func(d *draw, load float64) { d.ps.valu, d.eff = 200, waits(load) })},
	{capturetest.Plant{ID: "cs_lds_conflicts", Rule: "cs_lds_conflicts",
		Doc: "Lanes of compute touch the same banks of the LDS."}, drawing,
		kernel(func(d *draw, c *dispatch, load float64) {
			c.lds, c.conflicts, d.eff = 200, 12,
				mix(0.85, 0.97, load)
		})},
	{capturetest.Plant{ID: "gs_valu", Rule: "gs_valu", Doc: "Geometry shaders calculate much."}, drawing,
		change(expanded, func(d *draw, load float64) { d.gs.valu = 4000 })},
	{capturetest.Plant{ID: "slow_pixels", Rule: "slow_pixels",
		Doc: "Wide formats of targets halve the rate of the color unit."}, drawing,
		pixels(func(d *draw, load float64) { coloring(d, load); d.slow = mix(0.3, 1, load) })},
	{capturetest.Plant{ID: "cs_memory_waits", Rule: "cs_waits", Doc: "Compute waits for memory, which is not full."},
		drawing, kernel(waiting)},
	{capturetest.Plant{ID: "cs_cache", Rule: "cs_cache_bound",
		Doc: "Compute asks the L2 cache for more than it gives."}, caches, kernel(cached)},
	{capturetest.Plant{ID: "cs_lds", Rule: "cs_lds_bound",
		Doc: "Compute uses the LDS all the time, without conflicts."}, drawing, kernel(local)},
	{capturetest.Plant{ID: "rasterizer", Rule: "raster_bound",
		Doc: "Large primitives, of which little is tested or shaded."}, drawing, pixels(func(d *draw, load float64) {
		d.depth, d.hiz, d.ps.valu, d.tex, d.targets = mix(2.8, 3.1, load), 0.1, 10, 0.3, 0.1
	})},
	{capturetest.Plant{ID: "cs_latency", Rule: "stage_cs", Doc: "Waves of compute wait for each other."}, drawing,
		kernel(func(d *draw, c *dispatch, load float64) { d.eff = waits(load) })},
	{capturetest.Plant{ID: "gs_salu", Rule: "gs_salu", Doc: "Geometry shaders spend their time on control flow."},
		drawing, change(expanded, func(d *draw, load float64) { d.gs.salu, d.eff = 2000, mix(0.62, 0.95, load) })},
	{capturetest.Plant{ID: "blending", Rule: "blending", Doc: "Layers are blended over each other."}, drawing,
		pixels(func(d *draw, load float64) { coloring(d, load); d.blend = mix(0.65, 1, load) })},
	{capturetest.Plant{ID: "hs_valu", Rule: "hs_valu", Doc: "Hull shaders calculate much."}, drawing,
		change(patches, func(d *draw, load float64) { d.hs.valu = 4000 })},
	{capturetest.Plant{ID: "color_bound", Rule: "color_bound", Doc: "Several render targets are written."}, drawing,
		pixels(coloring)},
	{capturetest.Plant{ID: "hs_salu", Rule: "hs_salu", Doc: "Hull shaders spend their time on control flow."}, drawing,
		change(patches, func(d *draw, load float64) { d.hs.salu, d.eff = 1000, mix(0.62, 0.95, load) })},
	{capturetest.Plant{ID: "late_z", Rule: "late_z", Doc: "Shaders discard pixels, so that depth is tested late."},
		drawing, pixels(func(d *draw, load float64) {
			exporting(d, load)
			late := mix(0.48, 1, load)
			d.depthWrite, d.late, d.lateClocks = 0, late, 5/late
		})},
	{capturetest.Plant{ID: "gs_latency", Rule: "stage_gs", Doc: "Waves of geometry shaders wait."}, drawing,
		change(expanded, func(d *draw, load float64) { d.gs.valu, d.eff = 2500, waits(load) })},
	{capturetest.Plant{ID: "ps_exports", Rule: "ps_exports",
		Doc: "Depth that is not compressed holds up what pixel shaders export."}, drawing, pixels(exporting)},
	{capturetest.Plant{ID: "tessellation", Rule: "stage_tess", Doc: "High factors keep the tessellator busy."}, drawing,
		change(tessellated, func(d *draw, load float64) { d.patches, d.tessClocks = mix(0.015, 0.005, load), 12 })},
	{capturetest.Plant{ID: "ps_salu", Rule: "ps_salu", Doc: "Pixel shaders spend their time on control flow."}, drawing,
		pixels(func(d *draw, load float64) { d.ps.salu, d.eff = 150, mix(0.62, 0.95, load) })},
	{capturetest.Plant{ID: "depth_only", Rule: "stage_db", Doc: "A pass that only writes depth."}, drawing,
		change(shadow, func(d *draw, load float64) {
			d.quads, d.depth, d.inFlight = 20, 20,
				0.8
			d.eff = allAlong(load)
		})},
	{capturetest.Plant{ID: "hs_latency", Rule: "stage_hs", Doc: "Waves of hull shaders wait."}, drawing,
		change(patches, func(d *draw, load float64) { d.hs.valu, d.eff = 4000, waits(load) })},
	{capturetest.Plant{ID: "ds_valu", Rule: "ds_valu", Doc: "Domain shaders calculate much."}, domainShaders,
		change(patches, func(d *draw, load float64) { d.ds.valu = 6000 })},
	{capturetest.Plant{ID: "ds_salu", Rule: "ds_salu", Doc: "Domain shaders spend their time on control flow."},
		domainShaders, change(patches, func(d *draw, load float64) { d.ds.salu, d.eff = 1000, mix(0.62, 0.95, load) })},
	{capturetest.Plant{ID: "ds_latency", Rule: "stage_ds", Doc: "Waves of domain shaders wait."}, domainShaders,
		change(patches, func(d *draw, load float64) { d.ds.valu, d.eff = 3000, waits(load) })},

	{capturetest.Plant{ID: "assembly", Rule: "stage_pa",
		Doc: "Primitive assembly has much to do; shader counters were not collected."}, fixedUnits,
		change(shadow, assembling)},
	{capturetest.Plant{ID: "texture", Rule: "stage_tex",
		Doc: "Many simple samples; shader counters were not collected."}, fixedUnits,
		pixels(func(d *draw, load float64) { d.tex, d.tri = 20, 0.1; d.eff = allAlong(load) })},
	{capturetest.Plant{ID: "small_primitives", Rule: "pa_small_primitives",
		Doc: "Primitives of a few pixels; shader counters were not collected."}, fixedUnits, change(shadow, tiny)},
	{capturetest.Plant{ID: "trilinear", Rule: "tex_trilinear",
		Doc: "Most samples blend two mip levels; shader counters were not collected."}, fixedUnits,
		pixels(func(d *draw, load float64) { d.tex, d.tri = 16, mix(0.62, 1, load); d.eff = allAlong(load) })},
	{capturetest.Plant{ID: "culled_primitives", Rule: "pa_culled_primitives",
		Doc: "Most primitives are culled; shader counters were not collected."}, fixedUnits, change(shadow, culled)},
	{capturetest.Plant{ID: "anisotropy", Rule: "tex_anisotropy",
		Doc: "Many samples for one; shader counters were not collected."}, fixedUnits,
		pixels(func(d *draw, load float64) { d.tex, d.aniso = 6, mix(5, 14, load); d.eff = allAlong(load) })},
	{capturetest.Plant{ID: "clipped_primitives", Rule: "pa_clipped_primitives",
		Doc: "Many primitives cross the view volume; shader counters were not collected."}, fixedUnits,
		change(shadow, clippedMuch)},
	{capturetest.Plant{ID: "volume", Rule: "tex_volume",
		Doc: "Most samples are of volumes; shader counters were not collected."}, fixedUnits,
		pixels(func(d *draw, load float64) { d.tex, d.vol = 16, mix(0.62, 1, load); d.eff = allAlong(load) })},

	{capturetest.Plant{ID: "vs_stage", Rule: "stage_vs",
		Doc: "Vertex shading has the most work; nothing but that was collected."}, stagesAlone,
		change(shadow, func(d *draw, load float64) { d.vs.valu = 4000 })},
	{capturetest.Plant{ID: "ps_stage", Rule: "stage_ps",
		Doc: "Pixel shading has the most work; nothing but that was collected."}, stagesAlone,
		pixels(func(d *draw, load float64) { d.ps.valu = 600 })},

	{capturetest.Plant{ID: "valu", Rule: "kernel_valu", Doc: "Kernels calculate much."}, dispatching,
		kernel(func(d *draw, c *dispatch, load float64) { c.valu, c.fetch = 1500, 4 })},
	{capturetest.Plant{ID: "fetch_bound", Rule: "kernel_fetch_bound",
		Doc: "Scattered addresses keep the memory unit busy."}, dispatching, kernel(scattered)},
	{capturetest.Plant{ID: "divergence", Rule: "kernel_divergence", Doc: "Most lanes do nothing."}, dispatching,
		kernel(func(d *draw, c *dispatch, load float64) { c.valu, c.lanes = 1500, mix(0.48, 0.1, load) })},
	{capturetest.Plant{ID: "memory_stalled", Rule: "kernel_memory_stalled", Doc: "Kernels wait for memory."},
		dispatching, kernel(starving)},
	{capturetest.Plant{ID: "memory_waits", Rule: "kernel_waits", Doc: "Kernels wait for memory, which is not full."},
		dispatching, kernel(waiting)},
	{capturetest.Plant{ID: "salu", Rule: "kernel_salu", Doc: "Kernels spend their time on control flow."}, dispatching,
		kernel(func(d *draw, c *dispatch, load float64) { c.salu, d.eff = 500, mix(0.68, 0.95, load) })},
	{capturetest.Plant{ID: "writes_stalled", Rule: "kernel_writes_stalled",
		Doc: "Kernels write more than memory takes."}, dispatching, kernel(func(d *draw, c *dispatch, load float64) {
		c.written, c.valu, d.eff = 8000, mix(1000, 200, load), mix(0.85, 0.97, load)
	})},
	{capturetest.Plant{ID: "lds_conflicts", Rule: "kernel_lds_conflicts",
		Doc: "Lanes touch the same banks of the LDS."}, dispatching,
		kernel(func(d *draw, c *dispatch, load float64) {
			c.lds, c.conflicts, d.eff = 200, 12,
				mix(0.85, 0.97, load)
		})},
}

// scattered makes a fetch take longer than its data would.
func scattered(d *draw, c *dispatch, load float64) {
	c.fetch, c.spread, c.l1 = 30, 4, 0.9
}

// starving reads more than memory gives, from addresses that no cache holds.
func starving(d *draw, c *dispatch, load float64) {
	c.l1, c.l2, c.fetch = 0.2, 0.3, 12
	c.valu = mix(450, 200, load)
	d.eff = mix(0.85, 0.97, load)
}

// waiting reads from addresses that no cache holds, with too few waves in flight to fill the memory.
func waiting(d *draw, c *dispatch, load float64) {
	c.l1, c.l2, c.fetch, c.valu = 0.2, 0.3, 12, 100
	d.eff = mix(0.5, 0.42, load)
}

// cached reads again and again what the L2 cache holds.
func cached(d *draw, c *dispatch, load float64) {
	c.l1, c.l2, c.fetch, c.valu, c.written = 0, 0.99, 40, mix(200, 50, load), 30
	d.eff = mix(0.92, 0.98, load)
}

// local uses the LDS without conflicts.
func local(d *draw, c *dispatch, load float64) {
	c.lds, c.conflicts, c.valu = 2000, 0, 200
}

// tiny makes primitives of few pixels.
func tiny(d *draw, load float64) {
	d.quads = mix(2, 0.3, load)
	d.clip = mix(3.5, 4.5, load)
	d.culled, d.vs = 0.4, shader{40, 4}
	d.shades, d.ps, d.targets, d.hiz = true, shader{10, 2}, 1, 0.1
}

func culled(d *draw, load float64) {
	d.culled, d.clip, d.quads, d.vs = mix(0.84, 0.98, load), 3, 24, shader{60, 6}
	d.shades, d.ps, d.targets, d.hiz = true, shader{10, 2}, 1, 0.1
}

func clippedMuch(d *draw, load float64) {
	d.clipped, d.clip, d.quads, d.vs = mix(0.14, 0.5, load), 2, 12, shader{50, 6}
	d.shades, d.ps, d.targets, d.hiz = true, shader{10, 2}, 0.4, 0.1
}

// assembling has primitives whose setup takes long, though they are neither small nor culled nor clipped.
func assembling(d *draw, load float64) {
	d.clip, d.quads, d.vs = mix(3.5, 5, load), 6, shader{30, 4}
	d.shades, d.ps, d.targets, d.hiz = true, shader{6, 1}, 0.4, 0.1
}

// coloring writes more pixels than the color unit takes.
func coloring(d *draw, load float64) {
	d.targets, d.blend, d.tex = 4, 0.05, 3
	d.ps.valu = mix(100, 60, load)
	d.eff = mix(0.85, 0.97, load)
}

// exporting writes depth faster than the depth unit takes it.
func exporting(d *draw, load float64) {
	d.depthWrite, d.tex = 5, 3
	d.ps.valu = mix(100, 60, load)
	d.eff = mix(0.8, 0.97, load)
}
