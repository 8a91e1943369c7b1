package mali

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families.
var Names = []string{"mali-g78-tenth", "immortalis-g925-tenth"}

// Kinds are the kinds of cases of a family.
func Kinds(string) []string { return simulate.Kinds() }

// plants are what cases of one limit are limited by, in the order of seeds.
var plants = []int{arithmetic, texture, bandwidth, app, latency, tiler, launch, rasterizer, thermal, loadStore, driver, cache,
	varying, governor, backend, power}

func (l *layout) plants() []int {
	if l.fifth {
		return append(plants[:len(plants):len(plants)], rayTracing)
	}
	return plants
}

// New makes a case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	p, c, record, err := draw(name, kind, seed)
	if err != nil {
		return nil, err
	}
	rec := newRecorder(p, record)
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return rec.record(o) }
	c.Judge = func() (*simulate.Truth, error) { return p.judge(), nil }
	return c, nil
}

// draw makes a program, and the seed of its recordings.
func draw(name, kind string, seed uint64) (*program, *simulate.Case, uint64, error) {
	l := layoutOf(name)
	if l == nil {
		return nil, nil, 0, fmt.Errorf("mali: no family %q", name)
	}
	if !slices.Contains(Kinds(name), kind) {
		return nil, nil, 0, fmt.Errorf("mali: %s has no kind %q", name, kind)
	}
	h := fnv.New64a()
	h.Write([]byte(name + "/" + kind))
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	b := builder{newMachine(r, l), r}
	p := &program{machine: b.machine, warm: 6, heat: b.calmHeat()}
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	seconds := between(r, 0.6, 2)
	switch kind {
	case simulate.KindArchetype:
		b.archetype(p, seconds)
	case simulate.KindSingle:
		by := l.plants()[seed%uint64(len(l.plants()))]
		c.Plant = candidates[by].String()
		p.contents = []*content{b.limited(by, between(r, 8e6, 26e6))}
		if by >= governor {
			b.hold(&p.heat, by, between(r, 0.42, 0.55))
		}
		b.hurry(p, seconds)
	case simulate.KindSerial:
		b.serial(p, seconds)
	case simulate.KindHealthy:
		b.healthy(p, seconds)
	case simulate.KindTwoPhase:
		b.phases(p)
	default:
		b.mixture(p, seconds)
	}
	for i, x := range p.contents {
		if i > 0 {
			c.Text += ", then "
		}
		c.Text += x.name
	}
	c.Text += fmt.Sprintf(" on a %s of %d cores", l.device.Name, p.cores)
	return p, c, r.Uint64(), nil
}

// framesFor is how many frames a time holds, so many at least and so many at most.
func framesFor(seconds, ns float64, least, most int) int {
	return max(least, min(most, int(seconds*1e9/ns)))
}

// hurry paces a program that no date holds back: it shows frames on a display that is faster than it, or on none.
func (b builder) hurry(p *program, seconds float64) {
	r := b.r
	p.draw(r, 24, 0.05, 0.08)
	whole, _ := p.perFrame(0)
	slow := 1.0
	if p.heat.trip > 0 || p.heat.watts > 0 || p.heat.top < 1 {
		slow = 1.8
	}
	p.draw(r, framesFor(seconds, whole*slow, 24, 260)+p.warm, 0.05, 0.08)
	p.pace = pacing{buffers: 3 + r.IntN(2)}
	if r.IntN(4) > 0 {
		hz := 60.0
		for _, x := range []float64{144, 120, 90} {
			if 1e9/x < whole*0.55 {
				hz = x
			}
		}
		if 1e9/hz < whole*0.6 {
			p.pace.display, p.pace.refresh, p.pace.buffers = true, int64(1e9/hz), 4
			p.pace.adaptive = r.IntN(4) == 0
		}
	}
}

func (b builder) archetype(p *program, seconds float64) {
	r := b.r
	t := &templates[r.IntN(len(templates))]
	if b.fifth && r.IntN(4) == 0 {
		t = &traced[r.IntN(len(traced))]
	}
	c := b.fromTemplate(t, between(r, 9e6, 30e6))
	p.contents = []*content{c}
	switch r.IntN(14) {
	case 0:
		b.hold(&p.heat, thermal, between(r, 0.4, 0.7))
	case 1:
		b.hold(&p.heat, pick(r, power, governor), between(r, 0.4, 0.7))
	case 2:
		c.wait = true
	case 3:
		c.scaleCPU(between(r, 1.5, 2.5))
	case 4, 5:
		p.heat.always = false // an ordinary governor
	}
	b.hurry(p, seconds)
	if p.pace.display && r.IntN(12) == 0 {
		p.pace.buffers = 2
	}
}

func (b builder) serial(p *program, seconds float64) {
	r := b.r
	ns := between(r, 8e6, 24e6)
	if r.IntN(2) == 0 {
		c := b.alternating(ns)
		if r.IntN(4) == 0 { // each shading waits, and is waited for
			c.passes[1], c.passes[2] = c.passes[2], c.passes[1]
			c.passes[1].after, c.passes[2].after, c.passes[3].after = []int{0}, nil, []int{2}
			c.passes[2].turn = []int{1}
		}
		p.contents = []*content{c}
	} else {
		c := b.fromTemplate(&templates[r.IntN(8)], ns)
		c.wait = true
		p.contents = []*content{c}
		p.draw(r, 24, 0.05, 0.08)
		_, gpu := p.perFrame(0)
		c.app, c.driver = gpu*between(r, 0.4, 1.1), gpu*between(r, 0.1, 0.4)
	}
	b.hurry(p, seconds)
	if r.IntN(4) == 0 {
		p.heat.always = false
	}
}

