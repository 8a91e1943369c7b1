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
	plant := ""
	made := func(by []scale) *maker {
		r := rand.New(rand.NewPCG(h.Sum64(), seed))
		k := newMaker(r, draw(r), by)
		plant = build(k, kind, seed)
		return k
	}
	k := made(nil)
	if by := short(play(k.m, k.p, none, false), 1+1.5*rand.New(rand.NewPCG(seed, 7)).Float64()); by != nil {
		k = made(by)
	}
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

// short is how much longer each phase is to be, nil where all are long enough to be measured.
func short(s *run, seconds float64) []scale {
	firsts := s.p.phases
	if len(firsts) == 0 {
		firsts = []int{0}
	}
	var out []scale
	longer := false
	for i, first := range firsts {
		from, to, frames := 0.0, s.ends[len(s.ends)-1], len(s.ends)-first
		if first > 0 {
			from = s.ends[first-1]
		}
		if i+1 < len(firsts) {
			to, frames = s.ends[firsts[i+1]-1], firsts[i+1]-first
		}
		if s.dues[first] > 0 { // it was made for its dates
			out = append(out, scale{1, 1})
			continue
		}
		f := seconds * 1e9 / float64(len(firsts)) / (to - from)
		longer = longer || f > 1.2
		more := max(1, min(3, int(f), 1500/frames)) // simulating more takes too long
		out = append(out, scale{more, max(1, f/float64(more))})
	}
	if !longer {
		return nil
	}
	return out
}
