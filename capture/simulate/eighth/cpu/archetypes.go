package cpu

import "astrolabe/capture/simulate"

// draft makes programs for a scene.
type draft struct {
	*scene
	r simulate.Random
}

// any is a number of threads as people choose them.
func (d *draft) any() int {
	return simulate.Pick(d.r, 1, 1, 2, d.m.own(), len(d.m.cpus))
}

// work is a segment of code by one of the names that takes about so many ns on a core that has all for itself.
func (d *draft) work(ns float64, names ...string) segment {
	return d.run(ns, vary(d.r, simulate.Pick(d.r, names...)))
}

func (d *draft) run(ns float64, p *profile) segment {
	c := &d.m.classes[0]
	s := stackOf(p, c, missesOf(p, c, d.m.llc/4), &conditions{ghz: c.highest, llcNs: d.m.llcNs, memNs: d.m.memNs}, simulate.Candidate{})
	d.codes = append(d.codes, p)
	return segment{code: len(d.codes) - 1, instructions: max(500, ns*c.highest/s.cycles())}
}

// locked is the segment under the lock, with a probability.
func (d *draft) locked(chance float64, s segment) segment {
	s.lock = d.r.Chance(chance)
	return s
}

// after is the segment once storage has answered, with a probability.
func (d *draft) after(chance, least, most float64, s segment) segment {
	if d.r.Chance(chance) {
		s.reads = 1024 * d.r.Log(least, most)
	}
	return s
}

// pool is threads that take one unit after the other.
func pool(name string, threads int, spread float64, segments ...segment) *program {
	return &program{name: name, groups: []int{threads}, window: threads, batch: 1, spread: spread, stages: []stage{{0, 1, segments}}}
}

// steps is a thread that does a part alone and then lets others do the rest together.
func steps(name string, threads, parts int, spread float64, serial, parallel segment) *program {
	return &program{name: name, groups: []int{1, threads}, window: 1, batch: 1, spread: spread,
		stages: []stage{{0, 1, []segment{serial}}, {1, parts, []segment{parallel}}}}
}

// line is threads that hand units on.
func line(name string, window int, segments ...segment) *program {
	p := &program{name: name, window: window, loose: window == 1 && len(segments) > 1, batch: 1, spread: 0.2}
	for i, s := range segments {
		p.groups, p.stages = append(p.groups, 1), append(p.stages, stage{i, 1, []segment{s}})
	}
	return p
}

// at lets dates or requests start a program's units, with a probability.
func (p *program) at(r simulate.Random, chance float64, pace simulate.Candidate) *program {
	if r.Chance(chance) {
		p.pace = pace
	}
	return p
}

