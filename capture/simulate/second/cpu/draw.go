package cpu

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"astrolabe/capture/simulate"
)

// Names are the families of this package.
var Names = []string{"cpu-second"}

// Kinds lists the kinds of cases that a family has.
func Kinds(name string) []string {
	if name != Names[0] {
		return nil
	}
	return simulate.Kinds()
}

// candidates in the order of causes.
var candidates = [numCauses]simulate.Candidate{
	causeCore:      {Level: simulate.LevelUnit, Name: "core"},
	causeBranch:    {Level: simulate.LevelUnit, Name: "branch"},
	causeFetch:     {Level: simulate.LevelUnit, Name: "front_end"},
	causeLatency:   simulate.MemoryLatency,
	causeBandwidth: simulate.MemoryBandwidth,
	causeIO:        {Level: simulate.LevelCPU, Name: "io"},
	causeLock:      {Level: simulate.LevelCPU, Name: "lock"},
	causeTurn:      simulate.QueuesInTurn,
	causeThermal:   simulate.ClockThermal,
	causePower:     simulate.ClockPower,
	causeTimer:     {Level: simulate.LevelDisplay, Name: "timer"},
}

// New makes the case of a seed.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if name != Names[0] {
		return nil, fmt.Errorf("there is no family %q here", name)
	}
	h := fnv.New64a()
	h.Write([]byte(name + " " + kind))
	d := dice{rand.New(rand.NewPCG(h.Sum64(), seed))}
	m := drawMachine(d)
	b := newBuilder(d, m)
	text, plant, ok := b.make(kind, seed)
	if !ok {
		return nil, fmt.Errorf("family %s has no kind %q", name, kind)
	}
	if b.p.locks > 0 && d.chance(0.4) {
		b.p.spin = spin{ns: pick(d, d.in(2e3, 20e3), d.in(20e3, 100e3), 1e9), mix: b.add(pausing(d, m.cpu))}
	}
	if b.p.switching = b.calls; b.calls < 0 {
		b.p.switching = int(b.add(calling(d, m.cpu)))
	}
	c := &caseOf{kind: kind, seed: seed, m: m, p: &b.p, recording: drawRecording(d)}
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: text + ", " + m.cpu.name, Plant: plant,
		Record: c.record, Judge: c.judge}, nil
}

// drawMachine draws a computer whose clock nothing holds down.
func drawMachine(d dice) *machine {
	cpu := pick(d, models...)
	m := &machine{cpu: &cpu, wake: d.in(3e3, 9e3), deep: d.in(0, 60e3), average: d.in(0.1e9, 2e9),
		inertia: d.in(2e9, 12e9), ambient: d.in(25, 45)}
	// Samples of a product differ a little.
	cpu.dram, cpu.bandwidth, cpu.penalty = d.near(cpu.dram, 0.08), d.near(cpu.bandwidth, 0.1), d.near(cpu.penalty, 0.08)
	m.idle, m.each = d.in(2, 8), d.in(5, 11)
	m.cooled = (m.idle + m.each*float64(cpu.cores)) * d.in(1.25, 2.2)
	m.others = d.in(0.02, 0.3)
	if d.chance(0.25) {
		m.others = d.in(0.3, 0.2*float64(cpu.threads()))
	}
	m.switching, m.roaming = d.in(0.7e3, 0.4*m.wake), pick(d, 0.002, 0.02, 0.1, 0.3)
	m.virtual = cpu.cloud && d.chance(0.7)
	m.stolen = d.in(0, 0.01)
	m.background = m.others * d.in(0.1, 1)
	switch d.IntN(4) {
	case 0: // a disk that turns
		m.slots, m.latency, m.transfers = 1, d.in(3e6, 7e6), d.in(0.12, 0.22)
	case 1: // SATA
		m.slots, m.latency, m.transfers = 8, d.in(90e3, 200e3), d.in(0.4, 0.55)
	case 2: // NVMe
		m.slots, m.latency, m.transfers = 32, d.in(60e3, 120e3), d.in(1.5, 6)
	default: // of a cloud
		m.slots, m.latency, m.transfers = 16, d.in(400e3, 1200e3), d.in(0.12, 1)
	}
	return m
}

// most is how many threads a program has at most that has a processor for each.
func (b *builder) most() int {
	return max(2, min(16, int(float64(b.m.cpu.threads())-b.m.others)))
}

// physical is the same without threads that share a core.
func (b *builder) physical() int { return max(2, min(b.m.cpu.cores-1, b.most())) }

// hold lets power or heat hold the clock of n busy cores at a share of the highest.
func (b *builder) hold(thermal bool, n int, share float64) {
	m := b.m
	cores := float64(n) + m.others
	if over := cores - float64(m.cpu.cores); over > 0 {
		cores = float64(m.cpu.cores) + 0.15*over
	}
	watts := m.idle + m.each*cores*math.Pow(share, 2.7)
	m.virtual = false // clouds keep their machines cool
	if thermal {
		m.cooled = watts
	} else {
		m.limit = watts
	}
	m.start = float64(n)
}

