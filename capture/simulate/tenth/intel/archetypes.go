package intel

import "astrolabe/capture/simulate"

// archetype is a kind of content: passes by the station that each is likely to be limited by, in order, and how they are
// fed and shown.
type archetype struct {
	name    string
	passes  [][]int // of each pass, the stations that may limit it
	queues  []int
	compute bool    // no display
	frame   float64 // ms, typical
	cpu     float64 // share of the frame that the application's thread takes, typical
}

var archetypes = []archetype{
	{"forward game", [][]int{{sIZ, sVF, sClip}, {sVF, sHZ}, {sALU, sTex}, {sPB, sTex}, {sALU, sMem}}, nil, false, 12, 0.4},
	{"deferred game", [][]int{{sIZ, sSetup, sClip}, {sMem, sPB}, {sALU, sMem}, {sTex}, {sLat, sTex}, {sMem, sSLM}}, nil, false, 14, 0.4},
	{"traced game", [][]int{{sVF, sIZ}, {sMem, sPB}, {sRT}, {sRT, sALU}, {sLat, sTex}, {sTex}}, nil, false, 20, 0.3},
	{"open world", [][]int{{sClip, sVF, sSetup}, {sHZ, sRast}, {sTex, sALU}, {sRast, sPB}, {sMem}, {sSLM, sALU}, {sTex}}, nil, false, 15, 0.5},
	{"much alpha", [][]int{{sHZ}, {sPB}, {sPB, sTex}, {sPB, sMem}, {sALU}}, nil, false, 9, 0.3},
	{"compositor", [][]int{{sTex}, {sPB, sMem}, {sMem}}, nil, false, 4, 0.3},
	{"video player", [][]int{{sMem}, {sTex}, {sPB, sTex}}, nil, false, 5, 0.2},
	{"computer-aided design", [][]int{{sVF, sSetup}, {sSetup, sClip}, {sRast, sVF}, {sPB}}, nil, false, 16, 0.5},
	{"menu", [][]int{{sPB, sTex}, {sTex}, {sPB}, {sSLM, sTex}}, nil, false, 3, 0.4},
	{"loading screen", [][]int{{sMem}, {sPB}, {sMem, sLSC}}, nil, false, 5, 1.2},
	{"inference", [][]int{{sALU}, {sMem}, {sALU}, {sL3, sSLM}, {sALU, sMem}}, []int{1, 1, 1, 1, 1}, true, 10, 0.1},
	{"language model", [][]int{{sMem}, {sMem}, {sSLM, sALU}, {sMem, sLat}}, []int{1, 1, 1, 1}, true, 18, 0.1},
	{"fluid", [][]int{{sL3}, {sMem, sL3}, {sLSC}, {sALU}, {sSLM}}, []int{1, 1, 1, 1, 1}, true, 8, 0.1},
	{"graph search", [][]int{{sLat}, {sLat, sLSC}, {sMem}, {sSLM}}, []int{1, 1, 1, 1}, true, 12, 0.15},
	{"renderer", [][]int{{sRT}, {sRT, sALU}, {sLat}, {sALU}}, []int{1, 1, 1, 1}, true, 25, 0.05},
	{"image processing", [][]int{{sTex, sLSC}, {sSLM}, {sMem}, {sLSC, sL3}}, []int{1, 1, 1, 1}, true, 7, 0.1},
}

// maker of cases.
type draft struct {
	r    simulate.Random
	p    *program
	eff  [nStation]float64
	next int // id of a chunk
}

func newDraft(kind string, seed uint64) *draft {
	r := simulate.NewRandom(seed, "intel-bmg-tenth "+kind)
	d := &draft{r: r, p: &program{m: newMachine(r), seed: seed*31 + uint64(len(kind))}, eff: efficiency(r)}
	d.p.ahead, d.p.overhead, d.p.inter = r.Whole(2, 3), r.Log(2500, 8000), r.Log(8000, 30000)
	d.p.length = r.Log(0.7e9, 3.2e9)
	d.p.warm = 6
	l := &d.p.limits
	l.idle, l.dynamic = r.Between(25, 40), d.p.m.board*r.Between(0.85, 1)
	return d
}

// add makes a job of a pass.
func (d *draft) add(c *content, q int, p pass, ns float64) *job {
	p = d.p.m.sized(p, &d.eff, ns)
	c.jobs = append(c.jobs, job{queue: q, name: p.name, chunks: d.p.m.chunks(&p, &d.eff, d.r, &d.next)})
	return &c.jobs[len(c.jobs)-1]
}

