package amd

import "astrolabe/capture/simulate"

// archetype is a kind of program: its kernels in the order of an iteration.
type archetype struct {
	text  string
	steps []style
}

var archetypes = []archetype{
	{"a language model writes", []style{brief, gemv, brief, shared, gemv, brief, gemv, gemv, brief}},
	{"a language model reads a prompt", []style{stream, gemm, brief, shared, gemm, stream, gemm, gemm}},
	{"a network looks at images", []style{gemm, stencil, stream, gemm, stencil, gemm, brief}},
	{"training of a small model", []style{gemm, shared, gemm, stream, gather, gemm, stream, stream}},
	{"flow of a fluid", []style{stencil, stream, stencil, doubles, cached, brief}},
	{"a sparse solver", []style{gather, stream, brief, gather, stream, brief, narrow}},
	{"a search in a graph", []style{launched, chase, gather, chase, brief}},
	{"a path tracer", []style{mathy, chase, scattered, narrow, mathy, stream}},
	{"a sort of keys", []style{shared, launched, scattered, conflicted, stream, brief}},
	{"prices of options", []style{mathy, doubles, mathy, stream, brief}},
	{"filters of photos", []style{stencil, scattered, conflicted, stencil, stream, mathy}},
	{"spectra of signals", []style{conflicted, mathy, conflicted, cached, stream}},
	{"clusters of points", []style{cached, gather, cached, brief, mathy}},
	{"particles in cells", []style{launched, scattered, doubles, mathy, conflicted, chase}},
	{"compression of a stream", []style{shared, chase, conflicted, launched, stream}},
	{"simulation of molecules", []style{doubles, chase, cached, mathy, brief, brief}},
}

// plants are what singles are made of, by what is meant to limit them.
var plants = [parts][]style{
	arithmetic:  {gemm, mathy, doubles},
	loadStore:   {stencil, scattered},
	localMemory: {conflicted, shared},
	waveLaunch:  {launched},
	bandwidth:   {stream, gemv, gather},
	cache:       {cached},
	latency:     {chase, narrow},
	overhead:    {brief},
}

// compose draws the program.
func (p *program) compose(r simulate.Random) {
	add := func(s style) int {
		p.kernels = append(p.kernels, s(r, &p.m))
		return len(p.kernels) - 1
	}
	total := r.Log(0.55, 1.8) * 1e9
	switch p.kind {
	case simulate.KindSingle:
		part := part(p.seed % uint64(parts))
		p.plant = candidates[part].String()
		p.text = "kernels that " + p.plant + " limits"
		p.repeat(r, p.planted(r, part, r.Whole(1, 3)), 0, total)
	case simulate.KindTwoPhase:
		a := part(r.IntN(int(parts)))
		b := part((int(a) + r.Whole(1, int(parts)-1)) % int(parts))
		p.text = "first " + candidates[a].String() + ", then " + candidates[b].String()
		p.phases = []string{candidates[a].String(), candidates[b].String()}
		for i, of := range []part{a, b} {
			steps := p.planted(r, of, r.Whole(1, 3))
			if r.Chance(0.6) { // a little of something else
				at := add(plants[r.IntN(int(overhead))][0])
				own := 0.0
				for _, s := range steps {
					own += p.m.run(&p.kernels[s.kernel]).ns * float64(s.times)
				}
				if k := &p.kernels[at]; p.m.run(k).ns < 0.4*own {
					steps = append(steps, step{at, 1})
				}
			}
			p.repeat(r, steps, i, r.Between(0.45, 1)*1e9)
		}
	case simulate.KindArchetype:
		a := archetypes[p.seed%uint64(len(archetypes))]
		p.text = a.text
		if r.Chance(0.3) {
			p.text += ", small problems"
			p.m.scale = r.Log(0.01, 0.06)
		}
		var steps []step
		for _, s := range a.steps {
			steps = append(steps, step{add(s), 1})
		}
		if r.Chance(0.75) { // one of them is most of the work
			steps[r.IntN(len(steps))].times = r.Whole(3, 9)
		}
		p.repeat(r, steps, 0, total)
	default:
		p.text = "a mixture of kernels"
		p.m.scale = r.Log(0.03, 2)
		var steps []step
		for range r.Whole(2, 7) {
			s := style(mixture)
			if r.Chance(0.5) {
				of := plants[r.IntN(int(parts))]
				s = of[r.IntN(len(of))]
			}
			steps = append(steps, step{add(s), 1})
		}
		if r.Chance(0.6) {
			steps[r.IntN(len(steps))].times = r.Whole(2, 8)
		}
		p.repeat(r, steps, 0, total)
	}
}

// planted adds kernels that a part limits.
func (p *program) planted(r simulate.Random, of part, n int) []step {
	var steps []step
	for range n {
		s := plants[of][r.IntN(len(plants[of]))]
		p.kernels = append(p.kernels, s(r, &p.m))
		steps = append(steps, step{len(p.kernels) - 1, r.Whole(1, 2)})
	}
	return steps
}
