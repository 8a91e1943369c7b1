package cpu

import "astrolabe/capture/simulate"

// draft makes programs for a scene.
type draft struct {
	*scene
	r simulate.Random
}

// cpus is how many threads the machine runs at once, cores how many have a core of their own.
func (d *draft) cores() int {
	n := 0
	for i, c := range d.m.cpus {
		if c.sibling < 0 || c.sibling > i {
			n++
		}
	}
	return n
}

func (d *draft) code(name string) int { return d.add(vary(d.r, name)) }

// work is a segment that takes about so many ns on a core that has all for itself.
func (d *draft) work(profile int, ns float64) segment {
	p, c := d.profiles[profile], &d.m.classes[0]
	m := missesOf(p, c, d.m.llc/4)
	s := stackOf(p, c, &m, &conditions{ghz: c.highest, llcNs: d.m.llcNs, memNs: d.m.memNs}, simulate.Candidate{})
	return segment{profile: profile, instructions: max(500, ns*c.highest/s.cycles())}
}

// locked is the segment under a lock.
func (s segment) locked(lock int) segment { s.lock = lock; return s }

// after is the segment once storage has answered.
func (s segment) after(bytes float64) segment { s.reads = bytes; return s }

// pool is threads that take one unit after the other.
func pool(name string, threads int, spread float64, segments ...segment) *program {
	return &program{name: name, groups: []int{threads}, window: threads, batch: 1,
		stages: []stage{{parts: 1, spread: spread, segments: segments}}}
}

// steps is a thread that does a part alone and then lets others do the rest together.
func steps(name string, threads, parts int, spread float64, serial, parallel segment) *program {
	return &program{name: name, groups: []int{1, threads}, window: 1, batch: 1, stages: []stage{{0, 1, []segment{serial}, spread},
		{1, parts, []segment{parallel}, spread}}}
}

// line is threads that hand units on.
func line(name string, window int, spread float64, segments ...segment) *program {
	p := &program{name: name, window: window, loose: window == 1, batch: 1}
	for i, s := range segments {
		p.groups = append(p.groups, 1)
		p.stages = append(p.stages, stage{i, 1, []segment{s}, spread})
	}
	return p
}

