package mali

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families.
var Names = []string{"mali-g710-third", "mali-g720-third"}

// Kinds lists the kinds of cases of a family.
func Kinds(string) []string { return simulate.Kinds() }

// New makes a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	gen5 := name == Names[1]
	if !gen5 && name != Names[0] {
		return nil, fmt.Errorf("there is no family %q", name)
	}
	h := fnv.New64a()
	h.Write([]byte(name + " " + kind))
	r := rand.New(rand.NewPCG(h.Sum64(), seed))
	p := &program{m: drawMachine(r, gen5)}
	// Arm tells the width of a beat and not how many of them a slice gives in a cycle: one to four, as it may be.
	p.m.lookups = uniform(rand.New(rand.NewPCG(seed, h.Sum64())), 0.3, 1)
	p.clock.policy = 1
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	switch kind {
	case simulate.KindArchetype:
		p.archetype(r)
	case simulate.KindSingle:
		all := plants(gen5)
		plant := all[seed%uint64(len(all))]
		c.Plant = plant.String()
		p.single(r, plant)
	case simulate.KindSerial:
		p.serial(r)
	case simulate.KindHealthy:
		p.healthy(r)
	case simulate.KindTwoPhase:
		p.twoPhase(r)
	case simulate.KindRandom:
		p.random(r)
	default:
		return nil, fmt.Errorf("there is no kind %q", kind)
	}
	c.Text = p.contents[0].text
	if len(p.contents) > 1 {
		c.Text += ", then " + p.contents[1].text
	}
	own := r.Uint64() // of the recorder
	c.Record = func(o simulate.Options) (*capture.Capture, error) {
		return p.record(gen5, o, rand.New(rand.NewPCG(own, seed)))
	}
	c.Judge = func() (*simulate.Truth, error) { return p.judge(), nil }
	return c, nil
}

// lengths draws the frames: how many, and how large each is.
func (p *program) lengths(r *rand.Rand, ns float64, vary float64) {
	p.warm = 5
	if p.clock.governed {
		p.warm = 14
	}
	n := p.warm + int(min(110, max(40, uniform(r, 0.9e9, 1.8e9)/ns)))
	p.of = make([]int, n)
	if len(p.contents) == 2 {
		for i := p.warm + (n-p.warm)*(2+r.IntN(3))/6; i < n; i++ {
			p.of[i] = 1
		}
	}
	walk, cycle := 0.0, uniform(r, 20, 90)
	for i := range n {
		walk = 0.8*walk + 0.5*vary*r.NormFloat64()
		p.gpu = append(p.gpu, math.Exp(walk+vary*math.Sin(float64(i)/cycle)))
		p.cpu = append(p.cpu, math.Exp(1.5*vary*r.NormFloat64()))
	}
}

// unpaced lets the program run as fast as it can.
func (p *program) unpaced(r *rand.Rand) {
	p.pacing = pacing{buffers: 3, ahead: 2 + r.IntN(2)}
}

// vsync shows frames at refreshes.
func (p *program) vsync(r *rand.Rand, hz float64, pattern ...int) {
	p.pacing = pacing{refresh: 1e9 / hz, pattern: pattern, buffers: 2 + r.IntN(2), ahead: 3}
}

func (p *program) archetype(r *rand.Rand) {
	s := &scenarios[r.IntN(len(scenarios))]
	ns := uniform(r, 6e6, 28e6)
	p.contents = []content{s.frame(r, p.m, ns)}
	p.barriers(r, &p.contents[0])
	p.environment(r, ns)
	p.lengths(r, ns, uniform(r, 0.01, 0.06))
}

// environment draws how a program is paced and what clock it gets.
func (p *program) environment(r *rand.Rand, ns float64) {
	p.unpaced(r)
	switch r.IntN(8) {
	case 0:
		p.vsync(r, pick(r, 60.0, 90, 120), 1)
	case 1:
		p.pacing = pacing{refresh: 1e9 / 120, pattern: []int{1}, adaptive: true, buffers: 3, ahead: 3}
	}
	switch r.IntN(8) {
	case 0:
		p.limit(r, simulate.ClockThermal, uniform(r, 0.45, 0.9))
	case 1:
		p.limit(r, simulate.ClockPower, uniform(r, 0.5, 0.9))
	case 2, 3:
		p.governor(r)
	}
}

func (p *program) governor(r *rand.Rand) {
	p.clock.governed, p.clock.window, p.clock.up = true, pick(r, 16e6, 20e6, 50e6), uniform(r, 0.85, 0.93)
}

// limit holds the clock around a share of its highest.
func (p *program) limit(r *rand.Rand, kind simulate.Candidate, mean float64) {
	p.clock.kind = kind
	drift := 0.0
	for range 600 {
		if kind == simulate.ClockThermal { // the step-wise governor goes up and down around the trip point
			drift = 0.7*drift + 0.06*r.NormFloat64()
		} else {
			drift = 0.12 * r.NormFloat64()
		}
		p.clock.caps = append(p.clock.caps, min(max(mean+drift, p.m.steps[0]), 0.97))
	}
}

// barriers adds needless dependencies to some programs.
func (p *program) barriers(r *rand.Rand, c *content) {
	if r.IntN(6) == 0 {
		inTurn(c)
	}
}

// inTurn lets every queue wait for the last pass of the frame before, as barriers do that name all stages.
func inTurn(c *content) {
	last := len(c.passes) - 1
	for i := range c.passes {
		if c.passes[i].queue != c.passes[last].queue {
			c.passes[i].edges = append(c.passes[i].edges, edge{back: 1, pass: last, needless: true})
		}
	}
}

func plants(gen5 bool) []simulate.Candidate {
	return append(candidates(gen5), simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest)
}
