package rdna

import (
	"math/rand/v2"
	"slices"

	"astrolabe/capture/simulate"
)

// stage is some dispatches of a program, of kernels in turn.
type stage struct {
	name    string
	kernels []int // of the program, one per dispatch
}

// program is what a case measures.
type program struct {
	machine *machine
	kernels []kernel
	stages  []stage
	text    string
	plant   string
	seed    uint64
	kind    string

	outcomes []outcome // by kernel, as it is
}

// dispatches are the kernels in the order of the capture.
func (p *program) dispatches() (out []int) {
	for _, s := range p.stages {
		out = append(out, s.kernels...)
	}
	return out
}

func (p *program) add(k kernel) int {
	p.kernels = append(p.kernels, k)
	return len(p.kernels) - 1
}

// repeat is a stage that runs kernels in turn, as an application's loop does.
func (p *program) repeat(name string, times int, of ...int) {
	s := stage{name: name}
	for range times {
		s.kernels = append(s.kernels, of...)
	}
	p.stages = append(p.stages, s)
}

// settle says what the memory-side cache holds of data that kernels stream: all of it where the loop of a stage
// touches little more than it holds, and not much where it touches far more.
func (p *program) settle(r *rand.Rand) {
	const fits, far = 24e6, 64e6
	for _, s := range p.stages {
		sum := 0.0
		distinct := slices.Compact(slices.Sorted(slices.Values(s.kernels)))
		for _, k := range distinct {
			sum += p.kernels[k].streams()
		}
		held := between(r, 0.86, 1)
		for _, k := range distinct {
			p.kernels[k].each(func(o *op, _ float64) {
				switch {
				case o.mem == nil || !o.mem.wide:
				case sum < fits:
					o.mem.mall = max(o.mem.mall, held)
				case sum > far:
					o.mem.mall = min(o.mem.mall, 0.4)
				}
			})
		}
	}
}

func (p *program) run() {
	p.outcomes = make([]outcome, len(p.kernels))
	for i := range p.kernels {
		p.outcomes[i] = execute(p.machine, &p.kernels[i], noRelief(), true)
	}
}

// single is one kernel that one thing limits.
func (p *program) single(r *rand.Rand, of leaf) {
	k := p.add(plants[of](r, p.machine))
	p.repeat(p.kernels[k].name, 3+r.IntN(10), k)
	p.plant = candidates[of].String()
	p.text = "a kernel that " + p.plant + " limits"
}

// archetype is an application with its usual kernels.
func (p *program) archetype(r *rand.Rand) {
	a := applications[r.IntN(len(applications))]
	ids := p.application(r, a)
	p.repeat(a.name, 2+r.IntN(7), ids...)
	p.text = a.name
}

func (p *program) application(r *rand.Rand, a application) (ids []int) {
	for _, f := range a.kernels {
		if len(a.kernels) > 2 && r.IntN(4) == 0 && len(ids) > 0 {
			continue // not every program has all of them
		}
		k := p.add(f(r, p.machine))
		for range 1 + r.IntN(2)*r.IntN(3) {
			ids = append(ids, k)
		}
		if r.IntN(5) == 0 { // of other sizes too, such as a level of a tree or a front that grows
			small := p.kernels[k]
			small.groups = max(1, small.groups/pick(r, 3, 8, 30))
			ids = append(ids, p.add(small))
		}
	}
	return ids
}

// twoPhase is one thing, then another.
func (p *program) twoPhase(r *rand.Rand) {
	for i := range 2 {
		name := pick(r, "load", "prepare", "setup")
		if i == 1 {
			name = pick(r, "solve", "infer", "render")
		}
		var ids []int
		switch r.IntN(3) {
		case 0:
			ids = []int{p.add(plants[r.IntN(int(leaves))](r, p.machine))}
		case 1:
			ids = []int{p.add(library[r.IntN(len(library))](r, p.machine))}
		case 2:
			a := applications[r.IntN(len(applications))]
			ids, name = p.application(r, a), name+" of "+a.name
		}
		p.repeat(name, max(2, (4+r.IntN(10))/len(ids)), ids...)
	}
	p.text = p.stages[0].name + ": " + p.kernels[p.stages[0].kernels[0]].name + ", then " + p.stages[1].name + ": " +
		p.kernels[p.stages[1].kernels[0]].name
}

// random is kernels of any kind in any mixture.
func (p *program) random(r *rand.Rand) {
	var ids []int
	for range 1 + r.IntN(4) {
		var k int
		switch r.IntN(4) {
		case 0:
			k = p.add(plants[r.IntN(int(leaves))](r, p.machine))
		case 1:
			k = p.add(library[r.IntN(len(library))](r, p.machine))
		default:
			k = p.add(anyKernel(r, p.machine))
		}
		for range 1 + r.IntN(3) {
			ids = append(ids, k)
		}
	}
	r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	p.repeat("mixture", 1+r.IntN(4), ids...)
	p.text = "kernels of any kind"
}

// kindsOf are the kinds that make sense for kernels.
var kindsOf = []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindTwoPhase, simulate.KindRandom}
