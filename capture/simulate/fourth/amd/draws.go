package amd

import (
	"fmt"
	"math"

	"astrolabe/capture/simulate"
)

// draws are what a profiler of GPUPerfAPI runs one after the other, each for itself.
type draws struct {
	c     *simulate.Case
	d     *device
	ghz   float64 // which the profiler holds
	works []*work
	cut   int // where the second phase begins, 0 where there is none
}

// newDraws draws a case of the profiler.
func newDraws(c *simulate.Case) {
	r := &drawn{Random: simulate.NewRandom(c.Seed, gpaName+c.Kind)}
	r.d = &devices[r.IntN(len(devices))]
	if r.d.generation == "GFX11" && r.Chance(0.4) {
		r.d = &devices[r.IntN(8)] // whose generations have more counters
	}
	r.screenOf()
	s := &draws{c: c, d: r.d, ghz: r.d.mhz / 1000}
	if r.Chance(0.5) { // the stable clock of profiling, below the highest
		s.ghz *= r.Between(0.7, 0.9)
	}
	var p pipe
	switch c.Kind {
	case simulate.KindArchetype:
		text, passes := r.frame(r.IntN(len(archetypes)))
		c.Text = text
		s.add(r, passes, r.Whole(36, 110))
	case simulate.KindRandom:
		c.Text = "passes of any kind"
		s.add(r, r.mixture(), r.Whole(36, 110))
	case simulate.KindSingle:
		k := cand(c.Seed % uint64(ofDraws))
		c.Plant = names[k].String()
		c.Text = "draws limited by " + c.Plant
		s.plant(r, k, &p, r.Whole(36, 80))
	case simulate.KindTwoPhase:
		a := cand(r.IntN(int(ofDraws)))
		b := (a + cand(r.Whole(1, int(ofDraws)-1))) % ofDraws
		c.Text = fmt.Sprintf("%v, then %v", names[a], names[b])
		s.plant(r, a, &p, r.Whole(20, 50))
		s.cut = len(s.works)
		s.plant(r, b, &p, r.Whole(20, 50))
	}
	c.Text += " on " + s.d.name
	c.Record, c.Judge = s.record, s.judge
}

// add cuts passes into n draws or so, some large and many small.
func (s *draws) add(r *drawn, passes []*work, n int) {
	if len(passes) == 0 {
		passes = []*work{passKinds["post"](r)}
	}
	weight := make([]float64, len(passes))
	for i, w := range passes {
		weight[i] = 1
		if w.prims > 100 {
			weight[i] = r.Log(2, 20)
		}
	}
	sum := 0.0
	for _, v := range weight {
		sum += v
	}
	for i, w := range passes {
		s.split(r, w, max(1, int(weight[i]/sum*float64(n))), 1.1)
	}
	for k := 0; len(s.works) < 36; k++ {
		s.split(r, passes[k%len(passes)], 4, 0.5)
	}
}

// split makes k draws of a pass.
func (s *draws) split(r *drawn, w *work, k int, sigma float64) {
	for range k {
		one := *w
		one.scale(r.Spread(sigma) / float64(k))
		one.draws = 1
		one.seed = r.Uint64()
		for i := range one.eff {
			one.eff[i] = min(0.98, one.eff[i]*r.Between(0.96, 1.04))
		}
		for _, x := range []*float64{&one.l0, &one.l1, &one.l2} {
			*x = min(0.99, *x*r.Between(0.96, 1.04))
		}
		one.ps.alu *= r.Between(0.85, 1.15)
		one.label = fmt.Sprintf("%s %d", w.label, len(s.works))
		s.works = append(s.works, &one)
	}
}

// plant makes n draws that one thing limits, and among them a few that nothing is known of.
func (s *draws) plant(r *drawn, c cand, p *pipe, n int) {
	others := r.Between(0, 0.15)
	var few []*work
	for range r.Whole(1, 3) {
		few = append(few, r.plant(c, p))
	}
	for range n {
		if r.Chance(others) {
			w := passKinds[passNames[r.IntN(len(passNames))]](r)
			w.scale(0.02)
			s.split(r, w, 1, 0.3)
			continue
		}
		w := *few[r.IntN(len(few))]
		draws := w.draws
		s.split(r, &w, 1, 0.35)
		s.works[len(s.works)-1].draws = draws
	}
}

