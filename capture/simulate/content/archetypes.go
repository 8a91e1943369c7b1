package content

// archetypes draw the passes of a kind of content. Shares of time and likelihoods of limits are invented, after what
// published frame breakdowns of such programs have in common: shadow maps lean on geometry and depth, G-buffers on
// writing, post-processing on textures and memory, interfaces on blending. They are wide, and a scene may lean on any
// axis throughout.
var archetypes = map[string]func(*drawer){
	"game":       game,
	"deferred":   deferred,
	"blended":    blended,
	"interface":  userInterface,
	"video":      video,
	"inference":  inference,
	"simulation": simulation,
	"loading":    loading,
	"menu":       menu,
	"random":     random,
}

// Likelihoods of limits of typical parts.
var (
	meshes    = Weights{Geometry: 3, LoadStore: 1.2, Arithmetic: 1.2, Bandwidth: 1, Latency: 0.8, Cache: 0.3}
	depthOnly = Weights{Raster: 3, Backend: 1.5, Bandwidth: 1, Latency: 0.3}
	shading   = Weights{Arithmetic: 3, Texture: 2.6, Varying: 0.9, LoadStore: 0.7, Raster: 0.3, Backend: 0.4,
		Bandwidth: 1, Latency: 0.9, Cache: 0.3}
	gbuffer = Weights{Backend: 2.5, Bandwidth: 2.5, Texture: 1.5, Raster: 0.6, Varying: 0.8, Cache: 0.3}
	lights  = Weights{Arithmetic: 2.5, Texture: 1, LoadStore: 1, Bandwidth: 1.5, Latency: 1.2, LocalMemory: 0.4,
		Cache: 0.3}
	filters = Weights{Texture: 2.5, Bandwidth: 2.5, Arithmetic: 1.3, LoadStore: 0.5, Latency: 0.5, LocalMemory: 0.5,
		Cache: 0.4, Backend: 0.4}
	layers    = Weights{Backend: 4, Raster: 1.3, Texture: 1.2, Varying: 0.5, Bandwidth: 0.7}
	widgets   = Weights{Backend: 1.6, Texture: 1.6, Raster: 1.2, Bandwidth: 1.2, Varying: 0.5, Arithmetic: 0.4}
	tensors   = Weights{Arithmetic: 2.6, LocalMemory: 1.2, LoadStore: 1, Bandwidth: 1.8, Cache: 0.8, Latency: 0.9}
	particles = Weights{Arithmetic: 1.6, LoadStore: 1.4, Bandwidth: 1.5, Latency: 2, LocalMemory: 0.8, Cache: 0.5}
	frames    = Weights{Texture: 2, Bandwidth: 2.2, LoadStore: 1.2, Arithmetic: 1.2, Cache: 0.4, Latency: 0.4}
	rays      = Weights{RayTracing: 3, Latency: 1.2, Arithmetic: 0.8, Bandwidth: 0.5}
)

func game(d *drawer) {
	r := d.r
	if r.Chance(0.25) {
		p := d.compute("particles", r.Between(0.02, 0.1), particles)
		p.Async = false
	}
	for i := range r.Whole(1, 3) {
		d.render([]string{"shadow near", "shadow middle", "shadow far"}[i], r.Between(0.03, 0.12),
			r.Between(0.02, 0.08), meshes, depthOnly, r.Between(0.3, 1.2), r.Between(1, 1.6))
	}
	d.render("main", r.Between(0.06, 0.22), r.Between(0.3, 0.8), meshes, shading, 1, r.Between(1.1, 2.6))
	if d.has.Axes[RayTracing] && r.Chance(0.2) {
		p := d.compute("reflections", r.Between(0.1, 0.4), rays)
		p.Shape.Rays = r.Between(0.5, 4)
	}
	if d.has.Async && r.Chance(0.25) {
		p := d.compute("occlusion", r.Between(0.04, 0.15), lights)
		p.Async = true
	}
	for i := range r.Whole(1, 3) {
		d.render([]string{"bloom", "tone mapping", "antialiasing"}[i], 0.003, r.Between(0.03, 0.16), meshes, filters,
			r.Between(0.25, 1), 1)
	}
	d.render("overlay", 0.006, r.Between(0.01, 0.05), meshes, layers, r.Between(0.1, 0.4), r.Between(1, 3))
}

func deferred(d *drawer) {
	r := d.r
	for range r.Whole(0, 2) {
		d.render("shadow", r.Between(0.03, 0.1), r.Between(0.02, 0.06), meshes, depthOnly, r.Between(0.5, 1.5), 1.3)
	}
	p := d.render("g-buffer", r.Between(0.08, 0.22), r.Between(0.2, 0.45), meshes, gbuffer, 1, r.Between(1.1, 1.9))
	p.Shape.PixelSize = r.Between(12, 28)
	if r.Chance(0.5) {
		d.compute("lighting", r.Between(0.15, 0.45), lights)
	} else {
		d.render("lighting", 0.003, r.Between(0.15, 0.45), meshes, lights, 1, r.Between(1, 4))
	}
	if r.Chance(0.6) {
		d.render("transparent", r.Between(0.02, 0.06), r.Between(0.04, 0.15), meshes, layers, 1, r.Between(1, 4))
	}
	for range r.Whole(1, 3) {
		d.render("post", 0.003, r.Between(0.04, 0.14), meshes, filters, r.Between(0.25, 1), 1)
	}
}