// archetypes are kinds of programs; each is drawn anew.
var archetypes = []func(d *draft) *program{
	func(d *draft) *program { // a service that answers requests
		r, t := d.r, d.r.Log(0.15e6, 3e6)
		code := d.code("service")
		list := []segment{d.work(code, t*0.6), d.work(code, t*0.4)}
		if r.Chance(0.35) {
			list[1] = d.work(code, t*r.Log(0.01, 0.2)).locked(1)
		}
		if r.Chance(0.25) {
			list[0] = list[0].after(r.Log(4, 64) * kb)
		}
		p := pool("web service", max(1, int(float64(len(d.m.cpus))*r.Log(0.3, 2.5))), 0.5, list...)
		if r.Chance(0.4) {
			p.pace = requests
		}
		return p
	},
	func(d *draft) *program { // transactions: parse, read pages, change something under a latch, write the log
		r, t := d.r, d.r.Log(0.1e6, 2e6)
		data := d.code("database")
		list := []segment{d.work(d.code("service"), t*0.25), d.work(data, t*r.Between(0.4, 1))}
		if r.Chance(0.55) {
			list[1] = list[1].after(r.Log(8, 128) * kb)
		}
		if r.Chance(0.6) {
			list = append(list, d.work(data, t*r.Log(0.01, 0.25)).locked(1))
		}
		if r.Chance(0.4) {
			list = append(list, d.work(0, 15e3).after(8*kb))
		}
		p := pool("database", r.Whole(2, 2*len(d.m.cpus)), 0.5, list...)
		if r.Chance(0.2) {
			p.pace = requests
		}
		p.spin = r.Chance(0.1)
		return p
	},
	func(d *draft) *program { // make -j
		r := d.r
		first := d.work(d.code("compiler"), r.Log(4e6, 40e6))
		if r.Chance(0.5) {
			first = first.after(r.Log(64, 1024) * kb)
		}
		return pool("compiler", simulate.Pick(r, 1, 2, d.cores(), len(d.m.cpus), len(d.m.cpus)+2), 0.6, first,
			d.work(d.code("fresh"), r.Log(0.2e6, 3e6)))
	},
	func(d *draft) *program { // a game: the world, jobs, and the commands for the GPU
		r, t := d.r, d.r.Log(3e6, 16e6)
		jobs := r.Whole(2, max(2, d.cores()-2))
		p := &program{name: "game", groups: []int{1, jobs, 1}, batch: 1, window: r.Whole(1, 2), stages: []stage{
			{0, 1, []segment{d.work(d.code("game"), t*r.Between(0.3, 0.7))}, 0.15},
			{1, jobs, []segment{d.work(d.code(simulate.Pick(r, "game", "dense", "sparse")), t*r.Between(0.1, 0.4))}, 0.3},
			{2, 1, []segment{d.work(d.code("service"), t*r.Between(0.2, 0.6))}, 0.15}}}
		if p.loose = p.window == 1; r.Chance(0.4) {
			p.pace = dates
		}
		return p
	},
	func(d *draft) *program { // a step of time on a grid
		r, t, n := d.r, d.r.Log(1e6, 12e6), max(1, int(float64(d.cores())*simulate.Pick(d.r, 0.5, 1, 1, 1)))
		return steps("numerical code", n, n, r.Between(0.02, 0.15), d.work(d.code("hash"), max(1e4, t*r.Log(0.005, 0.15))),
			d.work(d.code(simulate.Pick(r, "stencil", "stream", "sparse", "dense")), t))
	},
	func(d *draft) *program { // a script, with libraries now and then
		r, t := d.r, d.r.Log(1e6, 8e6)
		list := []segment{d.work(d.code("script"), t)}
		if r.Chance(0.4) {
			list = append(list, d.work(d.code(simulate.Pick(r, "dense", "sparse", "chase", "fresh")), t*r.Between(0.2, 1.2)))
		}
		if r.Chance(0.25) {
			list[0] = list[0].after(r.Log(4, 256) * kb)
		}
		return pool("interpreter", simulate.Pick(r, 1, 1, 1, 2, 4), 0.25, list...)
	},
	func(d *draft) *program {
		r := d.r
		return pool("graph search", simulate.Pick(r, 1, d.cores()/2+1, d.cores(), len(d.m.cpus)), 0.4,
			d.work(d.code(simulate.Pick(r, "graph", "chase", "chase")), r.Log(0.5e6, 5e6)))
	},
	func(d *draft) *program {
		r := d.r
		first := d.work(d.code("branchy"), r.Log(0.5e6, 6e6))
		if r.Chance(0.35) {
			first = first.after(r.Log(64, 1024) * kb)
		}
		return pool("compression", simulate.Pick(r, 1, 2, d.cores()), 0.3, first, d.work(d.code("hash"), r.Log(0.05e6, 1e6)))
	},
	func(d *draft) *program {
		r := d.r
		return pool("scan of files", r.Whole(1, 8), 0.3, d.work(d.code(simulate.Pick(r, "branchy", "stream", "hash", "kernel")),
			r.Log(0.05e6, 1e6)).after(r.Log(32, 1024)*kb))
	},
	func(d *draft) *program { // a picture of a film is cut into rows
		r := d.r
		p := steps("video encoder", d.cores(), 2*d.cores(), 0.3, d.work(d.code("codec"), r.Log(0.2e6, 1.5e6)),
			d.work(d.code(simulate.Pick(r, "codec", "dense")), r.Log(1e6, 6e6)))
		if r.Chance(0.25) {
			p.pace = dates
		}
		return p
	},
	func(d *draft) *program { // sound, or the control of a machine
		r := d.r
		p := line("control loop", 1, 0.2, d.work(d.code(simulate.Pick(r, "dense", "game")), r.Log(0.2e6, 3e6)),
			d.work(d.code("codec"), r.Log(0.1e6, 1e6)))
		p.pace = dates
		return p
	},
	func(d *draft) *program { // messages through one table
		r, t := d.r, d.r.Log(30e3, 300e3)
		p := pool("message broker", r.Whole(3, len(d.m.cpus)+4), 0.4, d.work(d.code("service"), t),
			d.work(d.code(simulate.Pick(r, "chase", "database", "service")), t*r.Log(0.05, 0.7)).locked(1))
		p.spin = r.Chance(0.2)
		return p
	},
	func(d *draft) *program {
		r := d.r
		return pool("allocation", simulate.Pick(r, 1, 2, d.cores()), 0.3, d.work(d.code("fresh"), r.Log(0.5e6, 4e6)),
			d.work(d.code(simulate.Pick(r, "script", "branchy", "stream")), r.Log(0.1e6, 2e6)))
	},
	func(d *draft) *program { // read, decode, filter, write
		r, t := d.r, d.r.Log(0.3e6, 4e6)
		first := d.work(d.code("branchy"), t*r.Between(0.3, 1.2))
		if r.Chance(0.3) {
			first = first.after(r.Log(16, 512) * kb)
		}
		return line("pipeline", simulate.Pick(r, 1, 3, 4), 0.25, first, d.work(d.code("codec"), t*r.Between(0.4, 1.2)),
			d.work(d.code("stencil"), t*r.Between(0.3, 1.2)))
	},
}

