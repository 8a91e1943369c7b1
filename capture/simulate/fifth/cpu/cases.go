package cpu

import (
	"fmt"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families of this package.
var Names = []string{"cpu-fifth"}

// Kinds are the kinds of cases of a family; nil where there is no such family.
func Kinds(name string) []string {
	if !slices.Contains(Names, name) {
		return nil
	}
	return simulate.Kinds()
}

// plants are what seeds of KindSingle take in turn.
var plants = []simulate.Candidate{Core, Branch, FrontEnd, simulate.MemoryLatency, simulate.MemoryBandwidth, Lock, IO,
	simulate.QueuesInTurn, simulate.ClockThermal, simulate.ClockPower, Timer}

// New draws a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("there is no family %q; there is %v", name, Names)
	}
	if !slices.Contains(simulate.Kinds(), kind) {
		return nil, fmt.Errorf("%s has no kind %q; it has %v", name, kind, simulate.Kinds())
	}
	r := simulate.NewRandom(seed, "fifth cpu "+kind)
	m := drawMachine(r)
	m.drawCaches(simulate.NewRandom(seed, "fifth cpu caches "+kind))
	b := &builder{r: r, m: m, p: &program{}}
	var list []*content
	plant := ""
	switch kind {
	case simulate.KindArchetype:
		list = []*content{b.archetype()}
	case simulate.KindSingle:
		c := plants[seed%uint64(len(plants))]
		plant, b.plain = c.String(), true
		list = []*content{b.plant(c)}
	case simulate.KindSerial:
		if r.Chance(0.5) {
			list = []*content{b.turns(0.35, 0.65)}
		} else {
			list = []*content{b.waits(0.25, 0.75)}
		}
	case simulate.KindHealthy:
		list = []*content{b.dated(0.2, 0.75)}
	case simulate.KindTwoPhase:
		i := r.IntN(8)
		j := (i + 1 + r.IntN(7)) % 8
		b.plain = true
		list = []*content{b.plant(plants[i]), b.plant(plants[j])}
	default:
		list = []*content{b.any()}
	}
	k := drawRecorder(r, m)
	b.finish(list)
	k.program = k.program || b.busy
	s := &scenario{m, b.p}
	if kind == simulate.KindHealthy || plant == Timer.String() {
		if err := b.calm(s); err != nil {
			return nil, err
		}
	}
	text := list[0].name
	if len(list) > 1 {
		text += ", then " + list[1].name
	}
	text = fmt.Sprintf("%s on %s with %d CPUs", text, m.name, len(m.cpus))
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: text, Plant: plant,
		Record: func(o simulate.Options) (*capture.Capture, error) {
			return s.record(fmt.Sprintf("%s %s %d", name, kind, seed), &k, seed, o)
		}, Judge: s.judge}, nil
}

// finish makes the program of the contents.
func (b *builder) finish(list []*content) {
	r, p := b.r, b.p
	ns, most := r.Log(0.5e9, 1.5e9)/float64(len(list)), r.Log(2500, 14000)/float64(len(list))
	for _, c := range list {
		if c.shape == pooled && r.Chance(0.4) { // system calls and faults
			c.steps = append(c.steps, step{do: opRun, seg: b.kernel(), ns: c.steps[0].ns * r.Log(0.01, 0.12)})
		}
		length := 0.0
		for _, x := range c.steps {
			if c.shape == pipeline {
				length = max(length, x.ns)
			} else {
				length += x.ns
			}
		}
		for _, x := range c.serial {
			length += x.ns
		}
		length = max(length, float64(c.period))
		n := frames(c, ns, most, length)
		if c.shape == pooled {
			length /= float64(c.workers)
		}
		if by := 0.45e9 / float64(len(list)) / (length * float64(n)); by > 1 {
			for _, l := range [][]step{c.steps, c.serial} {
				for i := range l {
					l[i].ns *= by
				}
			}
		}
		b.add(c, n)
	}
	p.warm = max(3, p.phases[0].first+min(6, p.frames/8))
	b.others()
}

// calm makes the work smaller until every date is kept.
func (b *builder) calm(c *scenario) error {
	for range 12 {
		s := &sim{}
		s.reset(c.m, c.p, relief{}, false, nil)
		if err := s.run(); err != nil {
			return err
		}
		if len(s.missed) == 0 {
			return nil
		}
		smaller := func(list []op) {
			for i := range list {
				if list[i].do == opRun || list[i].do == opIO {
					list[i].x *= 0.8
				}
			}
		}
		for _, th := range c.p.threads {
			smaller(th.ops)
		}
		for _, pool := range c.p.pools {
			for _, job := range pool {
				smaller(job)
			}
		}
	}
	return nil
}

func (b *builder) code(f flavour, strong float64) int {
	return b.p.segment(drawSegment(b.r, b.m, f, strong))
}

func (b *builder) kernel() int { return b.p.segment(kernelSegment(b.r, b.m)) }

