package cpu

import (
	"slices"

	"astrolabe/capture/simulate"
)

// What can set the pace of a thread, by where its time goes.
const (
	paceLock = 6 + iota // behind the six parts of a stack
	paceIO
	paceTurn
	paceOthers
	paceTimer
	paceRequest
	shares
)

// causes are in the order of the fields of stack and of the constants behind them.
var causes = [shares]simulate.Candidate{unitCore, unitBranch, unitFront, simulate.MemoryLatency, simulate.MemoryBandwidth, cpuFaults, cpuLock,
	cpuIO, simulate.QueuesInTurn, cpuOthers, timer, simulate.DisplayRequest}

// ran counts a time in which a thread ran.
func (e *engine) ran(t *thread, ns float64) {
	s := &t.s
	for k, x := range [...]float64{s.base, s.branch, s.front, s.latency, s.bandwidth, s.fault} {
		e.pace[k] += x * ns / s.cycles()
	}
}

// waits counts a time for threads that do not run. One that has nothing to do because another thread of the program has
// not got as far waits for no candidate of its own, unless the order is needless.
func (e *engine) waits(dt float64) {
	crowded, active := false, false
	for i := range e.cpus {
		if t := e.cpus[i].thread; t != nil {
			crowded, active = crowded || t.other != nil, active || t.other == nil
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
		case t.does != hasNothing || t.group < 0:
		case e.p.paced() && e.begun-e.done < e.p.window && (e.begun == e.done || len(e.p.stages) == 1):
			if e.p.pace == timer {
				e.pace[paceTimer] += dt
			} else {
				e.pace[paceRequest] += dt
			}
		case e.p.loose && active:
			e.pace[paceTurn] += dt / float64(len(e.p.stages))
		}
	}
}

// spans are the frames that are judged together, as parts without gains: all but the first, and those of each phase where
// there are several.
func (e *engine) spans() []simulate.Part {
	last, at := len(e.end)-1, 0
	out := []simulate.Part{e.part("", warm, last)}
	for _, p := range e.s.phases {
		if len(e.s.phases) > 1 {
			out = append(out, e.part(p.name, at+warm, at+p.frames()-1))
		}
		at += p.frames()
	}
	return out
}

// part is what the simulation itself says of a span of frames.
func (e *engine) part(name string, first, last int) simulate.Part {
	p := simulate.Part{Name: name, First: first, Frames: last - first + 1, Start: int64(e.end[first-1]), End: int64(e.end[last]), ClockMean: 1}
	var by [shares]float64
	sum, most := 0.0, 0
	for k := first; k <= last; k++ {
		p.Missed += e.missed[k]
		for i, ns := range e.paces[k] {
			by[i], sum = by[i]+ns, sum+ns
		}
	}
	for i := range by {
		if by[i] > by[most] {
			most = i
		}
	}
	rest := p.End - p.Start
	for i, c := range causes {
		if ns := int64(by[i] / max(1, sum) * float64(p.End-p.Start)); i != most && ns > 0 {
			p.Shares = append(p.Shares, simulate.Share{Candidate: c, Ns: ns})
			rest -= ns
		}
	}
	p.Shares = append(p.Shares, simulate.Share{Candidate: causes[most], Ns: rest})
	simulate.SortShares(p.Shares)
	return p
}

// waiting is the share of time in which dates or requests set the pace.
func waiting(p *simulate.Part) float64 { return p.ShareOf(timer) + p.ShareOf(simulate.DisplayRequest) }

// judge finds what limits by relieving one candidate after the other.
func (s *scene) judge() (*simulate.Truth, error) {
	e := newEngine(s, simulate.Candidate{}, nil)
	if err := e.run(); err != nil {
		return nil, err
	}
	parts := e.spans()
	leaves := slices.Clone(causes[:paceTimer])
	if !slices.ContainsFunc(s.phases, func(p *program) bool { return p.loose }) {
		leaves = slices.DeleteFunc(leaves, func(c simulate.Candidate) bool { return c == simulate.QueuesInTurn })
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
		relieved := newEngine(s, c, nil)
		if err := relieved.run(); err != nil {
			return nil, err
		}
		for i, x := range relieved.spans() {
			p := &parts[i]
			gain := 100 * (1 - float64(x.End-x.Start)/float64(p.End-p.Start))
			p.Leaves = append(p.Leaves, simulate.Gain{Candidate: c, Percent: gain, Simulated: true})
		}
	}
	for i := range parts {
		p := &parts[i]
		simulate.SortGains(p.Leaves)
		p.Healthy = p.Missed == 0 && waiting(p) > 0.5 && p.Leaves[0].Percent < simulate.ClearGain
	}
	truth := &simulate.Truth{Part: parts[0], Phases: parts[1:]}
	for k, end := range e.end {
		f := simulate.FrameTruth{Begin: int64(e.first[k]), GPUBegin: int64(e.first[k]), GPUEnd: int64(end), Shown: int64(end),
			Missed: e.missed[k], Judged: k >= warm}
		if k >= s.phases[0].frames() {
			f.Content = 1
		}
		truth.Each = append(truth.Each, f)
	}
	return truth, nil
}
