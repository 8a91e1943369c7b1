package intel

import (
	"math"

	"astrolabe/capture/simulate"
)

// stretchOf is the time in which some frames were shown.
type stretchOf struct{ first, end int }

func (x *simulation) from(s stretchOf) float64 { return x.frames[s.first-1].flip }
func (x *simulation) to(s stretchOf) float64   { return x.frames[s.end-1].flip }

// parts are the frames that are judged: all, and those of each phase.
func (s *spec) parts() (whole stretchOf, phases []stretchOf) {
	whole = stretchOf{s.warm, len(s.frames)}
	if s.turn > 0 {
		phases = []stretchOf{{s.warm, s.turn}, {s.turn, len(s.frames)}}
	}
	return whole, phases
}

// judge finds out what limits the case.
func (s *spec) judge() (*simulate.Truth, error) {
	base, err := s.simulate(&relief{}, nil)
	if err != nil {
		return nil, err
	}
	whole, phases := s.parts()
	all := append([]stretchOf{whole}, phases...)
	parts := make([]simulate.Part, len(all))
	origin := base.from(whole)
	for i, p := range all {
		parts[i] = base.part(p, origin)
	}
	gain := func(c simulate.Candidate, r *relief, put func(*simulate.Part) *[]simulate.Gain) error {
		x := base
		if r != nil {
			if x, err = s.simulate(r, nil); err != nil {
				return err
			}
		}
		for i, p := range all {
			g := simulate.Gain{Candidate: c, Simulated: r != nil}
			if r != nil {
				g.Percent = math.Round(1e8*(1-(x.to(p)-x.from(p))/(base.to(p)-base.from(p)))) / 1e6
			}
			list := put(&parts[i])
			*list = append(*list, g)
		}
		return nil
	}
	leavesOf := func(p *simulate.Part) *[]simulate.Gain { return &p.Leaves }
	for l := range leaves {
		if l == vsync || l == frameCap || l == request || l == rayTracing && s.machine.rate[l] == 0 {
			continue
		}
		r := relieve(l)
		if !s.has(l, base) {
			r = nil
		}
		if err := gain(candidates[l], r, leavesOf); err != nil {
			return nil, err
		}
	}
	for q, name := range s.queueNames() {
		r := ofGPU()
		r.queue = q + 1
		if err := gain(simulate.Candidate{Level: simulate.LevelQueue, Name: name}, r,
			func(p *simulate.Part) *[]simulate.Gain { return &p.Queues }); err != nil {
			return nil, err
		}
	}
	wholeOf := func(p *simulate.Part) *[]simulate.Gain { return &p.Whole }
	if err := gain(simulate.WholeGPU, ofGPU(), wholeOf); err != nil {
		return nil, err
	}
	if err := gain(simulate.WholeCPU, relieve(cpuApp, cpuDriver), wholeOf); err != nil {
		return nil, err
	}
	for i := range parts {
		p := &parts[i]
		p.Rank()
		waits := 0.0
		for _, l := range []leaf{vsync, frameCap, request} {
			waits += p.ShareOf(candidates[l])
		}
		p.Healthy = p.Missed == 0 && waits > 0.2 && p.Leaves[0].Percent < simulate.ClearGain
	}
	t := &simulate.Truth{Part: parts[0]}
	if len(parts) > 1 {
		t.Phases = parts[1:]
	}
	for k := whole.first; k < whole.end; k++ {
		f := &base.frames[k]
		at := func(v float64) int64 { return nanos(v - origin) }
		t.Each = append(t.Each, simulate.FrameTruth{Content: s.frames[k].content, Begin: at(f.begin), GPUBegin: at(f.gpuBegin),
			GPUEnd: at(f.done), Shown: at(f.flip), Missed: f.missed, Judged: true})
	}
	refresh := s.pacing.refresh
	if s.pacing.variable {
		refresh = 0
	}
	t.Hold(refresh)
	return t, nil
}

func nanos(v float64) int64 { return int64(math.Round(v)) }

// ofGPU relieves all units, memory and launches.
func ofGPU() *relief {
	r := &relief{}
	for l := range launch + 1 {
		r.of[l] = true
	}
	return r
}

