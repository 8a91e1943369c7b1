package cpu

import "astrolabe/capture/simulate"

// build puts a program together.
type build struct {
	m *machine
	r simulate.Random
	p *program
}

func newBuild(m *machine, r simulate.Random, text string) *build {
	return &build{m, r, &program{text: text, parallel: 1}}
}

// mix adds a mix.
func (b *build) mix(make func(simulate.Random) mix) int {
	x := make(b.r)
	x.fit(b.m)
	b.p.mixes = append(b.p.mixes, x)
	return len(b.p.mixes) - 1
}

// run is as many instructions of a mix as take so many ms alone at the highest clock.
func (b *build) run(mix int, ms, vary float64) op {
	c := b.p.mixes[mix].cost(b.m, b.m.ghz, 0, nothing)
	return op{code: opRun, id: mix, n: ms * 1e6 / c.sum(), vary: vary}
}

// device adds a device that serves some accesses at a time.
func (b *build) device(at int, disk bool) int {
	b.p.devices, b.p.disk = append(b.p.devices, float64(at)), append(b.p.disk, disk)
	return len(b.p.devices) - 1
}

func (b *build) io(device int, ms, vary float64) op {
	return op{code: opIO, id: device, n: ms * 1e6, vary: vary, rare: 0.01}
}

// token adds a kind of tokens: how many there are, and how many more there could be.
func (b *build) token(n, loose int) int {
	b.p.tokens, b.p.loose = append(b.p.tokens, n), append(b.p.loose, loose)
	return len(b.p.tokens) - 1
}

func (b *build) thread(script ...op) { b.p.threads = append(b.p.threads, script) }

var item = op{code: opItem}

// recipe makes a program.
type recipe func(*build)

// crew are threads that each do items of their own: tiles of a picture, files to compile, rays.
func crew(threads int, kinds ...func(simulate.Random) mix) recipe {
	return func(b *build) {
		ids := make([]int, len(kinds))
		for i, k := range kinds {
			ids[i] = b.mix(k)
		}
		n := max(1, min(threads, b.m.cores))
		ms := b.r.Between(5, 22) * max(1, float64(n)/4) / float64(len(ids))
		vary := b.r.Between(0.05, 0.5)
		for range n {
			var script []op
			for _, id := range ids {
				o := b.run(id, ms, vary)
				o.rare = 0.004
				script = append(script, o)
			}
			b.thread(append(script, item)...)
		}
	}
}

// team are threads that meet at barriers, as loops over a grid do.
func team(kinds ...func(simulate.Random) mix) recipe {
	return func(b *build) {
		n := max(2, b.m.cores-b.r.Whole(0, 2))
		b.p.meets = 1
		vary := b.r.Between(0.02, 0.2)
		var ids []int
		for _, k := range kinds {
			ids = append(ids, b.mix(k))
		}
		serial := b.mix(ordinary)
		ms := b.r.Between(3, 12)
		part := b.r.Log(0.02, 0.5) // ms
		for i := range n {
			var script []op
			for _, id := range ids {
				script = append(script, b.run(id, ms/float64(len(ids)), vary))
			}
			script = append(script, op{code: opMeet, n: float64(n)})
			if i == 0 {
				script = append(script, b.run(serial, part, 0.2), item)
			}
			b.thread(script...)
		}
		b.p.parallel = 0.9
	}
}

// flow is a pipeline whose stages have room between them.
func flow(kinds ...func(simulate.Random) mix) recipe {
	return func(b *build) {
		ms := b.r.Between(6, 16)
		last := -1
		slow := b.r.IntN(len(kinds))
		for i, k := range kinds {
			id := b.mix(k)
			by := b.r.Between(0.3, 0.75)
			if i == slow {
				by = 1
			}
			var script []op
			room := -1
			if last >= 0 {
				script = append(script, op{code: opTake, id: last})
			}
			script = append(script, b.run(id, ms*by, 0.25))
			if i < len(kinds)-1 {
				last = b.token(0, 0)
				script = append(script, op{code: opGive, id: last})
				// A slow reader holds the writer back when four are waiting.
				room = b.token(4, 0)
				script = append([]op{{code: opTake, id: room}}, script...)
			} else {
				script = append(script, item)
			}
			b.thread(script...)
			if i > 0 {
				b.p.threads[i] = append(b.p.threads[i], op{code: opGive, id: b.p.threads[i-1][0].id})
			}
		}
		b.p.parallel = 0.6
	}
}

