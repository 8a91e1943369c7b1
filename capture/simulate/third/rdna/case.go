package rdna

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names lists the families.
var Names = []string{"gfx1151-third"}

// Kinds lists the kinds of cases of a family.
func Kinds(name string) []string {
	if !slices.Contains(Names, name) {
		return nil
	}
	return []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindTwoPhase, simulate.KindRandom}
}

// candidates are what the causes of the model are called.
var candidates = [causes]simulate.Candidate{
	byOverhead:   simulate.LaunchOverhead,
	byLaunch:     {Level: simulate.LevelUnit, Name: "wave_launch"},
	byArithmetic: {Level: simulate.LevelUnit, Name: "arithmetic"},
	byLoadStore:  {Level: simulate.LevelUnit, Name: "load_store"},
	byLDS:        {Level: simulate.LevelUnit, Name: "local_memory"},
	byCache:      {Level: simulate.LevelMemory, Name: "cache"},
	byBandwidth:  simulate.MemoryBandwidth,
	byLatency:    simulate.MemoryLatency,
}

// dispatch is one launch of a kernel.
type dispatch struct {
	k     *kernel
	phase int
	first bool // of this kernel in the program
}

// condition is how a pass found the GPU for a dispatch.
type condition struct {
	gap    int64   // ns since the dispatch before
	jitter float64 // of all its times
	low    bool    // the clock was low after the gap
	warm   int     // of warmths
}

// warmths are the shares of what fits into the Infinity Cache that other clients have left there.
var warmths = [...]float64{1, 0.8, 0.55}

// program is a case: dispatches, and how each of the passes found the GPU.
type program struct {
	family, kind string
	seed         uint64
	dispatches   []dispatch
	phases       []string
	pinned       bool    // the clocks are held by the profiler, and no counter's clock is gated
	clock, idle  float64 // cycles per ns
	// patient says that the arbiter of the path to memory counts as stalled for no longer than it is busy, as in the one
	// public capture, whose requests the Infinity Cache answers. Nothing says what it counts where DRAM is full.
	patient bool
	passes  [][]condition
	mu      sync.Mutex
	results map[key]*result
}

// key is what a result depends on.
type key struct {
	k         *kernel
	low, slow bool
	warm      int
	relief    cause // causes: none
}

// New makes a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("no cases %q of %q", kind, name)
	}
	h := fnv.New64a()
	h.Write([]byte(name + " " + kind))
	d := draw{rand.New(rand.NewPCG(h.Sum64(), seed))}
	p := &program{family: name, kind: kind, seed: seed, results: map[key]*result{}}
	text, plant := p.content(d)
	p.conditions(d)
	p.patient = d.chance(0.5)
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: text, Plant: plant}
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return p.record(o) }
	c.Judge = func() (*simulate.Truth, error) { return p.judge(), nil }
	return c, nil
}

// conditions draws how the passes find the GPU: those with many counters have longer gaps, after which the clock is
// lower and the cache emptier.
func (p *program) conditions(d draw) {
	p.pinned = d.chance(0.4)
	p.clock, p.idle = maxClock, d.between(0.55, 0.85)
	if p.pinned {
		p.clock = d.between(0.72, 0.9) * maxClock
	}
	p.passes = make([][]condition, len(passes))
	for i := range passes {
		heavy := len(passes[i].counters) > 19
		warm := 0
		if heavy {
			warm = d.IntN(len(warmths))
		}
		p.passes[i] = make([]condition, len(p.dispatches))
		for j := range p.passes[i] {
			c := condition{gap: int64(d.between(62e3, 100e3)), jitter: 1 + 0.008*d.NormFloat64(), warm: warm}
			if heavy {
				c.gap = int64(d.log(150e3, 900e3))
				c.low = !p.pinned && c.gap > 300e3 && d.chance(0.7)
			}
			if j == 0 {
				c.gap, c.warm, c.low = 0, len(warmths)-1, false
			}
			if j == 1 {
				c.gap += int64(d.between(1500e3, 2000e3))
			}
			p.passes[i][j] = c
		}
	}
}

// brief is how long a kernel may take, in ns, that is over before the clock has risen.
const brief = 120e3

// at is what a dispatch does under a condition, with something relieved.
func (p *program) at(d dispatch, c condition, relief cause) (*result, *machine) {
	m := p.machine(d, c)
	if c.low {
		high := c
		high.low = false
		fast := p.machine(d, high)
		if p.of(d, high, causes).total/fast.clock > brief {
			c, m = high, fast
		}
	}
	return p.of(d, c, relief), &m
}

func (p *program) machine(d dispatch, c condition) machine {
	clock, slow := min(p.clock, maxClock*d.k.clock), 0.0
	if c.low {
		clock = p.idle
	}
	if d.first {
		slow = 2500
	}
	return newMachine(clock, warmths[c.warm], slow)
}

// of simulates, or gives what was simulated before.
func (p *program) of(d dispatch, c condition, relief cause) *result {
	id := key{d.k, c.low, d.first, c.warm, relief}
	if d.k.footprint < 1<<20 {
		id.warm, c.warm = 0, 0 // GL2 has it
	}
	if r := p.results[id]; r != nil {
		return r
	}
	m := p.machine(d, c)
	if relief < causes {
		m = m.relieve(relief)
	}
	r := run(d.k, &m, p.seed)
	p.results[id] = r
	return r
}

// span is how long a dispatch takes in a pass, in ns.
func (p *program) span(pass, i int, relief cause) float64 {
	c := p.passes[pass][i]
	r, m := p.at(p.dispatches[i], c, relief)
	return r.total / m.clock * c.jitter
}