// has reports whether a candidate has work, or can be in the way.
func (s *spec) has(l leaf, base *simulation) bool {
	switch l {
	case cpuApp, cpuDriver, launch:
		return true
	case cpuSync:
		for _, c := range s.contents {
			if c.sync {
				return true
			}
		}
		return false
	case inTurn:
		for _, c := range s.contents {
			for _, p := range c.passes {
				if len(p.needless) > 0 {
					return true
				}
			}
		}
		return false
	case thermal, power:
		return s.clocking.ceiling > 0 && s.clocking.by == l
	case governor:
		for _, n := range base.nodes {
			if n.held[2] > 0 {
				return true
			}
		}
		return false
	}
	for c := range s.contents {
		for p := range s.contents[c].passes {
			if base.times[c][p][0].at[knots-1].share[l] > 0 || base.times[c][p][1].at[knots-1].share[l] > 0 {
				return true
			}
		}
	}
	return false
}

// queueNames are the queues that have work.
func (s *spec) queueNames() []string {
	names := []string{"render"}
	for _, c := range s.contents {
		for _, p := range c.passes {
			if p.queue == 1 && len(names) == 1 {
				names = append(names, map[bool]string{true: "copy", false: "compute"}[p.other])
			}
		}
	}
	return names
}

// part is what the simulation says of some frames. Times count from an origin.
func (x *simulation) part(s stretchOf, origin float64) simulate.Part {
	from, to := x.from(s), x.to(s)
	whole, _ := x.s.parts()
	p := simulate.Part{First: s.first - whole.first, Frames: s.end - s.first, Start: nanos(from - origin), End: nanos(to - origin)}
	if s != whole {
		p.Name = x.s.contents[x.s.frames[s.first].content].text
	}
	for k := s.first; k < s.end; k++ {
		p.Missed += x.frames[k].missed
	}
	var of [leaves]float64
	names := x.s.queueNames()
	byQueue := make([]float64, int(leaves)+len(names))
	needless := false
	for n, at := x.frames[s.end-1].flipped, to; n > 0 && at > from; n = x.nodes[n].before {
		d := &x.nodes[n]
		start := max(from, min(d.start, at))
		long := at - start
		at = start
		if d.leaf < leaves {
			of[d.leaf] += long
			byQueue[d.leaf] += long
		} else if all := d.end - d.start; long > 0 && all > 0 {
			part := long / all
			rest := long
			for i, l := range []leaf{thermal, power, governor} {
				held := min(rest, d.held[i]*part)
				of[l] += held
				rest -= held
			}
			for l, share := range d.share {
				of[l] += rest * share
			}
			if needless {
				byQueue[inTurn] += long
			} else {
				byQueue[int(leaves)+min(int(d.queue), len(names)-1)] += long
			}
		}
		needless = d.needless
	}
	p.Shares = shares(of[:], p.End-p.Start, func(i int) simulate.Candidate { return candidates[i] })
	p.QueueShares = shares(byQueue, p.End-p.Start, func(i int) simulate.Candidate {
		if i < int(leaves) {
			return candidates[i]
		}
		return simulate.Candidate{Level: simulate.LevelQueue, Name: names[i-int(leaves)]}
	})
	p.GPUBusy, p.ClockMean = x.busyShare(from, to), x.clockMean(from, to)
	return p
}

// shares makes whole ns of times, which add up to all. What a walk leaves over belongs to what began before.
func shares(of []float64, all int64, name func(int) simulate.Candidate) []simulate.Share {
	var out []simulate.Share
	sum, most := int64(0), 0
	for i, v := range of {
		ns := int64(v)
		if ns <= 0 {
			continue
		}
		out = append(out, simulate.Share{Candidate: name(i), Ns: ns})
		sum += ns
		if ns > out[most].Ns {
			most = len(out) - 1
		}
	}
	if len(out) > 0 {
		out[most].Ns += all - sum
	}
	return out
}

// busyShare is the share of a time in which any queue works.
func (x *simulation) busyShare(from, to float64) float64 {
	sum, reached := 0.0, from
	for i := range x.nodes {
		n := &x.nodes[i]
		if n.leaf != leaves || n.end <= reached {
			continue
		}
		a, b := max(n.start, reached), min(n.end, to)
		if b > a {
			sum += b - a
			reached = b
		}
	}
	return sum / (to - from)
}

func (x *simulation) clockMean(from, to float64) float64 {
	sum := 0.0
	for i, c := range x.clocks {
		end := to
		if i+1 < len(x.clocks) {
			end = min(to, x.clocks[i+1].at)
		}
		if start := max(from, c.at); end > start {
			sum += (end - start) * c.ghz
		}
	}
	return sum / (to - from) / x.s.machine.highest
}
