package amd

import (
	"fmt"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Name is the family that the package makes cases of.
const Name = "amd-gpa-sixth"

// Names are the families.
var Names = []string{Name}

// Kinds are the kinds of cases: draws and dispatches that a profiler runs one by one keep no dates and leave no queue
// waiting for another.
func Kinds(string) []string {
	return []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindTwoPhase, simulate.KindRandom}
}

// New draws a case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if name != Name || !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("there is no kind %q of a family %q here", kind, name)
	}
	r := simulate.NewRandom(seed, Name+" "+kind)
	c := &content{machine: drawMachine(r)}
	switch kind {
	case simulate.KindArchetype:
		c.archetype(r)
	case simulate.KindSingle:
		c.single(r, seed)
	case simulate.KindTwoPhase:
		c.twoPhases(r)
	case simulate.KindRandom:
		c.mixture(r)
	}
	return &simulate.Case{Family: Name, Kind: kind, Seed: seed, Plant: c.plant,
		Text: fmt.Sprintf("%s on %s, %d draws and dispatches through %s", c.text, c.machine.name, len(c.draws), c.machine.api),
		Record: func(o simulate.Options) (*capture.Capture, error) {
			return c.record(simulate.NewRandom(seed, Name+" "+kind+" recorded"), &o)
		},
		Judge: c.judge,
	}, nil
}

// add appends n draws of a kind that are alike but not the same: a program draws many meshes with one material.
func (c *content) add(r simulate.Random, of *kind, f *frame, n int, size float64, phase int) {
	like, sigma := of.make(r, f), r.Between(0.05, 0.5)
	for range n {
		d := like
		if n > 1 {
			d = like.scaled(r.Spread(0.7) * size)
		} else if size != 1 {
			d = like.scaled(size)
		}
		d.front *= r.Between(0.85, 1.2)
		d.back *= r.Between(0.85, 1.2)
		d.main.cached = c.machine.stays(d.mainWaves() * d.main.stores * d.main.lanes * d.main.storeBytes)
		d.vary(r, sigma)
		c.draws = append(c.draws, d)
		c.phases = append(c.phases, phase)
	}
}
