package amd

import "astrolabe/capture/simulate"

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
var passes = []pass{
	{"prepass", qGraphics, [units]float64{.9, .7, .5, .1, 0, .05, .1, .8, 0, .3, .4, .4}, .8, 2, .6},
	{"shadow", qGraphics, [units]float64{.8, .6, .6, .1, 0, .1, .1, .9, 0, .3, .5, .4}, .8, 4, 1},
	{"gbuffer", qGraphics, [units]float64{.5, .35, .4, .6, 0, .7, .2, .5, .7, .5, .7, .5}, .6, 4, 1.5},
	{"forward", qGraphics, [units]float64{.3, .2, .3, .9, .05, .8, .3, .4, .4, .5, .5, .5}, .5, 4, 2.5},
	{"foliage", qGraphics, [units]float64{.6, .6, .8, .3, 0, .6, .1, .9, .4, .4, .5, .4}, .7, 3, .9},
	{"terrain", qGraphics, [units]float64{1, .9, .5, .3, .2, .4, .2, .4, .3, .4, .4, .3}, .9, 2, .8}, // tessellated
	{"lighting", qGraphics, [units]float64{0, 0, .1, .9, .2, .6, .4, .1, .3, .5, .6, .3}, .05, 3, 1.5},
	{"effects", qGraphics, [units]float64{0, 0, .1, .6, .1, .9, .3, 0, .2, .7, .5, .8}, .05, 5, 1}, // in screen space
	{"rays", qGraphics, [units]float64{0, 0, .02, .7, .2, .7, .4, 0, .1, .7, .4, 1}, .02, 3, 2},
	{"particles", qGraphics, [units]float64{.2, .15, .5, .3, 0, .5, .1, .3, 1, .4, .8, .3}, .3, 2, .9}, // blended
	{"post", qGraphics, [units]float64{0, 0, .1, .5, .2, .7, .4, 0, .5, .5, .9, .3}, .03, 8, 1},
	{"upscale", qGraphics, [units]float64{0, 0, 0, .9, .3, .6, .4, 0, .05, .4, .6, .3}, .02, 4, .7},
	{"ui", qGraphics, [units]float64{.2, .1, .3, .2, 0, .4, .1, .05, .9, .3, .6, .2}, .3, 3, .4},
	{"widgets", qGraphics, [units]float64{.15, .1, .2, .3, 0, .6, .1, .05, .7, .4, .8, .3}, .2, 6, 1},
	{"scaling", qGraphics, [units]float64{0, 0, .1, .3, 0, .9, .1, 0, .4, .4, .8, .3}, .03, 2, 1}, // of a video
	{"culling", qCompute, [units]float64{0, 0, 0, .3, .2, 0, .5, 0, 0, .4, .4, .9}, 0, 5, .5},
	{"async", qCompute, [units]float64{0, 0, 0, .9, .3, .6, .3, 0, 0, .5, .4, .3}, 0, 4, .8}, // lighting beside shadows
	{"gemm", qCompute, [units]float64{0, 0, 0, 1, .75, 0, .5, 0, 0, .5, .4, .3}, 0, 30, 2},
	{"decode", qCompute, [units]float64{0, 0, 0, .3, .1, 0, .5, 0, 0, .4, 1, .4}, 0, 80, 2}, // weights are read once
	{"attention", qCompute, [units]float64{0, 0, 0, .7, .9, 0, .4, 0, 0, .5, .5, .4}, 0, 30, 1},
	{"convolve", qCompute, [units]float64{0, 0, 0, .9, .7, .1, .7, 0, 0, .6, .5, .3}, 0, 60, 2},
	{"pointwise", qCompute, [units]float64{0, 0, 0, .2, 0, 0, .6, 0, 0, .5, 1, .3}, 0, 40, 1},
	{"bodies", qCompute, [units]float64{0, 0, 0, 1, .5, 0, .3, 0, 0, .3, .1, .2}, 0, 4, 2},
	{"stencil", qCompute, [units]float64{0, 0, 0, .4, .4, 0, .7, 0, 0, .9, .9, .5}, 0, 6, 2},
	{"graph", qCompute, [units]float64{0, 0, 0, .15, .1, 0, .6, 0, 0, .6, .5, 1}, 0, 20, 2},
	{"sort", qCompute, [units]float64{0, 0, 0, .4, .9, 0, .8, 0, 0, .6, .8, .4}, 0, 25, 1.5},
	{"gather", qCompute, [units]float64{0, 0, 0, .4, .1, 0, .8, 0, 0, 1, .3, .5}, 0, 8, 2}, // from tables in the cache
	{"kernel", qCompute, [units]float64{0, 0, 0, .6, .3, 0, .5, 0, 0, .5, .5, .5}, 0, 3, 1},
	{"copy", qCopy, [units]float64{0, 0, 0, 0, 0, 0, 0, 0, 0, .05, .15, 1}, 0, 1, .1},
}