// wide is a number of workers, up to the CPUs that are fast.
func (b *builder) wide(least int) int {
	fast := 0
	for _, t := range b.m.cpus {
		if t == 0 {
			fast++
		}
	}
	return b.r.Whole(min(least, fast), fast)
}

// plant is content that one thing limits.
func (b *builder) plant(c simulate.Candidate) *content {
	r := b.r
	f := coreCode
	switch c {
	case Lock:
		return b.contended(0.25, 0.5)
	case IO:
		return b.waits(0.6, 0.92)
	case simulate.QueuesInTurn:
		return b.turns(0.46, 0.54)
	case Timer:
		return b.dated(0.2, 0.7)
	case simulate.ClockThermal, simulate.ClockPower:
		x := b.even()
		b.m.hold(r, c, r.Between(0.42, 0.68), float64(x.workers))
		return x
	case Branch:
		f = branchCode
	case FrontEnd:
		f = fetchCode
	case simulate.MemoryLatency:
		f = latencyCode
	case simulate.MemoryBandwidth:
		f = streamCode
	}
	x := &content{name: names[f][r.IntN(len(names[f]))], spread: r.Between(0.02, 0.3), uneven: r.Between(0, 0.1)}
	x.workers = b.wide(1)
	if f == streamCode {
		x.workers = b.wide(4)
	}
	total := r.Log(2e6, 24e6)
	if r.Chance(0.45) && x.workers > 1 {
		x.shape = forked
		x.serial = []step{{do: opRun, seg: b.code(f, 0.8), ns: total * r.Between(0.01, 0.08)}}
	}
	x.steps = []step{{do: opRun, seg: b.code(f, r.Between(0.7, 1)), ns: total * r.Between(0.7, 0.9)}}
	if r.Chance(0.5) {
		x.steps = append(x.steps, step{do: opRun, seg: b.code(f, r.Between(0.6, 1)), ns: total * 0.2})
	}
	if r.Chance(0.5) {
		x.steps = append(x.steps, step{do: opRun, seg: b.code(mixedCode, 0), ns: total * r.Between(0.02, 0.1)})
	}
	if r.Chance(0.3) {
		x.steps = append(x.steps, step{do: opRun, seg: b.kernel(), ns: total * r.Between(0.01, 0.06)})
	}
	return x
}

// names are programs that mostly have code of a flavour.
var names = [flavours][]string{
	coreCode:    {"a video encoder", "a physics solver", "a cipher", "a ray tracer", "a matrix multiplication"},
	branchCode:  {"a sort", "a parser", "a chess engine", "decompression"},
	fetchCode:   {"a compiler", "a script interpreter", "a web server", "a database's planner"},
	latencyCode: {"a graph walk", "a hash join", "a garbage collector", "an in-memory store"},
	streamCode:  {"a stencil", "a copy of pictures", "a column scan", "vector sums"},
	mixedCode:   {"a game's logic", "a browser's layout", "a simulation of traffic"},
}

// even is code that costs about the same everywhere.
func (b *builder) even() *content {
	r := b.r
	x := &content{name: "mixed work under a load of its own", workers: b.wide(2), spread: r.Between(0.02, 0.25)}
	total := r.Log(2e6, 20e6)
	for _, f := range []flavour{coreCode, branchCode, fetchCode, mixedCode} {
		x.steps = append(x.steps, step{do: opRun, seg: b.code(f, r.Between(0.3, 0.7)), ns: total * r.Between(0.15, 0.3)})
	}
	return x
}

// contended is a pool whose workers all need a lock. share is the longest that a frame's locked part should let the
// lock-free time be, compared with what the lock makes of it.
func (b *builder) contended(least, most float64) *content {
	r, p := b.r, b.p
	spins := !b.plain && r.Chance(0.2)
	l := p.lock(spins)
	x := &content{name: "workers at a lock", workers: max(2, b.wide(4)), spread: r.Between(0.05, 0.4)}
	if spins {
		x.name = "workers that spin at a lock"
	}
	n := float64(x.workers)
	total := r.Log(0.03e6, 4e6)
	locked := min(0.9, 1/(n*r.Between(least, most)))
	f := flavour(r.IntN(int(flavours)))
	if f == streamCode {
		f = mixedCode
	}
	x.steps = []step{{do: opRun, seg: b.code(mixedCode, 0), ns: total * (1 - locked) * 0.7},
		{do: opLock, seg: b.code(f, 0.4), lock: l, ns: total * locked},
		{do: opRun, seg: b.code(flavour(r.IntN(4)), 0.4), ns: total * (1 - locked) * 0.3}}
	return x
}