// mostSteps is about how many steps a program has at most, so that it is simulated in a moment.
const mostSteps = 16000

// repeat appends frames until their time is about a length, ns.
func (b *builder) repeat(shapes []shape, frame, length, uneven float64) {
	most, first := b.steps+mostSteps, len(b.p.frames)
	for range max(12, int(length/frame)) {
		if b.frame(shapes, b.d.in(1-uneven, 1+uneven)); b.steps > most && len(b.p.frames) >= first+12 {
			break
		}
	}
}

// single is a program that one thing limits.
func (b *builder) single(plant int) (text, name string) {
	d, m := b.d, b.m
	frame := d.in(8e6, 50e6)
	length := d.in(1.5e9, 3e9)
	one := func(kind func(dice, *model) mix, n int) {
		x := b.add(kind(d, m.cpu))
		y := b.add(plain(d, m.cpu))
		b.m.start = float64(n)
		b.repeat([]shape{
			{threads: workers(0, n), uneven: 0.04, pieces: []piece{{mix: x, ns: frame * d.in(0.88, 0.97)}}},
			{threads: workers(0, 1), pieces: []piece{{mix: y, ns: frame * d.in(0.01, 0.06)}}},
		}, frame, length, 0.15)
	}
	switch plant {
	case causeCore:
		one(executing, d.whole(1, b.physical()))
		text = "code that execution limits"
	case causeBranch:
		one(guessing, d.whole(1, b.physical()))
		text = "code that mispredicts branches"
	case causeFetch:
		one(sprawling, d.whole(1, b.physical()))
		text = "code that does not fit its caches"
	case causeLatency:
		one(chasing, d.whole(1, min(4, b.physical())))
		text = "code that follows pointers"
	case causeBandwidth:
		one(streaming, b.most())
		text = "code that streams through memory"
	case causeIO:
		x := b.add(plain(d, m.cpu))
		n := d.whole(1, 4)
		sh := shape{threads: workers(0, n), uneven: 0.1, repeat: d.whole(3, 8)}
		bytes := 4096 * float64(d.whole(1, 32))
		sh.pieces = []piece{{bytes: bytes}, {mix: x, ns: (m.latency + bytes/m.transfers) * d.in(0.05, 0.35)}}
		frame = float64(sh.repeat) * (m.latency + bytes/m.transfers) * 1.2 * max(1, float64(n)/float64(m.slots))
		for frame < 4e6 {
			sh.repeat *= 2
			frame *= 2
		}
		b.repeat([]shape{sh}, frame, min(length, 30*frame+0.8e9), 0.15)
		text = "threads that wait for storage"
	case causeLock:
		n := d.whole(3, b.most())
		x, y := b.add(shared(d, m.cpu)), b.add(blended(d, m.cpu))
		hold := d.in(10e3, 60e3)
		sh := shape{threads: workers(0, n), uneven: 0.1, repeat: max(3, int(frame/hold/float64(n)))}
		sh.pieces = []piece{{mix: y, ns: hold * float64(n-1) * d.in(0.1, 0.5)},
			{mix: x, ns: hold, locked: true}}
		b.repeat([]shape{sh}, frame, 0.7e9, 0.1)
		text = "threads that wait for a lock"
	case causeTurn:
		x := b.add(plain(d, m.cpu))
		n := d.whole(2, min(6, b.physical()))
		shapes := []shape{{threads: workers(0, n), turn: true, uneven: 0.2,
			pieces: []piece{{mix: x, ns: frame / float64(n)}}}}
		if d.chance(0.5) {
			b.p.between = true
			share := d.in(0.38, 0.62)
			shapes = []shape{{threads: workers(0, 1), pieces: []piece{{mix: x, ns: frame * share}}},
				{threads: workers(1, 1), pieces: []piece{{mix: x, ns: frame * (1 - share)}}}}
		}
		b.repeat(shapes, frame, length, 0.15)
		text = "threads that work in turn"
	case causeThermal, causePower:
		n := d.whole(max(2, b.physical()/2), b.physical())
		b.clock = d.in(0.5, 0.66)
		b.hold(plant == causeThermal, n, b.clock)
		x := plain(d, m.cpu)
		x.fetch, x.misses = 0.4/x.ipc*d.in(0.7, 1.6), 0.25/x.ipc/m.cpu.penalty*d.in(0.6, 1.6)
		x.llc, x.l2 = x.llc*0.2, x.l2*0.5
		k := b.add(x)
		b.repeat([]shape{{threads: workers(0, n), uneven: 0.04, pieces: []piece{{mix: k, ns: frame}}}}, frame, length, 0.15)
		text = "a clock that " + map[bool]string{true: "heat", false: "a power limit"}[plant == causeThermal] +
			" holds down"
	}
	return text, candidates[plant].String()
}
