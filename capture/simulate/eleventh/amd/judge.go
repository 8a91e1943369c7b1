package amd

import (
	"astrolabe/capture/simulate"
)

// times are how long each sample takes under some relief.
func (p *program) times(v speeds, of func(*sample) bool, plain []int64) []int64 {
	out := make([]int64, len(p.samples))
	var s simulator
	for i := range p.samples {
		x := &p.samples[i]
		if of != nil && !of(x) {
			out[i] = plain[i]
			continue
		}
		out[i] = s.run(x.pass.plan(&p.dev, x.seed, x.factor), &v).total
	}
	return out
}

// judge finds out what limited the program and its phases.
func (p *program) judge() *simulate.Truth {
	n := len(p.samples)
	plain, paces := make([]int64, n), make([][classes]int64, n)
	var s simulator
	v := usual()
	var pace [classes]int64
	length := int64(0)
	for i := range p.samples {
		x := &p.samples[i]
		o := s.run(x.pass.plan(&p.dev, x.seed, x.factor), &v)
		plain[i], paces[i] = o.total, o.pace
		length += o.total
		for c := range pace {
			pace[c] += o.pace[c]
		}
	}
	var eased [classes][]int64
	for _, c := range plants[p.name] {
		if pace[c]*500 > length { // less cannot matter
			eased[c] = p.times(relieved(c), nil, plain)
		}
	}
	compute := func(x *sample) bool { return x.pass.compute }
	graphics := func(x *sample) bool { return !x.pass.compute }
	all := p.times(faster(), nil, plain)
	byQueue := map[string][]int64{"compute": pickTimes(p, compute, all, plain), "graphics": pickTimes(p, graphics, all, plain)}

	part := func(st simulate.Stretch) simulate.Part {
		out := simulate.Part{Name: st.Name, First: st.First, Frames: st.Last - st.First + 1, GPUBusy: 1, ClockMean: 1}
		sum := func(t []int64) (ps int64) {
			for i := st.First; i <= st.Last; i++ {
				ps += t[i]
			}
			return ps
		}
		start := int64(0)
		for i := range st.First {
			start += plain[i]
		}
		total := sum(plain)
		out.Start, out.End = start/1000, (start+total)/1000
		gain := func(t []int64) float64 { return 100 * (1 - float64(sum(t))/float64(total)) }
		for _, c := range plants[p.name] {
			g := simulate.Gain{Candidate: candidates[c]}
			if eased[c] != nil {
				g.Percent, g.Simulated = gain(eased[c]), true
			}
			out.Leaves = append(out.Leaves, g)
		}
		queues := map[string]int64{}
		var by [classes]int64
		for i := st.First; i <= st.Last; i++ {
			queue := "graphics"
			if p.samples[i].pass.compute {
				queue = "compute"
			}
			queues[queue] += plain[i]
			for c, ps := range paces[i] {
				by[c] += ps
			}
		}
		ns := whole(by[:], out.End-out.Start)
		for c, x := range ns {
			if x != 0 {
				out.Shares = append(out.Shares, simulate.Share{Candidate: candidates[c], Ns: x})
			}
		}
		split := whole([]int64{queues["graphics"], queues["compute"]}, out.End-out.Start)
		for i, queue := range []string{"graphics", "compute"} {
			if queues[queue] == 0 {
				continue
			}
			c := simulate.Candidate{Level: simulate.LevelQueue, Name: queue}
			out.Queues = append(out.Queues, simulate.Gain{Candidate: c, Percent: gain(byQueue[queue]), Simulated: true})
			out.QueueShares = append(out.QueueShares, simulate.Share{Candidate: c, Ns: split[i]})
		}
		out.Whole = []simulate.Gain{{Candidate: simulate.WholeGPU, Percent: gain(all), Simulated: true}}
		out.Conclude()
		return out
	}
	truth := &simulate.Truth{Part: part(simulate.Stretch{First: 0, Last: n - 1})}
	at := int64(0)
	for i, ps := range plain {
		from, to := at/1000, (at+ps)/1000
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: p.samples[i].index, Begin: from, GPUBegin: from, GPUEnd: to,
			Shown: to, Judged: true})
		at += ps
	}
	for _, st := range p.phases {
		truth.Phases = append(truth.Phases, part(st))
	}
	return truth
}

// pickTimes takes the relieved times of some samples and the plain ones of the others.
func pickTimes(p *program, of func(*sample) bool, eased, plain []int64) []int64 {
	out := make([]int64, len(plain))
	for i := range p.samples {
		if out[i] = plain[i]; of(&p.samples[i]) {
			out[i] = eased[i]
		}
	}
	return out
}

// whole makes whole nanoseconds of picoseconds, which add up to the total: the largest takes what rounding leaves.
func whole(ps []int64, total int64) []int64 {
	out, best := make([]int64, len(ps)), 0
	for i, x := range ps {
		out[i] = x / 1000
		total -= out[i]
		if x > ps[best] {
			best = i
		}
	}
	out[best] += total
	return out
}
