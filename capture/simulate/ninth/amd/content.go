package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// pass is a kind of pass: how long it needs each unit, by its longest.
type pass struct {
	name  string
	queue int
	need  [units]float64
	hold  float64 // as of a job
	draws float64 // how many times the pipe has to be emptied, about
	share float64 // of a frame's time, about
}

// The columns are vertices, primitives, raster, arithmetic, local memory, texture, loads, depth, colour, cache,
// bandwidth and latency.
var passes = map[string]pass{
	"prepass":   {"depth pre-pass", qGraphics, [units]float64{.9, .7, .5, .1, 0, .05, .1, .8, 0, .3, .4, .4}, .8, 2, .6},
	"shadow":    {"shadow maps", qGraphics, [units]float64{.8, .6, .6, .1, 0, .1, .1, .9, 0, .3, .5, .4}, .8, 4, 1},
	"gbuffer":   {"geometry buffer", qGraphics, [units]float64{.5, .35, .4, .6, 0, .7, .2, .5, .7, .5, .7, .5}, .6, 4, 1.5},
	"forward":   {"forward shading", qGraphics, [units]float64{.3, .2, .3, .9, .05, .8, .3, .4, .4, .5, .5, .5}, .5, 4, 2.5},
	"foliage":   {"foliage", qGraphics, [units]float64{.6, .6, .8, .3, 0, .6, .1, .9, .4, .4, .5, .4}, .7, 3, .9},
	"terrain":   {"tessellated terrain", qGraphics, [units]float64{1, .9, .5, .3, .2, .4, .2, .4, .3, .4, .4, .3}, .9, 2, .8},
	"lighting":  {"lighting", qGraphics, [units]float64{0, 0, .1, .9, .2, .6, .4, .1, .3, .5, .6, .3}, .05, 3, 1.5},
	"effects":   {"screen-space effects", qGraphics, [units]float64{0, 0, .1, .6, .1, .9, .3, 0, .2, .7, .5, .8}, .05, 5, 1},
	"rays":      {"ray tracing", qGraphics, [units]float64{0, 0, .02, .7, .2, .7, .4, 0, .1, .7, .4, 1}, .02, 3, 2},
	"particles": {"blended particles", qGraphics, [units]float64{.2, .15, .5, .3, 0, .5, .1, .3, 1, .4, .8, .3}, .3, 2, .9},
	"post":      {"post-processing", qGraphics, [units]float64{0, 0, .1, .5, .2, .7, .4, 0, .5, .5, .9, .3}, .03, 8, 1},
	"upscale":   {"upscaler", qGraphics, [units]float64{0, 0, 0, .9, .3, .6, .4, 0, .05, .4, .6, .3}, .02, 4, .7},
	"ui":        {"user interface", qGraphics, [units]float64{.2, .1, .3, .2, 0, .4, .1, .05, .9, .3, .6, .2}, .3, 3, .4},
	"widgets":   {"windows and text", qGraphics, [units]float64{.15, .1, .2, .3, 0, .6, .1, .05, .7, .4, .8, .3}, .2, 6, 1},
	"scaling":   {"video scaling", qGraphics, [units]float64{0, 0, .1, .3, 0, .9, .1, 0, .4, .4, .8, .3}, .03, 2, 1},
	"culling":   {"culling", qCompute, [units]float64{0, 0, 0, .3, .2, 0, .5, 0, 0, .4, .4, .9}, 0, 5, .5},
	"skinning":  {"skinning", qCompute, [units]float64{0, 0, 0, .4, 0, 0, .9, 0, 0, .5, .7, .4}, 0, 3, .5},
	"async":     {"lighting beside shadows", qCompute, [units]float64{0, 0, 0, .9, .3, .6, .3, 0, 0, .5, .4, .3}, 0, 4, .8},
	"gemm":      {"matrix product", qCompute, [units]float64{0, 0, 0, 1, .75, 0, .5, 0, 0, .5, .4, .3}, 0, 30, 2},
	"decode":    {"weights read once", qCompute, [units]float64{0, 0, 0, .3, .1, 0, .5, 0, 0, .4, 1, .4}, 0, 80, 2},
	"attention": {"attention", qCompute, [units]float64{0, 0, 0, .7, .9, 0, .4, 0, 0, .5, .5, .4}, 0, 30, 1},
	"convolve":  {"convolutions", qCompute, [units]float64{0, 0, 0, .9, .7, .1, .7, 0, 0, .6, .5, .3}, 0, 60, 2},
	"pointwise": {"point by point", qCompute, [units]float64{0, 0, 0, .2, 0, 0, .6, 0, 0, .5, 1, .3}, 0, 40, 1},
	"bodies":    {"forces", qCompute, [units]float64{0, 0, 0, 1, .5, 0, .3, 0, 0, .3, .1, .2}, 0, 4, 2},
	"stencil":   {"stencil", qCompute, [units]float64{0, 0, 0, .4, .4, 0, .7, 0, 0, .9, .9, .5}, 0, 6, 2},
	"graph":     {"graph", qCompute, [units]float64{0, 0, 0, .15, .1, 0, .6, 0, 0, .6, .5, 1}, 0, 20, 2},
	"sort":      {"sort", qCompute, [units]float64{0, 0, 0, .4, .9, 0, .8, 0, 0, .6, .8, .4}, 0, 25, 1.5},
	"gather":    {"tables in the cache", qCompute, [units]float64{0, 0, 0, .4, .1, 0, .8, 0, 0, 1, .3, .5}, 0, 8, 2},
	"copy":      {"uploads", qCopy, [units]float64{0, 0, 0, 0, 0, 0, 0, 0, 0, .05, .15, 1}, 0, 1, .1},
}