func passOf(name string) pass {
	for _, p := range passes {
		if p.name == name {
			return p
		}
	}
	panic("there is no pass " + name)
}

// archetype is a kind of program.
type archetype struct {
	name        string
	app, driver [2]float64 // the threads' time by the graphics core's
	frame       [2]float64 // ms that the graphics core needs
	paced, wait float64    // how often a display or the program itself paces it, and how often it waits for results
	often       float64    // launches by the usual
	passes      []string   // those with a question mark are in half of the programs
}

func game(name string, passes ...string) archetype {
	return archetype{name, [2]float64{.25, 1.3}, [2]float64{.1, .9}, [2]float64{3, 35}, 0.35, .04, 1, passes}
}

func sums(name string, passes ...string) archetype {
	return archetype{name, [2]float64{.01, .4}, [2]float64{.02, .4}, [2]float64{2, 60}, 0, .22, 1, passes}
}

var archetypes = []archetype{
	game("game with deferred shading", "shadow", "?prepass", "gbuffer", "?effects", "lighting", "?particles", "post", "ui",
		"?culling", "?async", "?copy"),
	game("game with forward shading", "prepass", "?shadow", "forward", "?particles", "post", "ui", "?copy"),
	game("open world", "shadow", "terrain", "foliage", "gbuffer", "lighting", "post", "?upscale", "ui", "?culling", "copy"),
	game("game with ray tracing", "gbuffer", "rays", "lighting", "post", "upscale", "ui", "?async"),
	game("game with many particles", "forward", "particles", "?particles", "post", "ui"),
	game("old or small game", "forward", "ui"),
	game("game in two dimensions", "ui", "particles", "?ui"),
	game("game with much foliage", "shadow", "prepass", "foliage", "?foliage", "post"),
	{"viewer of parts", [2]float64{.1, 1}, [2]float64{.05, 1.5}, [2]float64{4, 60}, .2, .05, 1, []string{"terrain", "terrain", "?prepass", "widgets"}},
	{"emulator", [2]float64{1, 6}, [2]float64{.2, 2}, [2]float64{.8, 6}, .5, .25, 2, []string{"forward", "ui", "?scaling"}},
	{"strategy game", [2]float64{.8, 3}, [2]float64{.4, 2}, [2]float64{3, 15}, .3, .03, 1.5, []string{"shadow", "forward", "ui"}},
	{"desktop", [2]float64{.4, 3}, [2]float64{.3, 1.5}, [2]float64{.6, 5}, .9, .05, 1, []string{"widgets", "?widgets", "?copy"}},
	{"video player", [2]float64{.3, 1.5}, [2]float64{.2, .8}, [2]float64{.6, 4}, 1, 0, 1, []string{"scaling", "ui", "?copy"}},
	{"drawing program", [2]float64{.3, 3}, [2]float64{.3, 2.5}, [2]float64{2, 30}, .3, .15, 2, []string{"terrain", "forward"}},
	sums("language model, a token at a time", "decode", "attention", "pointwise", "?gemm"),
	sums("training", "gemm", "attention", "pointwise", "?copy"),
	sums("image model", "convolve", "attention", "pointwise"),
	sums("particle simulation", "bodies", "?sort"),
	sums("fluid simulation", "stencil", "pointwise", "?gather", "?bodies"),
	sums("database on the GPU", "graph", "sort", "gather", "?copy"),
	sums("path tracer", "rays", "?pointwise"),
}

