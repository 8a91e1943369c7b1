package intel

import "astrolabe/capture/simulate"

// section is what the GPU works at between two synchronisations: a pass, or two on different engines.
type section struct {
	passes []pass
	launch float64 // ns from when the GPU has it to its first thread, and from its last to the next section
}

// reach is how many items of a pass are simulated one by one; longer passes go on as their middle does.
const reach = 150

// estimate is a pass, or two at once, as far as it was simulated.
type estimate struct {
	items float64
	clocks,
	per float64 // clocks for the first items, and for each further one
	tally, slope [tallies]float64
	shares       [gpuCauses]float64 // of the time, by what set the pace
	rates        [2]float64         // of two passes at once: items in a clock
}

// measure simulates the first items of passes.
// items are how many of each: those of one, or so many of two that both last as long.
func (s *shader) measure(m *machine, sec []*pass, items []int, ease *[gpuCauses]float64, share float64, keep bool) *estimate {
	s.reset(m, ease, share, keep)
	n := items[0]
	for i, p := range sec {
		s.add(p, items[i])
	}
	out := &estimate{items: float64(n)}
	lag := m.rows*m.clusters + ahead + buffered
	var times [2]float64
	var marks [2][2]int
	var early [tallies]float64
	seen := 0
	s.run(func() bool {
		part := [2]bool{false, false} // the middle has begun, and has ended
		for i := range s.flows {
			f := &s.flows[i]
			part[0] = part[0] || f.out >= f.items*3/10
			part[1] = part[1] || f.out >= f.items-lag
		}
		for seen < 2 && part[seen] {
			times[seen] = s.last
			for c := range m.clusters {
				s.settle(c, s.last)
			}
			for i := range s.flows {
				marks[seen][i] = s.flows[i].out
			}
			if seen == 0 {
				early = s.tally
			} else {
				out.slope = s.tally
			}
			seen++
		}
		return len(sec) > 1 && seen == 2
	})
	took, middle := times[1]-times[0], float64(marks[1][0]-marks[0][0])
	if len(sec) > 1 {
		for i := range sec {
			out.rates[i] = float64(marks[1][i]-marks[0][i]) / max(1, took)
		}
		middle = max(1, took) // what is counted is by clock
	}
	out.clocks, out.tally = s.last, s.tally
	if out.per = took / max(1, middle); n < reach && len(sec) == 1 {
		out.per = s.last / float64(n)
		out.slope = s.tally
		early, middle = [tallies]float64{}, float64(n)
	}
	for i := range out.slope {
		if out.slope[i] = (out.slope[i] - early[i]) / max(1, middle); len(sec) == 1 && !waited[i] {
			out.slope[i] = out.tally[i] / float64(n) // work is the same for each item, and ran ahead of its end
		}
	}
	if keep {
		sum := 0.0
		s.path.Walk(s.node, 0, func(start, end int64, cause, _ uint8) {
			out.shares[cause] += float64(end - start)
			sum += float64(end - start)
		})
		for i := range out.shares {
			out.shares[i] /= max(1, sum)
		}
	}
	return out
}

// result is a section with the work of one frame.
type result struct {
	ns     float64 // with its launch
	launch float64
	tally  [tallies]float64
	shares [gpuCauses]float64
}

// solver knows how long sections take under a relief. It simulates each once for each step of the clock.
type solver struct {
	m     *machine
	base  *solver // without relief of the one cause that this has it for; nil where it is another
	cause int
	ease  [gpuCauses]float64
	keep  bool
	known map[where]*estimate
	s     shader
}

type where struct {
	first, second *pass
	share         float64
}

func newSolver(m *machine, causes ...int) *solver {
	out := &solver{m: m, known: map[where]*estimate{}}
	for i := range out.ease {
		out.ease[i] = 1
	}
	for _, c := range causes {
		out.ease[c] = simulate.Faster
	}
	return out
}

func (v *solver) of(share float64, sec ...*pass) *estimate {
	k := where{first: sec[0], share: share}
	if len(sec) > 1 {
		k.second = sec[1]
	}
	e := v.known[k]
	if e == nil && v.base != nil {
		// What never set the pace makes nothing faster.
		if e = v.base.of(share, sec...); e.shares[v.cause] > 0 {
			e = nil
		} else {
			v.known[k] = e
		}
	}
	if e == nil {
		items := []int{max(2, min(reach, int(sec[0].count+0.5))), reach}
		if len(sec) > 1 {
			a, b := v.of(share, sec[0]).per, v.of(share, sec[1]).per
			items = []int{int(reach * max(1, min(8, b/a))), int(reach * max(1, min(8, a/b)))}
		}
		e = v.s.measure(v.m, sec, items, &v.ease, share, v.keep)
		v.known[k] = e
	}
	return e
}

// take is a section with a share of its usual work, at a share of the highest clock.
func (v *solver) take(sec *section, scale, share float64) (r result) {
	hz := v.m.hz * share / 1e9 // clocks in a ns
	clocks, draws := 0.0, 0.0
	one := func(p *pass, items float64) {
		e := v.of(share, p)
		more := items - e.items
		took := e.clocks + more*e.per
		if items < e.items && e.clocks > 0 {
			more = 0
			took = max(e.clocks*items/e.items, e.clocks*0.15)
			for i := range r.tally {
				r.tally[i] += e.tally[i] * items / e.items
			}
		} else {
			for i := range r.tally {
				r.tally[i] += e.tally[i] + more*e.slope[i]
			}
		}
		clocks += took
		for i := range r.shares {
			r.shares[i] += e.shares[i] * took
		}
	}
	for i := range sec.passes {
		p := &sec.passes[i]
		draws += p.draws * scale
		if p.compute {
			r.tally[tKernels]++
			r.tally[tGroups] += p.count * scale * float64(v.m.eus) / 8
		}
	}
	if len(sec.passes) == 1 {
		one(&sec.passes[0], sec.passes[0].count*scale)
	} else {
		e := v.of(share, &sec.passes[0], &sec.passes[1])
		left := [2]float64{sec.passes[0].count * scale, sec.passes[1].count * scale}
		both := min(left[0]/max(1e-9, e.rates[0]), left[1]/max(1e-9, e.rates[1]))
		clocks = both
		for i := range r.tally {
			r.tally[i] += both * e.slope[i]
		}
		for i := range r.shares {
			r.shares[i] += both * e.shares[i]
		}
		for i := range left {
			if left[i] -= both * e.rates[i]; left[i] > 1 {
				one(&sec.passes[i], left[i])
			}
		}
	}
	for i := range r.shares {
		r.shares[i] /= max(1, clocks)
	}
	r.ns = clocks / hz
	// The command streamer reads draws while those before are worked at.
	if parse := draws * perDraw / v.ease[launch]; parse > r.ns {
		r.ns = parse
		r.shares = [gpuCauses]float64{launch: 1}
	}
	r.launch = sec.launch / v.ease[launch]
	r.ns += r.launch
	r.tally[tTime] = r.ns * hz
	r.tally[tDraws], r.tally[tSections] = draws, 1
	switch {
	case len(sec.passes) > 1:
		r.tally[tBeside] = r.ns * hz
	case sec.passes[0].async:
		r.tally[tAsync] = r.ns * hz
	}
	return r
}

// perDraw is the ns that the command streamer needs for the state and the call of a draw.
const perDraw = 900
