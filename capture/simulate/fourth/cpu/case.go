package cpu

import (
	"fmt"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families that the package models.
var Names = []string{"cpu-fourth"}

// Kinds are the kinds of cases of a family.
func Kinds(string) []string { return simulate.Kinds() }

// New draws a case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("there is no family %q here; there are %v", name, Names)
	}
	if !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("family %s has no cases of kind %q; it has %v", name, kind, Kinds(name))
	}
	s := newSession(name, kind, seed)
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: s.text, Plant: s.plant,
		Record: func(o simulate.Options) (*capture.Capture, error) { return s.record(&o) },
		Judge:  func() (*simulate.Truth, error) { return s.judge(), nil }}, nil
}

// session is one or two programs, one after the other, on a machine.
type session struct {
	family, kind string
	seed         uint64
	text, plant  string
	m            *machine
	programs     []*program
	warm         []float64 // ns before what is judged of a program
	length       []float64 // and of it
	period       float64   // ns between samples
}

func newSession(name, kind string, seed uint64) *session {
	r := simulate.NewRandom(seed, name+" "+kind)
	s := &session{family: name, kind: kind, seed: seed, m: newMachine(r)}
	switch kind {
	case simulate.KindSingle:
		at := int(seed % uint64(len(plants)))
		s.plant = displayTimer.String()
		if at < len(candidates) {
			s.plant = candidates[at].String()
		} else {
			s.govern(r)
		}
		b := newBuild(s.m, r, s.plant)
		plants[at](b)
		s.programs = append(s.programs, b.p)
	case simulate.KindSerial:
		b := newBuild(s.m, r, "threads in turn")
		any := []mixer{dense, guessing, sprawling, chasing, ordinary}
		relay(r.Whole(2, 4), 0.7, simulate.Pick(r, any...), simulate.Pick(r, any...), simulate.Pick(r, any...))(b)
		s.programs = append(s.programs, b.p)
	case simulate.KindHealthy:
		s.govern(r)
		s.programs = append(s.programs, s.healthy(r))
	case simulate.KindTwoPhase:
		a := r.IntN(len(archetypes))
		for _, at := range []int{a, (a + 1 + r.IntN(len(archetypes)-1)) % len(archetypes)} {
			s.programs = append(s.programs, s.archetype(r, at))
		}
	case simulate.KindRandom:
		s.limited(r, 0.3)
		s.programs = append(s.programs, s.anything(r))
	default:
		s.limited(r, 0.3)
		s.programs = append(s.programs, s.archetype(r, r.IntN(len(archetypes))))
	}
	s.period = r.Log(1, 16) * 1e6
	for i, p := range s.programs {
		if i > 0 {
			s.text += ", then "
		}
		s.text += p.text
		s.warm = append(s.warm, 0.12e9)
		samples := r.Between(70, 240) / float64(len(s.programs))
		s.length = append(s.length, max(0.4e9/float64(len(s.programs)), 12*p.round, min(1.6e9, samples*s.period)))
	}
	return s
}

// limited lets heat or power hold the clock of some machines, as those of phones and thin notebooks do.
func (s *session) limited(r simulate.Random, chance float64) {
	if r.Chance(chance) {
		s.m.limit(r, r.Chance(0.5), 0.45, 0.9)
	}
}

// govern lets the governor keep the clock low, as it does where programs sleep much.
func (s *session) govern(r simulate.Random) {
	if r.Chance(0.6) {
		s.m.governed = r.Between(0.35, 0.9)
	}
}

func (s *session) archetype(r simulate.Random, at int) *program {
	b := newBuild(s.m, r, archetypes[at].text)
	archetypes[at].make(r, s.m.cores)(b)
	return b.p
}

// healthy draws programs with dates until one keeps them all.
func (s *session) healthy(r simulate.Random) (p *program) {
	top := 0.6
	for range 12 {
		b := newBuild(s.m, r, "dates that are kept")
		dated(0.12, top, simulate.Pick(r, []mixer{dense, guessing, sprawling, ordinary}...), ordinary, simulate.Pick(r, []mixer{dense, chasing}...))(b)
		p = b.p
		if !slices.Contains(run(s.m, p, s.seed, nothing, 1<<30, 2.5e9, nil).late, true) {
			return p
		}
		top = max(0.2, top*0.85)
	}
	return p
}

// anything draws a structure and mixes for it.
func (s *session) anything(r simulate.Random) *program {
	b := newBuild(s.m, r, "anything")
	all := []mixer{dense, guessing, sprawling, chasing, streaming, ordinary}
	x, y, z := simulate.Pick(r, all...), simulate.Pick(r, all...), simulate.Pick(r, all...)
	switch r.IntN(7) {
	case 0:
		crew(r.Whole(1, s.m.cores), x, y)(b)
	case 1:
		team(x, y)(b)
	case 2:
		flow(x, y, z)(b)
	case 3:
		relay(r.Whole(2, 3), 0.7, x, y, z)(b)
	case 4:
		locked(0.05, 0.6, x)(b)
	case 5:
		stored(r.Whole(1, s.m.cores), r.Log(0.05, 4), r.Chance(0.6), x, y)(b)
	default:
		dated(0.2, 1.1, x, y, z)(b)
	}
	return b.p
}