// judge finds out what limits the draws.
func (s *draws) judge() (*simulate.Truth, error) {
	var p pipe
	n := len(s.works)
	base := make([]float64, n)
	shares := make([][ofDraws]float64, n)
	times := make([]int64, n+1)
	for i, w := range s.works {
		res := w.run(&p, s.d, s.ghz, &relief{})
		base[i], shares[i] = res.total, res.share
		times[i+1] = times[i] + int64(math.Round(res.total))
	}
	relieved := make([][ofDraws]float64, n)
	all := make([]float64, n)
	everything := relief{}
	for c := range ofDraws {
		everything[c] = true
	}
	for i, w := range s.works {
		all[i] = w.run(&p, s.d, s.ghz, &everything).total
		for c := range ofDraws {
			relieved[i][c] = base[i]
			if shares[i][c] > 0 {
				rel := only(c)
				relieved[i][c] = w.run(&p, s.d, s.ghz, &rel).total
			}
		}
	}
	part := func(name string, first, end int) simulate.Part {
		pt := simulate.Part{Name: name, First: first, Frames: end - first, Start: times[first], End: times[end], GPUBusy: 1,
			ClockMean: s.ghz * 1000 / s.d.mhz}
		sum, whole := 0.0, 0.0
		var own, less [ofDraws]float64
		for i := first; i < end; i++ {
			sum, whole = sum+base[i], whole+all[i]
			for c := range ofDraws {
				own[c] += shares[i][c]
				less[c] += relieved[i][c]
			}
		}
		pt.Whole = []simulate.Gain{{Candidate: simulate.WholeGPU, Percent: 100 * (1 - whole/sum), Simulated: true}}
		for c := range ofDraws {
			pt.Leaves = append(pt.Leaves, simulate.Gain{Candidate: names[c], Percent: 100 * (1 - less[c]/sum), Simulated: own[c] > 0})
		}
		simulate.SortGains(pt.Leaves)
		pt.Shares = portion(own[:], pt.End-pt.Start)
		pt.QueueShares = []simulate.Share{{Candidate: ofGraphics, Ns: pt.End - pt.Start}}
		pt.Queues = []simulate.Gain{{Candidate: ofGraphics, Percent: 100 * (1 - whole/sum), Simulated: true}}
		return pt
	}
	t := &simulate.Truth{Part: part("", 0, n)}
	if s.cut > 0 {
		t.Phases = []simulate.Part{part("first", 0, s.cut), part("second", s.cut, n)}
	}
	for i := range n {
		content := 0
		if s.cut > 0 && i >= s.cut {
			content = 1
		}
		t.Each = append(t.Each, simulate.FrameTruth{Content: content, Begin: times[i], GPUBegin: times[i], GPUEnd: times[i+1],
			Shown: times[i+1], Judged: true})
	}
	t.Hold(0)
	return t, nil
}

var (
	ofGraphics = simulate.Candidate{Level: simulate.LevelQueue, Name: "graphics"}
	ofCompute  = simulate.Candidate{Level: simulate.LevelQueue, Name: "compute"}
)

// portion makes whole ns of times, which add up to a total.
func portion(own []float64, total int64) (out []simulate.Share) {
	sum := 0.0
	for _, v := range own {
		sum += v
	}
	left, most := total, -1
	for c, v := range own {
		if v <= 0 {
			continue
		}
		ns := int64(v / sum * float64(total))
		if left -= ns; most < 0 || ns > out[most].Ns {
			most = len(out)
		}
		out = append(out, simulate.Share{Candidate: names[c], Ns: ns})
	}
	if most < 0 {
		return []simulate.Share{{Candidate: names[launch], Ns: total}}
	}
	out[most].Ns += left
	return out
}
