package rdna

import (
	"fmt"
	"slices"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families that the package models.
var Names = []string{"gfx1151-fourth"}

// Kinds are the kinds of cases of a family. Kernels that run one at a time have no queues that work in turn and no
// dates to keep.
func Kinds(string) []string {
	return []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindTwoPhase, simulate.KindRandom}
}

// New draws a case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("there is no family %q here; there are %v", name, Names)
	}
	if !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("family %s has no cases of kind %q; it has %v", name, kind, Kinds(name))
	}
	p := newProgram(name, kind, seed)
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: p.text, Plant: p.plant,
		Record: func(o simulate.Options) (*capture.Capture, error) { return p.record(&o) },
		Judge:  func() (*simulate.Truth, error) { return p.judge(), nil }}, nil
}

// dispatch is one in the order of the program.
type dispatch struct {
	kernel int     // among the program's
	size   float64 // of its time and counts, from one to the next
	phase  int
}

// condition is how a run of the program found the GPU at a dispatch.
type condition struct {
	clock float64 // GHz
	late  float64 // by what its time is off
	gap   float64 // ns before it
}

// program is a program with its kernels, and the runs that the profiler made of it.
type program struct {
	family, kind string
	seed         uint64
	text, plant  string
	m            *machine
	kernels      []*kernel
	dispatches   []dispatch
	phases       []string
	pinned       bool // the power level keeps the clock, and counters' clocks on
	conditions   [len(runs)][]condition
	mu           sync.Mutex // of what is known
	known        map[flight]*flown
}

// flight is what a dispatch's flow depends on.
type flight struct {
	kernel int
	clock  float64
	r      relief
}

func newProgram(name, kind string, seed uint64) *program {
	r := simulate.NewRandom(seed, name+" "+kind)
	p := &program{family: name, kind: kind, seed: seed, m: newMachine(r), known: map[flight]*flown{}}
	switch kind {
	case simulate.KindSingle:
		at := int(seed % uint64(len(plants)))
		p.plant = candidates[at].String()
		make := plants[at][int(seed/uint64(len(plants)))%len(plants[at])]
		p.loop(r, []step{{make, 1, 1}}, dispatches(r), 0)
		p.text = p.kernels[0].name
	case simulate.KindTwoPhase:
		a := r.IntN(len(programs))
		b := (a + 1 + r.IntN(len(programs)-1)) % len(programs)
		p.phases = []string{programs[a].text, programs[b].text}
		p.loop(r, programs[a].steps, dispatches(r)/2, 0)
		p.loop(r, programs[b].steps, dispatches(r)/2, 1)
		p.text = p.phases[0] + ", then " + p.phases[1]
	case simulate.KindRandom:
		all := []recipe{elementwise, reduction, gemm, wmmaGemm, nbody, doubles, stencil, spmv, gather, strided, fft, histogram, atomics,
			shared, chase, thin, tiny, gemv, attention}
		var steps []step
		for range r.Whole(2, 5) {
			steps = append(steps, step{simulate.Pick(r, all...), r.Log(0.2, 3), r.Whole(1, 3)})
		}
		p.loop(r, steps, dispatches(r), 0)
		p.text = "kernels of any kind"
	default:
		which := programs[r.IntN(len(programs))]
		p.loop(r, which.steps, dispatches(r), 0)
		p.text = which.text
	}
	p.meet(r)
	return p
}

// dispatches is how many a session has: few where somebody looks at a test, as the public capture's.
func dispatches(r simulate.Random) int {
	if r.Chance(0.12) {
		return r.Whole(8, 40)
	}
	return int(r.Log(40, 220))
}

// loop adds n dispatches of a loop of steps. The first dispatch of a kernel finds nothing in caches.
func (p *program) loop(r simulate.Random, steps []step, n, phase int) {
	type pair struct{ cold, warm int }
	var made [][]pair
	for _, s := range steps {
		var of []pair
		for range min(2, s.times) {
			k := s.make(r, s.size)
			k.seed = r.Uint64()
			if p.kind != simulate.KindSingle {
				untidy(r, k)
			}
			if k.code == 0 {
				k.code = r.Log(0.5, 8)
			}
			cold := *k
			cold.segments = slices.Clone(k.segments)
			for i := range cold.segments {
				c := &cold.segments[i]
				c.hitMall *= 0.3
				c.smem *= 3
			}
			p.kernels = append(p.kernels, &cold, k)
			of = append(of, pair{len(p.kernels) - 2, len(p.kernels) - 1})
		}
		made = append(made, of)
	}
	seen := map[int]bool{}
	vary := r.Between(0, 0.06)
	for done := 0; done < n; {
		for i, s := range steps {
			for t := range s.times {
				of := made[i][t%len(made[i])]
				at := of.warm
				if !seen[of.cold] {
					seen[of.cold], at = true, of.cold
				}
				p.dispatches = append(p.dispatches, dispatch{at, r.Spread(vary), phase})
				done++
			}
		}
	}
}

// untidy makes a kernel one of those that were not tuned: registers that leave few waves, loads that wait one for the
// other, grids of few rounds.
func untidy(r simulate.Random, k *kernel) {
	if r.Chance(0.3) {
		k.vgpr = max(k.vgpr, r.Whole(100, 250))
	}
	if r.Chance(0.25) {
		for i := range k.segments {
			k.segments[i].mlp = min(k.segments[i].mlp, r.Between(1, 2))
		}
	}
	if r.Chance(0.25) {
		k.groups = max(1, min(k.groups, int(k.resident()*r.Between(0.2, 2.6))/k.wavesOfGroup()))
	}
	by := r.Log(0.6, 1.8)
	for i := range k.segments {
		k.segments[i].valu *= by
	}
}

// meet draws how the runs find the GPU.
func (p *program) meet(r simulate.Random) {
	p.pinned = r.Chance(0.5)
	// An APU of few watts does not hold its highest clock under load.
	high := []float64{fastest, fastest * r.Between(0.85, 1)}
	low := r.Between(0.58, 0.9)
	fixed := r.Between(1.3, 2.5)
	idles := r.Between(0, 0.35) // how often the clock is still low
	for run := range p.conditions {
		clock := high[0]
		slow := false
		for range p.dispatches {
			c := condition{late: 1 + 0.01*r.ExpFloat64(), gap: r.Log(2e4, 2e6)}
			switch {
			case p.pinned:
				c.clock = fixed
			case slow && r.Chance(0.6) || !slow && r.Chance(idles*0.3):
				c.clock, slow = low, true
			default:
				if slow = false; r.Chance(0.1) {
					clock = high[r.IntN(2)]
				}
				c.clock = clock
			}
			p.conditions[run] = append(p.conditions[run], c)
		}
	}
}

// flow is the flow of a kernel, which is known from earlier where it was asked for.
func (p *program) flow(kernel int, clock float64, r relief) *flown {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := flight{kernel, clock, r}
	f := p.known[key]
	if f == nil {
		x := flow(p.kernels[kernel], p.m, clock, r)
		f = &x
		p.known[key] = f
	}
	return f
}

// ns is the time of a dispatch in a run.
func (p *program) ns(run, i int, r relief) float64 {
	d, c := &p.dispatches[i], &p.conditions[run][i]
	return p.flow(d.kernel, c.clock, r).total / c.clock * d.size * c.late
}
