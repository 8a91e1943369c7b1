package mali

import (
	"math"
	"slices"

	"astrolabe/capture/simulate"
)

const relieved, shortened = 1.5, 2.0 / 3

// judge finds what limits the program, by relieving one thing after the other.
func (p *program) judge() (*simulate.Truth, error) {
	none := unrelieved()
	base, err := p.simulate(&none, true)
	if err != nil {
		return nil, err
	}
	truth := &simulate.Truth{Each: base.each()}
	shares := base.path()
	parts := base.parts()
	for i := range parts {
		base.fillPart(&parts[i], shares, truth.Each)
	}
	try := func(list func(*simulate.Part) *[]simulate.Gain, c simulate.Candidate, rel relief) error {
		after, err := p.simulate(&rel, false)
		if err != nil {
			return err
		}
		for i := range parts {
			of := list(&parts[i])
			*of = append(*of, simulate.Gain{Candidate: c, Percent: base.gain(after, &parts[i]), Simulated: true})
		}
		return nil
	}
	leaves := func(t *simulate.Part) *[]simulate.Gain { return &t.Leaves }
	queued := func(t *simulate.Part) *[]simulate.Gain { return &t.Queues }
	whole := func(t *simulate.Part) *[]simulate.Gain { return &t.Whole }
	for _, c := range p.candidates() {
		rel, ok := p.reliefOf(c)
		if !ok || !p.waits(c, parts) {
			for i := range parts {
				parts[i].Leaves = append(parts[i].Leaves, simulate.Gain{Candidate: c})
			}
			continue
		}
		if err := try(leaves, c, rel); err != nil {
			return nil, err
		}
	}
	cpu, gpu := unrelieved(), unrelieved()
	cpu.app, cpu.drv = shortened, shortened
	for i := range gpu.rate[:resLatency] {
		gpu.rate[i] = relieved
	}
	gpu.launch, gpu.latency = shortened, shortened
	if err := try(whole, simulate.WholeCPU, cpu); err != nil {
		return nil, err
	}
	if err := try(whole, simulate.WholeGPU, gpu); err != nil {
		return nil, err
	}
	for q, name := range p.m.queueNames() {
		rel := unrelieved()
		rel.queue[q] = relieved
		if err := try(queued, simulate.Candidate{Level: simulate.LevelQueue, Name: name}, rel); err != nil {
			return nil, err
		}
	}
	for i := range parts {
		t := &parts[i]
		for _, list := range []*[]simulate.Gain{&t.Leaves, &t.Queues, &t.Whole} {
			simulate.SortGains(*list)
		}
		t.Healthy = p.pace.kind != paceFree && t.Missed == 0 && t.Leaves[0].Percent < simulate.ClearGain
	}
	truth.Part = parts[0]
	if len(parts) > 1 {
		truth.Phases = parts[1:]
	}
	refresh := p.pace.refresh
	if p.pace.kind == paceVRR {
		refresh = 0
	}
	truth.Hold(refresh)
	return truth, nil
}

func (m *machine) queueNames() []string {
	if m.csf {
		return []string{"fragment", "geometry", "compute"}
	}
	return []string{"fragment", "non_fragment"}
}

// candidates are the leaves that can limit such a machine, display excepted.
func (p *program) candidates() []simulate.Candidate {
	var out []simulate.Candidate
	for _, c := range plants(p.m.csf) {
		if c.Level != simulate.LevelDisplay {
			out = append(out, c)
		}
	}
	return out
}

// reliefOf is what relieving a candidate changes; not ok where the program has none of it.
func (p *program) reliefOf(c simulate.Candidate) (relief, bool) {
	rel := unrelieved()
	switch c.Level {
	case simulate.LevelUnit, simulate.LevelMemory:
		if c == simulate.MemoryLatency {
			rel.latency = shortened
			return rel, true
		}
		for i, leaf := range leafOf {
			if leaf == c {
				rel.rate[i] = relieved
			}
		}
		return rel, true
	case simulate.LevelLaunch:
		rel.launch = shortened
		return rel, true
	case simulate.LevelQueues:
		rel.noTurns = true
		for i := range p.contents {
			for k := range p.contents[i].jobs {
				if slices.ContainsFunc(p.contents[i].jobs[k].deps, func(d dep) bool { return d.needless }) {
					return rel, true
				}
			}
		}
		return rel, false
	case simulate.LevelClock:
		rel.free = c
		own := c == simulate.ClockGovernor && p.clock.governor != governHighest
		return rel, own || p.clock.holder == c
	}
	switch c {
	case simulate.CPUApp:
		rel.app = shortened
	case simulate.CPUDriver:
		rel.drv = shortened
	case simulate.CPUSync:
		rel.noSync = true
		return rel, slices.ContainsFunc(p.contents, func(c content) bool { return c.sync >= 0 })
	}
	return rel, true
}

