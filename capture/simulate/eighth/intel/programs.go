package intel

import (
	"slices"
	"strings"

	"astrolabe/capture/simulate"
)

// author draws what programs consist of. Work is in pixels, vertices and instructions; size multiplies it, so that a
// case finds the frame time that it wants.
type author struct {
	simulate.Random
	m      *machine
	pixels float64 // of the picture
	rich   float64 // instructions of shaders: those of a faster GPU do more
}

func newAuthor(m *machine, r simulate.Random) *author {
	a := &author{Random: r, m: m, rich: 1}
	a.pixels = simulate.Pick(r, 1280*720., 1366*768., 1600*900., 1920*1080., 1920*1080.)
	if m.xe2 {
		a.pixels, a.rich = simulate.Pick(r, 1920*1080., 1920*1200., 2560*1440., 2880*1800.), 2.5
	}
	return a
}

// shader fills in what the programs of a drawing are like.
func (a *author) shader(d drawing) drawing {
	d.second = a.Between(0.25, 0.48)
	if a.m.xe2 {
		d.second = a.Between(0.12, 0.35)
	}
	d.dependency = a.Between(1.1, 2.2)
	d.spread = a.Between(0.05, 0.5)
	if d.miss == 0 {
		d.miss = a.Between(0.25, 0.7)
	}
	if d.fill == 0 {
		d.fill = a.Between(0.75, 0.97)
	}
	if a.Chance(0.3) { // stencil beside depth, or several samples
		d.tests = a.Between(1.3, 2.5)
	}
	d.alu *= a.rich
	d.vertexALU *= a.rich
	return d
}

func (a *author) shadow() pass {
	v := a.Log(1e5, 8e5)
	return a.m.draw(a.shader(drawing{name: "shadow", pixels: a.Log(1e6, 4e6), overdraw: a.Between(0.5, 1.6), hidden: a.Between(0.1, 0.4),
		early: a.Between(0.05, 0.2), vertices: v, triangle: a.Between(0.6, 1.8), culled: a.Between(0.4, 0.65), vertexALU: a.Between(20, 50),
		depth: a.Between(1, 3), draws: v / 2000}))
}

func (a *author) prepass() pass {
	d := drawing{name: "depth", pixels: a.pixels, overdraw: a.Between(1.5, 3), hidden: a.Between(0.3, 0.6), early: a.Between(0.1, 0.3),
		vertices: a.Log(1e5, 6e5), triangle: a.Between(0.7, 1.7), culled: a.Between(0.4, 0.65), vertexALU: a.Between(20, 40), depth: a.Between(1, 3)}
	d.draws = d.vertices / 2500
	return a.m.draw(a.shader(d))
}

func (a *author) opaque(name string) pass {
	d := drawing{name: name, pixels: a.pixels, overdraw: a.Between(1.3, 3), hidden: a.Between(0.25, 0.6), early: a.Between(0.05, 0.4),
		vertices: a.Log(6e4, 8e5), triangle: a.Between(0.7, 1.7), culled: a.Between(0.4, 0.65), attributes: a.Between(1, 2.5),
		vertexALU: a.Between(30, 120), alu: a.Log(25, 140), samples: float64(a.Whole(2, 8)), filter: a.Between(1, 2.5),
		texels: a.Log(0.05, 0.5), loads: float64(a.Whole(0, 4)), rounds: a.Whole(2, 5), color: simulate.Pick(a.Random, 4., 4, 8), depth: a.Between(1, 3)}
	if name == "G-buffer" {
		d.color = simulate.Pick(a.Random, 12., 16, 20)
	}
	d.draws = d.vertices / a.Log(300, 3000)
	return a.m.draw(a.shader(d))
}

func (a *author) alpha() pass {
	return a.m.draw(a.shader(drawing{name: "transparency", pixels: a.pixels, overdraw: a.Log(0.3, 6), hidden: a.Between(0, 0.2),
		early: a.Between(0, 0.2), vertices: a.Log(4e3, 1e5), triangle: 1, culled: 0, vertexALU: a.Between(20, 60), alu: a.Log(8, 60),
		samples: float64(a.Whole(1, 3)), filter: a.Between(1, 1.5), texels: a.Log(0.05, 0.4), rounds: 1, color: simulate.Pick(a.Random, 4., 8),
		blend: a.Between(0.7, 1), kill: a.Between(0, 0.2), depth: 0.3, draws: a.Log(20, 400)}))
}

func (a *author) post(name string) pass {
	return a.m.draw(a.shader(drawing{name: name, pixels: a.pixels * simulate.Pick(a.Random, 0.25, 1, 1), overdraw: 1, vertices: 3, triangle: 0.34,
		alu: a.Log(10, 200), samples: float64(a.Whole(1, 12)), filter: a.Between(1, 1.2), texels: a.Log(0.08, 0.35), rounds: a.Whole(1, 4),
		color: simulate.Pick(a.Random, 4., 8), fill: 0.99, miss: a.Between(0.4, 0.9), draws: 1}))
}