// archetype is a kind of program.
type archetype struct {
	name        string
	passes      []string   // those with a question mark are in half of the programs
	app, driver [2]float64 // the threads' time by the graphics core's
	frame       [2]float64 // ms that the graphics core needs
	paced       float64    // how often a display or the program itself paces it
	wait        float64    // how often it waits for results
	often       float64    // launches by the usual
}

var game = archetype{app: [2]float64{.15, 1.5}, driver: [2]float64{.06, .8}, frame: [2]float64{3, 35}, paced: .45, wait: .04, often: 1}
var sums = archetype{app: [2]float64{.01, .4}, driver: [2]float64{.02, .4}, frame: [2]float64{2, 60}, wait: .4, often: 1}

func (a archetype) of(name string, passes ...string) archetype {
	a.name, a.passes = name, passes
	return a
}

var archetypes = []archetype{
	game.of("game with deferred shading", "shadow", "?prepass", "gbuffer", "?effects", "lighting", "?particles", "post", "ui",
		"?culling", "?async", "?copy"),
	game.of("game with forward shading", "?shadow", "prepass", "forward", "?particles", "post", "ui", "?copy"),
	game.of("open world", "shadow", "terrain", "foliage", "gbuffer", "lighting", "post", "?upscale", "ui", "?culling", "copy"),
	game.of("game with ray tracing", "gbuffer", "rays", "lighting", "post", "upscale", "ui", "?async"),
	game.of("game with many particles", "forward", "particles", "?particles", "post", "ui"),
	game.of("old or small game", "forward", "ui"),
	{"emulator", []string{"forward", "ui", "?scaling"}, [2]float64{1, 6}, [2]float64{.2, 2}, [2]float64{.8, 6}, .5, .25, 2},
	{"strategy game", []string{"shadow", "forward", "ui"}, [2]float64{.8, 3}, [2]float64{.4, 2}, [2]float64{3, 15}, .3, .03, 1.5},
	{"desktop", []string{"widgets", "?widgets", "?copy"}, [2]float64{.4, 3}, [2]float64{.3, 1.5}, [2]float64{.6, 5}, .9, .05, 1},
	{"video player", []string{"scaling", "ui", "?copy"}, [2]float64{.3, 1.5}, [2]float64{.2, .8}, [2]float64{.6, 4}, 1, 0, 1},
	{"drawing program", []string{"terrain", "forward", "?widgets"}, [2]float64{.3, 3}, [2]float64{.3, 2.5}, [2]float64{2, 30}, .3, .15, 2},
	sums.of("language model, a token at a time", "decode", "attention", "?pointwise"),
	sums.of("training", "gemm", "attention", "pointwise", "?copy"),
	sums.of("image model", "convolve", "attention", "pointwise"),
	sums.of("inference of small batches", "convolve", "?pointwise"),
	sums.of("particle simulation", "bodies", "?sort"),
	sums.of("fluid simulation", "stencil", "pointwise"),
	sums.of("database on the GPU", "graph", "sort", "?gather"),
	sums.of("path tracer", "rays", "?pointwise"),
}

