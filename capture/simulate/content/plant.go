package content

import "astrolabe/capture/simulate"

// Plant draws content that only one axis limits: every part that takes any time leans on it, and the others stay far
// below. stage is the Part.Stage of all parts.
func Plant(r simulate.Random, has Has, limit Axis, stage uint8) *Scene {
	d := newDrawer(r, has, "only "+limit.String())
	d.theme, d.bias, d.calm = limit, 1, r.Between(0.75, 1)
	d.out.App, d.out.Driver = r.Between(0.1, 0.45), r.Between(0.05, 0.3)
	only := Weights{limit: 1}
	passes := r.Whole(1, 3)
	for range passes {
		share := r.Between(0.2, 1)
		switch {
		case limit == Geometry:
			// Vertices are all there is to do: the few pixels lean on anything.
			d.render("meshes", share, share*r.Between(0.03, 0.15), only,
				Weights{Raster: 1, Backend: 1, Arithmetic: 1}, r.Between(0.2, 1), r.Between(0.2, 1))
		case limit == LocalMemory, limit == RayTracing:
			p := d.compute("groups", share, only)
			if limit == RayTracing {
				p.Shape.Rays = r.Between(0.5, 4)
			}
		case limit == Texture || limit == Varying || limit == Raster || limit == Backend:
			d.render("pixels", share*r.Between(0.01, 0.08), share, meshes, only, r.Between(0.3, 1.5), r.Between(1, 3))
		default:
			switch r.IntN(3) {
			case 0:
				d.compute("groups", share, only)
			case 1:
				d.render("pixels", share*r.Between(0.01, 0.08), share, meshes, only, r.Between(0.3, 1.5),
					r.Between(1, 3))
			default:
				vertex := share * r.Between(0.1, 0.4)
				d.render("draws", vertex, share, only, only, r.Between(0.3, 1.5), r.Between(1, 3))
			}
		}
	}
	if stage == anyStage {
		stage = uint8(r.IntN(10))
	}
	for _, p := range d.out.Passes {
		for _, x := range p.Parts() {
			x.Stage = stage
		}
	}
	return d.finish()
}

// Launches draws content of so many tiny passes, each waiting for the one before, that starting them takes the time.
// launch is how long that takes for one, in ns.
func Launches(r simulate.Random, has Has, launch float64) *Scene {
	d := newDrawer(r, has, "only launches")
	d.calm = 0.9
	d.out.App, d.out.Driver = r.Between(0.05, 0.3), r.Between(0.05, 0.3)
	n := int(r.Between(3e6, 6e6) / (1.5 * launch))
	for range min(240, max(60, n)) {
		d.compute("tiny", launch*r.Between(0.15, 0.6)/budget, Weights{Arithmetic: 1, LoadStore: 1, Bandwidth: 1,
			Latency: 1})
	}
	s := d.finish()
	for _, p := range s.Passes {
		p.Drain = true
	}
	s.Fixed = true
	return s
}

// TurnName is the name of scenes of InTurn.
const TurnName = "in turn"

// InTurn draws content whose queues work in turn: a dependency that the content does not need lets the vertices and
// work groups of a frame wait for the pixels of the one before. first is the share of the time that the first queue
// takes.
func InTurn(r simulate.Random, has Has) *Scene {
	d := newDrawer(r, has, TurnName)
	d.calm = r.Between(0.5, 1)
	d.out.App, d.out.Driver = r.Between(0.05, 0.3), r.Between(0.03, 0.15)
	first := r.Between(0.33, 0.5)
	// The two sides lean on different axes, so that together they would fit.
	vertex := Weights{Geometry: 3, LoadStore: 1.5, Latency: 0.5}
	pixel := Weights{Texture: 2, Varying: 1, Backend: 1.5, Raster: 1, Arithmetic: 1.5}
	groups := Weights{LoadStore: 2, Arithmetic: 1, LocalMemory: 1, Latency: 0.5}
	link := Link{Pass: -1, Back: 1, Vertex: true, Loose: true}
	n := r.Weighted([]float64{0, 4, 1})
	rest := first
	if r.Chance(0.4) {
		share := first * r.Between(0.3, 0.9)
		p := d.compute("prepare", share, groups)
		p.After = append(p.After, link)
		rest -= share
	}
	for range n {
		p := d.render("draws", rest/float64(n), (1-first)/float64(n), vertex, pixel, r.Between(0.5, 1.5),
			r.Between(1, 3))
		p.After = append(p.After, link)
		if r.Chance(0.6) { // mostly no single unit limits a side alone
			rival(r, p.Vertex, Geometry, LoadStore)
			rival(r, p.Pixel, Texture, Backend, Raster, Varying)
		}
	}
	s := d.out
	for i := len(s.Passes) - 1; i >= 0; i-- {
		if s.Passes[i].Kind == Render {
			s.Passes[i].Image = true
			break
		}
	}
	return s
}

// Even draws content that leans on all units of the core clock alike, so that no single one limits it: only a faster
// clock helps.
func Even(r simulate.Random, has Has) *Scene {
	d := newDrawer(r, has, "even")
	d.calm = 1
	d.out.App, d.out.Driver = r.Between(0.1, 0.4), r.Between(0.05, 0.3)
	for range r.Whole(1, 3) {
		share := r.Between(0.3, 1)
		p := d.render("even", share*0.02, share, Weights{Arithmetic: 1}, Weights{Arithmetic: 1}, r.Between(0.5, 1.5),
			r.Between(1, 2))
		for _, a := range []Axis{Arithmetic, Texture, Varying, LoadStore, Raster, Backend} {
			if has.Axes[a] {
				p.Pixel.Press[a] = r.Between(0.9, 1)
			}
		}
	}
	return d.finish()
}

// rival lets a part lean on two of some axes almost alike.
func rival(r simulate.Random, p *Part, of ...Axis) {
	n := 0
	for _, k := range r.Perm(len(of)) {
		if p.Press[of[k]] > 0 && n < 2 {
			p.Press[of[k]] = max(p.Press[of[k]], r.Between(0.88, 1))
			n++
		}
	}
}
