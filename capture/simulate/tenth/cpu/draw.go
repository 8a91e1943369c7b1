package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// addCode adds code of a mix and returns its number.
func (b *builder) addCode(name string, x mix) int {
	b.p.codes = append(b.p.codes, drawCode(b.r, b.m, name, x))
	return len(b.p.codes) - 1
}

// team makes a main thread and workers.
func (b *builder) team(n int) {
	b.p.roles = []string{"main"}
	b.p.threads = []thread{{name: "main"}}
	for range n - 1 {
		if len(b.p.roles) < 2 {
			b.p.roles = append(b.p.roles, "workers")
		}
		b.p.threads = append(b.p.threads, thread{name: "worker", role: 1})
	}
}

// some is a number of workers that leaves room.
func (b *builder) some() int {
	n := b.m.cpus()
	return simulate.Pick(b.r, 1, 1, 2, min(4, n), max(1, n/2), n-1)
}

// needed is how many workers ask of memory clearly more than it gives.
func (b *builder) needed() int {
	sum := 0.0
	for c := range b.m.cpus() {
		if sum += b.m.kind(c).pull; sum > 2*b.m.memory {
			return min(b.m.cpus(), c+1+b.r.IntN(3))
		}
	}
	return b.m.cpus()
}

// limited are the stages of a content that one thing is to limit. us is their time in all.
func (b *builder) limited(what simulate.Candidate, us float64, workers int) []stage {
	var draw func(simulate.Random) mix
	switch what {
	case unitCore:
		draw = coreMix
	case unitFront:
		draw = frontMix
	case unitBranch:
		draw = branchMix
	case simulate.MemoryLatency:
		draw = latencyMix
	case simulate.MemoryBandwidth:
		draw = bandwidthMix
		workers = b.needed()
	default:
		draw = mixedMix
	}
	n := b.r.Whole(1, 4)
	if what == cpuLock {
		workers = max(workers, min(3, b.m.cpus()))
	}
	var out []stage
	for range n {
		s := stage{code: b.addCode(what.Name, draw(b.r)), us: us / float64(n) * b.r.Between(0.6, 1.4), workers: workers,
			uneven: b.r.Between(0, 0.08)}
		switch what {
		case cpuIO:
			part := b.r.Between(0.6, 0.9)
			s.io = s.us * part
			s.ios = max(1, min(60, int(s.io/b.r.Log(60, 6000))))
			s.us *= 1 - part
		case cpuFaults:
			part := b.r.Between(0.6, 0.85)
			s.faults = s.us * 1000 * part / b.p.faultNs
			s.us *= 1 - part
		case cpuLock:
			s.held = b.r.Between(0.5, 0.9)
			s.us /= max(1, float64(workers)*s.held) // they wait for each other
			s.locks = max(2, int(s.us/b.r.Log(15, 250)))
		}
		out = append(out, s)
	}
	return out
}

// hold makes the machine's clock stay at a share of its highest, for a reason, while so many CPUs are busy.
func (b *builder) hold(why simulate.Candidate, share float64, busy int) {
	m := b.m
	if m.driver == guest {
		m.driver, m.zones = metal, []string{"acpitz"}
	}
	watts := m.idle + (m.draw(busy)-m.idle)*0.72*math.Pow(share, steep)
	switch why {
	case simulate.ClockGovernor:
		m.governor, m.cap = simulate.Pick(b.r, "capped", "capped", "slow"), share
	case simulate.ClockPower:
		m.governor, m.limit = "performance", watts
	default:
		m.governor = "performance"
		m.cooling = (m.hot - m.ambient) / watts
	}
}

func (b *builder) single(what simulate.Candidate) {
	us := b.r.Log(2500, 30000)
	p := b.p
	p.names = []string{"work"}
	p.text = "a program that " + what.String() + " is to limit"
	switch what {
	case simulate.QueuesInTurn:
		b.pair(us, mixedMix, 0.4, 0.6, false)
		return
	case timer:
		b.healthy()
		return
	}
	workers := b.some()
	switch what {
	case cpuLock:
		workers = min(b.m.cpus(), b.r.Whole(3, 8))
	case simulate.MemoryBandwidth:
		workers = b.m.cpus()
	case simulate.ClockPower, simulate.ClockThermal:
		workers = max(2, b.m.cpus()/simulate.Pick(b.r, 1, 2))
	}
	b.team(workers)
	b.forked(b.limited(what, us, workers), false)
	switch what {
	case cpuOthers:
		b.hogs(b.m.cpus()+b.r.Whole(0, b.m.cpus()), simulate.Pick(b.r, 1, 0.95))
	case simulate.ClockPower, simulate.ClockThermal, simulate.ClockGovernor:
		if b.m.groups[0].kind.max < 2.5 {
			b.m.groups[0].kind.min = 0.8 // boards that are too hot go below what their governor uses
		}
		b.hold(what, b.r.Between(0.42, 0.6), workers)
	}
}

