package cpu

import (
	"slices"

	"astrolabe/capture/simulate"
)

// load is a program on a machine, with everything that was drawn.
type load struct {
	m     machine
	p     program
	rnd   []float32
	warm  int // items that are not judged
	items int // that are
}

func (w *load) engine(r relief, keep bool, t *trace) *engine {
	e := &engine{m: &w.m, p: &w.p, r: r, rnd: w.rnd, items: w.warm + w.items, trace: t}
	e.path.Keep = keep
	if r.highest {
		m := w.m
		m.share = 1
		e.m = &m
	}
	return e
}

// reliefs are the leaves with what relieves them.
func (w *load) reliefs() (list []simulate.Candidate, of []relief) {
	add := func(c simulate.Candidate, r relief) { list, of = append(list, c), append(of, r) }
	for i, c := range []simulate.Candidate{Core, Branches, FrontEnd, simulate.MemoryLatency, simulate.MemoryBandwidth} {
		var r relief
		r.part[i] = 1 / simulate.Faster
		add(c, r)
	}
	if len(w.p.devices) > 0 {
		add(IO, relief{io: 1 / simulate.Faster})
	}
	if w.p.locks > 0 {
		add(Lock, relief{noLock: true})
	}
	if len(w.p.queues) > 0 {
		add(Handover, relief{longer: true})
	}
	if w.m.share < 1 {
		add(w.m.held, relief{highest: true})
	}
	return list, of
}

// took is how long the judged items took, and when they began.
func took(d []done, warm int) (start, end int64) { return d[warm-1].to, d[len(d)-1].to }

// judge finds out by relief what limits the load.
func (w *load) judge() (*simulate.Truth, error) {
	e := w.engine(relief{}, true, nil)
	if err := e.run(); err != nil {
		return nil, err
	}
	truth := &simulate.Truth{}
	p := &truth.Part
	p.First, p.Frames, p.ClockMean = w.warm, w.items, w.m.share
	p.Start, p.End = took(e.done, w.warm)
	base := p.End - p.Start
	shares := map[simulate.Candidate]int64{}
	e.path.Walk(e.done[len(e.done)-1].node, p.Start, func(start, end int64, cause,
		_ uint8) {
		shares[candidate(cause)] += end - start
	})
	for c, ns := range shares {
		p.Shares = append(p.Shares, simulate.Share{Candidate: c, Ns: ns})
	}
	slices.SortFunc(p.Shares, func(a, b simulate.Share) int {
		if a.Candidate.String() < b.Candidate.String() {
			return -1
		}
		return 1
	})
	simulate.SortShares(p.Shares)
	gain := func(c simulate.Candidate, r relief) (simulate.Gain, error) {
		x := w.engine(r, false, nil)
		if err := x.run(); err != nil {
			return simulate.Gain{}, err
		}
		start, end := took(x.done, w.warm)
		return simulate.Gain{Candidate: c, Percent: 100 * float64(base-(end-start)) / float64(base),
			Simulated: true}, nil
	}
	list, of := w.reliefs()
	for i, c := range list {
		g, err := gain(c, of[i])
		if err != nil {
			return nil, err
		}
		p.Leaves = append(p.Leaves, g)
	}
	g, err := gain(Cores, relief{cores: true})
	if err != nil {
		return nil, err
	}
	p.Whole = append(p.Whole, g)
	simulate.SortGains(p.Leaves)
	for i, d := range e.done {
		if i >= w.warm {
			p.Missed += d.missed
		}
		truth.Each = append(truth.Each, simulate.FrameTruth{Begin: d.from, GPUBegin: d.from, GPUEnd: d.to,
			Shown: d.to, Missed: d.missed, Judged: i >= w.warm})
	}
	for _, d := range e.late {
		if d.to > p.Start && d.to <= p.End {
			p.Missed += d.missed
		}
	}
	p.Healthy = p.Missed == 0 && 2*shares[Timer] > base && (len(p.Leaves) == 0 ||
		p.Leaves[0].Percent < simulate.ClearGain)
	return truth, nil
}
