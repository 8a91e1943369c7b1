package cpu

import (
	"fmt"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Name is the family's.
const Name = "cpu-sixth"

// Names are the families of this package.
var Names = []string{Name}

// Kinds are the kinds of cases of a family.
func Kinds(name string) []string {
	if name != Name {
		return nil
	}
	return simulate.Kinds()
}

// New draws a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if name != Name || !slices.Contains(simulate.Kinds(), kind) {
		return nil, fmt.Errorf("there is no family %q with a kind %q; there are %v with %v", name, kind, Names, simulate.Kinds())
	}
	l, text, plant, err := draw(kind, seed)
	if err != nil {
		return nil, err
	}
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: text + "; " + l.m.name(), Plant: plant,
		Record: func(o simulate.Options) (*capture.Capture, error) { return l.record(&o) },
		Judge:  l.judge}, nil
}

// draw draws what a case is.
func draw(kind string, seed uint64) (l *load, text, plant string, err error) {
	r := simulate.NewRandom(seed, "cpu-sixth "+kind)
	hold := clockMild
	p := &plants[seed%uint64(len(plants))]
	switch kind {
	case simulate.KindSingle:
		hold, plant = p.clock, p.of.String()
	case simulate.KindHealthy, simulate.KindSerial, simulate.KindTwoPhase:
		hold = clockFree
	}
	if kind == simulate.KindTwoPhase && r.Chance(0.25) {
		hold = clockMild
	}
	m := newMachine(r, hold)
	l = &load{m: m, seed: r.Uint64()}
	make := func(fill func(b *builder), name string) {
		b := newBuilder(r, m, name)
		b.mixed = kind == simulate.KindArchetype
		fill(b)
		if kind == simulate.KindArchetype || kind == simulate.KindRandom {
			calmRoles(b)
		}
		l.phases = append(l.phases, b.p)
		l.length = append(l.length, int64(r.Between(1.6e9, 3.2e9)))
	}
	pick := func() maker { return simulate.Pick(r, archetypes...) }
	for try := 0; ; try++ {
		l.phases, l.length = nil, nil
		switch kind {
		case simulate.KindSingle:
			make(p.make, "plant")
			text = "plant of " + plant
		case simulate.KindHealthy:
			load := 0.5
			for range try {
				load *= 0.6
			}
			make(func(b *builder) { healthy(b, load*b.Between(0.3, 1)) }, "dates")
			text = "dates that are kept"
		case simulate.KindSerial:
			make(serial, "in turn")
			text = "threads in turn"
		case simulate.KindRandom:
			make(random, "random")
			text = "random threads"
		case simulate.KindTwoPhase:
			a, b := r.IntN(len(plants)), r.IntN(len(plants)-1)
			if b >= a {
				b++
			}
			text = ""
			for _, k := range []int{a, b} {
				name, fill := plants[k].of.Name, plants[k].make
				if r.Chance(0.4) {
					x := pick()
					name, fill = x.name, x.make
				}
				make(fill, name)
				if text != "" {
					text += ", then "
				}
				text += name
			}
		default:
			x := pick()
			make(x.make, x.name)
			text = x.name
		}
		ok, err := l.usable(kind)
		if err != nil {
			return nil, "", "", err
		}
		if ok {
			return l, text, plant, nil
		}
		if try > 30 {
			return nil, "", "", fmt.Errorf("%s %d: no program that can be judged was drawn", kind, seed)
		}
	}
}

// usable reports whether a load does enough to be judged; long rounds get more time. A healthy one keeps its dates.
func (l *load) usable(kind string) (bool, error) {
	for range 3 {
		s, err := l.base(nil)
		if err != nil {
			return false, err
		}
		if s.enough() {
			l.shorten(s)
			if kind != simulate.KindHealthy {
				return true, nil
			}
			t, err := l.judge()
			return err == nil && t.Healthy, err
		}
		for i := range l.length {
			l.length[i] *= 2
		}
	}
	return false, nil
}

// shorten takes time from phases that do far more units than it takes to judge them.
func (l *load) shorten(s *sim) {
	const units, least = 4000, 0.7e9
	for k := range l.phases {
		end := len(s.done)
		if k+1 < len(s.starts) {
			end = s.starts[k+1]
		}
		if n := end - s.starts[k]; n > units {
			l.length[k] = max(least, l.length[k]*units/int64(n))
		}
	}
}
