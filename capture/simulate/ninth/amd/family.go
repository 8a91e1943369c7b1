package amd

import (
	"fmt"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families of the package.
var Names = []string{"amd-live-ninth"}

// Kinds are the kinds of cases of a family.
func Kinds(string) []string { return simulate.Kinds() }

// New draws a case of a family.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) || !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("there is no %s of kind %q", name, kind)
	}
	r := simulate.NewRandom(seed, name+" "+kind)
	m := newMachine(r, &models[r.IntN(len(models))])
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	var p *program
	if kind == simulate.KindSingle {
		plant := int(seed % uint64(len(plants)))
		c.Plant, p = plants[plant].String(), single(r, m, plant)
	} else {
		p = draw(r, m, kind)
	}
	p.fill(r)
	if kind == simulate.KindHealthy || c.Plant == simulate.DisplayVsync.String() {
		if err := p.settle(m); err != nil {
			return nil, err
		}
	}
	c.Text = m.name + ": " + p.text
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return record(m, &p.load, kind, seed, &o) }
	c.Judge = func() (*simulate.Truth, error) { return judge(m, &p.load) }
	return c, nil
}

// draw makes a program of any kind but those that one thing limits.
func draw(r simulate.Random, m *machine, kind string) *program {
	size := 1.3 // a small chip draws smaller pictures, and still needs longer for them
	if !m.apu {
		size = 0.7
	}
	switch set := r.Weighted([]float64{8, 0.7, 1}); {
	case kind == simulate.KindHealthy:
	case set == 1:
		m.hot(r, 0.45, 0.8)
	case set == 2:
		m.fixed = r.Between(0.5, 0.9)
	}
	a, p := simulate.Pick(r, archetypes...), common(r)
	paced := a.paced
	switch p.text = a.name; kind {
	case simulate.KindRandom:
		var list []pass
		for range r.Whole(1, 7) {
			list = append(list, simulate.Pick(r, passes[:len(passes)-1]...))
		}
		p.text, paced = "passes of any kind", 0.25
		c := makeContent(r, p.text, list, r.Log(1e6, 40e6)*size, r.Log(0.3, 6), 0.6)
		p.add(c, c.lone()*r.Log(0.05, 2), c.lone()*r.Log(0.03, 1.2))
		if r.Chance(0.12) {
			p.wait = r.Between(0.2, 0.8)
		}
	case simulate.KindSerial:
		if r.Chance(0.4) {
			a = game("game with two queues", "shadow", "async", "forward", "culling", "?post")
		}
		p.usual(r, &a, size)
		p.text, paced = a.name+", in turn", 0.1
		if ns := p.contents[0].lone(); !inTurn(p.contents[0].jobs) {
			p.wait, p.cpu[0] = r.Between(0.2, 0.8), [2]float64{ns * r.Log(0.3, 2), ns * r.Log(0.05, 0.5)}
		}
	case simulate.KindTwoPhase:
		b := simulate.Pick(r, archetypes...)
		p.usual(r, &a, size)
		p.usual(r, &b, size)
		p.contents[1].name, p.text, paced = "then "+b.name, a.name+", then "+b.name, 0.1
	default:
		p.usual(r, &a, size)
	}
	if healthy := kind == simulate.KindHealthy; healthy || r.Chance(paced) {
		p.dates(r, m, healthy)
	}
	return p
}
