package amd

import (
	"fmt"
	"slices"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// gfx1151 is the family of compute kernels on Strix Halo.
const gfx1151 = "gfx1151-tenth"

// Names are the families.
var Names = []string{gfx1151}

// Kinds are those of cases that a family has: kernels that a profiler runs one after the other have no display, and no
// queues beside each other.
func Kinds(name string) []string {
	if !slices.Contains(Names, name) {
		return nil
	}
	return []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindTwoPhase, simulate.KindRandom}
}

// dispatch is one launch of a kernel.
type dispatch struct {
	kernel int
	phase  int
	work   float64 // how much more or less it does than others of its kernel
	lag    float64 // ns of its start and end
	gap    float64 // ns before it, which are the profiler's
}

// program is a case before it runs.
type program struct {
	kind    string
	seed    uint64
	m       machine
	text    string
	plant   string
	kernels []kernel
	list    []dispatch
	phases  []string

	base func() []result // of each kernel
}

// New makes a case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("%q has no cases of kind %q", name, kind)
	}
	p := &program{kind: kind, seed: seed}
	r := simulate.NewRandom(seed, name+kind)
	p.m = newMachine(r)
	p.compose(r)
	p.base = sync.OnceValue(func() []result { return p.results(p.m) })
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: p.text, Plant: p.plant,
		Record: func(o simulate.Options) (*capture.Capture, error) { return p.record(o) },
		Judge:  func() (*simulate.Truth, error) { return p.judge(), nil }}, nil
}

// results simulates each kernel on a machine.
func (p *program) results(m machine) []result {
	out := make([]result, len(p.kernels))
	for i := range p.kernels {
		out[i] = m.run(&p.kernels[i])
	}
	return out
}

// took is how long a dispatch takes whose kernel has this result.
func (d *dispatch) took(res *result, without bool) float64 {
	ns := res.ns * d.work
	if !without {
		ns += d.lag
	}
	return ns
}

// step is a kernel of an iteration of the program.
type step struct{ kernel, times int }

// repeat launches steps over and over for a time.
func (p *program) repeat(r simulate.Random, steps []step, phase int, ns float64) {
	var once float64
	res := make([]result, len(p.kernels))
	for _, s := range steps {
		if res[s.kernel].ns == 0 {
			res[s.kernel] = p.m.run(&p.kernels[s.kernel])
		}
		once += res[s.kernel].ns * float64(s.times)
	}
	gap := r.Log(25e3, 160e3)
	const most = 1800
	drift, sum := 1.0, 0.0
	for n := 0; sum < ns; {
		drift = 1 + 0.9*(drift-1) + r.Between(-0.006, 0.006)
		for _, s := range steps {
			k := &p.kernels[s.kernel]
			for range s.times {
				d := dispatch{kernel: s.kernel, phase: phase, work: drift * r.Spread(0.012), lag: k.start * r.Spread(0.06),
					gap: gap * r.Spread(0.3)}
				if n < 2*len(steps) {
					d.work *= 1 + 0.05*float64(2*len(steps)-n)/float64(2*len(steps)) // cold
				}
				sum += d.gap + d.took(&res[s.kernel], false)
				p.list = append(p.list, d)
				n++
			}
		}
		if n > most {
			// Programs of many short kernels are profiled for fewer of them: what is left of the time are longer gaps.
			rest := (ns - sum) / float64(n)
			for i := len(p.list) - n; i < len(p.list) && rest > 0; i++ {
				p.list[i].gap += rest
			}
			break
		}
	}
}

// judge finds what limits, by simulating each kernel again with one thing faster.
func (p *program) judge() *simulate.Truth {
	base := p.base()
	var faster [parts][]result
	for c := range parts {
		if c == overhead {
			faster[c] = base
			continue
		}
		faster[c] = p.results(p.m.relieved(c))
	}
	t := &simulate.Truth{Part: p.part("", 0, len(p.list), base, &faster)}
	var at float64
	for i := range p.list {
		d := &p.list[i]
		begin := int64(at)
		at += d.took(&base[d.kernel], false)
		t.Each = append(t.Each, simulate.FrameTruth{Content: d.kernel, Begin: begin, GPUBegin: begin, GPUEnd: int64(at), Shown: int64(at),
			Judged: true})
	}
	if len(p.phases) > 1 {
		first := 0
		for ph, name := range p.phases {
			n := 0
			for first+n < len(p.list) && p.list[first+n].phase == ph {
				n++
			}
			t.Phases = append(t.Phases, p.part(name, first, n, base, &faster))
			first += n
		}
	}
	return t
}

// part is the truth about some dispatches. Its time is that of the dispatches, without the profiler's gaps.
func (p *program) part(name string, first, n int, base []result, faster *[parts][]result) simulate.Part {
	out := simulate.Part{Name: name, First: first, Frames: n, ClockMean: 1}
	var before float64
	for i := range p.list[:first] {
		d := &p.list[i]
		before += d.took(&base[d.kernel], false)
	}
	out.Start = int64(before)
	var all, gaps float64
	var sums, paces [parts]float64
	for i := first; i < first+n; i++ {
		d := &p.list[i]
		res := &base[d.kernel]
		all += d.took(res, false)
		gaps += d.gap
		for c := range parts {
			sums[c] += d.took(&faster[c][d.kernel], c == overhead)
			paces[c] += res.paces[c] * d.work
		}
		paces[overhead] += d.lag
	}
	out.End = out.Start + int64(all)
	out.GPUBusy = all / (all + gaps)
	left, most := out.End-out.Start, 0
	for c := range parts {
		ns := int64(paces[c] / all * float64(out.End-out.Start))
		left -= ns
		out.Shares = append(out.Shares, simulate.Share{Candidate: candidates[c], Ns: ns})
		if ns > out.Shares[most].Ns {
			most = int(c)
		}
		out.Leaves = append(out.Leaves, simulate.Gain{Candidate: candidates[c], Percent: 100 * (1 - sums[c]/all), Simulated: true})
	}
	out.Shares[most].Ns += left
	out.Conclude()
	return out
}
