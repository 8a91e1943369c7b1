package intel

import (
	"cmp"
	"slices"

	"astrolabe/capture/simulate"
)

// segment is time in which something set the pace of the render engine.
type segment struct {
	from, to float64
	c        simulate.Candidate
}

// segments collects them, one after the other.
type segments []segment

func (s *segments) pace(from, to float64, c simulate.Candidate) {
	if n := len(*s); n > 0 && (*s)[n-1].c == c && from-(*s)[n-1].to < 1 {
		(*s)[n-1].to = to
		return
	}
	*s = append(*s, segment{from, to, c})
}

func (*segments) add(_, _ float64, _ *counts) {}

// leaf is a candidate with how it is relieved.
type leaf struct {
	simulate.Candidate
	relieve func(*relief)
}

const faster = 1.5

func units(us ...unit) func(*relief) {
	return func(r *relief) {
		for _, u := range us {
			r.rate[u] = faster
		}
	}
}

var leaves = []leaf{
	{arithmetic, units(unVS, unEU)},
	{texture, units(unTex)},
	{loadStore, units(unPort)},
	{localMemory, units(unSLM)},
	{vertexFetch, units(unVF)},
	{clipper, units(unCL)},
	{setup, units(unSF)},
	{rasterizer, units(unRA)},
	{hierarchical, units(unHZ)},
	{earlyDepth, units(unEZ)},
	{pixelBackend, units(unPB)},
	{cache, units(unL3)},
	{simulate.MemoryBandwidth, func(r *relief) { r.bandwidth = faster }},
	{simulate.MemoryLatency, func(r *relief) { r.latency = 1 / faster }},
	{simulate.LaunchOverhead, func(r *relief) { r.launch, r.rate[unCS] = 1/faster, faster }},
	{simulate.CPUApp, func(r *relief) { r.app = 1 / faster }},
	{simulate.CPUDriver, func(r *relief) { r.driver = 1 / faster }},
	{simulate.CPUSync, func(r *relief) { r.noSync = true }},
	{simulate.QueuesInTurn, func(r *relief) { r.noTurn = true }},
	{simulate.ClockGovernor, func(r *relief) { r.clock = true }},
	{simulate.ClockPower, func(r *relief) { r.clock = true }},
	{simulate.ClockThermal, func(r *relief) { r.clock = true }},
}

// applies reports whether relief of a leaf can change anything in a scene that was played: units that are done long
// before others everywhere are not waited for.
func (sc *scene) applies(c simulate.Candidate, p *played) bool {
	switch c {
	case simulate.CPUSync:
		return sc.sync
	case simulate.QueuesInTurn:
		return slices.ContainsFunc(sc.contents, func(c content) bool { return c.turn })
	case simulate.ClockGovernor:
		return sc.clock.kind == clockGovernor
	case simulate.ClockPower:
		return sc.clock.kind == clockPower
	case simulate.ClockThermal:
		return sc.clock.kind == clockThermal
	case arithmetic:
		return true
	}
	if c.Level != simulate.LevelUnit && c != cache {
		return true
	}
	for u, v := range p.near {
		least := 0.4
		if unit(u) > unEU && unit(u) <= unL3 { // their times add up
			least = 0.2
		}
		if leafOf[u] == c && v > least {
			return true
		}
	}
	return false
}

// stretch is frames that are judged together.
type stretch struct {
	name       string
	first, end int // of the frames of the scene
}

// stretches are all frames, and those of each content where there are several.
func (sc *scene) stretches() (all stretch, phases []stretch) {
	all = stretch{first: sc.warm, end: len(sc.frames)}
	for i := sc.warm; i < len(sc.frames); i++ {
		c := sc.frames[i].content
		if i == sc.warm || c != sc.frames[i-1].content {
			phases = append(phases, stretch{name: sc.contents[c].name, first: i})
		}
		phases[len(phases)-1].end = i + 1
	}
	if len(phases) == 1 {
		phases = nil
	}
	return all, phases
}

// length is how long the frames of a stretch took.
func (s *stretch) length(p *played) float64 {
	return p.frames[s.end-1].shown - p.frames[s.first-1].shown
}