// mixture is a program that no one has named.
func mixture(d *draft) *program {
	r, t := d.r, d.r.Log(0.1e6, 6e6)
	part := func() segment { return d.work(d.add(anyProfile(r)), t*r.Log(0.1, 1)) }
	var p *program
	switch r.IntN(3) {
	case 0:
		list := []segment{part(), part()}
		if r.Chance(0.3) {
			list[1] = list[1].locked(1)
		}
		if r.Chance(0.3) {
			list[0] = list[0].after(r.Log(4, 512) * kb)
		}
		p = pool("mixture of units", r.Whole(1, len(d.m.cpus)+3), r.Between(0, 0.6), list...)
		if r.Chance(0.15) {
			p.pace = requests
		}
	case 1:
		n := r.Whole(1, d.cores())
		p = steps("mixture of steps", n, n, r.Between(0, 0.3), d.work(d.add(anyProfile(r)), t*r.Log(0.01, 0.5)), part())
	default:
		p = line("mixture in a line", r.Whole(1, 4), r.Between(0, 0.4), part(), part(), part())
	}
	if p.pace == unpaced && p.window == 1 && r.Chance(0.15) {
		p.pace = dates
	}
	return p
}

// inTurn is threads that work one after the other although they need not.
func inTurn(d *draft) *program {
	r, t := d.r, d.r.Log(0.3e6, 6e6)
	var list []segment
	for range r.Whole(2, 4) {
		list = append(list, d.work(d.code(simulate.Pick(r, "game", "branchy", "script", "codec", "service", "database", "stencil")),
			t*r.Between(0.6, 1.3)))
	}
	return line("threads in turn", 1, 0.2, list...)
}

// addOthers puts programs beside ours that ask for so much of all CPUs.
func (d *draft) addOthers(share float64, nice bool) {
	n := max(1, int(float64(len(d.m.cpus))*max(0.5, share)+0.5))
	each := share * float64(len(d.m.cpus)) / float64(n)
	for range n {
		every := d.r.Log(2e6, 12e6)
		code := d.code(simulate.Pick(d.r, "compiler", "branchy", "codec", "script", "stencil"))
		d.others = append(d.others, other{code, d.work(code, every*each).instructions, every, nice})
	}
}
