package cpu

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Name is the family's.
const Name = "cpu-eighth"

// Names are the families.
var Names = []string{Name}

// Kinds are the kinds of cases.
func Kinds(string) []string { return simulate.Kinds() }

// New draws a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if name != Name || !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("the eighth model has no cases of kind %q for %q", kind, name)
	}
	r := simulate.NewRandom(seed, Name+kind)
	s, limit, err := draw(r, kind, seed)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, p := range s.phases {
		names = append(names, p.name)
	}
	text := fmt.Sprintf("%s on %s with %d CPUs", strings.Join(names, ", then "), s.m.model, len(s.m.cpus))
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: text, Plant: limit,
		Record: func(o simulate.Options) (*capture.Capture, error) { return s.record(o) },
		Judge:  s.judge}, nil
}

// draw makes the scene of a case, and says what it is meant to be limited by where there is such a thing.
func draw(r simulate.Random, kind string, seed uint64) (*scene, string, error) {
	chosen := plant{}
	if kind == simulate.KindSingle {
		chosen = plants[seed%uint64(len(plants))]
	}
	virtual := r.Chance(0.12) && chosen.limit.Level != simulate.LevelClock
	d := &draft{r: r}
	m := newMachine(r, virtual)
	d.scene = newScene(r, m, seed)
	// Most machines are wide enough for what runs on them, and their fans for the heat.
	if kind == simulate.KindSingle || kind == simulate.KindHealthy || r.Chance(0.45) {
		m.heat, m.limit, m.governed = nil, 0, 1
		if m.schedutil = m.schedutil && kind == simulate.KindHealthy; kind != simulate.KindHealthy {
			m.steal = 0
		}
	}
	ratio := r.Log(0.7, 3) // of the time between dates to what a unit takes
	make := func() *program { return archetypes[r.IntN(len(archetypes))](d) }
	switch kind {
	case simulate.KindSingle:
		make, ratio = func() *program { return chosen.make(d) }, r.Between(1.8, 4)
	case simulate.KindSerial:
		make = func() *program { return inTurn(d) }
	case simulate.KindRandom:
		make = func() *program { return mixture(d) }
	case simulate.KindHealthy:
		make = func() *program {
			p := archetypes[r.IntN(len(archetypes))](d)
			p.pace = dates
			if p.window > 1 && len(p.stages) == 1 {
				p.pace = requests
			}
			return p
		}
		ratio = r.Between(1.8, 5)
	}
	d.phases = append(d.phases, make())
	if kind == simulate.KindTwoPhase {
		d.phases = append(d.phases, make())
	}
	if chance := r.Float64(); kind == simulate.KindArchetype || kind == simulate.KindRandom {
		switch {
		case chance < 0.08:
			d.addOthers(r.Log(0.3, 1.3), false)
		case chance < 0.16:
			d.addOthers(r.Log(0.02, 0.3), r.Chance(0.4))
		case chance < 0.2:
			d.addOthers(r.Between(0.6, 1.2), true)
		}
	}
	duration := r.Log(0.3e9, 3e9)
	for _, p := range d.phases {
		if err := d.fit(p, ratio, duration/float64(len(d.phases))); err != nil {
			return nil, "", err
		}
	}
	if kind == simulate.KindHealthy || chosen.limit.Level == simulate.LevelDisplay {
		if err := d.calm(); err != nil {
			return nil, "", err
		}
	}
	limit := ""
	if chosen.make != nil {
		limit = chosen.limit.String()
	}
	return d.scene, limit, nil
}

// fit decides how many units a program has, and when they are due, by a run of a few.
func (d *draft) fit(p *program, ratio, duration float64) error {
	pace, phases := p.pace, d.phases
	defer func() { d.phases = phases }()
	d.phases = []*program{p}
	p.pace, p.units = unpaced, 16+3*p.window
	e := newEngine(d.scene, simulate.Candidate{}, nil)
	if err := e.run(); err != nil {
		return err
	}
	last := len(e.frameEnd) - 1
	ns := (e.frameEnd[last] - e.frameEnd[p.window-1]) / float64(last-p.window+1)
	if p.pace = pace; pace != unpaced {
		ns *= ratio
		p.every = ns
	}
	const budget = 9000 // events
	events := float64(e.events) / float64(p.units)
	n := max(40, int(min(duration/ns, budget/events)))
	p.batch = max(1, (n+75)/150)
	p.units = max(36, n/p.batch) * p.batch
	return nil
}

// calm lets more time pass between dates until all are kept and most of the time is spent waiting for them.
func (d *draft) calm() error {
	for range 12 {
		e := newEngine(d.scene, simulate.Candidate{}, nil)
		if err := e.run(); err != nil {
			return err
		}
		x := e.part(d.spans()[0])
		if x.Missed == 0 && x.ShareOf(timer)+x.ShareOf(simulate.DisplayRequest) > 0.55 {
			return nil
		}
		for _, p := range d.phases {
			p.every *= 1.3
		}
	}
	return nil
}
