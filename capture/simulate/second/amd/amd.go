package amd

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

const (
	gpaName  = "amd-gpa-second"
	liveName = "amd-live-second"
)

// Names are the families that New makes cases of.
var Names = []string{gpaName, liveName}

// Kinds lists what a family has.
func Kinds(name string) []string {
	switch name {
	case gpaName:
		return []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindTwoPhase, simulate.KindRandom}
	case liveName:
		return simulate.Kinds()
	}
	return nil
}

// New makes a case. The same arguments give the same one.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("no family %q", name)
	}
	if !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("%s has no kind %q", name, kind)
	}
	r := rand.New(rand.NewPCG(hash(name+"/"+kind), seed))
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	if name == liveName {
		l := newLive(r, kind, seed)
		c.Text, c.Plant = l.text, l.plant
		c.Record = func(o simulate.Options) (*capture.Capture, error) { return l.record(o) }
		c.Judge = func() (*simulate.Truth, error) { return l.judge(), nil }
		return c, nil
	}
	g := newGPA(r, kind, seed)
	c.Text, c.Plant = g.text, g.plant
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return g.record(o) }
	c.Judge = func() (*simulate.Truth, error) { return g.judge(), nil }
	return c, nil
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// gainsOf are the reductions of time that reliefs give, best first.
func gainsOf(whole float64, relieved map[cause]float64) (out []simulate.Gain) {
	for c := range allCauses {
		if t, ok := relieved[c]; ok {
			out = append(out, simulate.Gain{Candidate: candidates[c], Percent: 100 * (whole - t) / whole, Simulated: true})
		}
	}
	simulate.SortGains(out)
	return out
}

// sharesOf divides ns in proportion to times; rounding goes to the longest.
func sharesOf(ns int64, times *[allCauses]float64) (out []simulate.Share) {
	sum := 0.0
	for _, t := range times {
		sum += t
	}
	if sum == 0 {
		return nil
	}
	left := ns
	for c, t := range times {
		if t > 0 {
			part := int64(float64(ns) * t / sum)
			left -= part
			out = append(out, simulate.Share{Candidate: candidates[c], Ns: part})
		}
	}
	slices.SortStableFunc(out, func(a, b simulate.Share) int { return cmp.Compare(b.Ns, a.Ns) })
	out[0].Ns += left
	return out
}
