package amd

import (
	"math"
	"math/rand/v2"

	"astrolabe/capture/simulate"
)

// gpaFrame is a frame that a profiler takes apart: every draw and dispatch runs alone, and again for each group of
// counters.
type gpaFrame struct {
	m      *machine
	api    string
	text   string
	plant  string
	phases []phase
	draws  []draw
	noise  uint64
	length []int64 // ns of each sample as the time stamps say
}

type phase struct {
	name        string
	first, size int
}

func newGPA(r *rand.Rand, kind string, seed uint64) *gpaFrame {
	g := &gpaFrame{m: &machines[r.IntN(len(machines))], api: []string{"vk", "dx12"}[r.IntN(2)]}
	a := newAuthor(r, g.m)
	plant := func(c cause) []draw { return repeat(a.count(5, 14), func() draw { return a.single(c) }) }
	switch kind {
	case simulate.KindSingle:
		c := cause(seed % uint64(gpuCauses))
		g.plant, g.text = candidates[c].String(), "only "+candidates[c].Name
		g.add("", plant(c))
	case simulate.KindRandom:
		g.text = "passes of any kind"
		g.add("", a.mixture())
	case simulate.KindTwoPhase:
		last := none
		for len(g.phases) < 2 {
			k := r.IntN(len(contents) + int(gpuCauses))
			var name string
			var draws []draw
			if k < len(contents) {
				name, draws = contents[k].name, contents[k].make(a)
			} else {
				c := cause(k - len(contents))
				name, draws = candidates[c].Name, plant(c)
			}
			if c := g.slowest(draws); c != last {
				g.add(name, draws)
				last = c
			}
		}
		g.text = g.phases[0].name + ", then " + g.phases[1].name
	default:
		k := r.IntN(len(contents))
		g.text = contents[k].name
		g.add(g.text, contents[k].make(a))
	}
	g.noise = r.Uint64()
	n := rand.New(rand.NewPCG(g.noise, 1))
	var s sim
	for i := range g.draws {
		out := s.run(g.m.flow(&g.draws[i]), none)
		stamp := 10.0 // ns of the clock of time stamps, 100 MHz
		g.length = append(g.length, int64(stamp*math.Max(1, math.Round(out.total*(1+0.004*n.NormFloat64())/stamp))))
	}
	return g
}

// slowest is what sets the pace of draws for longest.
func (g *gpaFrame) slowest(draws []draw) cause {
	var s sim
	var path [allCauses]float64
	for i := range draws {
		out := s.run(g.m.flow(&draws[i]), none)
		for c := range path {
			path[c] += out.path[c]
		}
	}
	return most(&path)
}

func (g *gpaFrame) add(name string, draws []draw) {
	g.phases = append(g.phases, phase{name, len(g.draws), len(draws)})
	g.draws = append(g.draws, draws...)
}

// tally is what some draws took.
type tally struct {
	total    float64
	path     [allCauses]float64
	relieved [gpuCauses]float64
}

func (t *tally) add(u *tally) {
	t.total += u.total
	for c := range t.path {
		t.path[c] += u.path[c]
	}
	for c := range t.relieved {
		t.relieved[c] += u.relieved[c]
	}
}

func (g *gpaFrame) part(name string, first, size int, start, end int64, t *tally) simulate.Part {
	relief := map[cause]float64{}
	for c, ns := range t.relieved {
		relief[cause(c)] = ns
	}
	p := simulate.Part{Name: name, First: first, Frames: size, Start: start, End: end, Leaves: gainsOf(t.total, relief),
		Shares: sharesOf(end-start, &t.path), GPUBusy: 1, ClockMean: 1}
	p.QueueShares = p.Shares
	return p
}

// judge runs every draw again with each cause relieved.
func (g *gpaFrame) judge() *simulate.Truth {
	var s sim
	var whole tally
	var now int64
	truth := &simulate.Truth{}
	for k, ph := range g.phases {
		var sum tally
		start := now
		for i := ph.first; i < ph.first+ph.size; i++ {
			var one tally
			f := g.m.flow(&g.draws[i])
			out := s.run(f, none)
			one.total, one.path = out.total, out.path
			for c := range gpuCauses {
				one.relieved[c] = s.run(f, c).total
			}
			sum.add(&one)
			end := now + g.length[i]
			truth.Each = append(truth.Each, simulate.FrameTruth{Content: k, Begin: now, GPUBegin: now, GPUEnd: end,
				Shown: end, Judged: true})
			now = end
		}
		whole.add(&sum)
		truth.Phases = append(truth.Phases, g.part(ph.name, ph.first, ph.size, start, now, &sum))
	}
	truth.Part = g.part("", 0, len(g.draws), 0, now, &whole)
	if len(truth.Phases) == 1 {
		truth.Phases = nil
	}
	return truth
}