// waits is work between requests to a disk, one after the other.
func (b *builder) waits(least, most float64) *content {
	r := b.r
	x := &content{name: simulate.Pick(r, "a loader of files", "commits of a database", "a backup", "an index of files"),
		workers: r.Whole(1, 3), spread: r.Between(0.05, 0.5)}
	total, waits := r.Log(1.5e6, 18e6), r.Between(least, most)
	n := r.Whole(1, 3)
	for range n {
		x.steps = append(x.steps, step{do: opIO, ns: total * waits / float64(n)},
			step{do: opRun, seg: b.kernel(), ns: total * (1 - waits) * r.Between(0.05, 0.3) / float64(n)},
			step{do: opRun, seg: b.code(flavour(r.IntN(int(flavours))), r.Between(0.2, 1)), ns: total * (1 - waits) * 0.75 / float64(n)})
	}
	return x
}

// turns is two threads of which one always waits for the other.
func (b *builder) turns(least, most float64) *content {
	r := b.r
	x := &content{name: simulate.Pick(r, "a client and a server", "a reader and a writer of a pipe",
		"a game's logic and its renderer in lockstep", "a remote call after the other"), shape: inTurn, spread: r.Between(0.03, 0.25)}
	total, part := r.Log(0.03e6, 14e6), r.Between(least, most)
	i := r.IntN(4)
	x.steps = []step{{do: opRun, seg: b.code(flavour(i), r.Between(0.1, 0.5)), ns: total * part},
		{do: opRun, seg: b.code(flavour((i+r.Whole(1, 3))%4), r.Between(0.1, 0.5)), ns: total * (1 - part)}}
	return x
}

// rates are how often a second things happen that have dates: pictures, sound, ticks of servers and controllers.
var rates = []float64{20, 24, 25, 30, 48, 50, 60, 64, 72, 90, 94, 100, 120, 128, 144, 187.5, 200, 250}

// dated is work that has a date.
func (b *builder) dated(least, most float64) *content {
	r := b.r
	b.paced = true
	x := &content{period: int64(1e9 / rates[r.IntN(len(rates))]), spread: r.Between(0.02, 0.12), depth: 1}
	x.name = fmt.Sprintf("%s %.4g times a second", simulate.Pick(r, "a mixer of sound", "a server's tick", "a player of films",
		"a controller of motors", "a browser's animation", "a game with a cap"), 1e9/float64(x.period))
	ns := float64(x.period) * r.Between(least, most)
	f := func() flavour { return flavour(r.IntN(int(flavours))) }
	x.workers = 1
	switch {
	case r.Chance(0.3) && len(b.m.cpus) > 2:
		x.shape, x.workers, x.uneven = forked, max(2, min(4, b.wide(2))), r.Between(0, 0.2)
		x.serial = []step{{do: opRun, seg: b.code(f(), 0.6), ns: ns * 0.4}}
		x.steps = []step{{do: opRun, seg: b.code(f(), 0.6), ns: ns * 0.5}}
	case r.Chance(0.3):
		x.steps = []step{{do: opRun, seg: b.code(f(), 0.6), ns: ns * 0.5}, {do: opIO, ns: ns * 0.15},
			{do: opRun, seg: b.code(f(), 0.6), ns: ns * 0.3}}
	default:
		for range r.Whole(1, 3) {
			x.steps = append(x.steps, step{do: opRun, seg: b.code(f(), r.Float64()), ns: ns * r.Between(0.2, 0.33)})
		}
		x.steps = append(x.steps, step{do: opRun, seg: b.kernel(), ns: ns * r.Between(0.01, 0.1)})
	}
	return x
}

// any is work of any shape with steps of any kind.
func (b *builder) any() *content {
	r := b.r
	if r.Chance(0.12) {
		b.m.hold(r, simulate.Pick(r, simulate.ClockThermal, simulate.ClockPower), r.Between(0.5, 0.92), r.Between(1, 6))
	}
	x := &content{name: "any mixture", shape: simulate.Pick(r, pooled, pooled, forked, pipeline, inTurn), workers: b.wide(1),
		spread: r.Between(0.02, 0.45), uneven: r.Between(0, 0.3), depth: r.Whole(1, 3)}
	l := b.p.lock(r.Chance(0.1))
	total := r.Log(0.5e6, 24e6)
	one := func(part float64) step {
		s := step{do: opRun, seg: b.code(flavour(r.IntN(int(flavours))), r.Float64()), lock: l, ns: total * part}
		switch {
		case r.Chance(0.12):
			s.do = opIO
		case r.Chance(0.12) && x.shape == pooled:
			s.do, s.ns = opLock, s.ns*r.Between(0.2, 1)
		case r.Chance(0.1):
			s.seg = b.kernel()
		}
		return s
	}
	if x.shape == forked {
		x.workers = max(2, x.workers)
		x.serial = []step{one(r.Log(0.02, 0.6))}
	}
	n := r.Whole(1, 4)
	if x.shape == inTurn {
		n = 2
	} else if x.shape == pipeline {
		n = r.Whole(2, 4)
	}
	for range n {
		x.steps = append(x.steps, one(r.Between(0.2, 1)/float64(n)))
	}
	return x
}