// relay are threads of which one waits for the other although it could go on.
func relay(n int, uneven float64, kinds ...func(simulate.Random) mix) recipe {
	return func(b *build) {
		ms := b.r.Log(0.4, 30)
		b.p.round = ms * 1e6 * float64(n)
		forth, back := make([]int, n), b.token(1, b.r.Whole(2, 4))
		for i := range n {
			forth[i] = b.token(0, 0)
		}
		for i := range n {
			id := b.mix(kinds[i%len(kinds)])
			run := b.run(id, ms*b.r.Between(1-uneven, 1+uneven), b.r.Between(0.05, 0.25))
			switch i {
			case 0:
				b.thread(op{code: opTake, id: back}, run, op{code: opGive, id: forth[0]})
			case n - 1:
				b.thread(op{code: opTake, id: forth[i-1]}, run, op{code: opGive, id: back}, item)
			default:
				b.thread(op{code: opTake, id: forth[i-1]}, run, op{code: opGive, id: forth[i]})
			}
		}
		b.p.parallel = 1 / float64(n)
	}
}

// locked are workers that need a lock for a part of what they do; inside is the part.
func locked(lo, hi float64, outside func(simulate.Random) mix) recipe {
	return func(b *build) {
		n := max(3, min(b.m.cores, b.r.Whole(4, 12)))
		inside := b.r.Between(lo, hi)
		out, in := b.mix(outside), b.mix(contended)
		b.p.locks = 1
		ms := b.r.Between(4, 12)
		times := int(b.r.Log(3, 60))
		for range n {
			var script []op
			for range times {
				script = append(script, b.run(out, ms*(1-inside)/float64(times), 0.4), op{code: opLock},
					b.run(in, ms*inside/float64(times), 0.4), op{code: opUnlock})
			}
			b.thread(append(script, item)...)
		}
		b.p.parallel = min(1, 1/(inside*float64(n))+0.1)
	}
}

// stored are workers that wait for a device; waits is how long for each ms of work.
func stored(threads int, waits float64, disk bool, kinds ...func(simulate.Random) mix) recipe {
	return func(b *build) {
		at := simulate.Pick(b.r, 1, 2, 8)
		if !disk {
			at = 64
		}
		dev := b.device(at, disk)
		ms := b.r.Log(0.6, 7)
		times := b.r.Whole(1, 3)
		vary := b.r.Between(0.2, 0.6)
		n := max(1, min(threads, 2*b.m.cores))
		crowd := max(1, float64(n)/float64(at))
		var ids []int
		for _, k := range kinds {
			ids = append(ids, b.mix(k))
		}
		for range n {
			var script []op
			for t := range times {
				script = append(script, b.run(ids[t%len(ids)], ms/float64(times), 0.3), b.io(dev, ms*waits/crowd/float64(times), vary))
			}
			b.thread(append(script, item)...)
		}
		b.p.parallel = 1 / (1 + waits)
	}
}

// dated are programs with dates of their own: sound, video, control, servers of games. busy is the share of the time
// between dates that they need.
func dated(lo, hi float64, kinds ...func(simulate.Random) mix) recipe {
	return func(b *build) {
		hz := simulate.Pick(b.r, 24.0, 30, 50, 60, 64, 90, 100, 120, 144, 187.5, 250)
		busy := b.r.Between(lo, hi)
		b.p.period = 1e9 / hz
		helpers := min(b.r.Whole(0, 3), b.m.cores-1)
		var ids []int
		for _, k := range kinds {
			ids = append(ids, b.mix(k))
		}
		ms := 1e3 / hz * busy * b.m.governed
		if helpers == 0 {
			script := []op{{code: opDate}}
			for _, id := range ids {
				script = append(script, b.run(id, ms/float64(len(ids)), 0.12))
			}
			b.thread(append(script, item)...)
			b.p.parallel = busy
			return
		}
		goes, done := b.token(0, 0), b.token(0, 0)
		script := []op{{code: opDate}}
		for range helpers {
			script = append(script, op{code: opGive, id: goes})
		}
		script = append(script, b.run(ids[0], ms*0.8, 0.12))
		for range helpers {
			script = append(script, op{code: opTake, id: done})
		}
		b.thread(append(script, item)...)
		for h := range helpers {
			b.thread(op{code: opTake, id: goes}, b.run(ids[h%len(ids)], ms*b.r.Between(0.3, 0.75), 0.12), op{code: opGive, id: done})
		}
		b.p.parallel = busy * 0.7
	}
}

type mixer = func(simulate.Random) mix

