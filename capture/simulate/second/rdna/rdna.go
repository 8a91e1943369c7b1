package rdna

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Gfx1151 is the family's only member.
const Gfx1151 = "gfx1151-second"

// Names are the families of this package.
var Names = []string{Gfx1151}

// Kinds are the kinds of cases that a family has.
func Kinds(name string) []string {
	if !slices.Contains(Names, name) {
		return nil
	}
	return slices.Clone(kindsOf)
}

// New draws a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("no family %q", name)
	}
	if !slices.Contains(kindsOf, kind) {
		return nil, fmt.Errorf("%s has no cases of kind %q", name, kind)
	}
	p := draw(kind, seed)
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: p.text, Plant: p.plant,
		Record: func(o simulate.Options) (*capture.Capture, error) { return record(p, name, o) },
		Judge:  func() (*simulate.Truth, error) { return judge(p), nil },
	}, nil
}

func draw(kind string, seed uint64) *program {
	r := source(kind, seed, "program")
	p := &program{kind: kind, seed: seed}
	p.machine = drawMachine(r, !p.setup().gated)
	switch kind {
	case simulate.KindSingle:
		p.single(r, leaf(seed%uint64(leaves)))
	case simulate.KindTwoPhase:
		p.twoPhase(r)
	case simulate.KindRandom:
		p.random(r)
	default:
		p.archetype(r)
	}
	p.settle(r)
	p.run()
	return p
}

// source is a stream of random numbers for one purpose, so that what one draws does not depend on the others.
func source(kind string, seed uint64, purpose string) *rand.Rand {
	hash := func(salt string) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%s/%s/%s/%d", salt, kind, purpose, seed)
		return h.Sum64()
	}
	return rand.New(rand.NewPCG(hash("a"), hash("b")))
}
