package intel

import "astrolabe/capture/simulate"

// judge finds what limits a program by simulating it again with one thing faster.
func judge(p *program) (*simulate.Truth, error) {
	base := newEngine(p, noRelief(), true, false)
	if err := base.run(); err != nil {
		return nil, err
	}
	stretches := simulate.Stretches(p.frames, p.warm, 3, p.contentOf, func(c int) string { return p.contents[c].name })
	t := &simulate.Truth{}
	parts := make([]*simulate.Part, len(stretches))
	list := make([]simulate.Part, len(stretches))
	for i, s := range stretches {
		list[i] = base.partOf(s)
		parts[i] = &list[i]
	}
	seen := map[simulate.Candidate]bool{}
	for _, part := range parts {
		for _, s := range part.Shares {
			seen[s.Candidate] = true
		}
	}
	worked := base.worked()
	try := func(c simulate.Candidate, needed bool, into func(*simulate.Part) *[]simulate.Gain) error {
		var e *engine
		if needed {
			e = newEngine(p, reliefOf(c), false, false)
			if err := e.run(); err != nil {
				return err
			}
		}
		for i, s := range stretches {
			g := simulate.Gain{Candidate: c}
			if e != nil {
				before := float64(list[i].End - list[i].Start)
				after := float64(e.frames[s.Last].flip - e.frames[s.First-1].flip)
				g.Percent, g.Simulated = 100*(before-after)/before, true
			}
			to := into(parts[i])
			*to = append(*to, g)
		}
		return nil
	}
	leaves := func(p *simulate.Part) *[]simulate.Gain { return &p.Leaves }
	for k, c := range causes {
		if k == cVsync || k == cCap || k == cRequest {
			continue // they pace, and are never relieved
		}
		// A station that never set the pace of a path is not simulated unless it worked at all.
		if err := try(c, seen[c] && (k >= nStation || worked[k]), leaves); err != nil {
			return nil, err
		}
	}
	for q := range nQueue {
		used := false
		for _, c := range p.contents {
			for i := range c.jobs {
				used = used || c.jobs[i].queue == q
			}
		}
		if used {
			if err := try(queueCandidate(q), true, func(p *simulate.Part) *[]simulate.Gain { return &p.Queues }); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range []simulate.Candidate{simulate.WholeCPU, simulate.WholeGPU} {
		if err := try(c, true, func(p *simulate.Part) *[]simulate.Gain { return &p.Whole }); err != nil {
			return nil, err
		}
	}
	for _, part := range parts {
		part.Conclude()
	}
	t.Part = list[0]
	t.Phases = list[1:]
	if len(t.Phases) == 0 {
		t.Phases = nil
	}
	for i := range base.frames {
		f := &base.frames[i]
		t.Each = append(t.Each, simulate.FrameTruth{Content: p.contentOf(i), Begin: f.begin, GPUBegin: f.gpuBegin,
			GPUEnd: f.gpuEnd, Shown: f.flip, Missed: f.missed, Judged: i >= p.warm})
	}
	if p.pacing.refresh > 0 && !p.pacing.adaptive {
		t.Hold(float64(p.pacing.refresh))
	}
	return t, nil
}

// worked says which stations had work.
func (e *engine) worked() (out [nStation]bool) {
	for i := range e.log {
		for _, c := range e.log[i].chunks {
			if c == nil {
				continue
			}
			for k := range out {
				out[k] = out[k] || c.demand[k] > 0 || k == sLat
			}
		}
	}
	return out
}