// pair makes two threads that work in turn.
func (b *builder) pair(us float64, draw func(simulate.Random) mix, lo, hi float64, dated bool) {
	p := b.p
	p.names = append(p.names[:0], "work")
	p.roles = []string{"reader", "worker"}
	p.threads = []thread{{name: "reader"}, {name: "worker", role: 1}}
	part := b.r.Between(lo, hi)
	row := func(us float64) []stage {
		var out []stage
		n := b.r.Whole(1, 3)
		for range n {
			out = append(out, stage{code: b.addCode("step", draw(b.r)), us: us / float64(n)})
		}
		return out
	}
	first, second := row(us*part), row(us*(1-part))
	if b.r.Chance(0.25) {
		first[0].ios, first[0].io = b.r.Whole(1, 3), us*part*b.r.Between(0.05, 0.2)
	}
	b.turns(first, second, dated)
}

func (b *builder) serial() {
	us := b.r.Log(600, 30000)
	b.p.text = simulate.Pick(b.r, "a reader and a parser that take turns", "an emulator whose processor and picture take turns",
		"a physics step and a logic step in turn", "a compressor that waits for its writer")
	draw := mixedMix
	if b.r.Chance(0.3) {
		draw = simulate.Pick(b.r, coreMix, latencyMix, branchMix)
	}
	b.pair(us, draw, 0.3, 0.7, false)
	if b.r.Chance(0.15) {
		b.hogs(b.r.Whole(1, max(1, b.m.cpus()/3)), 0.5)
	}
}

// healthy makes a program that a timer or requests pace, and that keeps its dates.
func (b *builder) healthy() {
	p, r := b.p, b.r
	p.names = []string{"work"}
	hz := float64(simulate.Pick(r, 24, 30, 48, 50, 60, 72, 90, 100, 120, 144, 200))
	busy := r.Between(0.05, 0.88)
	p.text = simulate.Pick(r, "a player that a timer paces", "a game server with a fixed tick", "a control loop",
		"an audio mixer")
	asked := r.Chance(0.3)
	switch {
	case r.Chance(0.2):
		hz, busy, p.text = r.Between(4, 25), r.Log(0.002, 0.04), "an idle machine"
	case asked:
		p.text, busy = "a server that answers requests", r.Between(0.05, 0.4)
	}
	period := 1e9 / hz
	p.within = int64(period)
	if asked {
		p.within = int64(period * r.Between(3, 5))
	}
	at := 1e6
	for at < 4e9 {
		p.dates = append(p.dates, int64(at))
		if asked {
			at += period * min(4, r.ExpFloat64())
		} else {
			at += period
		}
	}
	workers := b.some()
	b.team(workers)
	var stages []stage
	n := r.Whole(1, 5)
	for range n {
		draw := simulate.Pick(r, coreMix, frontMix, branchMix, latencyMix, mixedMix)
		s := stage{code: b.addCode("step", draw(r)), us: period / 1000 * busy / float64(n) * r.Between(0.7, 1.2),
			workers: simulate.Pick(r, 1, workers)}
		if r.Chance(0.1) {
			s.ios, s.io = r.Whole(1, 3), s.us*0.2
		}
		stages = append(stages, s)
	}
	b.forked(stages, true)
}

func (b *builder) twoPhase() {
	r, p := b.r, b.p
	can := []simulate.Candidate{unitCore, unitFront, unitBranch, simulate.MemoryLatency, simulate.MemoryBandwidth, cpuIO,
		cpuLock, cpuFaults}
	i := r.IntN(len(can))
	k := (i + 1 + r.IntN(len(can)-1)) % len(can)
	p.text = can[i].String() + ", then " + can[k].String()
	workers := max(b.some(), 3)
	for _, c := range []simulate.Candidate{can[i], can[k]} {
		if c == simulate.MemoryBandwidth {
			workers = b.m.cpus()
		}
	}
	b.team(min(workers, b.m.cpus()))
	for n, c := range []simulate.Candidate{can[i], can[k]} {
		p.names = append(p.names, []string{"first", "second"}[n])
		b.forked(b.limited(c, r.Log(2500, 20000), workers), false)
	}
}