// archetypes are kinds of programs; each is drawn anew. t is the time of a unit or so.
var archetypes = []func(d *draft, r simulate.Random) *program{
	func(d *draft, r simulate.Random) *program { // requests of users
		t := r.Log(0.15e6, 3e6)
		first := d.after(0.25, 4, 64, d.work(t*0.6, "service"))
		second := first
		second.reads = 0
		if second.instructions *= 0.6; r.Chance(0.35) {
			second.instructions *= r.Log(0.02, 0.4)
			second.lock = true
		}
		return pool("web service", max(1, int(float64(len(d.m.cpus))*r.Log(0.3, 2.5))), 0.5, first, second).at(r, 0.4, simulate.DisplayRequest)
	},
	func(d *draft, r simulate.Random) *program { // parse, read pages, change something under a latch, write the log
		t := r.Log(0.1e6, 2e6)
		return pool("database", r.Whole(2, 2*len(d.m.cpus)), 0.5, d.work(t*0.25, "service"), d.after(0.55, 8, 128, d.work(t*r.Between(0.4, 1), "database")),
			d.locked(0.7, d.work(t*r.Log(0.01, 0.25), "database")), d.after(0.4, 4, 16, d.work(15e3, "kernel"))).at(r, 0.2, simulate.DisplayRequest)
	},
	func(d *draft, r simulate.Random) *program { // make -j
		return pool("compiler", simulate.Pick(r, 1, 2, d.m.own(), len(d.m.cpus), len(d.m.cpus)+2), 0.6,
			d.after(0.5, 64, 1024, d.work(r.Log(4e6, 40e6), "compiler")), d.work(r.Log(0.2e6, 3e6), "fresh"))
	},
	func(d *draft, r simulate.Random) *program { // the world, jobs, and the commands for the GPU
		t, jobs := r.Log(3e6, 16e6), r.Whole(2, max(2, d.m.own()-2))
		p := line("game", r.Whole(1, 2), d.work(t*r.Between(0.3, 0.7), "game"), d.work(t*r.Between(0.1, 0.4), "game", "dense", "sparse"),
			d.work(t*r.Between(0.2, 0.6), "service"))
		p.groups[1], p.stages[1].parts = jobs, jobs
		return p.at(r, 0.4, timer)
	},
	func(d *draft, r simulate.Random) *program { // a step of time on a grid
		t, n := r.Log(1e6, 12e6), max(1, int(float64(d.m.own())*simulate.Pick(r, 0.5, 1, 1, 1)))
		return steps("numerical code", n, n, r.Between(0.02, 0.15), d.work(max(1e4, t*r.Log(0.005, 0.15)), "hash"),
			d.work(t, "stencil", "stream", "sparse", "dense"))
	},
	func(d *draft, r simulate.Random) *program { // a script, and what its libraries do
		t := r.Log(1e6, 8e6)
		return pool("interpreter", simulate.Pick(r, 1, 1, 1, 2, 4), 0.25, d.after(0.25, 4, 256, d.work(t, "script")),
			d.work(t*r.Log(0.03, 1.5), "dense", "sparse", "chase", "fresh", "script"))
	},
	func(d *draft, r simulate.Random) *program {
		return pool("graph search", d.any(), 0.4, d.work(r.Log(0.5e6, 5e6), "graph", "chase", "chase"))
	},
	func(d *draft, r simulate.Random) *program {
		return pool("compression", d.any(), 0.3, d.after(0.35, 64, 1024, d.work(r.Log(0.5e6, 6e6), "branchy")), d.work(r.Log(0.05e6, 1e6), "hash"))
	},
	func(d *draft, r simulate.Random) *program {
		return pool("scan of files", r.Whole(1, 8), 0.3, d.after(1, 32, 1024, d.work(r.Log(0.05e6, 1e6), "branchy", "stream", "hash", "kernel")))
	},
	func(d *draft, r simulate.Random) *program { // a picture of a film is cut into rows
		return steps("video encoder", d.m.own(), 2*d.m.own(), 0.3, d.work(r.Log(0.2e6, 1.5e6), "codec"),
			d.work(r.Log(1e6, 6e6), "codec", "dense")).at(r, 0.25, timer)
	},
	func(d *draft, r simulate.Random) *program { // sound, or the control of a machine
		return line("control loop", 1, d.work(r.Log(0.2e6, 3e6), "dense", "game"), d.work(r.Log(0.1e6, 1e6), "codec")).at(r, 1, timer)
	},
	func(d *draft, r simulate.Random) *program { // messages through one table
		t := r.Log(30e3, 300e3)
		return pool("message broker", r.Whole(3, len(d.m.cpus)+4), 0.4, d.work(t, "service"),
			d.locked(1, d.work(t*r.Log(0.05, 0.7), "chase", "database", "service")))
	},
	func(d *draft, r simulate.Random) *program {
		return pool("allocation", d.any(), 0.3, d.work(r.Log(0.5e6, 4e6), "fresh"), d.work(r.Log(0.1e6, 2e6), "script", "branchy", "stream"))
	},
	func(d *draft, r simulate.Random) *program { // read, decode, filter
		t := r.Log(0.3e6, 4e6)
		return line("pipeline", simulate.Pick(r, 1, 3, 4), d.after(0.3, 16, 512, d.work(t*r.Between(0.3, 1.2), "branchy")),
			d.work(t*r.Between(0.4, 1.2), "codec"), d.work(t*r.Between(0.3, 1.2), "stencil"))
	},
}

// mixture is a program that no one has named.
func mixture(d *draft, r simulate.Random) *program {
	t := r.Log(0.1e6, 6e6)
	part := func() segment { return d.run(t*r.Log(0.1, 1), anyCode(r)) }
	n := r.Whole(1, d.m.own())
	switch r.IntN(3) {
	case 0:
		return pool("mixture of units", r.Whole(1, len(d.m.cpus)+3), r.Between(0, 0.6), d.after(0.3, 4, 512, part()), d.locked(0.3, part())).
			at(r, 0.15, simulate.DisplayRequest)
	case 1:
		serial := part()
		serial.instructions *= r.Log(0.02, 1)
		return steps("mixture of steps", n, n, r.Between(0, 0.3), serial, part()).at(r, 0.15, timer)
	}
	return line("mixture in a line", r.Whole(1, 4), part(), part(), part()).at(r, 0.1, timer)
}

// inTurn is threads that work one after the other although they need not.
func inTurn(d *draft, r simulate.Random) *program {
	t := r.Log(0.3e6, 6e6)
	var list []segment
	for range r.Whole(2, 4) {
		list = append(list, d.work(t*r.Between(0.6, 1.3), "game", "branchy", "script", "codec", "service", "database", "stencil"))
	}
	return line("threads in turn", 1, list...)
}

// addOthers puts programs beside ours that ask for so much of all CPUs.
func (d *draft) addOthers(share float64, nice bool) {
	n := max(1, int(float64(len(d.m.cpus))*max(0.5, share)+0.5))
	for range n {
		every := d.r.Log(2e6, 12e6)
		s := d.work(every*share*float64(len(d.m.cpus))/float64(n), "compiler", "branchy", "codec", "script", "stencil")
		d.others = append(d.others, other{s.code, s.instructions, every, nice})
	}
}