// archetypes are kinds of programs.
var archetypes = []struct {
	text string
	make func(r simulate.Random, cores int) recipe
}{
	{"a parallel build", func(r simulate.Random, cores int) recipe {
		return stored(simulate.Pick(r, cores, cores+1, 2*cores), r.Between(0.02, 0.3), true, sprawling, ordinary)
	}},
	{"a web server", func(r simulate.Random, cores int) recipe {
		return stored(cores, r.Between(0.1, 0.8), false, sprawling, ordinary)
	}},
	{"transactions of a database", func(r simulate.Random, cores int) recipe {
		return simulate.Pick(r, locked(0.08, 0.4, chasing), stored(cores, r.Between(0.6, 2.5), true, chasing, ordinary))
	}},
	{"a scan of a database", func(r simulate.Random, cores int) recipe { return crew(cores, streaming, guessing) }},
	{"a join of tables", func(r simulate.Random, cores int) recipe { return crew(r.Whole(1, cores), chasing, ordinary) }},
	{"an encoder of video", func(r simulate.Random, cores int) recipe { return team(dense, guessing) }},
	{"a decoder of video", func(r simulate.Random, cores int) recipe { return dated(0.2, 0.75, guessing, dense, ordinary) }},
	{"a synthesizer", func(r simulate.Random, cores int) recipe { return dated(0.15, 0.7, dense, ordinary) }},
	{"a server of a game", func(r simulate.Random, cores int) recipe { return dated(0.2, 0.8, ordinary, chasing) }},
	{"a simulation on a grid", func(r simulate.Random, cores int) recipe { return team(streaming) }},
	{"finite elements", func(r simulate.Random, cores int) recipe { return team(streaming, dense, chasing) }},
	{"a search in a graph", func(r simulate.Random, cores int) recipe { return crew(r.Whole(1, cores), chasing) }},
	{"an interpreter", func(r simulate.Random, cores int) recipe { return crew(1, sprawling, ordinary) }},
	{"a sort", func(r simulate.Random, cores int) recipe { return crew(r.Whole(1, cores), guessing, streaming) }},
	{"a parser of text", func(r simulate.Random, cores int) recipe { return flow(ordinary, guessing, sprawling) }},
	{"a packer of files", func(r simulate.Random, cores int) recipe {
		return stored(r.Whole(1, 3), r.Between(0.1, 1.2), true, guessing, dense)
	}},
	{"a renderer", func(r simulate.Random, cores int) recipe { return crew(cores, chasing, dense) }},
	{"a network on the processor", func(r simulate.Random, cores int) recipe { return team(dense, streaming) }},
	{"actors that pass messages", func(r simulate.Random, cores int) recipe {
		return relay(r.Whole(2, 4), 0.6, ordinary, sprawling, chasing)
	}},
	{"a cache with one lock", func(r simulate.Random, cores int) recipe { return locked(0.1, 0.6, ordinary) }},
	{"hashes", func(r simulate.Random, cores int) recipe { return crew(cores, dense) }},
}

// plants are what programs are meant to be limited by, in the order of candidates, and then dates.
var plants = []func(b *build){
	func(b *build) { crew(b.r.Whole(1, b.m.cores), dense)(b) },
	func(b *build) { crew(b.r.Whole(1, b.m.cores), astray)(b) },
	func(b *build) { crew(b.r.Whole(1, b.m.cores), sprawling)(b) },
	func(b *build) { simulate.Pick(b.r, crew(b.m.cores, streaming), team(streaming))(b) },
	func(b *build) { crew(b.r.Whole(1, max(1, b.m.cores/3)), chasing)(b) },
	func(b *build) {
		stored(b.r.Whole(1, b.m.cores), b.r.Between(2, 6), true, ordinary)(b)
	},
	func(b *build) { locked(0.45, 0.75, ordinary)(b) },
	func(b *build) { relay(b.r.Whole(2, 4), 0.15, ordinary, sprawling, ordinary)(b) },
	func(b *build) {
		b.m.limit(b.r, true, 0.38, 0.55)
		crew(b.m.cores, ordinary)(b)
	},
	func(b *build) {
		b.m.limit(b.r, false, 0.38, 0.55)
		crew(b.m.cores, ordinary)(b)
	},
	func(b *build) { dated(0.15, 0.6, ordinary, sprawling, dense)(b) },
}

// astray is guessing at its worst.
func astray(r simulate.Random) mix {
	x := guessing(r)
	x.wrong = r.Between(0.12, 0.22)
	return x
}