func (a *author) interfaces() pass {
	return a.m.draw(a.shader(drawing{name: "interface", pixels: a.pixels, overdraw: a.Log(0.3, 3), vertices: a.Log(2e3, 4e4), triangle: 0.5,
		vertexALU: 20, alu: a.Log(6, 25), samples: 1, filter: 1, texels: a.Log(0.1, 0.4), rounds: 1, color: 4, blend: a.Between(0.4, 1),
		draws: a.Log(30, 1500)}))
}

// kernel draws a dispatch of a kind.
func (a *author) kernel(kind string) pass {
	n := a.pixels * a.Log(0.3, 2)
	k := kernel{name: kind, invocations: n, second: a.Between(0.3, 0.48), dependency: a.Between(1, 2), spread: a.Between(0.02, 0.3),
		miss: a.Between(0.2, 0.6), rounds: a.Whole(2, 6), alu: a.Log(20, 100), loads: 1, stores: 1, apart: 1}
	if a.m.xe2 {
		k.second = a.Between(0.15, 0.4)
	}
	switch kind {
	case "matrix":
		k.alu, k.local, k.loads, k.rounds, k.miss = a.Log(150, 500), a.Between(2, 6), a.Between(1, 2), a.Whole(4, 8), a.Between(0.05, 0.3)
	case "stream":
		k.alu, k.loads, k.rounds, k.miss, k.stores = a.Log(10, 30), a.Between(1, 4), a.Whole(1, 2), a.Between(0.9, 1), a.Between(1, 2)
	case "stencil":
		k.alu, k.loads, k.miss = a.Log(40, 120), a.Between(3, 8), a.Between(0.1, 0.35)
	case "gather":
		k.alu, k.loads, k.apart, k.miss = a.Log(20, 80), a.Between(1, 2), a.Between(3, 12), a.Between(0.1, 0.5)
	case "chase":
		k.alu, k.loads, k.apart, k.miss, k.rounds, k.rows = a.Log(10, 40), 1, 1, a.Between(0.4, 0.9), a.Whole(6, 16), a.Whole(1, 3)
	case "sort":
		k.alu, k.local, k.conflicts, k.rounds = a.Log(40, 120), a.Between(3, 10), a.Between(1, 4), a.Whole(4, 8)
	case "image":
		k.loads, k.samples, k.texels, k.alu = 0, a.Between(2, 8), a.Log(0.05, 0.3), a.Log(20, 150)
	case "numeric":
		k.alu, k.loads, k.rounds, k.miss = a.Log(300, 2000), 1, a.Whole(2, 4), a.Between(0.1, 0.5)
	case "rays":
		k.alu, k.rays, k.loads, k.miss, k.invocations = a.Log(40, 200), a.Between(0.5, 1.5), 1, a.Between(0.1, 0.4), n*a.Between(0.3, 1)
	}
	k.alu *= a.rich
	return a.m.compute(k)
}

func (a *author) model() pass {
	d := drawing{name: "model", pixels: a.pixels, overdraw: a.Between(0.5, 2), hidden: a.Between(0.1, 0.4), early: a.Between(0.1, 0.3),
		vertices: a.Log(5e5, 4e6), triangle: a.Between(0.8, 1.9), culled: a.Between(0.2, 0.6), attributes: a.Between(1, 2),
		vertexALU: a.Between(15, 60), alu: a.Between(15, 60), loads: 1, rounds: 1, color: 4, depth: 2}
	d.draws = d.vertices / a.Log(200, 20000)
	return a.m.draw(a.shader(d))
}

// programs are the kinds of programs: how common they are on Gen9 and on Lunar Lake, and the passes of a frame, by their
// names. One with a question mark is there in half of them, one with a star one to three times.
var programs = []program{
	{"deferred game", "shadow* G-buffer lighting alpha image? stencil? post* interface", 3, 3},
	{"forward game", "shadow? depth? opaque alpha post? post? interface", 4, 4},
	{"game with much alpha", "opaque alpha alpha alpha post? interface", 2, 2},
	{"CAD", "model* model? interface", 1, 1},
	{"desktop", "interface* interface? post? post?", 1.5, 1.5},
	{"video", "image scale post? interface", 1.5, 1.5},
	{"inference", "matrix* stream? numeric? matrix* stream?", 2, 2},
	{"simulation", "stencil* stream? numeric? gather? stream?", 1.5, 1.5},
	{"analysis", "chase? gather* sort* stream?", 1, 1},
	{"photographs", "image* stream? stencil? image?", 1, 1},
	{"ray tracer", "G-buffer rays image post*", 0, 1.5},
	{anyPasses, "shadow? opaque? alpha? post? interface? G-buffer? matrix? stream? stencil? gather? chase? sort? image? numeric?", 0, 0},
}

type program struct {
	name, passes string
	gen9, xe2    float64
}

const anyPasses = "passes of any kind"

// kindOf draws a kind of program.
func (a *author) kindOf() string {
	var weights []float64
	for _, p := range programs {
		if weights = append(weights, p.gen9); a.m.xe2 {
			weights[len(weights)-1] = p.xe2
		}
	}
	return programs[a.Weighted(weights)].name
}

