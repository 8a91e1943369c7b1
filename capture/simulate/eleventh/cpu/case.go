package cpu

import (
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families.
var Names = []string{"cpu-eleventh"}

// Kinds are those of a family: all.
func Kinds(string) []string { return simulate.Kinds() }

// made is a case with everything drawn.
type made struct {
	m    *machine
	c    *content
	kind string
	seed uint64

	alone []frame // what a case of one phase gives, known from its pilot
}

// New makes a case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if name != Names[0] {
		return nil, fmt.Errorf("no family %q", name)
	}
	r := simulate.NewRandom(seed, name+"/"+kind)
	x := &made{m: newMachine(r), c: &content{}, kind: kind, seed: seed*0x9e3779b97f4a7c15 + 12345}
	k := maker{r, x.m}
	out := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	length := k.Between(0.8e9, 2e9)
	add := func(p *phase, ns float64) {
		p.frames = 0
		x.c.phases = append(x.c.phases, p)
		x.pilot(p, ns)
	}
	switch kind {
	case simulate.KindArchetype:
		add(k.archetype(), length)
	case simulate.KindSingle:
		plant := plants[seed%uint64(len(plants))]
		out.Plant = plant.String()
		if plant != simulate.ClockGovernor {
			x.m.policy = performance
		}
		add(k.planted(plant), length)
	case simulate.KindSerial:
		switch {
		case k.Chance(0.2):
			add(k.planted(cpuLock), length)
		case k.Chance(0.3):
			codes := []*profile{k.code(plants[k.IntN(4)]), k.mixed(), k.common()}
			add(k.turns(min(k.Whole(2, 3), k.fast()), k.Log(0.5e6, 8e6), func(i int) *profile { return codes[i%3] }), length)
		default:
			add(k.turns(min(k.Whole(2, 5), k.fast()), k.Log(0.5e6, 8e6), func(int) *profile { return k.mixed() }), length)
		}
	case simulate.KindHealthy:
		add(k.paced(), length)
	case simulate.KindTwoPhase:
		a := k.IntN(11)
		b := (a + 1 + k.IntN(10)) % 11
		add(k.planted(plants[a]), k.Between(0.6e9, 1.1e9))
		add(k.planted(plants[b]), k.Between(0.6e9, 1.1e9))
	case simulate.KindRandom:
		add(k.random(), length)
	default:
		return nil, fmt.Errorf("no kind %q", kind)
	}
	for i, p := range x.c.phases {
		if i > 0 {
			out.Text += ", then "
		}
		out.Text += p.name
	}
	x.c.text = out.Text
	out.Text += " on " + x.m.String()
	out.Record = func(o simulate.Options) (*capture.Capture, error) { return x.record(o) }
	out.Judge = x.judge
	return out, nil
}

// pilot finds how many frames of a phase take so long. A paced phase that misses dates gets less to do.
func (x *made) pilot(p *phase, ns float64) {
	for range 8 {
		r := simulateCase(x.m, &content{phases: []*phase{p}}, x.seed, plain(), int64(ns), false, nil)
		p.frames = max(6, len(r.frames))
		if x.alone = nil; len(r.frames) == p.frames && len(x.c.phases) == 1 {
			x.alone = r.frames
		}
		missed := 0
		for _, f := range r.frames {
			missed += f.missed
		}
		if p.period == 0 || missed == 0 {
			return
		}
		x.alone = nil
		p.scaled(0.75)
	}
}

// base is the case as it is.
func (x *made) base(w watcher) *run {
	return simulateCase(x.m, x.c, x.seed, plain(), 0, w == nil, w)
}

// times are when the frames of the case are done.
func (x *made) times() *run {
	if len(x.c.phases) == 1 && x.alone != nil {
		return &run{frames: x.alone}
	}
	return simulateCase(x.m, x.c, x.seed, plain(), 0, false, nil)
}

// stretches are the frames that are judged together.
func (x *made) stretches(r *run) []simulate.Stretch {
	first := x.c.phases[0].frames
	warm := min(max(2, first/10), first/2)
	return simulate.Stretches(len(r.frames), warm, min(2, warm), func(i int) int { return r.frames[i].phase },
		func(k int) string { return x.c.phases[k].name })
}
