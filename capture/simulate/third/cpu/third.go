package cpu

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families that this package simulates.
var Names = []string{"cpu-third"}

// Kinds lists the kinds of cases of a family.
func Kinds(name string) []string {
	if !slices.Contains(Names, name) {
		return nil
	}
	return []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindSerial, simulate.KindHealthy,
		simulate.KindTwoPhase, simulate.KindRandom}
}

// New makes a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("no kind %q of family %q", kind, name)
	}
	h := fnv.New64a()
	h.Write([]byte(name + "/" + kind))
	r := rand.New(rand.NewPCG(h.Sum64(), seed))
	k := newMaker(r, draw(r))
	plant := build(k, kind, seed)
	base := sync.OnceValue(func() *run { return play(k.m, k.p, none, true) })
	return &simulate.Case{
		Family: name, Kind: kind, Seed: seed, Plant: plant,
		Text: k.p.text + " on " + k.m.text(),
		Record: func(o simulate.Options) (*capture.Capture, error) {
			return record(base(), rand.New(rand.NewPCG(h.Sum64()+1, seed)), name, &o)
		},
		Judge: func() (*simulate.Truth, error) { return judge(base()), nil },
	}, nil
}