// judge finds out what limits a scene, by playing it with everything relieved in turn.
func (sc *scene) judge() *simulate.Truth {
	base := noRelief()
	var paces segments
	p := sc.play(&base, &paces)
	zero := p.frames[sc.warm-1].shown
	all, phases := sc.stretches()
	list := append([]stretch{all}, phases...)
	parts := make([]simulate.Part, len(list))
	for i := range list {
		sc.describe(&list[i], p, paces, zero, &parts[i])
	}
	gain := func(to func(i int) *[]simulate.Gain, c simulate.Candidate, relieve func(*relief), applies bool) {
		var q *played
		if applies {
			r := noRelief()
			relieve(&r)
			q = sc.play(&r, nil)
		}
		for i := range list {
			g := simulate.Gain{Candidate: c, Simulated: applies}
			if applies {
				g.Percent = 100 * (1 - list[i].length(q)/list[i].length(p))
			}
			*to(i) = append(*to(i), g)
		}
	}
	for _, l := range leaves {
		gain(func(i int) *[]simulate.Gain { return &parts[i].Leaves }, l.Candidate, l.relieve, sc.applies(l.Candidate, p))
	}
	whole := func(i int) *[]simulate.Gain { return &parts[i].Whole }
	gain(whole, simulate.WholeCPU, func(r *relief) { r.app, r.driver = 1/faster, 1/faster }, true)
	gain(whole, simulate.WholeGPU, func(r *relief) {
		for u := range r.rate {
			r.rate[u] = faster
		}
		r.bandwidth, r.latency, r.launch = faster, 1/faster, 1/faster
	}, true)
	for i := range parts {
		parts[i].Rank()
	}
	t := &simulate.Truth{Part: parts[0], Phases: parts[1:]}
	for i := sc.warm; i < len(sc.frames); i++ {
		f := &p.frames[i]
		at := func(t float64) int64 { return int64(t - zero) }
		t.Each = append(t.Each, simulate.FrameTruth{Content: sc.frames[i].content, Begin: at(f.appStart),
			GPUBegin: at(f.gpuStart), GPUEnd: at(f.gpuDone), Shown: at(f.shown), Missed: f.missed, Judged: true})
	}
	if len(t.Phases) == 0 {
		t.Phases = nil
	}
	t.Hold(sc.pace.refresh)
	return t
}

// describe fills in what a stretch of the scene as it is was like.
func (sc *scene) describe(s *stretch, p *played, paces segments, zero float64, part *simulate.Part) {
	from, to := p.frames[s.first-1].shown, p.frames[s.end-1].shown
	part.Name, part.First, part.Frames = s.name, s.first-sc.warm, s.end-s.first
	part.Start, part.End = int64(from-zero), int64(to-zero)
	sums := shares{}
	healthy := true
	k := 0
	for i := s.first; i < s.end; i++ {
		f := &p.frames[i]
		lo, hi := p.frames[i-1].shown, f.shown
		part.Missed += f.missed
		healthy = healthy && f.paced.Name != ""
		covered := lo
		for k > 0 && paces[k-1].to > lo {
			k--
		}
		for ; k < len(paces) && paces[k].from < hi; k++ {
			a, b := max(paces[k].from, covered), min(paces[k].to, hi)
			if b > a {
				sums.add(f.waits(paces[k].c), b-a)
				covered = b
			}
			if paces[k].to >= hi {
				break
			}
		}
	}
	spent := 0.0
	for _, v := range sums {
		spent += v.ns
	}
	// What no engine or thread accounts for is the way to the display.
	if rest := to - from - spent; rest > 0 {
		sums.add(simulate.DisplayVsync, rest)
	}
	part.Healthy = healthy && part.Missed == 0
	for _, v := range sums {
		part.Shares = append(part.Shares, simulate.Share{Candidate: v.c, Ns: int64(v.ns)})
	}
	slices.SortFunc(part.Shares, func(a, b simulate.Share) int {
		return cmp.Or(cmp.Compare(b.Ns, a.Ns), cmp.Compare(a.Candidate.String(), b.Candidate.String()))
	})
	left := part.End - part.Start
	for i := range part.Shares {
		left -= part.Shares[i].Ns
	}
	if len(part.Shares) > 0 {
		part.Shares[0].Ns += left
	}
	part.QueueShares = slices.Clone(part.Shares)
	busy := 0.0
	for _, b := range p.busy {
		busy += max(0, min(b.to, to)-max(b.from, from))
	}
	part.GPUBusy = busy / (to - from)
	part.ClockMean = clocksIn(p.track, from, to) / (to - from) / sc.m.maxGHz
}

// shares are sums by candidate, in the order in which they came up.
type shares []struct {
	c  simulate.Candidate
	ns float64
}

func (s *shares) add(c simulate.Candidate, ns float64) {
	for i := range *s {
		if (*s)[i].c == c {
			(*s)[i].ns += ns
			return
		}
	}
	*s = append(*s, struct {
		c  simulate.Candidate
		ns float64
	}{c, ns})
}

// waits is who keeps the render engine waiting: of a frame that the display paces no thread does, as it has time left,
// and no buffer where the application itself keeps the pace.
func (f *shownFrame) waits(c simulate.Candidate) simulate.Candidate {
	if f.paced.Name != "" && (c.Level == simulate.LevelCPU || c.Level == simulate.LevelDisplay) {
		return f.paced
	}
	return c
}

// clocksIn is how many clocks a track has between two times.
func clocksIn(track []clockPoint, from, to float64) float64 {
	sum := 0.0
	for i, c := range track {
		end := to
		if i+1 < len(track) {
			end = min(to, track[i+1].at)
		}
		if end > max(from, c.at) {
			sum += (end - max(from, c.at)) * c.ghz
		}
	}
	return sum
}