func (b builder) healthy(p *program, seconds float64) {
	r := b.r
	c := b.fromTemplate(&templates[pick(r, 0, 1, 2, 3, 4, 5, 9)], between(r, 6e6, 14e6))
	p.contents = []*content{c}
	p.draw(r, 24, 0.05, 0.08)
	_, gpu := p.perFrame(0)
	hz := pick(r, 60.0, 60, 72, 90, 120, 144)
	p.pace = pacing{display: true, refresh: int64(1e9 / hz), buffers: 2 + r.IntN(2)}
	every := 1e9 / hz
	switch r.IntN(7) {
	case 0, 1:
		p.pace.cap = int64(1e9 / pick(r, 24.0, 30, 30, 40, 45, 48))
		p.pace.buffers = 3
	case 2:
		p.pace.adaptive, p.pace.buffers = true, 3
		if r.IntN(2) == 0 {
			p.pace.cap = int64(1e9 / between(r, 0.5*hz, 0.9*hz))
		}
	case 3:
		p.pace.buffers = 3
		p.pace.asked = []int64{}
	}
	every = max(every, float64(p.pace.cap))
	if p.pace.asked != nil {
		every = between(r, 1.5, 4) * every
	}
	c.scaleBy(every * between(r, 0.05, 0.9) / gpu)
	c.app, c.driver = every*between(r, 0.05, 0.4), every*between(r, 0.05, 0.35)
	p.heat.always = r.IntN(2) == 0
	if p.pace.buffers == 2 {
		// Nothing overlaps the GPU's work then.
		c.scaleBy(0.6)
		c.driver *= 0.6
	}
	n := framesFor(seconds, every, 30, 260) + p.warm
	p.draw(r, n, 0.03, 0.06)
	if p.pace.asked != nil {
		at := 0.0
		for range n {
			at += every * between(r, 0.75, 1.6)
			p.pace.asked = append(p.pace.asked, int64(at))
		}
	}
	for range 12 {
		s := newSim(p, relief{}, nil)
		s.run()
		st := simulate.Stretch{First: p.warm, Last: p.frames - 1}
		part := s.part(st)
		if part.Missed == 0 && part.Displayed() > 0.6 && part.GPUBusy < 0.92 {
			break
		}
		c.scaleBy(0.8)
		c.scaleCPU(0.85)
	}
}

func (b builder) phases(p *program) {
	r := b.r
	one := pick(r, b.plants()...)
	for one >= governor {
		one = pick(r, b.plants()...)
	}
	two := one
	for two == one || two >= governor {
		two = pick(r, b.plants()...)
	}
	p.contents = []*content{b.limited(one, between(r, 8e6, 20e6)), b.limited(two, between(r, 8e6, 20e6))}
	p.draw(r, 24, 0.05, 0.08)
	a, _ := p.perFrame(0)
	z, _ := p.perFrame(1)
	n := framesFor(between(r, 0.5, 1.1), a, 14, 200) + 6
	m := framesFor(between(r, 0.5, 1.1), z, 14, 200) + 6
	p.change = p.warm + n
	p.draw(r, p.change+m, 0.05, 0.08)
	p.pace = pacing{buffers: 3}
	if fast := min(a, z); r.IntN(3) > 0 && 1e9/144.0 < fast*0.6 {
		p.pace = pacing{display: true, refresh: 6_944_444, buffers: 4}
		if 1e9/120 < fast*0.6 {
			p.pace.refresh = 8_333_333
		}
	}
}

func (b builder) mixture(p *program, seconds float64) {
	r := b.r
	c := &content{name: "a mixture", system: between(r, 0.2, 0.5)}
	ns := between(r, 8e6, 28e6)
	n := 2 + r.IntN(6)
	calm := between(r, 0.4, 1)
	for i := range n {
		k := pick(r, geometry, shading, shading, shading, compute)
		if i == n-1 {
			k = shading
		}
		on := stations(k)
		by := on[r.IntN(len(on))]
		if r.IntN(9) == 0 {
			by = launch
		}
		if b.fifth && k != geometry && r.IntN(8) == 0 {
			by = rayTracing
		}
		c.passes = append(c.passes, b.newPass(r, fmt.Sprint("pass ", i), k, ns*around(r, 0.7)/float64(n), by, calm))
	}
	c.depend()
	c.app, c.driver = ns*between(r, 0.1, 1.2), ns*between(r, 0.1, 1.1)
	c.wait = r.IntN(8) == 0
	p.contents = []*content{c}
	if r.IntN(8) == 0 {
		b.hold(&p.heat, pick(r, governor, thermal, power), between(r, 0.4, 0.8))
	} else {
		p.heat.always = r.IntN(4) > 0
	}
	b.hurry(p, seconds)
	if p.pace.display && r.IntN(5) == 0 {
		p.pace.cap = int64(1e9 / pick(r, 30.0, 40, 60))
	}
}