// contents of archetypes: the stage that takes most, and the others.
var archetypes = []struct {
	text string
	main []simulate.Candidate
	rest []simulate.Candidate
}{
	{"a compiler that builds a project", []simulate.Candidate{unitFront, unitBranch, unitFront},
		[]simulate.Candidate{cpuFaults, simulate.MemoryLatency, cpuIO}},
	{"a database that answers joins", []simulate.Candidate{simulate.MemoryLatency, simulate.MemoryLatency, cpuLock},
		[]simulate.Candidate{unitBranch, unitFront, cpuIO}},
	{"an analytics scan", []simulate.Candidate{simulate.MemoryBandwidth, simulate.MemoryBandwidth, cpuIO},
		[]simulate.Candidate{unitBranch, unitCore, simulate.MemoryLatency}},
	{"a video encoder", []simulate.Candidate{unitCore, unitCore, unitBranch},
		[]simulate.Candidate{simulate.MemoryBandwidth, unitFront, unitBranch}},
	{"inference on the processor", []simulate.Candidate{simulate.MemoryBandwidth, unitCore},
		[]simulate.Candidate{unitCore, simulate.MemoryLatency, unitFront}},
	{"an interpreter that runs a service", []simulate.Candidate{unitBranch, unitFront, cpuLock},
		[]simulate.Candidate{simulate.MemoryLatency, cpuFaults, unitCore}},
	{"a loading screen", []simulate.Candidate{cpuIO, cpuFaults, unitCore},
		[]simulate.Candidate{unitCore, unitBranch, simulate.MemoryBandwidth}},
	{"a simulation of particles", []simulate.Candidate{unitCore, simulate.MemoryLatency},
		[]simulate.Candidate{unitBranch, simulate.MemoryBandwidth, unitFront}},
	{"a garbage-collected web server", []simulate.Candidate{unitFront, cpuLock, simulate.MemoryLatency, cpuFaults},
		[]simulate.Candidate{cpuIO, unitBranch, unitCore}},
}

func (b *builder) archetype() {
	r, p := b.r, b.p
	a := &archetypes[r.IntN(len(archetypes))]
	p.text, p.names = a.text, []string{"work"}
	workers := b.some()
	main := simulate.Pick(r, a.main...)
	team := workers
	switch {
	case main == cpuLock:
		workers = min(b.m.cpus(), r.Whole(3, 8))
		team = workers
	case main == simulate.MemoryBandwidth:
		team = b.m.cpus()
	}
	b.team(b.m.cpus())
	us := r.Log(4000, 40000)
	part := r.Between(0.45, 0.85)
	stages := b.limited(main, us*part, workers)
	n := r.Whole(2, 5)
	for i := range n {
		more := b.limited(a.rest[i%len(a.rest)], us*(1-part)/float64(n)*r.Between(0.5, 1.5), simulate.Pick(r, 1, team))
		s := more[0]
		s.us *= 1 / float64(len(more))
		at := r.IntN(len(stages) + 1)
		stages = append(stages[:at], append([]stage{s}, stages[at:]...)...)
	}
	b.forked(stages, false)
	if r.Chance(0.2) {
		b.hogs(r.Whole(1, max(1, b.m.cpus()/3)), r.Between(0.2, 0.7))
	}
	if r.Chance(0.2) {
		b.hold(simulate.Pick(r, simulate.ClockPower, simulate.ClockThermal, simulate.ClockGovernor), r.Between(0.5, 0.9), team)
	}
}

func (b *builder) random() {
	r, p := b.r, b.p
	p.text, p.names = "stages of any kind", []string{"work"}
	all := []simulate.Candidate{unitCore, unitFront, unitBranch, simulate.MemoryLatency, simulate.MemoryBandwidth, cpuIO,
		cpuLock, cpuFaults}
	b.team(b.m.cpus())
	us := r.Log(3000, 40000)
	var stages []stage
	n := r.Whole(2, 7)
	for range n {
		what := simulate.Pick(r, all...)
		more := b.limited(what, us/float64(n)*r.Log(0.3, 3), max(1, b.some()))
		stages = append(stages, more[0])
	}
	b.forked(stages, false)
	if r.Chance(0.2) {
		b.hogs(r.Whole(1, b.m.cpus()), r.Between(0.3, 1))
	}
	if r.Chance(0.25) {
		b.hold(simulate.Pick(r, simulate.ClockPower, simulate.ClockThermal, simulate.ClockGovernor), r.Between(0.4, 0.9), b.m.cpus())
	}
}