// submits spreads the submission of jobs over the driver's work.
func (c *content) submits() {
	for i := range c.jobs {
		c.jobs[i].submit = 0.25 + 0.75*float64(i+1)/float64(len(c.jobs))
	}
}

// archetype makes content of a kind; one station has the most to do where favoured is set.
func (d *draft) archetype(favoured bool, compute *bool) *content {
	r := d.r
	var a *archetype
	for a == nil || compute != nil && a.compute != *compute {
		a = &archetypes[r.IntN(len(archetypes))]
	}
	c := &content{name: a.name, wobble: r.Between(0.02, 0.1)}
	frame := a.frame * 1e6 * r.Log(0.6, 1.7)
	kinds, weights, sum := []int{}, []float64{}, 0.0
	for _, list := range a.passes {
		n := 1
		if r.Chance(0.25) && len(a.passes) < 6 {
			n = 2
		}
		for range n {
			kinds = append(kinds, list[r.IntN(len(list))])
		}
	}
	best := kinds[r.IntN(len(kinds))]
	for _, k := range kinds {
		w := r.Log(0.3, 1)
		if favoured && k == best {
			w *= 4
		}
		weights = append(weights, w)
		sum += w
	}
	for i, k := range kinds {
		q := qRender
		if a.compute {
			q = qCompute
		}
		p := d.p.m.planted(r, k, a.compute, &d.eff, 0.6)
		if r.Chance(0.2) {
			p.launches = float64(r.Whole(2, 8))
		}
		d.add(c, q, p, frame*weights[i]/sum)
	}
	if !a.compute && r.Chance(0.3) { // work beside, on the engine of compute or of copies
		k := simulate.Pick(r, sALU, sMem, sSLM, sLSC)
		j := d.add(c, qCompute, d.p.m.planted(r, k, true, &d.eff, 0.5), frame*r.Between(0.05, 0.2))
		j.deps = []dep{{job: r.IntN(len(kinds))}}
		c.name += " with compute beside"
	} else if r.Chance(0.2) {
		p := pass{name: "upload", stage: 2, copied: mega, spread: 0.1, chunks: 2}
		d.add(c, qCopy, p, frame*r.Between(0.03, 0.12))
	}
	c.app = frame * a.cpu * r.Between(0.5, 1.3)
	c.driver = c.app * r.Between(0.2, 0.7)
	c.submits()
	d.p.unknown = a.compute
	return c
}

// mixed is content of passes of any kind.
func (d *draft) mixed() *content {
	r := d.r
	c := &content{name: "passes of any kind", wobble: r.Between(0.02, 0.12)}
	frame := r.Log(3e6, 20e6)
	n := r.Whole(1, 6)
	for range n {
		k := r.IntN(nStation)
		p := d.p.m.planted(r, k, false, &d.eff, 0.4)
		if r.Chance(0.15) {
			p.launches = float64(r.Whole(5, 60))
		}
		q := qRender
		if p.stage == 1 && r.Chance(0.4) {
			q = qCompute
		}
		j := d.add(c, q, p, frame*r.Log(0.1, 1)/float64(n)*1.8)
		if q == qCompute && len(c.jobs) > 1 {
			j.deps = []dep{{job: len(c.jobs) - 2}}
		}
	}
	c.app, c.driver = frame*r.Log(0.1, 1.1), frame*r.Log(0.05, 0.6)
	c.submits()
	return c
}

// estimate is the time per frame of contents, found by a short simulation of each, in ns.
func (d *draft) estimate(c *content) float64 {
	p := *d.p
	p.contents, p.phases, p.frames = []*content{c}, []int{1 << 30}, 26
	e := newEngine(&p, noRelief(), false, false)
	if e.run() != nil {
		return 10e6
	}
	t := float64(e.frames[25].flip-e.frames[5].flip) / 20
	return max(t, 50e3)
}

const mostFrames = 900

// lengths decides how many frames there are.
func (d *draft) lengths() {
	p := d.p
	if len(p.contents) == 1 {
		t := d.estimate(p.contents[0])
		n := min(mostFrames, max(12, int(p.length/t)))
		if need := int(0.5e9/t) + 1; n < need {
			n = min(need, 4*mostFrames)
		}
		p.frames = p.warm + n
		p.phases = []int{p.frames}
		return
	}
	p.frames = p.warm
	p.phases = nil
	for i, c := range p.contents {
		n := max(10, int(d.r.Between(0.55e9, 1.3e9)/d.estimate(c)))
		n = min(n, 3*mostFrames)
		if i == 0 {
			n += p.warm
			p.frames = 0
		}
		p.phases = append(p.phases, n)
		p.frames += n
	}
}