// waits reports whether the path ever waited for a candidate; a clock slows everything.
func (p *program) waits(c simulate.Candidate, parts []simulate.Part) bool {
	if c.Level == simulate.LevelClock || c == simulate.CPUSync || c == simulate.QueuesInTurn {
		return true
	}
	for i := range parts {
		if parts[i].ShareOf(c) > 0.003 {
			return true
		}
	}
	return false
}

func (s *simulation) each() (out []simulate.FrameTruth) {
	for i := range s.frames {
		f := &s.frames[i]
		x := simulate.FrameTruth{Content: s.p.frames[i].content, Begin: int64(f.begin), GPUEnd: int64(f.done), Shown: int64(f.shown),
			Missed: s.missed(i), Judged: i >= s.p.warm}
		x.GPUBegin = x.GPUEnd
		for k := range s.p.contents[x.Content].jobs {
			x.GPUBegin = min(x.GPUBegin, int64(s.insts[s.base[i]+k].ready))
		}
		out = append(out, x)
	}
	return out
}

// missed is how many dates a frame misses.
func (s *simulation) missed(i int) int {
	p, f := &s.p.pace, s.frames
	if i == 0 {
		return 0
	}
	switch p.kind {
	case paceVsync:
		return max(0, int(math.Round((f[i].shown-f[i-1].shown)/p.refresh-p.swap)))
	case paceVRR:
		if f[i].shown-f[i-1].shown > 1.03*p.refresh {
			return 1
		}
	case paceCap, paceRequest:
		if f[i].begin > f[i].date+p.slack || f[i].shown > f[i].begin+3*p.every+2*p.refresh {
			return 1
		}
	}
	return 0
}

// parts are the whole and, of several phases, each.
func (s *simulation) parts() []simulate.Part {
	all := func(first, last int) simulate.Part {
		return simulate.Part{First: first, Frames: last - first, Start: int64(s.frames[first-1].shown), End: int64(s.frames[last-1].shown)}
	}
	n := len(s.frames)
	out := []simulate.Part{all(s.p.warm, n)}
	if len(s.p.phases) == 2 {
		for i, from := range s.p.phases {
			to := n
			if i == 0 {
				to = s.p.phases[1]
			}
			part := all(from, to)
			part.Name = s.p.contents[i].name
			out = append(out, part)
		}
	}
	return out
}

// gain is the reduction of a part's time, in percent.
func (s *simulation) gain(after *simulation, t *simulate.Part) float64 {
	took := func(x *simulation) float64 { return x.frames[t.First+t.Frames-1].shown - x.frames[t.First-1].shown }
	before := took(s)
	return math.Round(1e6*(1-took(after)/before)) / 1e4
}

func (s *simulation) fillPart(t *simulate.Part, path []stretch, each []simulate.FrameTruth) {
	for i := t.First; i < t.First+t.Frames; i++ {
		t.Missed += each[i].Missed
	}
	leaf, queue := map[simulate.Candidate]float64{}, map[simulate.Candidate]float64{}
	for _, x := range path {
		if d := min(x.to, float64(t.End)) - max(x.from, float64(t.Start)); d > 0 {
			leaf[x.leaf] += d * x.weight
			if x.queue.Level == "" {
				queue[x.leaf] += d * x.weight
			} else {
				queue[x.queue] += d * x.weight
			}
		}
	}
	t.Shares, t.QueueShares = wholeShares(leaf, t.End-t.Start), wholeShares(queue, t.End-t.Start)
	busy, clock := 0.0, 0.0
	for _, x := range s.union() {
		busy += max(0, min(x[1], float64(t.End))-max(x[0], float64(t.Start)))
	}
	t.GPUBusy = busy / float64(t.End-t.Start)
	for i, c := range s.clocks {
		to := float64(t.End)
		if i+1 < len(s.clocks) {
			to = min(to, s.clocks[i+1].at)
		}
		clock += max(0, to-max(c.at, float64(t.Start))) * s.p.m.steps[c.step]
	}
	t.ClockMean = clock / float64(t.End-t.Start)
}

// wholeShares rounds to ns that add up to all.
func wholeShares(of map[simulate.Candidate]float64, all int64) (out []simulate.Share) {
	for c, x := range of {
		if n := int64(math.Round(x)); n > 0 {
			out = append(out, simulate.Share{Candidate: c, Ns: n})
		}
	}
	slices.SortFunc(out, func(a, b simulate.Share) int {
		if a.Ns != b.Ns {
			return int(min(max(b.Ns-a.Ns, -1), 1))
		}
		if a.Candidate.String() < b.Candidate.String() {
			return -1
		}
		return 1
	})
	left := all
	for _, x := range out {
		left -= x.Ns
	}
	if len(out) > 0 {
		out[0].Ns += left
	}
	return out
}

// union are the times in which any job is launched or runs, and others.
func (s *simulation) union(others ...[2]float64) [][2]float64 {
	list := others
	for i := range s.insts {
		if s.insts[i].end < never {
			list = append(list, [2]float64{s.insts[i].ready, s.insts[i].end})
		}
	}
	return merge(list)
}