// program draws the passes of a program of a kind.
func (a *author) program(kind string) (list []pass) {
	i := slices.IndexFunc(programs, func(p program) bool { return p.name == kind })
	for _, word := range strings.Fields(programs[i].passes) {
		name, often := strings.TrimRight(word, "?*"), 1
		switch {
		case strings.HasSuffix(word, "*"):
			often = a.Whole(1, 3)
		case strings.HasSuffix(word, "?") && a.Chance(map[bool]float64{true: 0.7, false: 0.5}[kind == anyPasses]):
			often = 0
		}
		for range often {
			list = append(list, a.named(name))
		}
	}
	if len(list) == 0 {
		list = append(list, a.opaque("opaque"))
	}
	return list
}

func (a *author) named(name string) pass {
	switch name {
	case "shadow":
		return a.shadow()
	case "depth":
		return a.prepass()
	case "opaque", "G-buffer":
		return a.opaque(name)
	case "alpha":
		return a.alpha()
	case "model":
		return a.model()
	case "post", "lighting", "scale":
		return a.post(name)
	case "interface":
		return a.interfaces()
	}
	return a.kernel(name)
}

// plant draws a pass that one unit limits.
func (a *author) plant(cause int) pass {
	d := drawing{name: candidates[cause].Name, pixels: a.pixels, overdraw: a.Between(1, 2), vertices: 6e3, triangle: 1, vertexALU: 20,
		alu: a.Between(4, 8) / a.rich, rounds: 1, color: 4, miss: 0.1, fill: 0.97, draws: 20}
	k := kernel{name: candidates[cause].Name, invocations: a.pixels, second: 0.4, dependency: 1.2, miss: 0.05, rounds: 4, alu: 16, loads: 0,
		stores: 0.5, apart: 1, spread: 0.1}
	switch cause {
	case arithmetic:
		if a.Chance(0.5) {
			k.alu, k.loads, k.rounds = a.Log(500, 2000)*a.rich, 1, a.Whole(2, 4)
			return a.m.compute(k)
		}
		d.alu, d.samples, d.texels, d.rounds = a.Between(150, 400), 2, 0.1, 2
	case texture:
		d.samples, d.filter, d.texels, d.rounds = float64(a.Whole(5, 12)), a.Between(2, 4), a.Between(0.02, 0.1), a.Whole(1, 3)
	case loadStore:
		k.loads, k.apart, k.rounds, k.alu = a.Between(2, 4), a.Between(3, 8), a.Whole(3, 6), 30
		p := a.m.compute(k)
		for i := range p.program { // most hits lines that it has combined already, or its own cache
			p.program[i].lines *= 0.3
			if a.m.xe2 {
				p.program[i].lines = 0.2
			}
		}
		return p
	case localMemory:
		k.local, k.conflicts, k.rounds, k.alu = a.Between(4, 8), a.Between(2, 6), a.Whole(4, 8), 40
		return a.m.compute(k)
	case rayTracing:
		k.rays, k.alu = a.Between(1, 2), 60
		return a.m.compute(k)
	case vertexFetch:
		d.vertices, d.triangle, d.attributes, d.vertexALU, d.pixels = 2e6, 0.4, a.Between(2, 3), 12, 4e5
	case clipper:
		d.vertices, d.triangle, d.culled, d.pixels, d.vertexALU = 1e6, 1.95, a.Between(0.8, 0.95), 4e5, 12
	case setup:
		d.vertices, d.triangle, d.culled, d.pixels, d.overdraw, d.vertexALU, d.hidden = 8e5, 1.3, 0, 3e5, 1, 12, 0.5
	case rasterizer:
		d.color, d.alu, d.overdraw, d.hidden, d.early, d.depth = 0, 0, a.Between(8, 14), 0.3, 0.4, 0.05
		d.vertices = a.Log(1e4, 5e4)
	case hierarchicalDepth:
		d.color, d.alu, d.overdraw, d.hidden, d.early, d.depth = 0, 0, 20, 0.95, 0.5, 0.3
	case earlyDepth:
		d.color, d.alu, d.overdraw, d.hidden, d.early, d.depth, d.fill, d.vertices = 0, 0, 12, 0.02, 0.9, 0.05, 1, 2e3
	case pixelBackend:
		d.overdraw, d.blend, d.rounds, d.kill = a.Between(3, 8), a.Between(0.85, 1), 1, 0
	case bandwidth:
		if a.Chance(0.5) {
			return a.kernel("stream")
		}
		d.samples, d.texels, d.miss, d.alu, d.color = 3, a.Between(0.6, 1), a.Between(0.8, 0.95), 8, 8
	case latency:
		return a.kernel("chase")
	case cache:
		k.loads, k.apart, k.rounds, k.alu, k.miss, k.stores = a.Between(2, 4), 2, a.Whole(4, 8), 12, 0.001, 0
		p := a.m.compute(k)
		for i := range p.program { // each reads what the others have written
			p.program[i].lines = p.program[i].amount
		}
		return p
	}
	p := a.m.draw(a.shader(d))
	if p.tests = 1; cause == earlyDepth { // stencil too, and several samples
		p.tests = a.Between(1.8, 2.5)
	}
	return p
}
