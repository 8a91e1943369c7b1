package cpu

import (
	"fmt"
	"slices"

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
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	s, err := draw(simulate.NewRandom(seed, Name+kind), c)
	if err != nil {
		return nil, err
	}
	c.Text = s.phases[0].name
	for _, p := range s.phases[1:] {
		c.Text += ", then " + p.name
	}
	c.Text += fmt.Sprintf(" on %s with %d CPUs", s.m.name, len(s.m.cpus))
	c.Record, c.Judge = s.record, s.judge
	return c, nil
}

// draw makes the scene of a case.
func draw(r simulate.Random, c *simulate.Case) (*scene, error) {
	chosen := plants[c.Seed%uint64(len(plants))]
	single, healthy := c.Kind == simulate.KindSingle, c.Kind == simulate.KindHealthy
	virtual := r.Chance(0.12) && !(single && chosen.limit.Level == simulate.LevelClock)
	// Some machines are cooled and powered for whatever runs on them; most run below their highest clock when all cores work.
	m := newMachine(r, virtual, single || healthy || r.Chance(0.25))
	m.schedutil = m.schedutil && !single
	d := &draft{newScene(r, m, c.Seed), r}
	ratio := r.Log(0.7, 3) // of the time between dates to what a unit takes
	make := func() *program { return archetypes[r.IntN(len(archetypes))](d, r) }
	switch c.Kind {
	case simulate.KindSingle:
		c.Plant, ratio = chosen.limit.String(), r.Between(1.8, 4)
		make = func() *program { return chosen.make(d, r) }
	case simulate.KindSerial:
		make = func() *program { return inTurn(d, r) }
	case simulate.KindRandom:
		make = func() *program { return mixture(d, r) }
	case simulate.KindHealthy:
		ratio = r.Between(1.8, 5)
		make = func() *program {
			p := archetypes[r.IntN(len(archetypes))](d, r)
			if p.window > 1 && len(p.stages) == 1 {
				return p.at(r, 1, simulate.DisplayRequest)
			}
			return p.at(r, 1, timer)
		}
	case simulate.KindTwoPhase:
		d.phases = append(d.phases, make())
	}
	d.phases = append(d.phases, make())
	if c.Kind == simulate.KindArchetype || c.Kind == simulate.KindRandom {
		switch chance := r.Float64(); {
		case chance < 0.08:
			d.addOthers(r.Log(0.3, 1.3), false)
		case chance < 0.16:
			d.addOthers(r.Log(0.02, 0.3), r.Chance(0.4))
		case chance < 0.2:
			d.addOthers(r.Between(0.6, 1.2), true)
		}
	}
	duration := r.Log(0.3e9, 3e9) / float64(len(d.phases))
	for _, p := range d.phases {
		if err := d.fit(p, ratio, duration); err != nil {
			return nil, err
		}
	}
	if healthy || single && chosen.limit.Level == simulate.LevelDisplay {
		return d.scene, d.calm()
	}
	return d.scene, nil
}

// fit decides how many units a program has, and when they are due, by a run of a few.
func (s *scene) fit(p *program, ratio, duration float64) error {
	alone, pace := *s, p.pace
	alone.phases = []*program{p}
	p.pace, p.units = simulate.Candidate{}, 16+3*p.window
	e := newEngine(&alone, simulate.Candidate{}, nil)
	if err := e.run(); err != nil {
		return err
	}
	last := len(e.end) - 1
	ns := (e.end[last] - e.end[p.window-1]) / float64(last-p.window+1)
	if p.pace = pace; p.paced() {
		ns *= ratio
		p.every = ns
	}
	const budget = 9000 // steps
	n := max(40, int(min(duration/ns, budget*float64(p.units)/float64(e.steps))))
	p.batch = max(1, (n+75)/150)
	p.units = max(36, n/p.batch) * p.batch
	return nil
}

// calm lets more time pass between dates until all are kept and most of the time is spent waiting for them.
func (s *scene) calm() error {
	for range 12 {
		e := newEngine(s, simulate.Candidate{}, nil)
		if err := e.run(); err != nil {
			return err
		}
		if all := &e.spans()[0]; all.Missed == 0 && waiting(all) > 0.55 {
			return nil
		}
		for _, p := range s.phases {
			p.every *= 1.3
		}
	}
	return nil
}