func blended(d *drawer) {
	r := d.r
	d.render("opaque", r.Between(0.05, 0.15), r.Between(0.1, 0.3), meshes, shading, 1, r.Between(1, 1.6))
	p := d.render("effects", r.Between(0.02, 0.1), r.Between(0.4, 0.9), meshes, layers, 1, r.Between(3, 9))
	p.Shape.Blended, p.Shape.EarlyKill, p.Shape.Hidden = r.Between(0.7, 1), r.Between(0, 0.1), r.Between(0, 0.03)
	d.render("overlay", 0.005, r.Between(0.02, 0.1), meshes, layers, r.Between(0.3, 1), r.Between(1, 3))
}

func userInterface(d *drawer) {
	r := d.r
	for i := range r.Whole(1, 5) {
		p := d.render([]string{"window", "list", "toolbar", "blur", "composition"}[i], r.Between(0.005, 0.05),
			r.Between(0.1, 0.4), meshes, widgets, r.Between(0.1, 1), r.Between(1, 3.5))
		p.Shape.Blended, p.Shape.Unchanged = r.Between(0.2, 0.9), r.Between(0, 0.7)
	}
	d.out.App, d.out.Driver = r.Between(0.3, 1.6), r.Between(0.2, 0.8)
}

func video(d *drawer) {
	r := d.r
	for i := range r.Whole(1, 4) {
		name := []string{"conversion", "noise reduction", "scaling", "effects"}[i]
		if r.Chance(0.5) {
			d.compute(name, r.Between(0.1, 0.5), frames)
		} else {
			d.render(name, 0.002, r.Between(0.1, 0.5), meshes, frames, r.Between(0.5, 2), 1)
		}
	}
	d.render("composition", 0.003, r.Between(0.05, 0.2), meshes, widgets, 1, r.Between(1, 2))
	d.out.App, d.out.Driver = r.Between(0.1, 0.6), r.Between(0.05, 0.4)
}

func inference(d *drawer) {
	r := d.r
	names := []string{"convolution", "matrix product", "activation", "pooling", "attention", "normalization",
		"projection", "depthwise"}
	for range r.Whole(2, 9) {
		d.compute(names[r.IntN(len(names))], r.Log(0.03, 0.4), tensors)
	}
	d.out.App, d.out.Driver = r.Between(0.02, 0.2), r.Between(0.05, 0.4)
}

func simulation(d *drawer) {
	r := d.r
	names := []string{"integrate", "neighbours", "collide", "pressure", "advect", "reduce", "sort"}
	for range r.Whole(1, 6) {
		d.compute(names[r.IntN(len(names))], r.Log(0.05, 0.5), particles)
	}
	if r.Chance(0.5) {
		d.render("view", r.Between(0.03, 0.15), r.Between(0.1, 0.4), meshes, shading, 1, r.Between(1, 2))
	}
	d.out.App, d.out.Driver = r.Between(0.05, 0.4), r.Between(0.03, 0.2)
}

func loading(d *drawer) {
	r := d.r
	for range r.Whole(1, 4) {
		d.copies("upload", r.Between(0.1, 0.5))
	}
	if r.Chance(0.5) {
		d.compute("decompression", r.Between(0.05, 0.4), particles)
	}
	d.render("progress", 0.003, r.Between(0.03, 0.2), meshes, widgets, r.Between(0.3, 1), r.Between(1, 2))
	d.out.App, d.out.Driver = r.Between(0.3, 3), r.Between(0.2, 1.5)
}

func menu(d *drawer) {
	r := d.r
	d.render("background", r.Between(0.03, 0.15), r.Between(0.2, 0.6), meshes, shading, 1, r.Between(1, 1.8))
	if r.Chance(0.5) {
		d.render("blur", 0.002, r.Between(0.05, 0.25), meshes, filters, r.Between(0.1, 0.5), 1)
	}
	d.render("widgets", r.Between(0.005, 0.03), r.Between(0.05, 0.3), meshes, widgets, r.Between(0.3, 1),
		r.Between(1, 3))
}

func random(d *drawer) {
	r := d.r
	every := Weights{}
	for a := range Axes {
		if a != RayTracing {
			every[a] = 1
		}
	}
	for range r.Whole(1, 8) {
		switch r.Weighted([]float64{5, 2, 0.5}) {
		case 0:
			d.render("draws", r.Log(0.005, 0.3), r.Log(0.02, 0.6), every.but(Texture, Varying, Raster, Backend,
				LocalMemory), every.but(Geometry, LocalMemory), r.Log(0.1, 2), r.Log(1, 6))
		case 1:
			d.compute("dispatches", r.Log(0.02, 0.5), every.but(Geometry, Raster, Backend, Varying))
		default:
			d.copies("copies", r.Log(0.02, 0.3))
		}
	}
	d.out.App, d.out.Driver = r.Log(0.05, 1.2), r.Log(0.03, 0.8)
}

// but is the weights without some axes.
func (w Weights) but(axes ...Axis) Weights {
	out := Weights{}
	for a, x := range w {
		out[a] = x
	}
	for _, a := range axes {
		delete(out, a)
	}
	return out
}