// choose draws which passes a program of a kind has. Those of other queues begin somewhere among the first's.
func (a *archetype) choose(r simulate.Random) (list []pass) {
	for _, name := range a.passes {
		if name[0] == '?' {
			if name = name[1:]; r.Chance(0.5) {
				continue
			}
		}
		p := passOf(name)
		list = append(list, p)
		if n := len(list); n > 1 && p.queue != list[0].queue {
			at := 1 + r.IntN(n-1)
			copy(list[at+1:], list[at:n-1])
			list[at] = p
		}
	}
	return list
}

// makeContent draws what a frame consists of: passes that take ns at the highest clock one after the other. often
// multiplies their launches, varied is how different one is from another of its kind.
func makeContent(r simulate.Random, name string, list []pass, ns, often, varied float64) *content {
	c := &content{name: name}
	sum := 0.0
	shares := make([]float64, len(list))
	for i, p := range list {
		shares[i] = p.share * r.Spread(0.5)
		sum += shares[i]
	}
	last := map[int]int{}
	for i, p := range list {
		j := job{queue: p.queue, sharp: simulate.Pick(r, 4, 4, 4, 8, 8, 16), hold: p.hold * r.Between(0.6, 1.1), behind: r.Between(0.1, 0.6),
			target: 0.05, submit: (float64(i) + 0.5) / float64(len(list))}
		if p.need[uDepth]+p.need[uPixel] > 0.5 {
			j.target = r.Between(0.3, 0.8)
		}
		for u := range p.need {
			p.need[u] *= r.Spread(varied)
		}
		n, time := r.Whole(2, 4), ns*shares[i]/sum
		// Emptying the pipe, writing caches back and reading the next commands takes some microseconds.
		launch := min(3*time, p.draws*r.Spread(0.6)*often*r.Between(2.5e3, 9e3))
		for range n {
			x := part{need: p.need, launch: launch / float64(n)}
			for u := range x.need {
				x.need[u] *= r.Spread(varied)
			}
			by := time / float64(n) / together(&x.need, j.sharp)
			for u := range x.need {
				x.need[u] *= by
			}
			j.parts = append(j.parts, x)
		}
		// Work on the compute queue stands beside the picture, whose later passes need it.
		if k, ok := last[qCompute]; ok && j.queue == qGraphics && r.Chance(0.7) {
			j.after = append(j.after, after{job: k})
		}
		if k, ok := last[qGraphics]; ok && j.queue == qCompute && r.Chance(0.6) {
			j.after = append(j.after, after{job: k})
		}
		last[j.queue] = i
		c.jobs = append(c.jobs, j)
	}
	return c
}

// lone is the ns of a content's jobs on its longest queue, launches included, at the highest clock.
func (c *content) lone() float64 {
	var sum [queues]float64
	for i := range c.jobs {
		for _, x := range c.jobs[i].parts {
			sum[c.jobs[i].queue] += x.launch + together(&x.need, c.jobs[i].sharp)
		}
	}
	return max(sum[qGraphics], sum[qCompute])
}

// shrink multiplies all of the content's work.
func (c *content) shrink(by float64) {
	for i := range c.jobs {
		for k := range c.jobs[i].parts {
			x := &c.jobs[i].parts[k]
			x.launch *= by
			for u := range x.need {
				x.need[u] *= by
			}
		}
	}
}
