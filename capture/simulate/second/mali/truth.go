package mali

import (
	"math"

	"astrolabe/capture/simulate"
)

// walk goes back from when the last frame of a part was shown to when the one before its first was, always to what was
// waited for last, and adds up what the time went to.
func (s *sim) walk(first, last int) (times [leaves]float64) {
	from := s.out[first-1].at
	t := s.out[last].at
	give := func(l leaf, until float64) {
		if until = max(until, from); until < t {
			times[l] += t - until
			t = until
		}
	}
	for at, whole := s.out[last].shownNode, true; at >= 0 && t > from; {
		n := &s.nodes[at]
		if whole && n.end > n.start {
			// A node that is left early or begins before the part counts in proportion.
			begin := max(n.start, from)
			if share := (t - begin) / (n.end - n.start); share > 0 {
				sum := 0.0
				for _, x := range n.times {
					sum += x
				}
				for l, x := range n.times {
					times[l] += x / sum * share * (n.end - n.start)
				}
				t = begin
			}
		}
		if n.cause < 0 {
			give(n.gap, 0)
			break
		}
		whole = !n.fromStart
		if c := &s.nodes[n.cause]; whole {
			give(n.gap, c.end)
		} else {
			give(n.gap, c.start)
		}
		at = n.cause
	}
	give(s.p.pacing.side, 0)
	return times
}

// reliefs lists what can be relieved, with how.
func (p *program) reliefs() (list []leaf, how map[leaf]relief) {
	how = map[leaf]relief{}
	for l := range vsync {
		var r relief
		switch {
		case l == rayTracing && !p.m.rays,
			(l == thermal || l == power) && (p.limit == 0 || p.holder != l):
			continue
		case l == latency, l == cpuApp, l == cpuDriver, l == overhead:
			r.spared[l] = 1.0 / 3
		case l < resources:
			r.faster[l] = 1.5
		default:
			r.lifted[l] = true
		}
		list = append(list, l)
		how[l] = r
	}
	return list, how
}

func (p *program) needlessTurns() bool {
	for _, c := range p.contents {
		for i := range c.jobs {
			if len(c.jobs[i].needless)+len(c.jobs[i].beforeNeedless) > 0 {
				return true
			}
		}
	}
	return false
}

// dated reports whether there are dates to keep.
func (p *program) dated() bool { return p.frames[p.first].due > 0 || p.pacing.refresh > 0 }

// span is a part of the program: frames that are judged together.
type span struct {
	name        string
	first, last int
}

func (p *program) spans() []span {
	all := []span{{"", p.first, p.last}}
	if len(p.contents) < 2 {
		return all
	}
	border := p.first
	for p.frames[border].content == 0 {
		border++
	}
	return append(all, span{"first", p.first, border - 1}, span{"second", border, p.last})
}

func (s *sim) length(x span) float64 { return s.out[x.last].at - s.out[x.first-1].at }

// judge finds what limits the program, by relieving one thing after the other.
func (p *program) judge() *simulate.Truth {
	base := run(p, relief{}, true)
	origin := base.out[p.first-1].at
	ns := func(t float64) int64 { return int64(math.Round((t - origin) * 1e9)) }
	spans := p.spans()
	parts := make([]simulate.Part, len(spans))
	gain := func(r relief, c simulate.Candidate, list func(*simulate.Part) *[]simulate.Gain) {
		s := run(p, r, false)
		for i, x := range spans {
			g := simulate.Gain{Candidate: c, Percent: 100 * (1 - s.length(x)/base.length(x)), Simulated: true}
			if math.Abs(g.Percent) < 1e-6 {
				g.Percent = 0
			}
			l := list(&parts[i])
			*l = append(*l, g)
		}
	}
	toLeaves := func(p *simulate.Part) *[]simulate.Gain { return &p.Leaves }
	list, how := p.reliefs()
	for _, l := range list {
		if l == cpuSync && !p.pacing.sync || l == inTurn && !p.needlessTurns() {
			for i := range parts {
				parts[i].Leaves = append(parts[i].Leaves, simulate.Gain{Candidate: candidates[l]})
			}
			continue
		}
		gain(how[l], candidates[l], toLeaves)
	}
	toWhole := func(p *simulate.Part) *[]simulate.Gain { return &p.Whole }
	var cpu, gpu relief
	cpu.spared[cpuApp], cpu.spared[cpuDriver] = 1.0/3, 1.0/3
	gpu.spared[latency], gpu.spared[overhead] = 1.0/3, 1.0/3
	for l := range latency {
		gpu.faster[l] = 1.5
	}
	gain(cpu, simulate.WholeCPU, toWhole)
	gain(gpu, simulate.WholeGPU, toWhole)
	for i, x := range spans {
		part := &parts[i]
		part.Name, part.First, part.Frames = x.name, x.first-p.first, x.last-x.first+1
		part.Start, part.End = ns(base.out[x.first-1].at), ns(base.out[x.last].at)
		part.Rank()
		part.Shares = shares(base.walk(x.first, x.last), part.End-part.Start)
		part.QueueShares = part.Shares
		part.GPUBusy, part.ClockMean = base.load(x)
		for f := x.first; f <= x.last; f++ {
			part.Missed += base.missed(f)
		}
		// Who draws as fast as the display refreshes, and misses none, has what there is to have.
		part.Healthy = part.Missed == 0 && p.dated()
	}
	truth := &simulate.Truth{Part: parts[0], Phases: parts[1:]}
	for f := p.first; f <= p.last; f++ {
		o := &base.out[f]
		truth.Each = append(truth.Each, simulate.FrameTruth{Content: p.frames[f].content, Begin: ns(o.begin),
			GPUBegin: ns(o.gpuBegin), GPUEnd: ns(o.gpuEnd), Shown: ns(o.at), Missed: base.missed(f), Judged: true})
	}
	truth.Hold(1e9 * p.pacing.refresh)
	return truth
}

// missed is 1 for a frame that was shown after its date: the one that it was given, or the refresh behind that of the
// frame before it.
func (s *sim) missed(f int) int {
	at, refresh := s.out[f].at, s.p.pacing.refresh
	switch due := s.p.frames[f].due; {
	case due > 0 && at > due+1e-4,
		due == 0 && refresh > 0 && at > s.out[f-1].at+1.5*refresh:
		return 1
	}
	return 0
}

// shares are times in whole ns that add up to total.
func shares(times [leaves]float64, total int64) []simulate.Share {
	var out []simulate.Share
	sum, largest := int64(0), 0
	for l, t := range times {
		if ns := int64(t * 1e9); ns > 0 {
			out = append(out, simulate.Share{Candidate: candidates[l], Ns: ns})
			sum += ns
			if ns > out[largest].Ns {
				largest = len(out) - 1
			}
		}
	}
	if len(out) > 0 {
		out[largest].Ns += total - sum // of rounding
	}
	return out
}

// load is the share of a part's time in which the GPU had work, and the mean of its clock.
func (s *sim) load(x span) (busy, clock float64) {
	from, to := s.out[x.first-1].at, s.out[x.last].at
	for i := range s.segments {
		g := &s.segments[i]
		dt := min(g.end, to) - max(g.start, from)
		if dt <= 0 {
			continue
		}
		clock += dt * g.clock
		if len(g.parts) > 0 {
			busy += dt
		}
	}
	return busy / (to - from), clock / (to - from)
}
