package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// What can set the pace of a thread, by where its time goes.
const (
	paceCore = iota
	paceBranch
	paceFront
	paceLatency
	paceBandwidth
	paceFaults
	paceLock
	paceIO
	paceTurn
	paceOthers
	paceDate
	paceRequest
	shares
)

var causes = [shares]simulate.Candidate{unitCore, unitBranch, unitFront, simulate.MemoryLatency, simulate.MemoryBandwidth,
	cpuFaults, cpuLock, cpuIO, simulate.QueuesInTurn, cpuOthers, timer, simulate.DisplayRequest}

// pacing counts a time in which a thread ran.
func (e *engine) pacing(t *thread, ns float64) {
	if t.spins {
		e.pace[paceLock] += ns
		return
	}
	s := &t.instant.s
	one := ns / s.cycles()
	for k, x := range [...]float64{s.base, s.branch, s.front, s.latency, s.bandwidth, s.fault} {
		e.pace[k] += x * one
	}
}

// waits counts a time for threads that do not run. One that has nothing to do because another thread of the program has
// not got as far waits for no candidate of its own.
func (e *engine) waits(dt float64) {
	crowded, active := false, false
	for i := range e.cpus {
		if t := e.cpus[i].thread; t != nil {
			crowded = crowded || !t.app()
			active = active || t.app()
		}
	}
	for _, t := range e.threads[len(e.s.others):] {
		switch {
		case t.does == isReady && crowded:
			e.pace[paceOthers] += dt
		case t.does == waitsLock:
			e.pace[paceLock] += dt
		case t.does == waitsStorage:
			e.pace[paceIO] += dt
		case t.does != doesNothing || t.group < 0:
		case e.p.pace != unpaced && e.begun-e.done < e.p.window && (e.begun == e.done || len(e.p.stages) == 1):
			k := paceDate
			if e.p.pace == requests {
				k = paceRequest
			}
			e.pace[k] += dt
		case e.p.loose && active:
			e.pace[paceTurn] += dt / float64(len(e.p.stages))
		}
	}
}

// span is a row of frames that are judged together, from the end of the frame before the first.
type span struct {
	name        string
	first, last int
}

// spans are all frames but the first, and those of each phase where there are several.
func (s *scene) spans() []span {
	all := []span{{"", warm, s.frames() - 1}}
	if len(s.phases) > 1 {
		at := 0
		for _, p := range s.phases {
			n := p.units / p.batch
			all = append(all, span{p.name, at + warm, at + n - 1})
			at += n
		}
	}
	return all
}

// judge finds what limits by relieving one candidate after the other.
func (s *scene) judge() (*simulate.Truth, error) {
	e := newEngine(s, simulate.Candidate{}, nil)
	if err := e.run(); err != nil {
		return nil, err
	}
	spans := s.spans()
	times := func(e *engine) (out []float64) {
		for _, x := range spans {
			out = append(out, e.frameEnd[x.last]-e.frameEnd[x.first-1])
		}
		return out
	}
	base := times(e)
	truth := &simulate.Truth{}
	parts := make([]simulate.Part, len(spans))
	for i, x := range spans {
		parts[i] = e.part(x)
	}
	for k := range e.frameEnd {
		f := simulate.FrameTruth{Begin: int64(e.first[k]), GPUBegin: int64(e.first[k]), GPUEnd: int64(e.frameEnd[k]),
			Shown: int64(e.frameEnd[k]), Missed: e.missed[k], Judged: k >= warm}
		if len(s.phases) > 1 && k >= s.phases[0].units/s.phases[0].batch {
			f.Content = 1
		}
		truth.Each = append(truth.Each, f)
	}
	leaves := []simulate.Candidate{unitCore, unitBranch, unitFront, simulate.MemoryLatency, simulate.MemoryBandwidth, cpuFaults, cpuLock,
		cpuIO, cpuOthers}
	for _, p := range s.phases {
		if p.loose {
			leaves = append(leaves, simulate.QueuesInTurn)
			break
		}
	}
	most := 0
	for k := range e.clock.held {
		if e.clock.held[k] > e.clock.held[most] {
			most = k
		}
	}
	if e.clock.held[most] > e.now/50 {
		leaves = append(leaves, clockCauses[most])
	}
	for _, c := range leaves {
		simulated := s.has(c)
		var with []float64
		if simulated {
			relieved := newEngine(s, c, nil)
			if err := relieved.run(); err != nil {
				return nil, err
			}
			with = times(relieved)
		}
		for i := range parts {
			g := simulate.Gain{Candidate: c, Simulated: simulated}
			if simulated && base[i] > 0 {
				g.Percent = 100 * (base[i] - with[i]) / base[i]
			}
			parts[i].Leaves = append(parts[i].Leaves, g)
		}
	}
	for i := range parts {
		p := &parts[i]
		simulate.SortGains(p.Leaves)
		p.Healthy = p.Missed == 0 && p.ShareOf(timer)+p.ShareOf(simulate.DisplayRequest) > 0.5 && p.Leaves[0].Percent < simulate.ClearGain
		p.Held = p.Leaves[0].Candidate == cpuLock && s.spins()
	}
	truth.Part, truth.Phases = parts[0], parts[1:]
	return truth, nil
}

// has reports whether there is anything of a candidate in a scene, so that its relief can change something.
func (s *scene) has(c simulate.Candidate) bool {
	switch c {
	case cpuFaults:
		for _, p := range s.profiles {
			if p.faults > 0 {
				return true
			}
		}
		return false
	case cpuOthers:
		return len(s.others) > 0 || s.m.steal > 0
	case cpuLock, cpuIO:
		for _, p := range s.phases {
			for _, st := range p.stages {
				for _, seg := range st.segments {
					if c == cpuLock && seg.lock > 0 || c == cpuIO && seg.reads > 0 {
						return true
					}
				}
			}
		}
		return false
	}
	return true
}

func (s *scene) spins() bool {
	for _, p := range s.phases {
		if p.spin {
			return true
		}
	}
	return false
}

// part is what the simulation itself says of a span of frames.
func (e *engine) part(x span) simulate.Part {
	p := simulate.Part{Name: x.name, First: x.first, Frames: x.last - x.first + 1, Start: int64(e.frameEnd[x.first-1]),
		End: int64(e.frameEnd[x.last]), ClockMean: 1}
	var by [shares]float64
	sum := 0.0
	for k := x.first; k <= x.last; k++ {
		p.Missed += e.missed[k]
		for i, ns := range e.paces[k] {
			by[i] += ns
			sum += ns
		}
	}
	all, rest := p.End-p.Start, p.End-p.Start
	largest := 0
	for i := range by {
		if by[i] > by[largest] {
			largest = i
		}
	}
	for i, c := range causes {
		if i == largest || sum == 0 {
			continue
		}
		if ns := int64(math.Floor(by[i] / sum * float64(all))); ns > 0 {
			p.Shares = append(p.Shares, simulate.Share{Candidate: c, Ns: ns})
			rest -= ns
		}
	}
	p.Shares = append(p.Shares, simulate.Share{Candidate: causes[largest], Ns: rest})
	simulate.SortShares(p.Shares)
	return p
}