// makeJob draws a pass that takes so many ns alone at the highest clock; often multiplies its launches.
func makeJob(r simulate.Random, p pass, ns, often, varied float64) job {
	j := job{name: p.name, queue: p.queue, sharp: simulate.Pick(r, 4, 8, 8, 16), hold: p.hold * r.Between(0.6, 1.1),
		behind: r.Between(0.1, 0.6), target: 0.05}
	if p.need[uDepth]+p.need[uPixel] > 0.5 {
		j.target = r.Between(0.3, 0.8)
	}
	need := p.need
	for u := range need {
		need[u] *= r.Spread(varied)
	}
	n := r.Whole(1, 3)
	// Emptying the pipe, writing caches back and reading the next commands takes some microseconds.
	launch := p.draws * r.Spread(0.6) * often * r.Between(2.5e3, 9e3)
	launch = min(launch, 3*ns)
	for range n {
		x := part{need: need, launch: launch / float64(n)}
		for u := range x.need {
			x.need[u] *= r.Spread(0.25)
		}
		x.scale(ns/float64(n), j.sharp)
		j.parts = append(j.parts, x)
	}
	return j
}

// scale makes the part's work take ns.
func (x *part) scale(ns float64, sharp int) {
	longest, norm := 0.0, 0.0
	for _, v := range x.need {
		longest = max(longest, v)
	}
	for _, v := range x.need {
		norm += power(v/longest, sharp)
	}
	by := ns / (longest * root(norm, sharp))
	for u := range x.need {
		x.need[u] *= by
	}
}

// makeContent draws what a frame consists of.
func makeContent(r simulate.Random, name string, list []pass, ns, often, varied float64) content {
	c := content{name: name}
	sum := 0.0
	shares := make([]float64, len(list))
	for i, p := range list {
		shares[i] = p.share * r.Spread(0.5)
		sum += shares[i]
	}
	graphics := false
	for _, p := range list {
		graphics = graphics || p.queue == qGraphics
	}
	last := map[int]int{}
	for i, p := range list {
		j := makeJob(r, p, ns*shares[i]/sum, often, varied)
		j.submit = (float64(i) + 0.5) / float64(len(list))
		switch {
		case j.queue == qCompute && graphics: // beside the picture, whose later passes need it
			if len(c.jobs) > 0 && r.Chance(0.6) {
				j.after = append(j.after, after{job: r.IntN(len(c.jobs))})
			}
		case j.queue == qGraphics:
			if k, ok := last[qCompute]; ok && r.Chance(0.7) {
				j.after = append(j.after, after{job: k})
			}
		}
		last[j.queue] = len(c.jobs)
		c.jobs = append(c.jobs, j)
	}
	return c
}

// choose draws which passes a program of a kind has. Work on other queues stands among the first.
func (a *archetype) choose(r simulate.Random) (list []pass) {
	var beside []pass
	for _, name := range a.passes {
		if name[0] == '?' {
			if name = name[1:]; r.Chance(0.5) {
				continue
			}
		}
		p := passes[name]
		if p.queue != qGraphics && len(a.passes) > 0 && passes[a.passes[0]].queue == qGraphics {
			beside = append(beside, p)
			continue
		}
		list = append(list, p)
	}
	for _, p := range beside {
		at := r.IntN(len(list))
		list = append(list[:at:at], append([]pass{p}, list[at:]...)...)
	}
	return list
}

// lone is the ns of a content's jobs on its main queue, launches included, at the highest clock.
func (c *content) lone() float64 {
	var sum [queues]float64
	for i := range c.jobs {
		j := &c.jobs[i]
		for k := range j.parts {
			x := &j.parts[k]
			longest, norm := 1.0, 0.0
			for _, v := range x.need {
				longest = max(longest, v)
			}
			for _, v := range x.need {
				norm += power(v/longest, j.sharp)
			}
			sum[j.queue] += x.launch + longest*root(norm, j.sharp)
		}
	}
	return math.Max(sum[qGraphics], sum[qCompute])
}
